"""A large page is parsed, extracted and compared in a thread, while the crawl continues."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from scrapy import Request, Spider, signals

from denoise_scrapy import DuplicateIndex
from denoise_scrapy.crawl import base, item_pages, item_values, pages
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Web, article, story

SMALL = [f"/a/{number}" for number in range(1, 4)]
TEXT = story(9, base.LARGE // 100)
# What each step is done by, and how large what it is called with is.
STEPS: dict[str, tuple[Any, str, Callable[..., int]]] = {
    "read": (pages, "read_page", lambda response, *_, **__: len(response.body)),
    "declared": (item_pages, "_declared", lambda response: len(response.body)),
    "body": (item_values, "_made", lambda page, others, settings, response: len(response.body)),
    "fingerprint": (DuplicateIndex, "read", lambda index, text, *_, **__: len(text)),
}


@pytest.fixture
def site(web: Web) -> Web:
    for number, path in enumerate(SMALL):
        web.pages[path] = article(number)
    canonical = f"<link rel=canonical href='{web('/large')}'>"
    web.pages["/9"] = article(9, text=TEXT).replace("</head>", f"{canonical}</head>")
    assert len(web.pages["/9"]) > base.LARGE
    return web


@pytest.mark.parametrize("step", STEPS)
def test_the_crawl_goes_on_while_a_large_page_is_worked_on(
    step: str, site: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    holder, name, size_of = STEPS[step]
    work, others_done, reached = getattr(holder, name), threading.Event(), asyncio.Event()
    others_came, worked_in = list[bool](), list[int]()

    def slow(*args: Any, **kwargs: Any) -> Any:
        if size_of(*args, **kwargs) > base.LARGE:
            worked_in.append(threading.get_ident())
            loops[0].call_soon_threadsafe(reached.set)
            others_came.append(others_done.wait(5))
        return work(*args, **kwargs)

    monkeypatch.setattr(holder, name, slow)
    loops, left = list[asyncio.AbstractEventLoop](), set(SMALL)

    async def start(self: Any) -> AsyncIterator[Request]:
        loops.append(asyncio.get_running_loop())
        yield Request(site("/9"), self.parse_large)
        await asyncio.wait_for(reached.wait(), 20)
        for path in SMALL:
            yield Request(site(path))

    class Watching:
        def process_item(self, item: Any) -> Any:
            left.discard("/" + item["url"].split("/", 3)[3])
            if not left:
                others_done.set()
            return item

    spider = spider_of(start=start, parse_large=lambda self, response: [{"url": site("/large")}])
    done = crawl(spider, {"ITEM_PIPELINES": {Watching: 900}})
    assert others_came == [True]
    assert threading.get_ident() not in worked_in
    assert set(done.bodies()) == {site("/large"), *map(site, SMALL)}
    assert TEXT.replace(". ", ".\n") in done.bodies()[site("/large")]
    assert done.stat("errors") == 0


@pytest.mark.parametrize("strategy", ["combined", "lcs"])
def test_items_and_stats_are_the_same_beside_the_reactor(
    strategy: str, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [f"/a/{number}" for number in range(8)]
    for number, path in enumerate(paths):
        web.pages[path] = article(number % 7, paths)  # the last one is a copy of the first
    settings = {"DENOISE_STRATEGY": strategy, "DENOISE_COMPARISON_FETCH": False}

    async def start(self: Spider) -> AsyncIterator[Request]:
        """Request a page after the previous page's item, so that comparison pages do not depend on timing."""
        over = asyncio.Event()

        def note() -> None:
            over.set()

        for signal in (signals.item_scraped, signals.item_dropped):
            self.crawler.signals.connect(note, signal)
        for path in paths:
            yield Request(web(path))
            await over.wait()
            over.clear()

    told = []
    monkeypatch.setattr(base, "WORTH", 0)
    for threads, large in ((0, base.LARGE), (1, base.LARGE), (4, base.LARGE), (1, 0)):
        monkeypatch.setattr(base, "LARGE", large)
        done = crawl(spider_of(start=start), {**settings, "DENOISE_THREADS": threads})
        ours = [name for name in done.stats if name.startswith("denoise/") and "memory" not in name]
        dropped = [item["url"] for item, _ in done.dropped]
        told.append((sorted(done.bodies().items()), dropped, {name: done.stats[name] for name in ours}))
    assert told == told[:1] * len(told)
    assert told[0][1]


def test_a_small_page_is_compared_with_a_large_one_beside_the_reactor(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = "".join(f"<p>a{number}" for number in range(base.LARGE // 40))
    web.pages["/0"], web.pages["/1"] = article(0, text=many), article(1)
    made, worked_in = item_values._made, dict[str, int]()

    def noted(page: Any, *args: Any) -> Any:
        worked_in[page.url] = threading.get_ident()
        return made(page, *args)

    monkeypatch.setattr(item_values, "_made", noted)

    def parse(self: Any, response: Any) -> Iterator[Any]:
        yield {"url": response.url}
        if response.url == web("/0"):
            yield Request(web("/1"))

    done = crawl(spider_of(web("/0"), parse=parse))
    assert worked_in[web("/1")] != threading.get_ident()
    assert story(1).replace(". ", ".\n") in done.bodies()[web("/1")]
