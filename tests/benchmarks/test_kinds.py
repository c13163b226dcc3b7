"""Scores by kind of page, and quotes of tables."""

import re
import sys
from types import SimpleNamespace

import pytest

from benchmarks import kinds, quotes, site_peers
from benchmarks.corpora import RecordedPage, portal
from benchmarks.sample import sections
from denoise_scrapy.body import STRATEGIES

SITE = sections(portal())[0][:5]


def test_marks_by_hand():
    assert kinds.Mark.of("a b c d", "a b") == (2 / 3, 1 / 2, 1.0)
    assert kinds.Mark.of("a a", "a b") == (1 / 2, 1 / 2, 1 / 2)
    assert kinds.Mark.of("", "a") == (0, 0, 0) and kinds.Mark.of("", "") == (1, 1, 1)
    assert str(kinds.Mark.mean([kinds.Mark(1, 1, 1), kinds.Mark(0, 0, 0.5)])) == "0.500 (0.50, 0.75)"


def test_all_ways_are_measured_on_all_pages(monkeypatch):
    monkeypatch.setattr(kinds, "peers", lambda: {"all": lambda html: re.sub(r"<[^>]+>", " ", html)})
    monkeypatch.setattr(kinds, "site_peers", lambda: {"none": lambda site: ["" for _ in site]})
    marks = kinds._empty()
    kinds.measure(SITE, marks, lambda page: kinds.kind_of(page, "portal"))
    assert len(marks) == 2 + len(kinds.TASTES) + len(STRATEGIES) - 1 + 2
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


PAGE = """<!-- quote a.md; table 2; rows lcs | two/x; columns zh -->
old
<!-- end of quote -->
"""


@pytest.fixture
def docs(tmp_path, monkeypatch):
    monkeypatch.setattr(quotes, "DOCS", tmp_path)
    table = "| F1 | big9 | zh |\n| --- | --- | --- |\n| `lcs` | .1 | .2 |\n| two | x | .4 |\n| two | y | .6 |\n"
    (tmp_path / "a.md").write_text("| other |\n| --- |\n\n" + table)
    (tmp_path / "b.md").write_text(PAGE)
    return tmp_path


def test_a_quote_is_what_stands_there(docs):
    assert quotes.main() == 0
    lines = (docs / "b.md").read_text().splitlines()
    assert lines[2:-2] == ["| F1 | zh |", "| --- | --- |", "| `lcs` | .2 |", "| two | .4 |"]
    assert [new == text for _, text, new in quotes.rewritten()] == [True]


@pytest.mark.parametrize(
    ("good", "bad"), [("table 2", "table 3"), ("rows lcs", "rows lsc"), ("columns zh", "columns hz")]
)
def test_what_is_not_there_cannot_be_quoted(docs, good, bad):
    (docs / "b.md").write_text(PAGE.replace(good, bad))
    with pytest.raises(ValueError, match=r"tables|no row|not in list"):
        quotes.main()
