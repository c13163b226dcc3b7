"""The layout of blocks as seen from the main column, worked by hand."""

import numpy as np

from denoise_scrapy.page import Boxes, Flag, Page
from denoise_scrapy.page.layout import BlockLayout

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


def layout_of(page):
    return BlockLayout.of(page.blocks, page.boxes)


def test_seen_from_the_main_column():
    layout = layout_of(page_with())
    assert layout.outside.tolist() == [1, 0, 0, 0, 1, 0]
    assert layout.font.tolist() == [0, 0, 0, -1, 0, 0]
    assert layout.pinned.tolist() == [0, 0, 0, 0, 0, 1]


def test_a_block_across_the_page_is_partly_outside():
    left, width = list(LEFT), list(WIDTH)
    left[2], width[2] = 0, 1200
    assert layout_of(page_with(x=left, width=width)).outside[0] == 0.5


def test_what_has_no_box_stands_where_the_next_around_it_does():
    width = list(WIDTH)
    width[9] = 0
    assert layout_of(page_with(width=width)).outside[4] == 1


def test_nothing_known_is_nan():
    unknown = Boxes(*[np.full(len(LEFT), np.nan, np.float32)] * 4, page_width=0, page_height=0)
    layout = layout_of(page_with(boxes=unknown))
    assert np.isnan(layout.outside).all() and np.isnan(layout.font).all() and not layout.pinned.any()


def test_a_browser_knows_better_than_markup_what_is_hidden():
    page = page_with()
    assert [bool(flags & Flag.HIDDEN) for flags in page.blocks.flags] == [False] * 5 + [True]
    folded = Page.parse("<body><p hidden>Shown by a style</p><p>Plain</p></body>")
    assert bool(folded.blocks.flags[0] & Flag.HIDDEN)
    four = np.full(4, 9, np.float32)
    seen = Page.parse("<body><p hidden>Shown by a style</p><p>Plain</p></body>")
    seen.boxes = Boxes(four, four, four, four, 100, 100)
    assert not seen.blocks.flags[0] & Flag.HIDDEN
