"""Crawls of made hosts bring all items, with the add-on and without."""

from collections import Counter

import pytest

from benchmarks.crawl import one_crawl
from benchmarks.made_site import serving

PAGES = 6


@pytest.fixture(scope="module")
def crawls():
    with serving(2, PAGES) as port:
        sizes = {"port": port, "hosts": 2, "pages": PAGES}
        marking = one_crawl("default", **sizes, settings={"DENOISE_DEDUP": "mark"})
        return {"bare": one_crawl("bare", **sizes), "default": marking}


def test_every_way_brings_all_items(crawls):
    assert Counter(one["items"] for one in crawls.values()) == {2 * PAGES: 2}
    assert not crawls["bare"]["stats"]
    assert crawls["default"]["stats"]["denoise/body/items"] == 2 * PAGES
    assert crawls["default"]["stats"]["denoise/dedup/checked"] == 2 * PAGES
    assert not any("denoise/errors" in one["stats"] for one in crawls.values())
