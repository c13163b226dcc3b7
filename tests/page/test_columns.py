"""Columns of elements and blocks, their counts and hashes, against plain walks over lxml's tree and plain Python."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import capped, distinct
from denoise_scrapy.page.markup import SKIPPED_TAGS, is_block_tag
from tests.html_strategies import SOUP, pages


def visible(text: str | None) -> int:
    """Characters that show; those beyond the basic plane count as two."""
    return sum(1 + (ord(c) > 0xFFFF) for c in "".join((text or "").split()))


def walk(html: str):
    """(element, parent, depth, end, own visible characters) in document order, skipped subtrees as leaves."""
    rows = []

    def visit(element, parent, depth):
        index = len(rows)
        rows.append([element, parent, depth, None, 0])
        if element.tag not in SKIPPED_TAGS:
            rows[index][4] = visible(element.text) + sum(visible(child.tail) for child in element)
            for child in element:
                visit(child, index, depth + 1)
        rows[index][3] = len(rows)

    tree = etree.fromstring(html.encode(), etree.HTMLParser(encoding="utf-8", remove_comments=True))
    visit(tree, -1, 1)
    return rows


def literal_blocks(html: str) -> list[tuple[str, str]]:
    """(tag of the block's element, text without white space) by a plain recursive reading."""
    blocks: list[tuple[str, str]] = []
    run: list[str] = []
    owner: list[str] = [""]

    def close():
        if text := "".join("".join(run).split()):
            blocks.append((owner[0], text))
        run.clear()

    def add(text, holders):
        if text and text.strip() and not "".join(run).strip():
            owner[0] = next((tag for tag in reversed(holders) if is_block_tag(tag)), "")
        run.append(text or "")

    def visit(element, holders, last_break):
        holders = [*holders, element.tag]
        if is_block_tag(element.tag):
            close()
            last_break[0] = None
        if element.tag == "br":
            if last_break[0] == sum(len("".join(t.split())) for t in run):
                close()
            last_break[0] = sum(len("".join(t.split())) for t in run)
        if element.tag not in SKIPPED_TAGS:
            add(element.text, holders)
            for child in element:
                visit(child, holders, last_break)
                add(child.tail, holders)
        if is_block_tag(element.tag):
            close()
            last_break[0] = None

    tree = etree.fromstring(html.encode(), etree.HTMLParser(encoding="utf-8", remove_comments=True))
    visit(tree, [], [None])
    close()
    return blocks


@given(pages(), st.randoms(use_true_random=False))
def test_columns_equal_a_walk_over_the_tree(html, random):
    page = Page.parse(html)
    marked = np.array([random.random() < 0.4 for _ in range(len(page.elements))], bool)

    def nearest(i: int) -> int:
        while i >= 0 and not marked[i]:
            i = int(page.elements.parent[i])
        return i

    assert page.elements.nearest(marked).tolist() == [nearest(i) for i in range(len(page.elements))]
    if page.noscript_read:
        return
    rows = walk(html)
    elements = page.elements
    assert [elements.table.tags[p] for p in elements.paths] == [row[0].tag for row in rows]
    assert elements.parent.tolist() == [row[1] for row in rows]
    assert elements.depth.tolist() == [row[2] for row in rows]
    assert elements.end.tolist() == [row[3] for row in rows]
    assert elements.own_chars.tolist() == [row[4] for row in rows]


@given(pages())
def test_blocks_equal_a_plain_reading(html):
    page = Page.parse(html)
    blocks = page.blocks
    texts = ["".join(text.split()) for text in page.block_texts]
    astral = [sum(ord(char) > 0xFFFF for char in text) for text in texts]
    assert blocks.chars.tolist() == [len(t) + more for t, more in zip(texts, astral, strict=True)]
    assert (blocks.link_chars <= blocks.chars).all()
    # a word may run over inline tags, as it does in the text
    assert blocks.tokens.tolist() == [len(TOKEN.findall(text)) for text in page.block_texts]
    if not page.noscript_read:
        tags = [page.elements.table.tags[p] for p in page.elements.paths[blocks.element]]
        assert list(zip(tags, texts, strict=True)) == literal_blocks(html)


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
        assert page.signature is not None


CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
TOKEN = re.compile(rf"[{CJK}]|[^\W{CJK}]+")


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


@given(st.lists(st.integers(-99, 99)), st.integers(0, 50))
def test_capped_equals_numpy(values, most):
    assert capped(np.array(values, int), most).tolist() == np.clip(np.array(values, int), -most, most).tolist()
