"""Cost: work is counted the same each time, and the gate fails where a body takes more."""

import sys

import pytest

from benchmarks import work
from benchmarks.measuring import count, forget_caches
from evaluation import baseline
from evaluation.corpora import portal, sections

SITE = sections(portal())[0][:6]


def test_counted_work_is_the_same_each_time():
    def counted():
        forget_caches()
        return count(body)

    def body():
        return work._body(SITE[0], (), "combined")

    body()  # models are read, tables made
    first, second = counted(), counted()
    assert first[:2] == second[:2]
    assert first.kilobytes == pytest.approx(second.kilobytes, abs=work.FEW_KILOBYTES / 4)
    assert sys.gettrace() is None or sys.gettrace().__module__ != "benchmarks.measuring"


def test_the_gate_fails_where_a_body_takes_more_work(tmp_path, monkeypatch):
    monkeypatch.setattr(baseline, "BASELINE", tmp_path / "baseline.json")
    found = list(work.fixed("combined", 1))
    baseline.write(found)
    assert baseline.failures(found) == {}
    once = work._body
    monkeypatch.setattr(work, "_body", lambda *args: (once(*args), once(*args))[1])
    wrong = baseline.failures(work.fixed("combined", 1))
    assert {"work combined calls", "work combined instructions"} <= set(wrong)
    assert "is above the ceiling" in wrong["work combined calls"]


def test_every_figure_of_the_gate_has_its_ceiling():
    known = {name.removeprefix("work ") for name in baseline.read() if name.startswith("work ")}
    assert {"time parses", "time growth", "combined calls", "growth kilobytes", "columns"} <= known
