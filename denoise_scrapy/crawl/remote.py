"""Texts about a running crawl, for code inside it: in Scrapy's RemoteControl, its MCP server or telnet console.

Print what these functions return.
"""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http.request import NO_CALLBACK

from denoise_scrapy.crawl.state import state_of
from denoise_scrapy.support.shown import MAX_CELL, shown

__all__ = ["explain", "health"]


def health(crawler: Crawler) -> str:
    """Return the figures of the sites of a crawl so far, a line each, those with an alarm first."""
    sites = sorted(state_of(crawler).health.now().items(), key=lambda one: not one[1].alarms)
    return "\n".join(
        f"{site}: {crawl.pages} pages, {crawl.empty} empty, {crawl.copies} near-duplicates, "
        f"confidence {crawl.confidence.median:.2f}, {crawl.length.median:.0f} characters"
        f"{''.join(f'; {alarm}' for alarm in crawl.alarms)}"
        for site, crawl in sites
    )


async def explain(crawler: Crawler, url: str) -> str:
    """Request a page, and return its blocks with their probabilities and reasons, as the crawl judges them now.

    The request passes the downloader middlewares, as the spider's do.

    Raises:
        ValueError: The response is no page that the crawl processes.
        NotConfigured: DENOISE_ENABLED is False.
        Exception: The request fails.
    """
    request = Request(url, callback=NO_CALLBACK, dont_filter=True)
    response = await crawler.engine.download_async(request)
    state = state_of(crawler)
    page = await state.pages.read(request, response, wants_body=True)
    body = None if page is None else await state.bodies.body_of(page)
    if body is None:
        raise ValueError(f"{url}: no page that the crawl processes")
    head = (
        f"{url}: status {response.status}, confidence {body.confidence:.2f}, compared with {len(body.comparison)} pages"
    )
    rows = (
        f"{'kept' if block.kept else '    '} {block.probability:.2f} {shown(block.text, MAX_CELL)} ({block.reason})"
        for block in body.blocks
    )
    return "\n".join([head, *rows])
