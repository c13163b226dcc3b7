"""Path tables know how large they are, and let go of what no page needs."""

import gc
import random
import string
import tracemalloc
from weakref import ref

from hypothesis import given, settings

from denoise_scrapy import SiteModel
from denoise_scrapy.page import Page, PathTable, paths
from denoise_scrapy.page.paths import MAX_NAME_LENGTH, RARE_NAMES
from tests.html_strategies import SOUP, pages


def told(page: Page) -> list[object]:
    """What is asked of a page."""
    blocks = page.blocks
    columns = [page.elements.column(name).tolist() for name in ("token", "class_", "id")]
    return [
        *columns,
        blocks.path_keys.tolist(),
        blocks.flags.tolist(),
        page.tags(),
        page.block_paths(),
        page.block_texts,
        page.links,
        page.signature,
        page.inner_hashes.tolist(),
        page.code_lengths.tolist(),
        SiteModel.fit([]).extract(page).html,
    ]


@settings(max_examples=60, deadline=None)
@given(pages(), pages() | SOUP, pages())
def test_a_page_that_leaves_its_table_is_the_same(first: str, second: str, third: str) -> None:
    table = PathTable()
    before, page, _ = (Page.parse(html, url="http://a.example/", paths=table) for html in (first, second, third))
    expected = told(page)
    page.leave_table()
    assert page.path_table is not table
    assert len(page.path_table) <= len(table)
    for name in ("inner_hashes", "code_lengths", "signature"):
        page.__dict__.pop(name)
    assert told(page) == expected
    other = Page.parse(first, paths=page.path_table)  # nobody should, and it is right all the same
    assert other.block_paths() == before.block_paths()


def test_a_table_goes_when_no_page_is_parsed_with_it_any_more() -> None:
    table = PathTable()
    small = Page.parse("<div class=story><p>One.", paths=table)
    Page.parse("".join(f"<div class={'x' * n}>" for n in range(1, 100)), paths=table)
    gone = ref(table)
    small.leave_table()
    del table
    gc.collect()
    assert gone() is None
    assert len(small.path_table) == 5


def names(rng: random.Random, length: int) -> str:
    return "".join(rng.choices(string.ascii_lowercase, k=length))


def test_a_table_knows_about_how_large_it_is() -> None:
    rng = random.Random(1)
    htmls = ["".join(f"<p class={names(rng, 90)} id={names(rng, 9)}>x</p>" for _ in range(900)) for _ in range(12)]
    Page.parse(htmls.pop())
    tracemalloc.start()
    try:
        before, table = tracemalloc.get_traced_memory()[0], PathTable()
        for html in htmls:
            _ = Page.parse(html, paths=table).blocks.path_keys
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert 0.5 * grown < table.nbytes < 2 * grown


def test_long_names_are_counted_and_not_remembered_by_their_tokens() -> None:
    table, long = PathTable(), "long" * 50_000
    page = Page.parse(f"<p class={long} role={long} itemprop={long}>x</p>", paths=table)
    assert table.nbytes > 3 * len(long)
    own = table._tokens[int(page.elements.paths[-1])]
    assert own is not None
    assert max(len(name) for name in own.key if isinstance(name, str)) <= MAX_NAME_LENGTH


def test_a_table_is_full_by_bytes_too(monkeypatch) -> None:
    monkeypatch.setattr(paths, "MAX_BYTES", 100_000)
    table = PathTable()
    assert not table.full
    Page.parse(f"<p class={'x' * 100_000}>", paths=table)
    assert table.full
    assert Page.parse("<p>x", paths=table).path_table is not table


def test_keys_of_known_elements_are_found_again() -> None:
    table = PathTable()
    given = [{}, {"class": "a b"}, {"class": "a  b1"}, {"class": "", "id": "x1"}, dict.fromkeys(RARE_NAMES, "y")]
    found = [table.child(0, "p", dict(each)) for each in given for _ in range(2)]
    known = len(table.transitions)
    assert found == [table.child(0, "".join("p"), dict(each)) for each in given for _ in range(2)]
    assert len(table.transitions) == known
