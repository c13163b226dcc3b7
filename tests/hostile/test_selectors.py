"""Selectors in bounded time: paths in parts find what the whole finds, and what would take too long is not begun."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree, html

from denoise_scrapy import Page, extract
from denoise_scrapy.page.event_tree import EventTree
from denoise_scrapy.page.parse import read_events
from denoise_scrapy.page.xpath import compile_xpath
from denoise_scrapy.page.xpath_parts import parts_of_path
from tests.html_strategies import pages

_NAMES = st.sampled_from("div p span b a ul li td * nav section".split())
_CONDITIONS = st.sampled_from(
    ["", "", "", "[1]", "[2]", "[last()]", "[@class]", "[.//b]", "[//td]", "[a | b]", "[position() > 1]", "[ .='one' ]"]
)
_STEPS = st.tuples(_NAMES, _CONDITIONS).map("".join)
_PATHS = st.lists(st.tuples(st.sampled_from(["/", "//", "//"]), _STEPS).map("".join), min_size=1, max_size=5)
_STARTS = st.sampled_from(["", "", "", "/html", "/html/body/*", "//div/..", "//b/ancestor::div", ".", "./body"])
_EXPRESSIONS = st.tuples(_STARTS, _PATHS.map("".join)).map("".join)


@settings(deadline=None)
@given(pages(), st.lists(_EXPRESSIONS, min_size=1, max_size=2).map(" | ".join))
def test_a_path_in_parts_finds_what_it_finds_as_a_whole(source, expression):
    root = html.document_fromstring(source)
    assert set(compile_xpath(expression)(root)) == set(etree.XPath(expression)(root))


def test_what_is_taken_apart():
    assert len(parts_of_path("//div[@a='//']//p/b[2]//*")) == 3
    for whole in (
        "//div//a/..",
        "(//div)[1]//a",
        "//div//text()/..",
        ".//div//a",
        "//div//ancestor::p",
        "//a//self::b",
    ):
        assert parts_of_path(whole) == [(whole, 0)]


@pytest.mark.parametrize("source", ["<div class=a>x" * 10_000, "<div>x</div>" * 10_000, "<div>x<b></b>" * 10_000])
@pytest.mark.parametrize("selector", ["//div//div", "//div//div//div[.//b]", "//*//*//*", "div div"])
def test_what_took_a_minute_ends(source, selector):
    """With 20,000 nested elements `//div//div` took 46 s."""
    page = Page.parse(source, remove=selector)
    assert not page.work.is_over


@pytest.mark.parametrize(
    "selector",
    [
        "//div[//div]",
        "//div/following::div",
        "//div[count(preceding-sibling::div) > 3]/following-sibling::div",
        "//div/ancestor::*//div/..",
        "(//div | //p)[preceding::div]",
        "//*[.//*[.//*[//*]]]",
    ],
)
def test_what_would_take_too_long_is_not_begun(selector):
    source = "<p>First words of it.</p>" + "<div>word</div>" * 20_000
    body = extract(source, remove=selector)
    assert (body.fallback, body.text.count("word")) == ("over budget", 20_001)
    assert extract("<p>First words of it.</p><div>word</div>", remove=selector).fallback != "over budget"


def test_usual_selectors_on_a_large_page_are_within_the_budget():
    source = "<div class=a><ul>" + "<li><p class='b c'>Some words <a href=x>link</a></p></li>" * 2500 + "</ul></div>"
    for selector in (
        ".a p > a",
        "//div[has-class('a')]//li/p",
        "//p[.//a]",
        "//p[contains(., 'x')]",
        "li:nth-child(7)",
    ):
        page = Page.parse(source, keep=selector)
        assert not page.work.is_over, selector


@pytest.mark.parametrize("depth", [1, 10, 300])
def test_the_tree_is_made_in_time_that_grows_with_the_page(depth):
    """lxml counts all children to tell the last one, and below the deepest level a text came piece by piece."""
    events = read_events(b"<div>" * depth + b"<b></b>word " * 60_000)
    tree = EventTree(events, keep_noscript=False)
    assert "".join(tree.root.itertext()).count("word") == 60_000
    assert tree.measures.elements == len(tree.elements) >= 60_000


def test_elements_of_a_hundred_thousand_attributes():
    source = f"<p {' '.join(f'a{n}=1' for n in range(100_000))}>word"
    assert Page.parse(source, keep="p[a1]").kept_by_user[0].elements.tolist() == [2]
