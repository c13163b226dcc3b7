"""The columns derived from marks equal what a plain walk over lxml's tree says."""

from hypothesis import given
from lxml import etree

from denoise_scrapy.page import Page
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


@given(pages())
def test_columns_equal_a_walk_over_the_tree(html):
    page = Page.parse(html)
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
    if page.noscript_read:
        return
    blocks = page.blocks
    tags = [page.elements.table.tags[p] for p in page.elements.paths[blocks.element]]
    texts = ["".join(page.block_text(i).split()) for i in range(len(blocks))]
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
