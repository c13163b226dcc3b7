"""What a user writes who has `mypy --strict`: every public call, and the type it gives.

Run by the tests, and read by mypy from outside of the checkout.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

import denoise_scrapy
from denoise_scrapy import Body, DuplicateIndex, Page, SiteModel, Taste, deduplicate, extract, extract_pages
from denoise_scrapy.body import DEFAULT_STRATEGY, STRATEGIES, Block
from denoise_scrapy.dedup import (
    CLAIM_SECONDS,
    RULES,
    SEARCHES,
    Group,
    MemoryStore,
    RedisStore,
    SQLiteStore,
    StoreMismatch,
    Verdict,
)
from denoise_scrapy.page import Boxes
from denoise_scrapy.settings import ConfigurationError
from denoise_scrapy.site import PageMemory, SiteMemory, SQLiteFacts, sibling_links, site_key

if TYPE_CHECKING:
    from typing_extensions import assert_type
else:

    def assert_type(value: object, kind: Any) -> object:
        return value


HTML = "<title>Ferry</title><p>A storm hit the coast on Friday night.</p><a href='/2'>More</a>"
URL = "http://a.example/1"


def read_a_page() -> Page:
    page = assert_type(Page.parse(HTML, url=URL, keep="p", remove=["nav", "footer"]), Page)
    assert_type(Page.parse(HTML.encode(), encoding="utf-8"), Page)
    assert_type(page.url, str)
    assert_type(page.title, str)
    assert_type(page.links, tuple[str, ...])
    assert_type(page.nbytes, int)
    assert_type(page.boxes, Boxes | None)
    assert_type(sibling_links(page, 3), list[str])
    assert_type(site_key(URL), str)
    return page


def make_bodies(page: Page, folder: Path) -> None:
    taste = assert_type(Taste(favor="recall", title="keep"), Taste)
    body = assert_type(extract(HTML, URL, [HTML, HTML.encode(), page], strategy="lcs", taste=taste, keep="p"), Body)
    read_a_body(body)
    assert_type(extract_pages([(URL, HTML), (URL, HTML.encode())], comparison_pages=2), Iterator[tuple[str, Body]])
    for url, one in extract_pages(iter([(URL, HTML)])):
        assert_type(url, str)
        assert_type(one, Body)
    model = assert_type(SiteModel.fit([page]), SiteModel)
    assert_type(model.extract(page, strategy=DEFAULT_STRATEGY, taste=taste), Body)
    model.save(folder / "model")
    assert_type(SiteModel.load(str(folder / "model")), SiteModel)
    assert_type(list(STRATEGIES), list[str])


def read_a_body(body: Body) -> None:
    assert_type(body.text, str)
    assert_type(body.html, str)
    assert_type(body.markdown, str)
    assert_type(body.confidence, float)
    assert_type(body.strategy, str)
    assert_type(body.comparison, tuple[str, ...])
    assert_type(body.fallback, str)
    assert_type(body.evidence, str)
    assert_type(body.kind, str)
    assert_type(body.kind_probabilities, Mapping[str, float])
    assert_type(body.probability, npt.NDArray[np.float64])
    for block in assert_type(body.blocks, tuple[Block, ...]):
        assert_type(block.path, str)
        assert_type(block.text, str)
        assert_type(block.probability, float)
        assert_type(block.kept, bool)
        assert_type(block.reason, str)


def find_duplicates(folder: Path) -> None:
    assert_type(DuplicateIndex(), DuplicateIndex)
    assert_type(list(deduplicate([("a", "text"), ("b", "text")])), list[tuple[str, Verdict]])
    assert_type(list(deduplicate([("a", "text", "2026-01-31")], keep="newest", rule="part")), list[tuple[str, Verdict]])
    with DuplicateIndex(remember_copies=100) as remembering:
        assert_type(remembering.group("a"), Group | None)
        assert_type(remembering.groups(), list[Group])
    with DuplicateIndex(0.7, SQLiteStore(folder / "texts.sqlite"), rule="near-copy", search="tree") as index:
        verdict = assert_type(index.check("a", "text", scope="b", group="c"), Verdict)
        assert_type(index.add("a", "text"), Verdict)
        assert_type(index.check_and_add("b", "text", claim=True), Verdict)
        assert_type(index.settle("b"), bool)
        assert_type(index.withdraw("b"), bool)
        assert_type(index.remove("a"), bool)
        assert_type(len(index), int)
        assert_type(index.stats, Mapping[str, int])
        index.beat()
    read_a_verdict(verdict)
    assert_type(MemoryStore(), MemoryStore)
    assert_type([list(RULES), list(SEARCHES)], list[list[str]])
    assert_type(CLAIM_SECONDS, float)
    for kind in (StoreMismatch, ConfigurationError):
        assert issubclass(kind, ValueError)


def share_an_index(url: str) -> DuplicateIndex:
    return DuplicateIndex(store=RedisStore(url, name="news", timeout=2.0), extends=True, short_duplicates=True)


def read_a_verdict(verdict: Verdict) -> None:
    assert_type(verdict.duplicate, bool)
    assert_type(verdict.of, str | None)
    assert_type(verdict.score, float)
    assert_type(verdict.c1, float)
    assert_type(verdict.reason, str)
    assert_type(verdict.too_short, bool)
    assert_type(verdict.updated, bool)
    assert_type(verdict.extends, str | None)
    assert_type(verdict.pending, bool)


def remember_sites(page: Page, folder: Path) -> None:
    memory = SiteMemory(PageMemory(1_000_000, 8), SQLiteFacts(folder / "sites.sqlite"))
    memory.meet(site_key(URL))
    memory.remember(page)
    assert_type(memory.save(), bool)


def use_all(folder: Path) -> None:
    assert_type(denoise_scrapy.__version__, str)
    page = read_a_page()
    make_bodies(page, folder)
    find_duplicates(folder)
    remember_sites(page, folder)
