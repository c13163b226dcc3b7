"""The layout of blocks as seen from the main column, and sizes of frames: as written, as numbers, inherited."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.body import SiteModel
from denoise_scrapy.body.strategies.layout import USUAL_PAGE_WIDTH, FrameSizes, inherited_widths, parse_size
from denoise_scrapy.page import Boxes, Flag, Page

PROSE = "A line of prose that is long enough to count as a paragraph of the page, with a stop. "
HTML = f"""<body><div id=menu><a href=/a>Home</a></div><main><p>{PROSE}</p><p>{PROSE}</p>
<p style="font-size:8px">Small print</p></main><aside><p>{PROSE}</p></aside><div id=popup>Subscribe now</div></body>"""

#         html body menu a   main p    p    p   aside p   popup
LEFT = [0, 0, 0, 0, 200, 200, 200, 200, 900, 900, 300]
WIDTH = [1200, 1200, 150, 60, 600, 600, 600, 600, 200, 200, 400]
TOP = [0, 0, 10, 10, 50, 50, 150, 900, 50, 50, 300]
FONT = [16, 16, 16, 16, 16, 16, 16, 8, 16, 16, 16]


def page_with(boxes=None, **changes):
    page = Page.parse(HTML)
    columns = {"x": LEFT, "width": WIDTH, "y": TOP, "font_size": FONT, "height": [20] * len(LEFT), **changes}
    arrays = {name: np.array(values, np.float32) for name, values in columns.items()}
    hidden = np.arange(len(LEFT)) == 10
    page.boxes = boxes or Boxes(
        **arrays, page_width=1200, page_height=1000, visible=~hidden, pinned=np.arange(len(LEFT)) == 10
    )
    return page


def test_seen_from_the_main_column():
    outside, font, pinned = page_with().blocks.layout.tolist()
    assert outside == [1, 0, 0, 0, 1, 0]
    assert font == [0, 0, 0, -1, 0, 0]
    assert pinned == [0, 0, 0, 0, 0, 1]


def test_a_block_across_the_page_is_partly_outside():
    left, width = list(LEFT), list(WIDTH)
    left[2], width[2] = 0, 1200
    assert page_with(x=left, width=width).blocks.layout[0, 0] == 0.5


def test_nothing_known_is_nan():
    unknown = Boxes(*[np.full(len(LEFT), np.nan, np.float32)] * 4, page_width=0, page_height=0)
    outside, font, pinned = page_with(boxes=unknown).blocks.layout
    assert np.isnan(outside).all() and np.isnan(font).all() and not pinned.any()


def test_a_browser_knows_better_than_markup_what_is_hidden():
    page = page_with()
    assert [bool(flags & Flag.HIDDEN) for flags in page.blocks.flags] == [False] * 5 + [True]
    folded = Page.parse("<body><p hidden>Shown by a style</p><p>Plain words of another paragraph</p></body>")
    assert bool(folded.blocks.flags[0] & Flag.HIDDEN)
    four = np.full(4, 9, np.float32)
    seen = Page.parse("<body><p hidden>Shown by a style</p><p>Plain words of another paragraph</p></body>")
    seen.boxes = Boxes(four, four, four, four, 100, 100)
    assert not seen.blocks.flags[0] & Flag.HIDDEN


def sizes_of(html: str) -> list[tuple[str, str, str]]:
    page = Page.parse(html)
    tags = page.tags()
    return [(tags[element], width, height) for element, width, height in page.noted.sizes]


@pytest.mark.parametrize(
    ("markup", "size"),
    [
        ("<table width=760>", ("table", "760", "")),
        ("<table width='98%' HEIGHT='50'>", ("table", "98%", "50")),
        ("<div style='color:red; width : 300px;height:20%'>", ("div", "300px", "20%")),
        ("<section width=200 style='width:50%'>", ("section", "50%", "")),  # style goes before attributes
    ],
)
def test_sizes_are_kept_as_written(markup, size):
    assert sizes_of(f"{markup}text") == [size]


@pytest.mark.parametrize(
    ("size", "number"),
    [
        ("760", (760, None)),
        ("80 %", (None, 80)),
        ("20px !important", (20, None)),
        ("-5", (None, None)),
        ("", (None, None)),
    ],
)
def test_numbers(size, number):
    assert tuple(None if math.isnan(x) else x for x in parse_size(size)) == number


def literal_widths(page: Page) -> list[float | None]:
    told = {i: parse_size(width) for i, width, _ in page.noted.sizes}
    pixels = [px for px, _ in told.values() if not math.isnan(px)]
    page_width = max(pixels, default=USUAL_PAGE_WIDTH)

    def width(i: int) -> float | None:
        if i < 0:
            return None
        px, percent = told.get(i, (math.nan, math.nan))
        around = width(int(page.elements.parent[i]))
        if not math.isnan(px):
            return px
        if not math.isnan(percent):
            return percent / 100 * (page_width if around is None else around)
        return around

    return [width(i) for i in range(len(page.elements))]


SIZED = st.recursive(
    st.just("x"),
    lambda inner: st.builds(
        "<{0}{1}>{2}</{0}>".format,
        st.sampled_from(["div", "section", "p"]),
        st.sampled_from(["", " width=400", " width='50%'", " style='width:80%;height:3px'", " width=2em", " height=5"]),
        st.lists(inner, max_size=3).map("".join),
    ),
    max_leaves=12,
)


@given(SIZED)
def test_inherited_widths_equal_the_literal_ones(html):
    page = Page.parse(html)
    found = inherited_widths(page)
    assert np.allclose(found, [math.nan if w is None else w for w in literal_widths(page)], equal_nan=True)


def test_a_rendered_page_tells_its_own_sizes():
    page = Page.parse("<table width=5><tr><td>x</table>")
    n = len(page.elements)
    width = np.array([1000, 1000, 600, 600, 600][:n], np.float32)
    page.boxes = Boxes(np.zeros(n, np.float32), np.zeros(n, np.float32), width, width / 2, 1000, 2000)
    sizes = FrameSizes(page)
    assert (sizes.width[2], sizes.width_percent[2]) == (600, 60)
    assert (sizes.height[2], sizes.height_percent[2]) == (300, 15)
    assert inherited_widths(page).tolist() == width.tolist()


# ---- what it adds to the default strategy ----


def test_the_default_strategy_uses_the_layout():
    plain, rendered = (SiteModel([]).extract(page) for page in (Page.parse(HTML), page_with()))
    assert rendered.probability[0] < plain.probability[0]
    assert rendered.probability[4] < plain.probability[4]
    assert "Subscribe" not in rendered.text
