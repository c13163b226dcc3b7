"""Benchmarks of cost: stages add up, work is counted the same each time, the gate fails where it should."""

import json
import sys
from importlib import import_module

import numpy as np
import pytest

from benchmarks import bench, ceilings, cost_page, crawl, gate, growth, peers, report, sample, stages, turns, work
from benchmarks.clock import NUMPY, Spread, bounded_caches, forget_caches, ways
from benchmarks.corpora import portal
from benchmarks.counting import count
from benchmarks.sample import SampledSite
from benchmarks.tracing import Tracer
from denoise_scrapy.native import switched_off
from denoise_scrapy.page import Page, PathTable

SITE = sample.sections(portal())[0][:6]


@pytest.fixture
def baseline(tmp_path, monkeypatch):
    monkeypatch.setattr(gate, "BASELINE", tmp_path / "baseline.json")
    return tmp_path / "baseline.json"


def body():
    return work._body(SITE[0], (), "combined", PathTable())


def test_every_seam_between_stages_is_there():
    tracer = Tracer()
    with tracer.seams():
        pass
    assert tracer.missing == [], "renamed or gone: name what took its place in benchmarks/tracing.py"


def test_stages_add_up_to_the_body_and_clocks_are_taken_away():
    parse, facts = Page.parse.__func__, Page.__dict__["facts"].func
    with switched_off():
        times = stages.measure(stages.Target.of(SITE, 1), 3, NUMPY, 1)
    whole = times.pop(stages.BODY)
    assert sum(times.values()) == pytest.approx(whole)
    assert {"parse", "comparison", "features: words", "trees", "networks", "adjustments, selection"} <= set(times)
    assert set(stages.in_order(times)) == set(times)
    assert Page.parse.__func__ is parse and Page.__dict__["facts"].func is facts


def test_counted_work_is_the_same_each_time():
    def counted():
        forget_caches()
        return count(body)

    body()  # models are read, tables made
    with switched_off():
        first, second = counted(), counted()
    assert first[:2] == second[:2]
    assert first.kilobytes == pytest.approx(second.kilobytes, rel=0.15)
    assert sys.gettrace() is None or sys.gettrace().__module__ != "benchmarks.counting"


def test_counts_tell_calls_operators_and_memory():
    few, many = (count(lambda n=n: [abs(i) * 2 for i in range(n)]) for n in (100, 1000))
    assert many.calls - few.calls == 900
    assert many.instructions > 8 * few.instructions
    assert count(lambda: bytearray(500_000)).kilobytes > 499


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


def test_gate_fails_where_work_grows_faster_than_the_page(baseline, monkeypatch):
    with switched_off():
        ceilings.write({w.name: w.ceiling for w in work.grown(NUMPY)}, work.pages())
        once = work._body

        def quadratic(*args):
            page = once(*args)
            blocks = len(page.blocks)
            return page, np.zeros((blocks, blocks)), [2 * n for n in range(blocks**2 // 80)]

        monkeypatch.setattr(work, "_body", quadratic)
        wrong = work.failures({w.name: w for w in work.grown(NUMPY)})
    assert "growth numpy instructions" in wrong and "growth numpy kilobytes" in wrong


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


def test_times_above_their_ceiling_are_taken_again(baseline, monkeypatch, capsys):
    ceilings.write({"time numpy parses": 5.0}, work.pages())
    again = iter([6.0, 4.0])
    monkeypatch.setattr(work, "ways", lambda: {NUMPY: switched_off})
    monkeypatch.setattr(work, "measure", lambda: [work.Work("time numpy parses", 7.0, work.TIME)])
    monkeypatch.setattr(work, "timed", lambda way: [work.Work(f"time {way} parses", next(again), work.TIME)])
    monkeypatch.setattr(sys, "argv", ["work", "--gate"])
    assert work.main() == 0
    assert list(again) == []


def test_other_versions_have_a_wider_ceiling(baseline, monkeypatch):
    ceilings.write({"x": 100.0}, work.pages())
    assert list(ceilings.failures({"x": 101.0}, work.pages())) == ["x"]
    monkeypatch.setattr(ceilings, "versions", lambda: "python 3.99, numpy 9.9")
    assert ceilings.failures({"x": 101.0}, work.pages()) == {}
    assert list(ceilings.failures({"x": 100.1 * ceilings.OTHER_VERSIONS}, work.pages())) == ["x"]


def test_every_figure_of_the_gate_has_its_ceiling():
    known = {name.removeprefix("work ") for name in gate.read() if name.startswith("work ")}
    assert {f"time {way} {kind}" for way in ways() for kind in ("parses", "growth")} <= known
    assert {"combined numpy calls", "combined native calls", "growth native kilobytes", "paths"} <= known


def test_pages_come_in_turn_and_each_once():
    sites = [SampledSite("portal", 0, SITE[:3]), SampledSite("portal", 1, SITE[3:5])]
    found = turns.in_turn(sites, turns.facts_of(sites), 2, NUMPY, 2)
    assert [(turn.site, turn.page) for turn in found] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1)]
    rows = turns.summary(found, NUMPY, 2)
    assert {row["what"]: row["pages"] for row in rows} == {turns.FIRST: 2, turns.LATER: 3, turns.SITE: 2}


def test_pages_are_made_where_none_is_as_large():
    made = growth.enlarged(SITE[0], 2000)
    assert sample.count_elements(made) == pytest.approx(2000, rel=0.1)
    site, number = sample.pages_of_size([SampledSite("portal", 0, SITE)], 4000, 3)[0]
    assert number == 0 and site[1:] == SITE and sample.count_elements(site[0]) == pytest.approx(4000, rel=0.1)


def test_caches_are_forgotten():
    body()
    assert sum(cached.cache_info().currsize for cached in bounded_caches())
    forget_caches()
    assert not sum(cached.cache_info().currsize for cached in bounded_caches())


def test_a_section_replaces_itself_and_leaves_the_others(tmp_path):
    path = tmp_path / "report.json"
    path.write_text("[]")  # of an older form
    report.merge("a", [{"n": 1}], path=path)
    report.merge("b", [{"n": 2}], quick=True, path=path)
    report.merge("a", [{"n": 3}], path=path)
    found = json.loads(path.read_text())
    assert [found[name]["rows"] for name in "ab"] == [[{"n": 3}], [{"n": 2}]]
    assert found["b"]["quick"] and found["a"]["with"]["numpy"]


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


@pytest.mark.parametrize("module", [module for module, *_ in bench.PARTS])
def test_every_part_of_the_benchmark_is_a_command(module):
    assert callable(import_module(module if module != "benchmarks" else "benchmarks.__main__").main)


def test_ours_and_theirs_are_of_the_same_pages():
    found = peers.measure([SampledSite("portal", 0, SITE[:2])], 1)
    assert {len(readings) for readings in found.values()} == {2}
    rows = {row["extractor"]: row for row in peers.summary("portal", found)}
    ours = f"combined, {NUMPY}"
    assert rows[ours][f"times {ours}"]["median"] == 1 and rows[ours]["f1"] > 0.8
