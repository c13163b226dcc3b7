"""Benchmarks of cost: work is counted the same each time, the gate fails where it should."""

import sys

import pytest

from benchmarks import ceilings, cost_page, crawl, gate, growth, report, sample, turns, work
from benchmarks.clock import NUMPY, Spread, forget_caches, ways
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


@pytest.mark.parametrize(
    ("factor", "status", "said"),
    [(1.0, 0, "none above its ceiling"), (1.5, 1, "is above the ceiling"), (None, 1, "no ceiling for these pages")],
)
def test_the_command_fails_with_the_gate(factor, status, said, baseline, monkeypatch, capsys):
    if factor:
        ceilings.write({"combined numpy calls": 110.0}, work.pages())
    figures = [work.Work("combined numpy calls", 100.0 * (factor or 1), work.COUNT)]
    monkeypatch.setattr(work, "measure", lambda: figures)
    monkeypatch.setattr(report, "OUTPUT", baseline.with_name("report.json"))
    monkeypatch.setattr(sys, "argv", ["work", "--gate"])
    assert work.main() == status
    assert said in capsys.readouterr().out


def test_every_figure_of_the_gate_has_its_ceiling():
    known = {name.removeprefix("work ") for name in gate.read() if name.startswith("work ")}
    assert {f"time {way} {kind}" for way in ways() for kind in ("parses", "growth")} <= known
    assert {"combined numpy calls", "combined native calls", "growth native kilobytes", "paths"} <= known


def test_the_page_of_the_documentation_is_made_of_the_report():
    spread = Spread.of([1.0, 2.0, 3.0]).row()
    cell = {"way": NUMPY, "k": 5, **spread}
    sizes = (*growth.SIZES, "ratio")
    times = {f"times combined, {NUMPY}": spread, f"total times combined, {NUMPY}": 4.5}
    own = {"corpus": "big9", "f1": 0.98, "total parses": 2.5, **spread, **times}
    counts = {"denoise/comparison/requests": 3, "denoise/comparison/reused": 1}
    bare, ours = ({"pages_per_second": speed, "cpu_ms_per_page": 2.0, "stats": counts} for speed in (200, 150))
    rows = {
        "turns": [{"what": what, "elements": "all", **cell} for what in (turns.FIRST, turns.SITE)],
        "worst": turns.worst_rows([turns.Turn("big9", 3, 7, 500, 0.001, 0.04)], NUMPY),
        "growth": [{"elements": size, **cell} for size in sizes],
        "peers": [{"extractor": name, **own} for name in (f"combined, {NUMPY}", "trafilatura")],
        "crawl": {
            "hosts": 2,
            "pages": 40,
            "rounds": 1,
            "delays": [crawl.summary(0.05, [{"bare": bare, "default": ours}])],
        },
    }
    told = report.environment()
    page = cost_page.cost_text({name: {"with": told, "quick": False, "rows": found} for name, found in rows.items()})
    assert "| whole site, all (3) | 2.00 (1.20–2.80) |" in page
    assert "The worst recorded page: 40 P (numpy)" in page and "2.00 (numpy) times" in page
    assert "| default | 150 | 75% (75%–75%) | 2.00 | 2 of 3 |" in page
    assert "| big9 (3) | 2.0 | 2.0 | 2.0 |" in page
