"""Crawls whose pages a real Chromium renders."""

import os
import shutil
from dataclasses import dataclass
from typing import Any

import pytest
from scrapy import Request, Spider

from denoise_scrapy.core.tree import tree_of
from denoise_scrapy.crawl.state import state_of
from denoise_scrapy.page import Boxes
from denoise_scrapy.page.parse import root_of, to_utf8
from tests.crawl.crawling import Crawl, crawl

ARGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]  # as root, without a screen, in a container


def chromium_options() -> dict[str, Any]:
    """Options that start a browser; skips or fails the test where there is none."""
    chromium = shutil.which("chromium")
    if chromium is None:
        skip = pytest.fail if os.environ.get("DENOISE_REQUIRE_SERVERS") else pytest.skip
        skip("chromium is not on PATH: apt-get install chromium")
    return {"executable_path": chromium, "args": ARGS}


@dataclass
class Seen:
    """What a callback was given of a page, and what we know of it."""

    response: Any
    page: Any
    meta: dict[str, Any]

    @property
    def boxes(self) -> Boxes:
        boxes: Boxes = self.page.boxes
        return boxes

    def number(self, key: str) -> int:
        """Number of the element with this `data-k` in our parse, found on another way than the one under test."""
        root = root_of(to_utf8(self.response.text))
        (element,) = root.xpath("//*[@data-k = $key]", key=key)
        return int(tree_of(root, keep_nodes=True).numbers_of([element])[0])

    def box(self, key: str) -> tuple[float, ...]:
        """x, y, width and height of an element."""
        boxes, n = self.boxes, self.number(key)
        return tuple(round(float(column[n]), 1) for column in (boxes.x, boxes.y, boxes.width, boxes.height))


def render(
    *requests: str | Request, settings: dict[str, Any] | None = None, ours: bool = True
) -> tuple[Crawl, dict[str, Seen]]:
    """Crawl with a browser; gives what was seen by the path of each page."""
    seen: dict[str, Seen] = {}

    class Rendering(Spider):
        name = "rendering"

        async def start(self) -> Any:
            for each in requests:
                yield Request(each, meta={"playwright": True}) if isinstance(each, str) else each

        async def parse(self, response: Any) -> Any:
            page, meta = None, dict(response.meta)
            if ours:
                state = state_of(self.crawler)
                crawled = await state.pages.read(response.request, response)
                page = None if crawled is None else state.workers._own._pages[crawled.number].page
            seen["/" + response.url.split("/", 3)[3]] = Seen(response, page, meta)
            live = meta.get("playwright_page")
            if live is not None:
                meta["live"] = await live.content()
                await live.close()
            yield {"url": response.url}

    pytest.importorskip("scrapy_playwright")
    given = {
        "DOWNLOAD_HANDLERS": {"http": "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"},
        "PLAYWRIGHT_LAUNCH_OPTIONS": chromium_options(),
        "DENOISE_COMPARISON_SHARE": 0,
        "DENOISE_STRATEGY": "framework",  # one that needs boxes of an element each; no other page
        **({} if ours else {"ADDONS": {}}),
    }
    return crawl(Rendering, {**given, **(settings or {})}), seen
