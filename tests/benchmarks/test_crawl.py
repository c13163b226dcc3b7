"""The made web that crawls are measured on, and what is told of the crawls."""

from collections import Counter

import pytest
from parsel import Selector

from benchmarks.crawl import one_crawl
from benchmarks.crawled.pages import index_page, page
from benchmarks.crawled.server import HOST, body_of, serving
from denoise_scrapy.page import Page

PAGES = 6


def test_pages_are_the_same_every_time_and_of_the_size_of_recorded_ones():
    assert page(3, 7) == page(3, 7) != page(4, 7)
    pages = [page(host, number) for host in range(3) for number in range(6)]
    assert all(430 < len(Page.parse(html).elements) < 560 for html in pages)
    assert all(30_000 < len(html) < 60_000 for html in pages)


def test_the_index_links_to_all_pages_of_its_host():
    hrefs = Selector(index_page(2, PAGES).decode()).css("a.item::attr(href)").getall()
    bodies = [body_of(HOST.format(2), href, PAGES) for href in hrefs]
    assert bodies == [page(2, n) for n in range(PAGES)]
    assert body_of(HOST.format(2), f"/{PAGES}.html", PAGES) is None
    assert body_of("other", "/", PAGES) is None


@pytest.fixture(scope="module")
def crawls():
    with serving(2, PAGES) as port:
        return {way: one_crawl(way, port, 2, PAGES) for way in ("bare", "addon+dedup")}


def test_every_way_brings_all_items(crawls):
    assert Counter(one["items"] for one in crawls.values()) == {2 * PAGES: 2}
    assert not crawls["bare"]["stats"]
    assert crawls["addon+dedup"]["stats"]["denoise/body/items"] == 2 * PAGES
    assert crawls["addon+dedup"]["stats"]["denoise/dedup/checked"] == 2 * PAGES
    assert not any("denoise/errors" in one["stats"] for one in crawls.values())
