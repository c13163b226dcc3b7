"""Benchmarks of cost: work is counted the same each time, the gate fails where it should."""

import sys

import pytest

from benchmarks import ceilings, gate, sample, work
from benchmarks.clock import forget_caches
from benchmarks.corpora import portal
from benchmarks.counting import count

SITE = sample.sections(portal())[0][:6]


@pytest.fixture
def baseline(tmp_path, monkeypatch):
    monkeypatch.setattr(gate, "BASELINE", tmp_path / "baseline.json")
    return tmp_path / "baseline.json"


def body():
    return work._body(SITE[0], (), "combined")


def test_counted_work_is_the_same_each_time():
    def counted():
        forget_caches()
        return count(body)

    body()  # models are read, tables made
    first, second = counted(), counted()
    assert first[:2] == second[:2]
    assert first.kilobytes == pytest.approx(second.kilobytes, abs=work.FEW_KILOBYTES / 4)
    assert sys.gettrace() is None or sys.gettrace().__module__ != "benchmarks.counting"


def test_gate_fails_where_a_body_takes_more_work(baseline, monkeypatch):
    found = {w.name: w for w in work.fixed("combined", 1)}
    ceilings.write({w.name: w.ceiling for w in found.values()}, work.pages())
    assert work.failures(found) == {}
    once = work._body
    monkeypatch.setattr(work, "_body", lambda *args: (once(*args), once(*args))[1])
    wrong = work.failures({w.name: w for w in work.fixed("combined", 1)})
    assert {"combined calls", "combined instructions"} <= set(wrong)
    assert "is above the ceiling" in wrong["combined calls"]


def test_every_figure_of_the_gate_has_its_ceiling():
    known = {name.removeprefix("work ") for name in gate.read() if name.startswith("work ")}
    assert {"time parses", "time growth", "combined calls", "growth kilobytes", "columns"} <= known
