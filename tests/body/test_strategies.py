"""The strategies taken from the literature: steps worked by hand, and parts against their literal versions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.body.strategies.base import Decision, Strategy
from denoise_scrapy.body.strategies.cluster import ClusterStrategy
from denoise_scrapy.body.strategies.layout import (
    BlockFilterStrategy,
    FrameSizes,
    FrameworkStrategy,
    Lines,
    candidates,
    find_frames,
    merge_alike,
    narrow,
    paragraph_counts,
    passing,
    text_lengths,
)
from denoise_scrapy.body.strategies.lcs import aggregate, score_clusters
from denoise_scrapy.body.strategies.style_tree import StyleTreeStrategy
from denoise_scrapy.page import Boxes, FeatureTree, Flag, Page
from denoise_scrapy.site import SiteStatistics
from tests.html_strategies import pages

FILTER, FRAMES, CLUSTER, STYLE = BlockFilterStrategy(), FrameworkStrategy(), ClusterStrategy(), StyleTreeStrategy()
PROSE = "It rained all night and the river rose, so that the bridge had to be closed on Monday."
MORE = "The repairs will take two weeks, says the city, and nobody doubts that it will be three of them."
LONG = "A story of so many words that nothing on the page outweighs it, whatever people say."
SAID = "A comment that is much, much longer than its story."


def decide(strategy: Strategy, page: Page | str, *others: Page) -> Decision:
    page = Page.parse(page) if isinstance(page, str) else page
    decision = strategy.decide(page, SiteStatistics(others))
    assert len(decision.reasons) == len(decision.kept) == len(decision.probability) == len(page.blocks)
    assert 0 <= decision.confidence <= 1
    return decision


def kept(strategy: Strategy, page: Page | str, *others: Page) -> list[str]:
    """Texts of the blocks that a strategy keeps."""
    page = Page.parse(page) if isinstance(page, str) else page
    return [page.block_text(i) for i in np.flatnonzero(decide(strategy, page, *others).kept)]


# ---- block-filter: the smallest Topic, by the formula ----


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
def test_lengths_equal_the_literal_ones(html):
    page = Page.parse(html)
    link, word = text_lengths(page)
    for block in range(len(page.elements)):
        assert (link[block], word[block]) == literal_lengths(page, block)


def test_hidden_blocks_are_deleted():
    hidden = f"<div class=b style='visibility:hidden'><p>{PROSE * 5}</p></div>"
    assert left(f"<div class=a><p>{PROSE}</p></div>{hidden}") == ["div.a"]
    assert kept(FILTER, f"<div class=a><p>{PROSE}</p><p style='display:none'>No.</p></div>{hidden}") == [PROSE]


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


def test_four_fifths_of_the_content_are_wide_enough():
    html = f"<div style='width:{{}}px' class=a><p>{PROSE}</p></div><div style='width:500px'><p>{PROSE * 2}</p></div>"
    assert not narrow(Page.parse(html.format(400))).any()
    assert narrow(Page.parse(html.format(399))).any()


# ---- framework: the frame rules, as the source's figures have them ----


def with_boxes(html: str, sizes: dict[str, tuple[float, float]]) -> Page:
    """A page of 1,000 x 1,000 pixels with boxes by the last step of each element's path; others are unknown."""
    page = Page.parse(html)
    steps = [page.elements.step(element) for element in range(len(page.elements))]
    width, height = np.array([sizes.get(step, (np.nan, np.nan)) for step in steps], np.float32).T
    zeros = np.zeros(len(steps), np.float32)
    page.boxes = Boxes(zeros, zeros, width, height, 1000, 1000)
    return page


