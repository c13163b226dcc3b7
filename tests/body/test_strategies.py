"""The strategies taken from the literature: steps worked by hand, and what each keeps."""

import numpy as np
import pytest
from hypothesis import given

from denoise_scrapy.body import find_strategy
from denoise_scrapy.body.strategies.base import Decision
from denoise_scrapy.body.strategies.layout import (
    FrameSizes,
    Lines,
    candidates,
    find_frames,
    merge_alike,
    narrow,
    paragraph_counts,
    passing,
    text_lengths,
)
from denoise_scrapy.page import Boxes, Flag, Page
from denoise_scrapy.site import SiteStatistics
from tests.html_strategies import pages

PROSE = "It rained all night and the river rose, so that the bridge had to be closed on Monday."
MORE = "The repairs will take two weeks, says the city, and nobody doubts that it will be three of them."
ONE, TWO = f"<p>{PROSE}</p>", f"<p>{PROSE}</p><p>{PROSE}</p>"


def decide(strategy: str, *site: Page | str) -> tuple[Decision, Page]:
    """The decision on the first of some pages, and that page."""
    page, *others = [page if isinstance(page, Page) else Page.parse(page) for page in site]
    decision = find_strategy(strategy).decide(page, SiteStatistics(tuple(others)))
    assert len(decision.reasons) == len(decision.kept) == len(decision.probability) == len(page.blocks)
    assert 0 <= decision.confidence <= 1
    return decision, page


def kept(strategy: str, *site: Page | str) -> list[str]:
    """Texts of the blocks that a strategy keeps."""
    decision, page = decide(strategy, *site)
    return [page.block_text(i) for i in np.flatnonzero(decision.kept)]


# ---- block-filter: the smallest Topic, by the formula ----


def paths_of(page: Page, chosen: np.ndarray) -> list[str]:
    return [path.removeprefix("html/body/") for path in page.paths_of(np.flatnonzero(chosen).tolist())]


def left(html: str) -> list[str]:
    page = Page.parse(html)
    return paths_of(page, candidates(page, *text_lengths(page)))


@given(pages())
def test_lengths_equal_the_literal_ones(html):
    """Formulas 2 and 3: sums of the text lengths of the block's nodes, white space taken out."""
    page = Page.parse(html)
    e, tags = page.elements, page.tags()
    lengths = np.zeros((2, len(e)), int)
    hidden = (e.tokens["flags"] & Flag.HIDDEN)[e.token] != 0
    for mark, end, owner in zip(e.marks.tolist(), e.text_ends.tolist(), e.text_owner.tolist(), strict=True):
        above = [i for i in range(len(e)) if i <= owner < e.end[i]]
        if not hidden[above].any():
            text = "".join(page.tree.slice(mark + 1, end).split())
            lengths[int(all(tags[i] != "a" for i in above)), above] += len(text.encode("utf-16-le")) // 2
    assert np.array(text_lengths(page)).tolist() == lengths.tolist()


def test_hidden_blocks_are_deleted():
    hidden = f"<div class=b style='visibility:hidden'><p>{PROSE * 2}</p></div>"
    assert left(f"<div class=a>{ONE}</div>{hidden}") == ["div.a"]
    assert kept("block-filter", f"<div class=a>{ONE}<p style='display:none'>No.</p></div>{hidden}") == [PROSE]


@pytest.mark.parametrize(
    ("children", "blocks"),
    [
        ("<div class=b>x</div><div class=b>y</div>", ["div.a"]),
        ("<div class=b>x</div><div class=c>y</div>", ["div.a", "div.a/div.b", "div.a/div.c"]),
        ("<div class=b>x</div><p class=b>y</p>", ["div.a", "div.a/div.b", "div.a/p.b"]),
        # an element between them that is no block changes nothing; of one child nothing can be alike
        ("<span><div class=b>x</div></span><div class=b>y</div>", ["div.a"]),
        ("<div class=b>x</div>", ["div.a", "div.a/div.b"]),
        # a level at a time: the grandchildren are alike among themselves, their parents are not
        (
            "<div class=b><p>x</p><p>y</p></div><div class=c><p>x</p><p>y</p></div>",
            ["div.a", "div.a/div.b", "div.a/div.c"],
        ),
    ],
)
def test_children_that_display_alike_give_way_to_their_parent(children, blocks):
    page = Page.parse(f"<div class=a>{children}</div>")
    is_block = np.asarray(page.elements.column("block"), bool) & (page.elements.depth > 2)
    assert paths_of(page, merge_alike(page, is_block)) == blocks


