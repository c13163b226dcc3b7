"""A project as a user with `mypy --strict` has it: settings, an item, a spider, and a pipeline after ours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import scrapy
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse, Response

from denoise_scrapy import DenoiseAddon
from denoise_scrapy.middlewares import ComparisonPagesMiddleware, ItemPageMiddleware
from denoise_scrapy.pipelines import BodyPipeline, NearDuplicatePipeline


@dataclass
class Story:
    url: str
    body: str = ""
    confidence: float = 0.0
    copy_of: str | None = None


class Lengths:
    """Drops what has no text."""

    def process_item(self, item: Story) -> Story:
        if not item.body:
            raise DropItem("no text")
        return item


SETTINGS: dict[str, Any] = {
    "ADDONS": {DenoiseAddon: 500},
    "ITEM_PIPELINES": {Lengths: 300},
    "DENOISE_FIELDS": {"confidence": "confidence", "near_duplicate": "copy_of"},
    "DENOISE_DEDUP": "mark",
    "TELNETCONSOLE_ENABLED": False,
}
BY_HAND: dict[str, Any] = {
    "DOWNLOADER_MIDDLEWARES": {ComparisonPagesMiddleware: 545},
    "SPIDER_MIDDLEWARES": {ItemPageMiddleware: 10},
    "ITEM_PIPELINES": {BodyPipeline: 100, NearDuplicatePipeline: 200, Lengths: 300},
}


class Stories(scrapy.Spider):
    name = "stories"
    custom_settings = {"DENOISE_STRATEGY": "repetition"}  # noqa: RUF012
    denoise_favor = "recall"

    def parse(self, response: Response) -> Iterator[Story | scrapy.Request]:
        yield Story(response.url)
        assert isinstance(response, HtmlResponse)
        for link in response.css("a"):
            yield response.follow(link, self.parse, meta={"denoise": {"comparison_pages": 2}})