@pytest.mark.parametrize(
    ("attributes", "passes"),
    [
        # nothing told: judged by its paragraphs alone
        ("", True),
        # one missing, width in pixels: above delta 1
        ("width=300", False),
        ("width=160 style='height:auto'", False),
        # both given, width in percent: above delta 2, whatever the height
        ("width='95%' height=10", True),
        ("width='40%' height=600", False),
        # width in percent, no height: rule ii
        ("width='20%'", False),
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
    table = f"<table {attributes}><tr><td><p>{PROSE}</p></td></tr></table>"
    page = Page.parse(table)
    assert passing(FrameSizes(page))[2] == passes
    other = f"<table width=760><tr><td><p>{MORE}</p></td></tr></table>"
    # a frame that does not pass is noise, however much text it holds
    assert kept(FRAMES, table.replace(PROSE, f"{PROSE}<p>{PROSE}") + other) == ([PROSE, PROSE] if passes else [MORE])


def test_a_rendered_side_column_is_noise():
    html = f"<div id=side><p>{PROSE}</p><p>{PROSE}</p></div><div id=main><p>{MORE}</p></div>"
    assert kept(FRAMES, html) == [PROSE, PROSE]
    assert kept(FRAMES, with_boxes(html, {"div#side": (200, 900), "div#main": (700, 900)})) == [MORE]


def test_paragraphs_by_hand():
    def count(html: str) -> int:
        page = Page.parse(html)
        return int(paragraph_counts(page, find_frames(page)[1])[0].sum())

    assert count("<p>One.</p><p>Two.</p><p> </p>") == 2
    assert count("One.<br>Two.<br>Three.") == 3
    assert count("One.<br><br><br>Two.") == 2
    assert count("<div>One.</div><div>Two.</div>") == 2  # divs that hold text alone
    assert count("<ul><li>One.</li></ul><h1>Two.</h1>") == 0
    assert count("<p><a href=/x>One</a></p><p hidden>Two.</p>") == 0
    assert count("<p><a href=/x>One</a> and two</p>") == 1
    assert count(f"<p>{PROSE}</p><p>Short.</p><p>{MORE}</p>") == 2  # short ones do not count beside long ones


@given(pages())
def test_lines_hold_all_text_that_blocks_hold(html):
    page = Page.parse(html)
    lines, blocks = Lines(page.elements), page.blocks
    n = len(page.elements)
    assert np.bincount(lines.element, lines.chars, n).tolist() == np.bincount(blocks.element, blocks.chars, n).tolist()


# ---- cluster: the rule of similar pages ----

TALK = (
    "<body><div id=menu><a href=/>Home</a></div><div id=story><h1>Title</h1><p>{}</p></div><div id=talk>{}</div></body>"
)
TALKS = [Page.parse(TALK.format(f"{LONG} {word}", "Yes.")) for word in ("ship", "train", "plane")]
#: The story is shorter than what people say about it: the source's case for clusters.
SHORT = Page.parse(TALK.format("Nothing new.", SAID))


def test_the_rule_is_told():
    decision = decide(CLUSTER, SHORT, *TALKS)
    assert decision.reasons[1] == "in the cluster's block #story"
    assert decision.reasons[0] == "outside the content's block"


def test_where_the_rule_finds_nothing_the_page_decides():
    # similar to its cluster by the paths it has (id does not count), but without #story
    target = Page.parse("<body><div>Some text of its own</div><div><a href=/>Home</a></div></body>")
    decision = decide(CLUSTER, target, *(Page.parse(f"<body><div id=story>{LONG}</div></body>") for _ in range(3)))
    assert decision.kept.tolist() == [True, False]
    assert decision.reasons[0] == "in the page's block of highest H"


def test_what_size_costs_goes_by_the_page():
    # a box of teasers about the story: in a small page it is most of the elements, in a large one a part
    teasers = "<p>More text</p>" * 12
    story = f"<div id=all><div id=story><p>{LONG}</p></div>{teasers}</div>"
    assert kept(CLUSTER, Page.parse(f"<body>{story}</body>")) == [LONG]
    assert len(kept(CLUSTER, Page.parse(f"<body>{story}<ul>{'<li></li>' * 400}</ul></body>"))) == 13


# ---- lcs: aggregation and scores ----


def tree_of(html: str) -> FeatureTree:
    return FeatureTree(Page.parse(html))


def literal_clusters(tree: FeatureTree, candidates: set[int]) -> list[list[int]]:
    def ancestors(i):
        while (i := int(tree.parent[i])) >= 0:
            yield i

    rest = [i for i in sorted(candidates) if not any(a in candidates for a in ancestors(i))]
    clusters = []
    while rest:
        home = int(tree.parent[rest[0]])
        cluster = []
        for i in rest:
            parent = int(tree.parent[i])
            grandparent = int(tree.parent[parent]) if parent >= 0 else None
            if parent == home or (home >= 0 and grandparent == home):
                cluster.append(i)
        clusters.append(cluster)
        rest = [i for i in rest if i not in cluster]
    return clusters


@given(pages(), st.randoms(use_true_random=False))
def test_aggregation_equals_the_literal_one(html, random):
    tree = tree_of(html)
    candidates = np.array([random.random() < 0.4 for _ in range(len(tree))], bool)
    fast = [cluster.tolist() for cluster in aggregate(tree, candidates)]
    assert fast == literal_clusters(tree, set(np.flatnonzero(candidates).tolist()))


PAGE = (
    "<body>"
    "<div id=story><p>Four words of prose</p><p>and three more</p></div>"
    "<div id=links><p><a href=/a>One</a></p><p><a href=/b>Two</a></p></div>"
    "</body>"
)


def test_points_by_hand():
    tree = tree_of(PAGE)
    story, links = clusters = aggregate(tree, np.arange(len(tree)) >= 3)
    # text 28 against 6: +5, +3; content tags 2 and 2: +5 both; text in code 28/42 against 6/50: +5, +3;
    # link code 0 against 36/50: nothing, -5
    assert (len(story), len(links)) == (2, 2)
    assert score_clusters(tree, clusters).tolist() == [15, 6]


def test_area_counts_where_boxes_are_known():
    page = Page.parse(PAGE)
    n = len(page.elements)
    x, y, w, h = (np.zeros(n, np.float32) for _ in range(4))
    tags = page.tags()
    paragraphs = [i for i, tag in enumerate(tags) if tag == "p"]
    w[paragraphs], h[paragraphs] = 100, 50
    x[paragraphs[:2]] = 400  # the story stands in the middle, the links at the left edge
    page.boxes = Boxes(x, y, w, h, 1000, 1000)
    tree = FeatureTree(page)
    # area 10,000 each: +5 both; effective area 10,000 against 0: +5 for the story
    assert score_clusters(tree, aggregate(tree, np.arange(len(tree)) >= 3)).tolist() == [25, 11]


# ---- style-tree: what differs between pages ----

STORY = (
    "<body><div id=menu><a href=/>Home</a><a href=/n>News</a></div><div id=story><h1>Title {0}</h1>"
    "<p>The {0} came first, and then {0} came again.</p></div><div id=foot><p>All rights reserved</p></div></body>"
)
STORIES = [Page.parse(STORY.format(word)) for word in ("ship", "train", "plane")]


# ---- what each keeps ----

MENU = "<table{}><tr><td><a href=/x>Home</a></td></tr></table>"
INDEX = "<table{}>" + "<tr><td><a href=/y>A story with a long title</a></td></tr>" * 3 + "</table>"
SIZES = " width='90%' height='80%'", " width='60%' height='20%'"
ONE = f"<p>{PROSE}</p>"
LINKED = "<div class=menu>" + "<p>About <a href=/x>a link with quite a long text of its own</a></p>" * 3 + "</div>"
NESTED = f"<section><p>{MORE}</p><table><tr><td><p>{PROSE}<p>{PROSE}<p>{PROSE}</td></tr></table></section>"


def of(frame: str, *words: str) -> list[Page]:
    """A page, and others that differ in a word."""
    return [Page.parse(frame.format(word)) for word in words]


@pytest.mark.parametrize(
    ("strategy", "site", "texts"),
    [
        (FILTER, [f"<div>{ONE * 2}</div><div>{ONE * 2}<p>{PROSE}<a href=/x>{MORE}</a></p></div>"], [PROSE] * 2),
        (FILTER, [f"{LINKED}<div><p>{PROSE}</p><p>{PROSE}<a href=/y>More</a></p></div>"], [PROSE, f"{PROSE}More"]),
        # of nested frames one level has the topic: the inner table has three of five paragraphs (rule 3)
        (FRAMES, [f"<div><p>{MORE}</p>{NESTED}</div>"], [PROSE] * 3),
        # paragraphs of a page without frames (rule 4)
        (FRAMES, [f"<h1>Flood</h1><p>{PROSE}</p><p>Short.</p><ul><li>Menu</li></ul>"], [PROSE, "Short."]),
        (FRAMES, [f"<ul><li>Menu</li></ul>{PROSE}<br>{MORE}"], [f"{PROSE}\n{MORE}"]),
        (FRAMES, ["<ul><li>One</li><li>Two</li></ul>"], ["One", "Two"]),
        # an index page keeps its large frame, by sizes before texts
        (FRAMES, [MENU.format("") + INDEX.format("")], ["A story with a long title"] * 3),
        (FRAMES, [MENU.format(SIZES[0]) + INDEX.format(SIZES[1])], ["Home"]),
        (FRAMES, [f"<div><p>{PROSE}</p><p hidden>{MORE}</p></div>"], [PROSE]),
        # the rule of the cluster beats the page itself
        (CLUSTER, [SHORT], [SAID]),
        (CLUSTER, [SHORT, *TALKS], ["Title", "Nothing new."]),
        (STYLE, STORIES, ["Title ship", "The ship came first, and then ship came again."]),
        (STYLE, STORIES[:1], ["Home News", *kept(STYLE, *STORIES), "All rights reserved"]),
        # "Read on at once" is the same on both pages, the link's text is not: 12 of 13, and 12 of 30 characters
        (STYLE, of("<p>Read on at once<b>{}</b></p><p>x</p>", "1", "a"), []),
        (
            STYLE,
            of("<p>Read on at once<b>{}</b></p><p>x</p>", "The whole, long story", "Another one, as long"),
            ["Read on at onceThe whole, long story"],
        ),
        # hidden blocks are dropped unless they are all there is
        (STYLE, of("<div hidden>Secret {0}</div><p>Open {0}</p>", "ship", "train"), ["Open ship"]),
        (STYLE, of("<p>Loading</p><div hidden>Story of the {}</div>", "ship", "train"), ["Story of the ship"]),
    ],
)
def test_what_is_kept(strategy: Strategy, site: list[Page], texts: list[str]) -> None:
    assert kept(strategy, *site) == texts
