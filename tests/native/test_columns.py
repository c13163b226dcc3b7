"""A page's columns by C equal those by numpy, and what is no page is left to numpy."""

import gc
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.native import library, switched_off
from denoise_scrapy.native.reading import read_page
from denoise_scrapy.page import Flag, Page, PathTable
from denoise_scrapy.page.blocks import Blocks
from denoise_scrapy.page.columns import Boxes, Elements, character_tables
from denoise_scrapy.page.marked_text import MarkedText
from denoise_scrapy.page.paths import ROW
from tests.html_strategies import SOUP, pages

pytestmark = pytest.mark.skipif(library() is None, reason="the accelerator is not compiled")

OF_ELEMENTS = (
    *("marks", "mark_element", "is_start", "text_owner", "depth", "parent", "end"),
    *("mark_bounds", "visible_before", "own_chars", "parent_or_self"),
)
OF_BLOCKS = (
    *("element", "first", "after", "start", "end", "block_of_text", "chars", "tokens", "link_chars", "counts"),
    *("flags", "own_flags", "paragraph_tokens", "ends_in_stop", "above", "path_keys", "slots", "text_hashes"),
    *("token_sums", "link_density"),
)
OF_PATHS = ("tag", "token", "flags", "own_flags", "depth", "skipped")

TABLE = PathTable()
ROOT = TABLE.child(0, "html", {})
TAGS = ("div", "b", "br", "a", "p", "script", "td", "main")


@st.composite
def marked_texts(draw):
    """A root that holds any nest of elements, as codes and path ids, with text that no parser gives."""
    pieces, paths, open_ = ["\1"], [ROOT], [ROOT]
    for _ in range(draw(st.integers(0, 30))):
        pieces.append(draw(st.text("ab Z1.,中\u200b\u00e9\ud800\x0b", max_size=5)))
        if len(open_) > 1 and draw(st.booleans()):
            open_.pop()
            pieces.append("\2")
        else:
            open_.append(TABLE.child(open_[-1], draw(st.sampled_from(TAGS)), {}))
            pieces.append("\1")
            paths.append(open_[-1])
    pieces.append("ab" * draw(st.sampled_from([0, 1, 60, 64, 127, 128, 700])))
    before, after = draw(st.tuples(st.text("a .", max_size=3), st.text("a .", max_size=3)))
    return before + "".join(pieces) + "\2" * len(open_) + after, paths


def same(text, paths, table, boxes=None):
    """Blocks by C, after both ways were held equal."""
    arrays = np.array(paths, np.int32), MarkedText.encode(text), table
    native = Blocks(Elements(*arrays), boxes)
    assert native.native is not None
    with switched_off():
        plain = Blocks(Elements(*arrays), boxes)
        for names, ours, theirs in ((OF_ELEMENTS, native.elements, plain.elements), (OF_BLOCKS, native, plain)):
            for name in names:
                found, expected = getattr(ours, name), getattr(theirs, name)
                assert (found.dtype, found.shape) == (expected.dtype, expected.shape), name
                assert np.array_equal(found, expected), name
        for name in OF_PATHS:
            found, expected = native.elements.column(name), plain.elements.column(name)
            assert found.dtype == expected.dtype
            assert np.array_equal(found, expected), name
    return native


def same_page(page):
    return same(page._text.slice(0, len(page._text.codes)), page._paths, page.path_table, page.boxes)


@given(marked_texts())
def test_any_marked_text(made):
    same(*made, TABLE)


@given(st.one_of(pages(), SOUP))
def test_any_page(html):
    page = Page.parse(html)
    if len(page.elements):
        same_page(page)


def test_a_page_of_no_elements_is_left_to_numpy():
    page = Page.parse("")
    assert page.elements.native is None
    assert len(page.blocks) == 0


def test_long_texts_and_deep_nests():
    html = "<p>" + "word. Word 1, " * 20_000 + "<p>x" + "<b>" * 3000 + "deep</b>" + "<div>" * 3000 + "end"
    assert len(same_page(Page.parse(html))) == 3


def test_layout_geometry_changes_flags():
    page = Page.parse("<div><p>One.</p><p>Two.</p></div>")
    ones = np.ones(len(page.elements), np.float32)
    shown = np.array([True] * (len(ones) - 1) + [False])
    blocks = same(page._text.slice(0, 99), page._paths, page.path_table, Boxes(ones, ones, ones, ones, 9, 9, shown))
    assert [bool(flags & Flag.HIDDEN) for flags in blocks.flags.tolist()] == [False, True]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("\1a", 1),
        ("a\2", 1),
        ("\2a\1", 1),
        ("\1\2\1", 1),
        ("\1\2", 2),
        ("\1\1\2\2", 1),
        ("no marks", 1),
        ("\1a\2\2", 1),
    ],
)
def test_marks_that_do_not_fit_the_elements_are_refused(text, paths):
    assert read(text, [ROOT] * paths) is None


@pytest.mark.parametrize("path", [-1, 1 << 20, 1 << 30])
def test_paths_beyond_the_table_are_refused(path):
    assert read("\1a\2", [path]) is None


def test_text_of_no_block_level_element_is_refused():
    assert read("\1a\2", [TABLE.child(0, "b", {})]) is None


def read(text, paths):
    data = MarkedText.encode(text)
    return read_page(library(), (data.data, data.wide), np.array(paths, np.int32), TABLE.read(), character_tables())


def test_rows_of_paths_are_what_c_takes_them_for():
    names = "parent depth key shape flags block_path tag class_ id token own_flags markup".split()
    kinds = "i4 i4 u8 u8 i4 i4 u4 u4 u4 u8 i4 i4 b1 b1 b1 b1 b1".split()
    names += ["block", "container", "content", "br", "skipped"]
    assert list(zip(names, kinds, strict=True)) == [(name, dtype[1:]) for name, dtype in ROW.descr]


def test_a_table_that_grows_is_told_anew():
    table = PathTable()
    first = Page.parse("<p>One.", paths=table).elements
    tags = ["".join(f"<x{i}>" for i in range(300))]
    second = Page.parse(tags[0] + "Two.", paths=table)
    assert len(second.elements) > 300
    same_page(second)
    assert first.column("tag").tolist() == first.table.columns["tag"][first.paths].tolist()


def test_arrays_outlive_their_page():
    hashes = Page.parse("<p>The same tomorrow.").blocks.text_hashes
    gc.collect()
    assert hashes.tolist() == [15819741092209415737]


def test_numpy_does_it_where_c_gives_up():
    with patch("denoise_scrapy.page.columns.read_page", return_value=None):
        page = Page.parse("<p>The same tomorrow.")
        assert page.blocks.text_hashes.tolist() == [15819741092209415737]