def test_blocks_narrower_than_the_content_are_deleted():
    column = "<td width={}><div class={}><p>{}</p></div></td>"
    html = "<table><tr>" + column.format(160, "side", PROSE) + column.format(600, "story", PROSE + "x") + "</table>"
    page = Page.parse(html)
    assert paths_of(page, narrow(page)) == [f"table/tr/td{step}" for step in ("", "/div.side", "/div.side/p")]
    assert left(html) == ["table", "table/tr", "table/tr/td/div.story"]  # the cells, alike, gave way to their row
    html = html.replace(" width=600", "").replace(" width=160", "")
    assert left(html) == ["table", "table/tr", "table/tr/td/div.side", "table/tr/td/div.story"]
    html = f"<div style='width:{{}}px' class=a>{ONE}</div><div style='width:500px'><p>{PROSE * 2}</p></div>"
    for width in (400, 399):  # four fifths of the content are wide enough
        assert narrow(Page.parse(html.format(width))).any() == (width < 400)


# ---- framework: the frame rules, as the source's figures have them ----


@pytest.mark.parametrize(
    ("attributes", "passes"),
    [
        # nothing told: judged by its paragraphs alone; a size in another unit tells nothing
        ("", True),
        ("width='12em'", True),
        # one missing, width in pixels: above delta 1
        ("width=300", False),
        ("width=160 style='height:auto'", False),
        # both given, width in percent: above delta 2, whatever the height
        ("width='95%' height=10", True),
        ("width='40%' height=600", False),
        # width in percent, no height: rule ii
        ("width='20%'", False),
        ("width='39.5 %'", False),
        # both given, height in percent: above delta 3
        ("width=160 height='100%'", True),
        # both in pixels: the aspect ratio is small
        ("width=160 height=600", False),
        ("width=500 height=400", True),
        ("width=300 height=900", False),
        # style goes for attributes
        ("width=150 style='width:600px'", True),
    ],
)
def test_cases_of_width_and_height(attributes, passes):
    table = f"<table {attributes}><tr><td>{ONE}</td></tr></table>"
    assert passing(FrameSizes(Page.parse(table)))[2] == passes
    other = f"<table width=760><tr><td><p>{MORE}</p></td></tr></table>"
    # a frame that does not pass is noise, however much text it holds
    assert kept("framework", table.replace(ONE, TWO) + other) == ([PROSE, PROSE] if passes else [MORE])


def test_a_rendered_side_column_is_noise():
    html = f"<div id=side>{TWO}</div><div id=main><p>{MORE}</p></div>"
    assert kept("framework", html) == [PROSE, PROSE]
    page, sizes = Page.parse(html), {"div#side": (200, 900), "div#main": (700, 900)}
    steps = [page.elements.step(element) for element in range(len(page.elements))]
    width, height = np.array([sizes.get(step, (np.nan, np.nan)) for step in steps], np.float32).T
    page.boxes = Boxes(np.zeros_like(width), np.zeros_like(width), width, height, 1000, 1000)
    assert kept("framework", page) == [MORE]


@pytest.mark.parametrize(
    ("html", "count"),
    [
        ("<p>One.</p><p>Two.</p><p> </p>", 2),
        ("One.<br>Two.<br>Three.", 3),
        ("One.<br><br><br>Two.", 2),
        ("<div>One.</div><div>Two.</div>", 2),  # divs that hold text alone
        ("<ul><li>One.</li></ul><h1>Two.</h1>", 0),
        ("<p><a href=/x>One</a></p><p hidden>Two.</p>", 0),
        ("<p><a href=/x>One</a> and two</p>", 1),
        (f"{ONE}<p>Short.</p><p>{MORE}</p>", 2),  # short ones do not count beside long ones
    ],
)
def test_paragraphs_by_hand(html, count):
    page = Page.parse(html)
    assert paragraph_counts(page, find_frames(page)[1])[0].sum() == count


@given(pages())
def test_lines_hold_all_text_that_blocks_hold(html):
    page = Page.parse(html)
    lines, blocks, n = Lines(page.elements), page.blocks, len(page.elements)
    assert np.bincount(lines.element, lines.chars, n).tolist() == np.bincount(blocks.element, blocks.chars, n).tolist()


# ---- what each keeps ----

