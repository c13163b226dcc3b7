"""What features say of a block, against plain loops over the tree."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.body.strategies.combined import FORUM_TYPES, view_of
from denoise_scrapy.core.features import FAMILIES, NAMES, NO_WORDS, View
from denoise_scrapy.core.sharing import share
from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import Boxes
from denoise_scrapy.site import SiteStatistics
from tests.core.literal_features import Literal
from tests.html_strategies import ODD_PAGES, SOUP, pages

FRAME = (
    "<title>{0}</title><nav><a href=/>Home page of it</a></nav>"
    "<main><h1>{0}</h1><div><p>{1}</div></main><aside><p>Read this everywhere</aside>"
)
STORY = "Story {} of {} that nobody else tells in these very words, or in any that are like them."
PROSE = "The flooded bridge was closed by the mayor on Monday, and the river rose higher still."
#: What features are about: headlines, prose, lists, comments, dates, pictures, hidden parts.
PIECES = (
    "<h1>Bridge closed</h1>", "<h2>The bridge</h2>", "<h2><a href=/s>Sport</a></h2>", f"<p>{PROSE}</p>",
    f"<p>{PROSE} It <a href=/m>opens</a> again, said Monday's mayor.</p>", "<p>Weather tomorrow: flooded again.</p>",
    "<li><h3>Rain</h3><p>It rained</p><b>all day</b></li>" * 3, "<tr><td>One</td><td>two three</td></tr>" * 3,
    "<div class=comment-list><p>3 Comments</p>", "<p>by Ann</p>", "<p>Posted on 12:30</p>", "<img src=/i.png>", "<div>",
    "<div id=menu>", "<section>", "<ul>", "</div>", "</section>", "</ul>", "<article>", "</article>", "<div hidden>",
    "<button>Go!</button>", "<p>Good? <button>Yes</button> <input name=q>", "<a href=/x>Other bridge</a>",
    "<p>大桥关闭，河水上涨。</p>", "...",
)  # fmt: skip
TITLES = st.sampled_from(["Bridge closed - News", "Sport", "", "x"])
MADE = st.builds(
    lambda title, body: f"<title>{title}</title>{''.join(body)}",
    TITLES,
    st.lists(st.sampled_from(PIECES), max_size=14),
)
SHARES = st.integers(0, 5).map(lambda n: n / 5)


def rows_of(page, others=()):
    return dict(zip(NAMES, view_of(page, SiteStatistics(others)).features, strict=True))


@st.composite
def comparisons(draw, m):
    """What comparison pages may share with a page."""

    def column(values):
        return np.array(draw(st.lists(values, min_size=m, max_size=m)), np.float64)

    shares = {name: column(SHARES) for name in ("text_share", "placed_share", "slot_share")}
    own = column(st.sampled_from([0.0, 0.0, 3.0, 40.0, 7.25]))
    return SimpleNamespace(**shares, own_tokens=own, likeness=range(draw(st.integers(1, 5))))


@settings(deadline=None)
@given(MADE | SOUP | pages() | ODD_PAGES, st.booleans(), st.booleans(), st.data())
def test_features_equal_plain_loops(html, article, forum, data):
    tree = Page.parse(html).tree
    m = len(tree.block_rows)
    compared = data.draw(st.none() | comparisons(m))
    declared = {"declares_article": article, "declares_forum": forum}
    found = View(tree, NO_WORDS, compared, **declared).features
    literal = Literal(tree, compared, article, forum) if m else None
    for i in range(m):
        expected = literal.features(i)
        block = dict(zip(NAMES, found[:, i].tolist(), strict=True))
        assert {name: block[name] for name in expected} == pytest.approx(expected, rel=1e-5, abs=1e-6, nan_ok=True)


def test_every_feature_is_compared():
    compared = Literal(Page.parse(f"<p>{PROSE}").tree, None, False, False).features(0)
    assert {*NAMES} - {*compared} == {*FAMILIES["class_names"].names, *FAMILIES["text_words"].names}
    assert len(set(NAMES)) == len(NAMES)


@settings(deadline=None)
@given(SOUP | pages(), pages())
def test_features_are_numbers_or_unknown(html, other):
    page = Page.parse(html)
    if not len(page.blocks):
        return
    alone, compared = rows_of(page), rows_of(page, [Page.parse(other)])
    assert not any(np.isinf(row).any() for row in (*alone.values(), *compared.values()))
    unknown = {name for name, row in alone.items() if np.isnan(row).any()}
    assert "repeated" in unknown
    assert unknown <= {name for family in ("site", "headline") for name in FAMILIES[family].names}
    for family in FAMILIES.values():
        assert family.say(alone, 0) and family.say(compared, 0)


def test_where_other_pages_have_text_of_their_own():
    stories = [STORY.format(word, 9 * f"{word} ") for word in ("ab", "cd", "ef")]
    page, *others = (Page.parse(FRAME.format(story[:8], story)) for story in stories)
    rows = rows_of(page, others)
    home, heading, story, everywhere = range(4)
    assert rows["own_here"][story] > rows["own_here"][home] == rows["own_here"][everywhere] == 0
    assert rows["in_own_half"].tolist() == [0, 0, 1, 0]
    assert rows["stock"].tolist() == [1, 0, 0, 1]
    assert rows["repeated"].tolist() == [1, 0, 0, 1] and rows["k"].tolist() == [2] * 4
    assert rows["levels_to_title"].tolist() == [1, 0, 2, 2]
    assert heading == rows["from_title"].tolist().index(0)


def test_a_page_says_what_it_is():
    declared = [f'<p itemtype="http://schema.org/{kind}">Text' for kind in ("NewsArticle", "QAPage", "Product")]
    rows = [rows_of(Page.parse(html)) for html in declared]
    assert [one["page_declares_article"].tolist() for one in rows] == [[1], [0], [0]]
    assert [one["page_declares_forum"].tolist() for one in rows] == [[0], [1], [0]]
    assert "qapage" in FORUM_TYPES


def test_a_browser_says_what_is_hidden():
    html = "<p>Shown</p><p>Hidden</p>"
    n = len(Page.parse(html).elements)
    ones, visible = np.ones(n, np.float32), np.array([True] * (n - 1) + [False])
    page = Page.parse(html, boxes=Boxes(ones, ones, ones, ones, 9, 9, visible))
    assert rows_of(page)["in_hidden"].tolist() == [0, 1]


def test_columns_of_another_page_are_refused():
    tree, other = Page.parse("<p>One<p>Two").tree, Page.parse("<p>One<p>Two<p>Three")
    with pytest.raises(ValueError, match="there are 2 blocks"):
        View(tree, NO_WORDS, share(other.facts.data, []))
