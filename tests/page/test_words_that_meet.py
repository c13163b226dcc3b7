"""Words that meet in inline elements are parted, halves of one are not."""

import numpy as np
import pytest

from denoise_scrapy.page import Page


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


def test_a_list_is_read_line_by_line_in_its_order():
    rows = "".join(
        f"<li><h3><a href=/{i}>Title {i}</a></h3><div><span>Mar {i}</span><span>2026</span></div><p>Text {i}.</p></li>"
        for i in range(1, 4)
    )
    assert texts(f"<ul>{rows}</ul>") == [
        line for i in range(1, 4) for line in (f"Title {i}", f"Mar {i} 2026", f"Text {i}.")
    ]


def test_hashes_of_blocks_do_not_change():
    glued, parted = Page.parse("<p><a>One</a><a>Two</a>"), Page.parse("<p><a>One</a> <a>Two</a>")
    assert np.array_equal(glued.blocks.text_hashes, parted.blocks.text_hashes)
