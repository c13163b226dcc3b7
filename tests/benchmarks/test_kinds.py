"""Scores by kind of page, and sections of generated figures."""

import re
import sys
from types import SimpleNamespace

import pytest

from benchmarks import figures, kinds, site_peers
from benchmarks.corpora import RecordedPage, portal
from benchmarks.sample import sections

SITE = sections(portal())[0][:5]


def test_marks_by_hand():
    assert kinds.Mark.of("a b c d", "a b") == (2 / 3, 1 / 2, 1.0)
    assert kinds.Mark.of("a a", "a b") == (1 / 2, 1 / 2, 1 / 2)
    assert kinds.Mark.of("", "a") == (0, 0, 0) and kinds.Mark.of("", "") == (1, 1, 1)
    assert str(kinds.Mark.mean([kinds.Mark(1, 1, 1), kinds.Mark(0, 0, 0.5)])) == "0.500"


def test_all_ways_are_measured_on_all_pages(monkeypatch):
    monkeypatch.setattr(kinds, "peers", lambda: {"all": lambda html: re.sub(r"<[^>]+>", " ", html)})
    monkeypatch.setattr(kinds, "site_peers", lambda: {"none": lambda site: ["" for _ in site]})
    marks = kinds._empty()
    kinds.measure(SITE, marks, lambda page: kinds.kind_of(page, "portal"))
    assert len(marks) == 3 + len(kinds.TASTES) + 2
    assert {len(found["news"]) for found in marks.values()} == {len(SITE)}
    assert kinds.Mark.mean(marks["defaults"]["news"]).f1 > 0.8
    assert kinds.Mark.mean(marks["none"]["news"]).f1 == 0
    assert kinds.Mark.mean(marks["all"]["news"]).recall > 0.95
    rows = kinds.marks_table(marks).splitlines()
    assert rows[0] == "| set, or tool | news |" and rows[2] == f"| pages | {len(SITE)} |"


class StandIn:
    """What of deboiler a crawl of its pages meets: a model that sees all of them, and fails at some."""

    def __init__(self, **_options):
        self.seen = 0

    def fit(self, data):
        self.seen = len(data.urls)

    def transform_page(self, url, data):
        if url.endswith("/1"):
            raise ValueError("no letters")
        return SimpleNamespace(cleaned_text=f"{self.seen} pages: {data.pages[url]}")


class StandInData:
    def __init__(self, records, **_options):
        self.pages = {record["url"]: record["content"] for record in records}
        self.urls = list(self.pages)

    def parse_page(self, url):
        if "unreadable" in self.pages[url]:
            raise KeyError(url)


def test_a_peer_that_reads_whole_sites(monkeypatch):
    """With a stand-in: deboiler itself comes with the benchmarks only."""
    monkeypatch.setitem(sys.modules, "deboiler", SimpleNamespace(Deboiler=StandIn))
    monkeypatch.setitem(sys.modules, "deboiler.dataset", SimpleNamespace(ListDataset=StandInData))
    texts = ["one", "two", "unreadable", "four"]
    site = [RecordedPage(f"http://a.example/{n}", text, "") for n, text in enumerate(texts)]
    monkeypatch.setattr(site_peers, "find_spec", lambda name: name)
    [extract] = site_peers.site_peers().values()
    assert extract(site) == ["3 pages: one", "", "", "3 pages: four"]


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.md"
    sections = (
        f"<!-- figures: {name} -->\n{text}<!-- end of figures -->\n" for name, text in (("a", "old\n"), ("b", ""))
    )
    path.write_text("# Figures\n" + "and\n".join(sections))
    return path


def test_a_section_is_replaced_and_the_rest_stays(page):
    figures.write("a", "| 1 |\n", page)
    figures.write("a", "| \\1 |\n", page)
    text = page.read_text()
    assert "<!-- figures: a -->\n\n| \\1 |\n\n<!-- end of figures -->\nand\n<!-- figures: b -->\n" in text
    assert "old" not in text


def test_a_section_that_the_page_has_not_is_an_error(page):
    with pytest.raises(ValueError, match="no section c"):
        figures.write("c", "", page)
