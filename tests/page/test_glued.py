"""Inline elements side by side: words that meet are parted, halves of words are not. Lists read line by line."""

import time

import numpy as np
import pytest
from hypothesis import given

from denoise_scrapy.page import Page
from denoise_scrapy.page.marked_text import part_glued
from tests.html_strategies import SOUP


def texts(html):
    page = Page.parse(html)
    return [page.block_text(i) for i in range(len(page.blocks))]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p><span>Trail</span><span>Boots</span>", "Trail Boots"),
        ("<p><span>Jan 3, 2026</span><span>2h</span>", "Jan 3, 2026 2h"),
        ("<p><a>Action</a><a>Open World</a>", "Action Open World"),
        ("<p><b><i>Deep</i></b><span><em>Down</em></span>", "Deep Down"),
        ("<p><a>One</a><span></span><a>Two</a>", "One Two"),
        ("<p><a>首页</a><a>新闻</a>", "首页 新闻"),
        ("<p><a>اقرأ</a><a>شاهد</a>", "اقرأ شاهد"),
        ("<p>😀<span>Trail</span><span>Boots</span>😀", "😀Trail Boots😀"),
        # one word, or no words that meet
        ("<p><span>Le</span><span>arn</span>", "Learn"),
        ("<p><a>b</a><a>acon</a>", "bacon"),
        ("<p><strong>S</strong><span>aving</span>", "Saving"),
        ("<p><span>H</span><span>E</span><span>Y</span>", "HEY"),
        ("<p><span>中</span><span>国</span>", "中国"),
        ("<p>H<sub>2</sub>O and <b>W</b>ord", "H2O and Word"),
        ("<p><span>Price:</span><span>$5</span>", "Price:$5"),
        ("<p><span>One</span> <span>Two</span>", "One Two"),
        ("<p><code><span>get</span><span>Name</span></code>", "getName"),
        ("<pre><span>get</span><span>Name</span></pre>", "getName"),
    ],
)
def test_pairs(html, text):
    assert texts(html) == [text]


def test_tokens_are_counted_apart():
    assert Page.parse("<p><span>Trail</span><span>Boots</span>").blocks.tokens.tolist() == [2]


@given(SOUP)
def test_parting_twice_is_parting_once(html):
    page = Page.parse(html)
    text = page.elements.text
    assert part_glued(text, page.elements.paths, page.path_table).data == text.data


def test_a_list_is_read_line_by_line_in_its_order():
    rows = "".join(
        f"<li><h3><a href=/{i}>Title {i}</a></h3><div><span>Mar {i}</span><span>2026</span></div><p>Text {i}.</p></li>"
        for i in range(1, 4)
    )
    assert texts(f"<ul>{rows}</ul>") == [
        line for i in range(1, 4) for line in (f"Title {i}", f"Mar {i} 2026", f"Text {i}.")
    ]


def test_a_table_is_read_row_by_row():
    html = "<table><tr><th>Team<th>Won</tr><tr><td>Owls<td>3</tr><tr><td>Cats<td>1</tr></table>"
    assert texts(html) == ["Team", "Won", "Owls", "3", "Cats", "1"]


def test_search_results_and_pages_of_results():
    html = (
        "<main><div><a href=/a><h2>First</h2><cite>a.example</cite></a><span>A snippet.</span></div>"
        "<div><a href=/b><h2>Second</h2><cite>b.example</cite></a><span>Another.</span></div></main>"
        "<div class=pages><a href=?1>1</a><a href=?2>2</a><a href=?3>3</a></div>"
    )
    assert texts(html) == ["First", "a.example A snippet.", "Second", "b.example Another.", "1 2 3"]


def test_hashes_of_blocks_do_not_change():
    glued, parted = Page.parse("<p><a>One</a><a>Two</a>"), Page.parse("<p><a>One</a> <a>Two</a>")
    assert np.array_equal(glued.blocks.text_hashes, parted.blocks.text_hashes)


@pytest.mark.parametrize("unit", ["<span>A</span>", "<span>Ab</span>", "<a>x</a><b></b>", "<i>", "</i><i>a"])
def test_a_hostile_page_takes_linear_time(unit):
    start = time.perf_counter()
    page = Page.parse("<p>" + unit * 50_000)
    assert len(page.elements) > 0
    assert time.perf_counter() - start < 20
