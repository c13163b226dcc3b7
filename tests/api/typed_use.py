"""Code of a user of `mypy --strict`, run by the tests, and checked by mypy from outside the checkout."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from denoise_scrapy import Body, DuplicateIndex, Page, SiteModel, Taste, deduplicate, extract, extract_pages
from denoise_scrapy.body import DEFAULT_STRATEGY, STRATEGIES, Block
from denoise_scrapy.dedup import SQLiteStore, Verdict
from denoise_scrapy.page import Boxes

if TYPE_CHECKING:
    from typing_extensions import assert_type
else:

    def assert_type(value: object, kind: Any) -> object:
        return value


HTML = "<title>Ferry</title><p>A storm hit the coast on Friday night.</p><a href='/2'>More</a>"
URL = "http://a.example/1"


def make_bodies() -> None:
    page = assert_type(Page.parse(HTML, url=URL, keep="p", remove=["nav", "footer"]), Page)
    assert_type(page.links, tuple[str, ...])
    assert_type(page.boxes, Boxes | None)
    taste = assert_type(Taste(favor="recall", title="keep"), Taste)
    body = assert_type(extract(HTML, URL, [HTML, HTML.encode(), page], strategy="lcs", taste=taste, keep="p"), Body)
    assert_type(body.text, str)
    assert_type(body.confidence, float)
    assert_type(body.comparison, tuple[str, ...])
    for block in assert_type(body.blocks, tuple[Block, ...]):
        assert_type(block.kept, bool)
    assert_type(extract_pages([(URL, HTML), (URL, HTML.encode())], comparison_pages=2), Iterator[tuple[str, Body]])
    assert_type(SiteModel([page]).extract(page, strategy=DEFAULT_STRATEGY, taste=taste), Body)
    assert_type(list(STRATEGIES), list[str])


def find_duplicates(folder: Path) -> None:
    assert_type(list(deduplicate([("a", "text", "2026-01-31")], keep="newest", rule="part")), list[tuple[str, Verdict]])
    store = SQLiteStore(folder / "texts.sqlite")
    with DuplicateIndex(0.7, store, rule="near-copy", search="tree") as index:
        verdict = assert_type(index.check_and_add("b", "text", claim=True), Verdict)
        assert_type(index.settle(verdict.claim), bool)
        assert_type(len(index), int)
    assert_type(verdict.duplicate, bool)
    assert_type(verdict.of, str | None)
