"""Where most items are dropped, the log says so: it may be a mistake."""

from typing import Any

from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import story

SAID = "items were dropped as near-duplicates"


def started(texts: list[int]) -> Any:
    class Early(spider_of()):  # type: ignore[misc]
        async def start(self) -> Any:
            for n, text in enumerate(texts):
                yield {"url": f"https://a.example/{n}", "body": story(text)}

    return Early


def test_a_row_of_drops_is_said_once_and_the_sum_at_the_end() -> None:
    log = crawl(started([1, 2] + [1] * 50), {"CONCURRENT_ITEMS": 1}).log
    assert log.count(SAID) == 2
    assert f"WARNING 20 of 22 {SAID}, 20 of them of https://a.example/0" in log
    assert f"WARNING 50 of 52 {SAID}, 50 of them of https://a.example/0" in log
    assert "'Everything is a duplicate' in docs/symptoms.md" in log


def test_a_warning_needs_more_than_half_of_twenty_or_more() -> None:
    half = [number for n in range(15) for number in (n, n)]
    assert SAID not in crawl(started(half)).log
    assert SAID not in crawl(started([1] * 19)).log
    assert SAID in crawl(started([*half, 1, 1])).log
    assert SAID not in crawl(started([*half, 1, 1]), {"DENOISE_DEDUP": "mark"}).log


def test_a_crawl_without_copies_warns_of_nothing() -> None:
    assert SAID not in crawl(started([*range(30)])).log