LONG = "A story of so many words that nothing on the page outweighs it, whatever people say."
SAID = "A comment that is much, much longer than its story."
TALK = (
    "<body><div id=menu><a href=/>Home</a></div><div id=story><h1>Title</h1><p>{}</p></div><div id=talk>{}</div></body>"
)
WORDS = "ship", "train", "plane"
TALKS = [TALK.format(f"{LONG} {word}", "Yes.") for word in WORDS]
#: The story is shorter than what people say about it: the source's case for clusters.
SHORT = TALK.format("Nothing new.", SAID)
STORY = (
    "<body><div id=menu><a href=/>Home</a><a href=/n>News</a></div><div id=story><h1>Title {0}</h1>"
    "<p>The {0} came first, and then {0} came again.</p></div><div id=foot><p>All rights reserved</p></div></body>"
)
STORIES = [STORY.format(word) for word in WORDS]
OF_SHIP = ["Title ship", "The ship came first, and then ship came again."]
MENU = "<table{}><tr><td><a href=/x>Home</a></td></tr></table>"
INDEX = "<table{}>" + "<tr><td><a href=/y>A story with a long title</a></td></tr>" * 3 + "</table>"
SIZES = " width='90%' height='80%'", " width='60%' height='20%'"
LINKED = "<div class=menu>" + "<p>About <a href=/x>a link with quite a long text of its own</a></p>" * 3 + "</div>"
NESTED = f"<section><p>{MORE}</p><table><tr><td><p>{PROSE}<p>{PROSE}<p>{PROSE}</td></tr></table></section>"
READ_ON = "<p>Read on at once<b>{}</b></p><p>x</p>"
TEASERS = f"<div id=all><div id=story><p>{LONG}</p></div>{'<p>More text</p>' * 12}</div>"


@pytest.mark.parametrize(
    ("strategy", "site", "texts"),
    [
        ("block-filter", [f"<div>{TWO}</div><div>{TWO}<p>{PROSE}<a href=/x>{MORE}</a></p></div>"], [PROSE] * 2),
        ("block-filter", [f"{LINKED}<div>{ONE}<p>{PROSE}<a href=/y>More</a></p></div>"], [PROSE, f"{PROSE}More"]),
        # of nested frames one level has the topic: the inner table has three of five paragraphs (rule 3)
        ("framework", [f"<div><p>{MORE}</p>{NESTED}</div>"], [PROSE] * 3),
        # paragraphs of a page without frames (rule 4)
        ("framework", [f"<h1>Flood</h1>{ONE}<p>Short.</p><ul><li>Menu</li></ul>"], [PROSE, "Short."]),
        ("framework", [f"<ul><li>Menu</li></ul>{PROSE}<br>{MORE}"], [f"{PROSE}\n{MORE}"]),
        ("framework", ["<ul><li>One</li><li>Two</li></ul>"], ["One", "Two"]),
        # an index page keeps its large frame, by sizes before texts
        ("framework", [MENU.format("") + INDEX.format("")], ["A story with a long title"] * 3),
        ("framework", [MENU.format(SIZES[0]) + INDEX.format(SIZES[1])], ["Home"]),
        ("framework", [f"<div>{ONE}<p hidden>{MORE}</p></div>"], [PROSE]),
        # the rule of the cluster beats the page itself
        ("cluster", [SHORT], [SAID]),
        ("cluster", [SHORT, *TALKS], ["Title", "Nothing new."]),
        # a box of teasers about the story: in a small page it is most of the elements, in a large one a part
        ("cluster", [TEASERS], [LONG]),
        ("cluster", [f"{TEASERS}<ul>{'<li></li>' * 400}</ul>"], [LONG, *["More text"] * 12]),
        ("style-tree", STORIES, OF_SHIP),
        ("style-tree", STORIES[:1], ["Home News", *OF_SHIP, "All rights reserved"]),
        # "Read on at once" is the same on both pages, the link's text is not: 12 of 13, and 12 of 30 characters
        ("style-tree", [READ_ON.format(word) for word in ("1", "a")], []),
        (
            "style-tree",
            [READ_ON.format(word) for word in ("The whole, long story", "Another one, as long")],
            ["Read on at onceThe whole, long story"],
        ),
        # hidden blocks are dropped unless they are all there is
        ("style-tree", [f"<div hidden>Secret {word}</div><p>Open {word}</p>" for word in WORDS], ["Open ship"]),
        ("style-tree", [f"<p>Loading</p><div hidden>Story of {word}</div>" for word in WORDS], ["Story of ship"]),
    ],
)
def test_what_is_kept(strategy: str, site: list[str], texts: list[str]) -> None:
    assert kept(strategy, *site) == texts


def test_the_rule_of_a_cluster_is_told():
    reasons = decide("cluster", SHORT, *TALKS)[0].reasons
    assert reasons[:2] == ["outside the content's block", "in the cluster's block #story"]


def test_the_path_of_a_rule_is_told_in_short():
    pages = [f"<x-{'y' * 900}>" * 99 + f"<div>{LONG} {word}</div>" for word in WORDS]
    reasons = decide("cluster", *pages)[0].reasons
    assert reasons[0].startswith("in the cluster's block html/body/x-y") and len(reasons[0]) < 300


def test_where_the_rule_finds_nothing_the_page_decides():
    # similar to its cluster by the paths it has (id does not count), but without #story
    target = "<body><div>Some text of its own</div><div><a href=/>Home</a></div></body>"
    decision, _ = decide("cluster", target, *[f"<body><div id=story>{LONG}</div></body>"] * 3)
    assert decision.kept.tolist() == [True, False]
    assert decision.reasons[0] == "in the page's block of highest H"
