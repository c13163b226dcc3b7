"""The block filter's steps on examples worked by hand, and its Topic against the formula as it stands."""

import math

import numpy as np
from hypothesis import given

from denoise_scrapy.body.strategies.block_filter import (
    BlockFilterStrategy,
    candidates,
    merge_alike,
    narrow,
    text_lengths,
    topics,
)
from denoise_scrapy.page import Boxes, Flag, Page
from denoise_scrapy.site import SiteStatistics
from tests.html_strategies import pages

PROSE = "It rained all night and the river rose, so that the bridge had to be closed on Monday. "


def body(html: str) -> list[str]:
    page = Page.parse(html)
    if not len(page.blocks):
        return []
    decision = BlockFilterStrategy().decide(page, SiteStatistics())
    assert len(decision.reasons) == len(decision.kept) == len(decision.probability) == len(page.blocks)
    assert 0 <= decision.confidence <= 1
    return [page.block_text(i) for i in np.flatnonzero(decision.kept)]


def paths_of(page: Page, chosen: np.ndarray) -> list[str]:
    return [path.removeprefix("html/body/") for path in page.paths_of(np.flatnonzero(chosen).tolist())]


def left(html: str) -> list[str]:
    page = Page.parse(html)
    return paths_of(page, candidates(page, *text_lengths(page)))


def literal_lengths(page: Page, block: int) -> tuple[int, int]:
    """Formulas 2 and 3: sums of the text lengths of the block's nodes, white space taken out."""
    elements, link, word = page.elements, 0, 0
    tags = page.tags()
    hidden = [bool(flags & Flag.HIDDEN) for flags in elements.column("own_flags")]
    for node in range(block, int(elements.end[block])):
        above = [node]
        while elements.parent[above[-1]] >= 0:
            above.append(int(elements.parent[above[-1]]))
        if any(hidden[i] for i in above):
            continue
        texts = [
            page.tree.slice(int(mark) + 1, int(end))
            for mark, end, owner in zip(elements.marks, elements.text_ends, elements.text_owner, strict=True)
            if owner == node
        ]
        length = sum(len("".join(text.split()).encode("utf-16-le")) // 2 for text in texts)
        if any(tags[i] == "a" for i in above):
            link += length
        else:
            word += length
    return link, word


@given(pages())
def test_topic_equals_the_literal_one(html):
    page = Page.parse(html)
    link, word = text_lengths(page)
    topic = topics(link, word)
    for block in range(len(page.elements)):
        literal_link, literal_word = literal_lengths(page, block)
        assert (link[block], word[block]) == (literal_link, literal_word)
        assert topic[block] == (literal_link / literal_word if literal_word else math.inf)


def test_the_smallest_topic_wins():
    menu = "<div class=menu>" + "<p>About <a href=/x>a link with quite a long text of its own</a></p>" * 3 + "</div>"
    story = f"<div class=story><p>{PROSE}</p><p>{PROSE}<a href=/y>More</a></p></div>"
    assert body(f"<body>{menu}{story}") == [PROSE.strip(), f"{PROSE}More"]


def test_hidden_blocks_are_deleted():
    hidden = f"<div class=b style='visibility:hidden'><p>{PROSE * 5}</p></div>"
    assert left(f"<div class=a><p>{PROSE}</p></div>{hidden}") == ["div.a"]
    assert body(f"<div class=a><p>{PROSE}</p><p style='display:none'>No.</p></div>{hidden}") == [PROSE.strip()]


def test_children_that_display_alike_give_way_to_their_parent():
    def merged(children: str) -> list[str]:
        page = Page.parse(f"<div class=a>{children}</div>")
        blocks = np.asarray(page.elements.column("block"), bool) & (page.elements.depth > 2)
        return paths_of(page, merge_alike(page, blocks))

    assert merged("<div class=b>x</div><div class=b>y</div>") == ["div.a"]
    assert merged("<div class=b>x</div><div class=c>y</div>") == ["div.a", "div.a/div.b", "div.a/div.c"]
    assert merged("<div class=b>x</div><p class=b>y</p>") == ["div.a", "div.a/div.b", "div.a/p.b"]
    # an element between them that is no block changes nothing; of one child nothing can be alike
    assert merged("<span><div class=b>x</div></span><div class=b>y</div>") == ["div.a"]
    assert merged("<div class=b>x</div>") == ["div.a", "div.a/div.b"]
    # a level at a time: the grandchildren are alike among themselves, their parents are not
    both = "<div class=b><p>x</p><p>y</p></div><div class=c><p>x</p><p>y</p></div>"
    assert merged(both) == ["div.a", "div.a/div.b", "div.a/div.c"]


def test_blocks_narrower_than_the_content_are_deleted():
    column = "<td width={}><div class={}><p>{}</p></div></td>"
    html = "<table><tr>" + column.format(160, "side", PROSE) + column.format(600, "story", PROSE + "x") + "</table>"
    page = Page.parse(html)
    assert paths_of(page, narrow(page)) == [f"table/tr/td{step}" for step in ("", "/div.side", "/div.side/p")]
    assert left(html) == ["table", "table/tr", "table/tr/td/div.story"]  # the cells, alike, gave way to their row
    html = html.replace(" width=600", "").replace(" width=160", "")
    assert left(html) == ["table", "table/tr", "table/tr/td/div.side", "table/tr/td/div.story"]


def test_rendered_widths_take_the_place_of_written_ones():
    page = Page.parse(f"<div width=900><p>{PROSE}</p></div><div width=100><p>{PROSE}x</p></div>")
    n = len(page.elements)
    width = np.array([1000, 1000, 200, 200, 800, 800][:n], np.float32)
    zeros = np.zeros(n, np.float32)
    page.boxes = Boxes(zeros, zeros, width, zeros + 50, 1000, 1000)
    assert np.flatnonzero(narrow(page)).tolist() == [2, 3]
