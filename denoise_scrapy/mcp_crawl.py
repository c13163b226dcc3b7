"""The crawl of a tool of `mcp`: the request comes as JSON on standard input, pages go to a file.

The settings of the project around hold, its middlewares, delays and caches too, but robots.txt is obeyed in any case,
and nothing is done with items: no pipelines, feeds and extensions of the project run, and its index is not used.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.utils.project import get_project_settings

from denoise_scrapy.commands.fetching import PAGES_ALONE, crawl_pages
from denoise_scrapy.crawl.comparison import leads_to_public_only
from denoise_scrapy.site import site_key

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.settings import Settings

# Where the project sets nothing. Other values are what `scrapy startproject` writes.
DEFAULTS = {"DOWNLOAD_DELAY": 1, "CONCURRENT_REQUESTS_PER_DOMAIN": 1, "DOWNLOAD_TIMEOUT": 30, "RETRY_TIMES": 1}
FORCED = {
    **PAGES_ALONE,
    "ROBOTSTXT_OBEY": True,
    "CLOSESPIDER_TIMEOUT": 240,  # before the tool's own limit, so that what came is not lost
    "DOWNLOAD_MAXSIZE": 10_000_000,
    "DENOISE_ENABLED": True,
    "DENOISE_BODY_FIELD": "body",
    "DENOISE_DEDUP": "mark",
    "DENOISE_DEDUP_STORE": "memory",
    "DENOISE_SITE_MEMORY_PATH": ":memory:",
    "LOG_LEVEL": "ERROR",
}
_ADDON = "denoise_scrapy.DenoiseAddon"
_MARK = "near_duplicate"
RESOLVING = 10.0  # seconds to find the addresses of a host in


class PublicOnly:
    """A downloader middleware that sends no request to a private address, whatever redirects and links say."""

    async def process_request(self, request: Request) -> None:
        """Refuse a request; raises `IgnoreRequest`."""
        host = urlsplit(request.url).hostname or ""
        if not site_key(request.url) or not await leads_to_public_only(host, RESOLVING):
            raise IgnoreRequest(f"{host or request.url} has no public address")


def crawl(request: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Crawl, and return the pages and the problems."""
    for name, value in DEFAULTS.items():
        settings.set(name, value, priority="default")
    settings.setdict(FORCED, priority="cmdline")
    settings.set("ADDONS", {**settings.getdict("ADDONS"), _ADDON: 500}, priority="cmdline")
    form = str(request["form"])
    fields = {"title": "title", "confidence": "confidence", "comparison": "comparison", _MARK: _MARK}
    fields |= {} if form == "text" else {form: form}
    settings.set("DENOISE_FIELDS", fields, priority="cmdline")
    if not request["private"]:
        settings.setdefault_in_component_priority_dict("DOWNLOADER_MIDDLEWARES", PublicOnly, 50)
    pages: list[dict[str, Any]] = []
    others: dict[str, str] = {}

    def keep(item: dict[str, Any], response: Response) -> None:
        if isinstance(response, HtmlResponse):
            pages.append(_row(item, form))
        else:
            others[response.url] = "no HTML"

    problems = crawl_pages(request["urls"], settings, keep, request["follow"]) | others
    return {"pages": pages, "problems": [{"url": url, "problem": why[:500]} for url, why in problems.items()]}


def _row(item: dict[str, Any], form: str) -> dict[str, Any]:
    body = item.get("body") or ""
    row = {
        "url": item["url"],
        "title": item.get("title") or "",
        form: body if form == "text" else item.get(form) or "",
        "confidence": item.get("confidence") or 0.0,
        "evidence": "comparison pages" if item.get("comparison") else "page alone",
        "body": body,
    }
    mark = item.get(_MARK)
    return row | {"duplicate_of": mark["of"]} if mark else row


if __name__ == "__main__":
    found = crawl(json.load(sys.stdin), get_project_settings())
    Path(sys.argv[1]).write_bytes(json.dumps(found).encode())
