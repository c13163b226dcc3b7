"""The memory of a crawl stays within its settings, and the stats count evictions."""

import random
import shutil
import string
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.crawl import duplicates
from denoise_scrapy.crawl.pages import RecentPages
from denoise_scrapy.crawl.state import state_of
from denoise_scrapy.worker import extractor
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Web, article

PAGES = 24


def odd_article(number: int) -> str:
    """An article among elements whose names nobody has seen before."""
    rng = random.Random(number)

    def name() -> str:
        return "".join(rng.choices(string.ascii_lowercase, k=9))

    odd = "".join(f"<div class='{name()} {name()}' id={name()} {name()}=1><p>{name()}</p></div>" for _ in range(60))
    return article(number).replace("</body>", f"{odd}</body>")


@pytest.fixture
def odd_web(web: Web) -> Web:
    web.pages.update({f"/a/{n}": odd_article(n) for n in range(PAGES)})
    return web


def test_bounds_of_the_settings_hold_and_what_left_is_counted(odd_web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extractor, "PAGES_A_SITE", 3)
    done = crawl(spider_of(*odd_web.urls(range(PAGES))), {"DENOISE_MEMORY_MB": 0.2, "CONCURRENT_REQUESTS": 2})
    assert len(done.items) == PAGES
    assert all(item["body"] for item in done.items)
    assert done.stat("memory/evicted/recent") > 3
    assert done.stat("memory/evicted/pages") > 3
    assert sum(done.stat(f"memory/bytes/{name}") for name in ("pages", "waiting", "recent")) <= 200_000
    parts = {name: value for name, value in done.stats.items() if name.startswith("denoise/memory/bytes/")}
    assert done.stat("memory/bytes") == sum(parts.values())
    assert done.stat("memory/bytes/index") > 0
    assert not done.stat("errors")


def test_items_that_no_feed_can_write_are_held_up_to_a_bound(
    articles: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(crawler: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(duplicates.Feeds, "flush", fail)
    monkeypatch.setattr(duplicates, "MOST_HELD", 3)
    held = []

    def closed(self: Any, reason: str) -> None:
        held.append(len(state_of(self.crawler).passages._open))

    feeds = {str(tmp_path / "items.jsonl"): {"format": "jsonlines"}}
    settings = {"DENOISE_COMPARISON_SHARE": 0, "FEEDS": feeds}
    done = crawl(spider_of(*articles.urls(range(9)), closed=closed), settings)
    assert len(done.items) == 9
    assert done.stat("memory/evicted/unwritten") >= 9 - 3
    assert held == [0]


def test_texts_count_in_the_memory_for_pages(odd_web: Web) -> None:
    settings = {"DENOISE_FIELDS": {"markdown": "markdown", "blocks": "blocks"}, "DENOISE_COMPARISON_SHARE": 0}
    pages = PAGES // 2
    plain, rich = (crawl(spider_of(*odd_web.urls(range(pages))), more) for more in ({}, settings))
    assert rich.stat("memory/bytes/recent") > plain.stat("memory/bytes/recent") + pages * 10_000


def test_a_crawl_frees_what_it_holds_though_its_job_directory_cannot_be_made_again(
    articles: Web, tmp_path: Path
) -> None:
    def closed(self: Any, reason: str) -> None:
        shutil.rmtree(tmp_path / "jobs")
        (tmp_path / "jobs").touch()

    done = crawl(spider_of(articles("/a/1"), closed=closed), {"JOBDIR": str(tmp_path / "jobs" / "1")})
    assert done.stat("errors") == done.stat("errors/stats") == 1
    assert len(state_of(done.crawler).pages.recent._pages) == 0


@dataclass(eq=False)
class Sized:
    """What is kept of a page."""

    names: set[str]
    nbytes: int


@given(st.lists(st.tuples(st.sets(st.sampled_from("abcd"), min_size=1), st.integers(0, 60))), st.integers(0, 100))
def test_recent_pages_are_the_youngest_that_fit(puts: list[tuple[set[str], int]], limit: int) -> None:
    kept, expected = RecentPages(limit), list[Any]()
    for names, size in puts:
        expected.append(Sized(names, size))
        kept.put(expected[-1])
        while sum(page.nbytes for page in expected) > limit:
            del expected[0]
    assert kept.nbytes == sum(page.nbytes for page in expected) <= limit
    newest = {name: page for page in expected for name in page.names}
    # an older page under a name is not found again when the newer one has gone, which it does later
    assert {name: kept.get(name) for name in "abcd"} == {name: newest.get(name) for name in "abcd"}
    assert len(kept._pages) == len(expected)
