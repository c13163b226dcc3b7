"""The memory of a crawl stays within its settings, and the stats count evictions."""

import gc
import random
import shutil
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.crawl import duplicates, sites
from denoise_scrapy.crawl.pages import RecentPages
from denoise_scrapy.crawl.state import state_of
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
    monkeypatch.setattr(sites, "PAGES_PER_SITE", 3)
    done = crawl(spider_of(*odd_web.urls(range(PAGES))), {"DENOISE_MEMORY_MB": 0.2, "CONCURRENT_REQUESTS": 2})
    assert len(done.items) == PAGES
    assert all(item["body"] for item in done.items)
    assert done.stat("memory/evicted/recent") > 3
    assert done.stat("pages/evicted") > 3
    assert done.stat("memory/bytes/pages") + done.stat("memory/bytes/recent") <= 200_000
    parts = {name: value for name, value in done.stats.items() if name.startswith("denoise/memory/bytes/")}
    assert len(parts) == 4
    assert done.stat("memory/bytes") == sum(parts.values())
    assert done.stat("memory/bytes/index") > 0
    assert not done.stat("errors")


def test_items_that_no_feed_can_write_are_held_up_to_a_bound(articles: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(crawler: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(duplicates.Feeds, "flush", fail)
    monkeypatch.setattr(duplicates, "MOST_UNWRITTEN", 3)
    held = []

    def closed(self: Any, reason: str) -> None:
        held.append(len(state_of(self.crawler).items))

    done = crawl(spider_of(*articles.urls(range(9)), closed=closed), {"DENOISE_COMPARISON_FETCH": False})
    assert len(done.items) == 9
    assert done.stat("memory/evicted/unwritten") >= 9 - 3
    assert held == [0]


@pytest.mark.parametrize("enabled", [True, False])
def test_modules_are_left_out_of_garbage_collection_while_a_crawl_runs(articles: Web, enabled: bool) -> None:
    frozen = []

    def parse(self: Any, response: Any) -> Any:
        frozen.append(gc.get_freeze_count() > 1000)
        yield {"url": response.url}

    spider = spider_of(articles("/a/1"), parse=parse)
    crawl(spider, {"DENOISE_ENABLED": enabled})
    assert (frozen, gc.get_freeze_count()) == ([enabled], 0)
    gc.freeze()
    try:
        before = gc.get_freeze_count()
        crawl(spider, {"DENOISE_ENABLED": enabled})
        assert before / 2 < gc.get_freeze_count() <= before, "what others have frozen stays, but for some that is freed"
    finally:
        gc.unfreeze()


def test_a_crawl_frees_what_it_holds_though_its_job_directory_cannot_be_made_again(
    articles: Web, tmp_path: Path
) -> None:
    def closed(self: Any, reason: str) -> None:
        shutil.rmtree(tmp_path / "jobs")
        (tmp_path / "jobs").touch()

    done = crawl(spider_of(articles("/a/1"), closed=closed), {"JOBDIR": str(tmp_path / "jobs" / "1")})
    assert done.stat("errors") == done.stat("errors/stats") == 1
    assert (gc.get_freeze_count(), len(state_of(done.crawler).pages.recent)) == (0, 0)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 60))), st.integers(0, 100))
def test_recent_pages_are_the_youngest_that_fit(puts: list[tuple[int, int]], limit: int) -> None:
    kept: Any = RecentPages(limit)
    expected: dict[int, int] = {}
    for key, size in puts:
        kept.put(key, size, size)
        expected.pop(key, None)
        if size <= limit:
            expected[key] = size
        while sum(expected.values()) > limit:
            del expected[next(iter(expected))]
    assert kept.nbytes == sum(expected.values()) <= limit
    assert {key: kept.get(key) for key in range(6)} == {key: expected.get(key) for key in range(6)}
    assert len(kept) == len(expected)
