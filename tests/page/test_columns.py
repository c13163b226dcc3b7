"""What numpy makes of the core's columns, against plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import distinct
from tests.html_strategies import SOUP


@given(SOUP)
def test_no_markup_raises(html):
    for source in (html, html.encode("utf-8", "replace"), html.encode("utf-16", "surrogatepass")):
        page = Page.parse(source, url="http://a.example/")
        texts = [page.block_text(i) for i in range(len(page.blocks))]
        assert all(texts)
        assert page.blocks.chars.min(initial=1) > 0
        assert not any(mark in text for text in texts for mark in "\x01\x02")
        assert len(page.inner_hashes) == len(page.elements)
        assert all(link.startswith("http") for link in page.links)
        assert len(page.facts.tokens) == len(page.blocks)


def block(html: str) -> Page:
    page = Page.parse(html)
    assert len(page.blocks) == 1
    return page


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("<p>Hello  world", "<div><p>hello <b>WORLD</b></div>", True),
        ("<p>Page 12 of 30", "<p>Page 77 of 41", True),
        ("<p>one two", "<p>two one", False),
        ("<p>one", "<p>one one", False),
        ("<p>中文新闻", "<td>中文新闻", True),
        ("<p>a b", "<p>a<br>b", True),  # white space does not count
    ],
)
def test_text_hashes(a, b, same):
    assert bool(block(a).blocks.text_hashes[0] == block(b).blocks.text_hashes[0]) is same


@given(st.lists(st.text("ab1 中", min_size=1, max_size=6).filter(str.strip), min_size=1, max_size=8))
def test_text_hashes_do_not_depend_on_where_the_block_stands(texts):
    together = Page.parse("".join(f"<p>{text}</p>" for text in texts)).blocks.text_hashes
    alone = [block(f"<p>{text}</p>").blocks.text_hashes[0] for text in texts]
    assert together.tolist() == [int(h) for h in alone]


def test_hashes_are_the_same_in_every_process():
    assert int(block("<p>The same tomorrow.").blocks.text_hashes[0]) == 15819741092209415737


@given(st.lists(st.integers(0, 9)))
def test_distinct_equals_numpy(keys):
    expected = np.unique(np.array(keys, np.uint64), return_inverse=True)
    assert [found.tolist() for found in distinct(np.array(keys, np.uint64))] == [found.tolist() for found in expected]
