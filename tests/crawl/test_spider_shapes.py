"""Whatever a spider's shape: each item has its own text or none, and only copies of delivered items are dropped."""

from typing import Any

import pytest
from itemadapter import ItemAdapter

from tests.crawl.crawling import Crawl, crawl
from tests.crawl.spider_shapes import PAGES, SHAPES, Shape, sentence, site
from tests.crawl.web import Web


def run(shape: Shape, web: Web, milliseconds: int) -> Crawl:
    site(web)
    web.seconds, web.in_any_order = milliseconds / 1000, True
    return crawl(shape.spider(web), shape.settings)


def stories_in(item: Any) -> list[int]:
    body = ItemAdapter(item).get("body") or ""
    return [number for number in range(PAGES) if sentence(number) in body]


@pytest.mark.parametrize("milliseconds", [0, 50])
@pytest.mark.parametrize("name", SHAPES)
def test_each_item_has_its_own_text(web: Web, name: str, milliseconds: int) -> None:
    shape = SHAPES[name]
    done = run(shape, web, milliseconds)
    assert len(done.items) + len(done.dropped) == shape.items
    for item in done.items:
        is_of = ItemAdapter(item)["is_of"]
        assert stories_in(item) == ([] if is_of is None else [is_of]), item
        assert is_of is not None or not ItemAdapter(item).get("body"), item
    assert len(done.dropped) == shape.dropped
    delivered = {ItemAdapter(item)["is_of"] for item in done.items}
    assert all(ItemAdapter(item)["is_of"] in delivered for item, _ in done.dropped)
    assert done.stat("errors") == 0
