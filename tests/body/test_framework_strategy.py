"""The frame rules, case by case as the source's figures have them, on examples worked by hand."""

import numpy as np
import pytest
from hypothesis import given

from denoise_scrapy.body.strategies.framework import (
    FrameSizes,
    FrameworkStrategy,
    Lines,
    find_frames,
    paragraph_counts,
    passing,
)
from denoise_scrapy.page import Boxes, Page
from denoise_scrapy.site import SiteStatistics
from tests.html_strategies import pages

PROSE = "It rained all night and the river rose, so that the bridge had to be closed on Monday."
MORE = "The repairs will take two weeks, says the city, and nobody doubts that it will be three of them."


def body(html: str, boxes: dict[str, tuple[float, float]] | None = None) -> list[str]:
    page = Page.parse(html)
    if boxes is not None:
        page.boxes = boxes_of(page, boxes)
    if not len(page.blocks):
        return []
    decision = FrameworkStrategy().decide(page, SiteStatistics())
    assert len(decision.reasons) == len(decision.kept) == len(decision.probability) == len(page.blocks)
    assert 0 <= decision.confidence <= 1
    return [page.block_text(i) for i in np.flatnonzero(decision.kept)]


def boxes_of(page: Page, sizes: dict[str, tuple[float, float]]) -> Boxes:
    """Boxes of a page of 1,000 x 1,000 pixels by the last step of each element's path; others are unknown."""
    steps = [page.elements.step(element) for element in range(len(page.elements))]
    width, height = np.array([sizes.get(step, (np.nan, np.nan)) for step in steps], np.float32).T
    zeros = np.zeros(len(steps), np.float32)
    return Boxes(zeros, zeros, width, height, 1000, 1000)


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
    assert body(table.replace(PROSE, f"{PROSE}<p>{PROSE}") + other) == ([PROSE, PROSE] if passes else [MORE])


def test_a_rendered_side_column_is_noise():
    html = f"<div id=side><p>{PROSE}</p><p>{PROSE}</p></div><div id=main><p>{MORE}</p></div>"
    assert body(html) == [PROSE, PROSE]
    assert body(html, {"div#side": (200, 900), "div#main": (700, 900)}) == [MORE]


def test_rule_1_frames_without_paragraphs_are_noise():
    html = f"<div><p>{PROSE}</p><div><ul><li>Share</li><li>Print</li></ul></div><p>{MORE}</p></div>"
    assert body(html) == [PROSE, MORE]


def test_rule_3_one_level_of_nested_frames_holds_the_topic():
    # body of 5 paragraphs: the inner table has 3 of them, its own frame 4, the outermost all
    inner = f"<table><tr><td><p>{PROSE}<p>{PROSE}<p>{PROSE}</td></tr></table>"
    outer = f"<div><p>{MORE}</p><section><p>{MORE}</p>{inner}</section></div>"
    assert body(outer) == [PROSE] * 3


def test_rule_4_paragraphs_of_a_page_without_frames():
    assert body(f"<h1>Flood</h1><p>{PROSE}</p><p>Short.</p><ul><li>Menu</li></ul>") == [PROSE, "Short."]
    assert body(f"<ul><li>Menu</li></ul>{PROSE}<br>{MORE}") == [f"{PROSE}\n{MORE}"]
    assert body("<ul><li>One</li><li>Two</li></ul>") == ["One", "Two"]


def test_an_index_page_keeps_the_large_frame():
    menu = "<table><tr><td><a href=/x>Home</a></td></tr></table>"
    index = "<table>" + "<tr><td><a href=/y>A story with a long title</a></td></tr>" * 3 + "</table>"
    assert body(menu + index) == ["A story with a long title"] * 3
    # told sizes stand for the area before the text does
    sized = menu.replace("<table", "<table width='90%' height='80%'") + index.replace(
        "<table", "<table width='60%' height='20%'"
    )
    assert body(sized) == ["Home"]


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
