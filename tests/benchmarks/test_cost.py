"""Benchmarks of cost: work is counted the same each time, the gate fails where it should."""

import sys

import pytest

from benchmarks import ceilings, gate, sample, work
from benchmarks.clock import NUMPY, forget_caches, ways
from benchmarks.corpora import portal
from benchmarks.counting import count
from denoise_scrapy.native import switched_off
from denoise_scrapy.page import PathTable

SITE = sample.sections(portal())[0][:6]


@pytest.fixture
def baseline(tmp_path, monkeypatch):
    monkeypatch.setattr(gate, "BASELINE", tmp_path / "baseline.json")
    return tmp_path / "baseline.json"


def body():
    return work._body(SITE[0], (), "combined", PathTable())


def test_counted_work_is_the_same_each_time():
    def counted():
        forget_caches()
        return count(body)

    with switched_off():
        body()  # models are read, tables made
        first, second = counted(), counted()
    assert first[:2] == second[:2]
    assert first.kilobytes == pytest.approx(second.kilobytes, rel=0.15)
    assert sys.gettrace() is None or sys.gettrace().__module__ != "benchmarks.counting"


def test_gate_fails_where_a_body_takes_more_work(baseline, monkeypatch):
    with switched_off():
        found = {w.name: w for w in work.fixed("combined", NUMPY, 1)}
        ceilings.write({w.name: w.ceiling for w in found.values()}, work.pages())
        assert work.failures(found) == {}
        once = work._body
        monkeypatch.setattr(work, "_body", lambda *args: (once(*args), once(*args))[1])
        wrong = work.failures({w.name: w for w in work.fixed("combined", NUMPY, 1)})
    assert {"combined numpy calls", "combined numpy instructions"} <= set(wrong)
    assert "is above the ceiling" in wrong["combined numpy calls"]


def test_every_figure_of_the_gate_has_its_ceiling():
    known = {name.removeprefix("work ") for name in gate.read() if name.startswith("work ")}
    assert {f"time {way} {kind}" for way in ways() for kind in ("parses", "growth")} <= known
    assert {"combined numpy calls", "combined native calls", "growth native kilobytes", "paths"} <= known
