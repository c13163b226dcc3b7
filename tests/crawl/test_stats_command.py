"""`scrapy denoise stats`: of a job directory, a file and a log; as a table, as JSON, as a page."""

import io
import json
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.commands.stats import html_page, read_stats
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.test_commands import call
from tests.crawl.web import Web, article

COUNTS = {"denoise/body/items": 1200, "denoise/body/confidence/0.85": 1200, "item_scraped_count": 1200}


@pytest.fixture
def linked(web: Web) -> Web:
    web.pages |= {f"/{n}": article(n, [f"/{m}" for m in range(3)]) for n in range(3)}
    return web


def test_a_job_directory_has_the_stats_of_its_last_run(
    linked: Web, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for pages in (2, 1):
        done = crawl(spider_of(*(linked(f"/{n}") for n in range(pages))), {"JOBDIR": "job"})
    capsys.readouterr()
    assert call("stats", "job", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["body/items"] == 1
    assert sum(count for name, count in found.items() if name.startswith("body/confidence/")) == 1
    assert found == {name.removeprefix("denoise/"): value for name, value in done.stats.items() if "denoise/" in name}


def test_crawls_without_the_plugin_or_a_job_write_nothing(linked: Web, here: Path) -> None:
    crawl(spider_of(linked("/1")))
    crawl(spider_of(linked("/1"), denoise_enabled=False), {"JOBDIR": "job"})
    assert not [path for path in here.rglob("*") if path.name == "denoise-stats.json"]


def test_the_table(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "s.json").write_text(json.dumps(COUNTS | {"denoise/dedup/most_copied": "a\x1b[2J"}), "utf-8")
    assert call("stats", "s.json") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[:3]] == [
        ["value", "stat"],
        ["1,200", "body/confidence/0.85"],
        ["1,200", "body/items"],
    ]
    assert lines[2].endswith("  items that received a text")
    assert r"a\u001b[2J" in lines[3]
    assert len(lines) == 4


def test_a_log_has_the_stats_of_its_last_crawl(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = "2026-01-01 00:00:00 [scrapy.statscollectors] INFO: Dumping Scrapy stats:\n"
    counts = (
        "{'denoise/body/items': 2,\n 'denoise/dedup/most_copied': 'a}'\n 'b}',\n 'at': datetime.datetime(2026, 1, 1),\n"
    )
    log = f"{line}{{'denoise/body/items': 1}}\n{line}{counts} 'x': 1.5}}\nINFO: Spider closed (finished)\n"
    (here / "crawl.log").write_text(log, "utf-8")
    expected = {
        "denoise/body/items": 2,
        "denoise/dedup/most_copied": "a}b}",
        "at": "datetime.datetime(2026, 1, 1)",
        "x": 1.5,
    }
    assert read_stats("crawl.log") == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(log.encode())))
    assert read_stats("-") == expected


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("none.json", None, "No such file"),
        ("job", None, "denoise-stats.json: there is no such file"),
        ("a.json", "[1", "Expecting"),
        ("a.json", "[1]", "no JSON object"),
        ("a.json", '{"item_scraped_count": 1}', "no stat begins with 'denoise/'"),
        ("a.log", "nothing", "no log with stats"),
        ("a.log", "Dumping Scrapy stats:\n{'a': [}\n", "no log with stats"),
    ],
)
def test_what_cannot_be_read(
    here: Path, capsys: pytest.CaptureFixture[str], name: str, text: str | None, message: str
) -> None:
    (here / "job").mkdir()
    if text is not None:
        (here / name).write_text(text, "utf-8")
    assert call("stats", name, "-o", "x.html") == 1
    assert message in capsys.readouterr().err
    assert not (here / "x.html").exists()


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen.add(tag)


@given(st.dictionaries(st.text(), st.integers(0, 1 << 40) | st.text() | st.floats()), st.text())
def test_nothing_in_a_stat_becomes_markup(counts: dict[str, int | str | float], source: str) -> None:
    tags = Tags()
    tags.feed(html_page(source, {"body/confidence/0.85": 3, **counts}))
    tags.close()
    assert tags.seen <= {"html", "meta", "title", "style", "h1", "h2", "table", "tr", "td", "div", "wbr"}


def test_the_longest_bar_is_that_of_most_pages(here: Path) -> None:
    (here / "s.json").write_text(json.dumps(COUNTS | {"denoise/body/confidence/0.50": 300}), "utf-8")
    assert call("stats", "s.json", "-o", "x.svg") == 2
    assert call("stats", "s.json", "-o", "x.html") == 0
    page = (here / "x.html").read_text("utf-8")
    assert 'width:100%"></div><td class="n">1,200' in page
    assert 'width:25%"></div><td class="n">300' in page
