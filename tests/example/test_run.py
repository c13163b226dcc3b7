"""The demo's parts: the crawl in a process of its own, its figures, and what happens when it fails."""

import pytest

from example_project.portal import build, serve
from example_project.run import CrawlError, crawl, evaluate, print_table


def test_a_crawl_without_the_plugin_has_no_texts_and_all_copies(tmp_path, capsys):
    portal = build()
    with serve() as base:
        seconds = crawl(f"{base}/", tmp_path, ["ADDONS={}"])
    report = evaluate(portal, tmp_path, seconds)
    copies = sum(bool(page.copy_of) for page in portal.pages.values())
    assert report["pages"] == sum(page.section != "private" for page in portal.pages.values())
    assert (report["bodies"], report["f1"], report["errors"]) == (0, 0.0, 0)
    assert (report["duplicates_dropped"], report["duplicates_missed"]) == (0, copies)
    assert (report["wrongly_dropped"], report["extra_requests"]) == (0, 0)
    print_table(report)
    assert "near-duplicates missed" in capsys.readouterr().out


def test_a_crawl_that_cannot_start_is_told(tmp_path):
    with pytest.raises(CrawlError, match="nope"):
        crawl("http://127.0.0.1:9/", tmp_path, ['ADDONS={"nope.Nope": 1}'])


@pytest.mark.parametrize(
    ("stats", "said"),
    [
        (None, "no items or no statistics"),
        ('{"finish_reason": "shutdown"}', "shutdown"),
        ('{"finish_reason": "finished"}', "no items"),
    ],
)
def test_a_crawl_that_stops_early_is_told(tmp_path, stats, said):
    if stats:
        (tmp_path / "items.jsonl").write_text("")
        (tmp_path / "stats.json").write_text(stats)
    with pytest.raises(CrawlError, match=said):
        evaluate(build(), tmp_path, 1)
