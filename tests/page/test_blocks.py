"""Counts and hashes of blocks against plain Python, one block at a time."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.page import Page
from tests.html_strategies import pages

CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
TOKEN = re.compile(rf"[{CJK}]|[^\W{CJK}]+")


def block(html: str) -> Page:
    page = Page.parse(html)
    assert len(page.blocks) == 1
    return page


@given(pages())
def test_tokens_are_words_and_single_cjk_characters(html):
    page = Page.parse(html)
    counted = page.blocks.tokens.tolist()
    # a word may run over inline tags, as it does in the text
    assert counted == [len(TOKEN.findall(page.block_text(i))) for i in range(len(counted))]


@given(pages())
def test_visible_characters_and_link_characters(html):
    page = Page.parse(html)
    texts = ["".join(page.block_text(i).split()) for i in range(len(page.blocks))]
    astral = ["".join(c for c in text if ord(c) > 0xFFFF) for text in texts]
    assert page.blocks.chars.tolist() == [len(t) + len(a) for t, a in zip(texts, astral, strict=True)]
    assert (page.blocks.link_chars <= page.blocks.chars).all()


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
