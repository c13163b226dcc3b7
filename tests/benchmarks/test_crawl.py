"""The made web that crawls are measured on, and what is told of the crawls."""

from collections import Counter

import pytest

from benchmarks.crawl import one_crawl
from benchmarks.made_site import serving

PAGES = 6


@pytest.fixture(scope="module")
def crawls():
    with serving(2, PAGES) as port:
        return {way: one_crawl(way, port=port, hosts=2, pages=PAGES) for way in ("bare", "addon+dedup")}


def test_every_way_brings_all_items(crawls):
    assert Counter(one["items"] for one in crawls.values()) == {2 * PAGES: 2}
    assert not crawls["bare"]["stats"]
    assert crawls["addon+dedup"]["stats"]["denoise/body/items"] == 2 * PAGES
    assert crawls["addon+dedup"]["stats"]["denoise/dedup/checked"] == 2 * PAGES
    assert not any("denoise/errors" in one["stats"] for one in crawls.values())
