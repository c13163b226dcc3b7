"""Work is counted the same each time, made hosts are crawled to the end, changes of a site are found."""

import sys
from random import Random

import pytest

from benchmarks import work
from benchmarks.crawl import one_crawl
from benchmarks.health import CHANGES, PAGES, UNCHANGED, CrawledSite, tried
from benchmarks.made_site import serving
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

    body(), counted()  # models are read, tables made, style sheets parsed
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


def test_every_way_to_crawl_brings_all_items():
    with serving(2, 6) as port:
        sizes = {"port": port, "hosts": 2, "pages": 6}
        crawls = [one_crawl("bare", **sizes), one_crawl("default", **sizes, settings={"DENOISE_DEDUP": "mark"})]
    assert [one["items"] for one in crawls] == [12, 12]
    bare, ours = (one["stats"] for one in crawls)
    assert not bare and not any("denoise/errors" in name for name in ours)
    assert ours["denoise/body/items"] == ours["denoise/dedup/checked"] == 12


def test_every_change_of_the_portal_is_found_and_nothing_else():
    pages = portal()
    chinese = [page for page in pages if not page.gold[:300].isascii() and page.gold[:1] > "\u2fff"]
    news = [page for page in pages if "/news/" in page.url and page not in chinese]
    forum = [page for page in pages if "/forum/" in page.url]
    assert min(map(len, (chinese, news, forum))) >= 5 and len(news) > PAGES
    found = [one for one in tried(CrawledSite(news, forum, chinese), Random(1)) if one[1] in {0, PAGES}]
    assert {change for change, _, alarms in found if alarms} == set(CHANGES)
    assert not any(alarms for change, _, alarms in found if change == UNCHANGED)
