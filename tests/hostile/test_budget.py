"""The budget of a page: what is over it keeps its text, and all others are read as ever."""

from collections import Counter
from contextlib import nullcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy import Page, SiteModel, extract
from denoise_scrapy.body import STRATEGIES
from denoise_scrapy.native import library, switched_off
from denoise_scrapy.page import PathTable, pieces
from denoise_scrapy.page.parse import parse_markup
from denoise_scrapy.page.unread import next_markup, text_of
from denoise_scrapy.page.utf8 import to_utf8
from denoise_scrapy.page.work import DEFAULT_WORK
from example_project.portal.build import build
from tests.html_strategies import SOUP, pages

HEAD = "<html><head><title>T</title><style>p { color: red }</style></head><body>"
STORIES = [f"Story {number} tells of rain." for number in range(400)]
PAGE = HEAD + "".join(f"<div><p>{text}</p><script>if (a<b) hide('<p>')</script></div>" for text in STORIES)


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(pieces, "PIECE", 512)
    monkeypatch.setattr("denoise_scrapy.page.events.PIECE", 512)


def told(page: Page) -> tuple[object, ...]:
    return page.tags(), page.block_texts, page.links, page.title


@pytest.mark.parametrize("numpy", [False, True])
def test_a_page_over_its_budget_is_told_as_such_and_keeps_its_text(numpy, small_pieces):
    with switched_off() if numpy or library() is None else nullcontext():
        body = extract(PAGE, work=300)
        page = Page.parse(PAGE, work=300)
    assert (body.fallback, body.evidence, body.confidence) == ("over budget", "whole text", 0.0)
    assert [line for line in body.text.split("\n") if line] == STORIES
    assert 200 < len(page.tags()) < 700 and page.work.is_over
    assert "hide" not in body.text + body.html + body.markdown
    assert body.blocks[0].reason == "over budget" and all(block.kept for block in body.blocks)


def test_within_its_budget_a_page_is_judged(small_pieces):
    spent = Page.parse(PAGE, work=0).work.spent
    assert extract(PAGE, work=spent).fallback == "page alone"
    assert extract(PAGE, work=spent - 1).fallback == "over budget"
    assert extract(PAGE, work=0).fallback == "page alone"


def test_a_small_page_over_its_budget_is_read_as_a_whole():
    page = Page.parse("<div><p>One</p><p>Two</p></div>", work=1)
    assert page.work.is_over and page.block_texts == ["One", "Two"]
    assert SiteModel.fit().extract(page).fallback == "over budget"


def test_selectors_are_not_asked_then(small_pieces):
    page = Page.parse(PAGE, work=300, keep="p", remove=["div", "//p"])
    assert [match.elements.tolist() for match in (*page.kept_by_user, *page.removed_by_user)] == [[], [], []]
    assert extract(PAGE, work=300, remove="p").text.endswith(STORIES[-1])


def test_levels_that_the_parser_climbs_count():
    """20,000 open elements, and as many end tags that end none: libxml2 looks at 400 million."""
    page = Page.parse("<div>" * 20_000 + "</b>" * 20_000 + "word", work=50_000)
    assert page.work.is_over and page.block_texts == ["word"]
    assert not Page.parse("<div>" * 20_000 + "word", work=50_000).work.is_over


def test_a_matching_that_takes_too_long_is_not_begun():
    """Levels of 1,400 nodes have tables of two million cells each."""
    level = "<p>".join(f"<b>{number}</b>" for number in range(700))
    source = "<div>" * 2 + f"<div>{level}</div>" * 2
    work = Page.parse(source).work.spent + 500
    other = Page.parse(source.translate(dict(zip(b"0123456789", "abcdefghij", strict=True))), url="http://a.example/2")
    page = Page.parse(source, url="http://a.example/1", work=work)
    fallbacks = {name: SiteModel.fit([other]).extract(page, strategy=name).fallback for name in STRATEGIES}
    assert {name for name, fallback in fallbacks.items() if fallback == "over budget"} == {"lcs"}
    assert SiteModel.fit([other]).extract(Page.parse(source), strategy="lcs").fallback == ""
    assert SiteModel.fit([other]).extract(page, strategy="lcs").text.split() == " ".join(page.block_texts).split()


def test_elements_inside_skipped_ones_count(small_pieces):
    for tag in ("noscript", "template", "svg", "head"):
        page = Page.parse(f"<{tag}>" + "<i x=1></i>" * 2000 + f"</{tag}><p>word", work=1000)
        assert page.work.is_over, tag
        assert page.block_texts[-1] == "word"


@settings(deadline=None)
@given(st.one_of(SOUP, pages()), st.integers(1, 40))
def test_a_page_read_in_pieces_is_the_same(source, size):
    """lxml gets it as a file then."""
    body = to_utf8(source)
    whole = parse_markup(body, PathTable())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pieces, "PIECE", size)
        patched.setattr("denoise_scrapy.page.events.PIECE", size)
        parsed = parse_markup(body, PathTable())
    for name in ("paths", "text", "urls", "sizes", "attributes", "title", "base", "noscript_read"):
        assert repr(getattr(parsed, name)) == repr(getattr(whole, name)), name


def test_pages_of_the_portal_read_in_pieces_are_the_same(small_pieces, monkeypatch):
    sources = [page.html for page in list(build().pages.values())[::9]]
    parsed = [told(Page.parse(source)) for source in sources]
    monkeypatch.setattr("denoise_scrapy.page.events.PIECE", 10**9)
    assert parsed == [told(Page.parse(source)) for source in sources]


def cut(source: str, limit: int) -> Page:
    """A page that is read in tiny pieces, and as far as its budget goes."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pieces, "PIECE", 16)
        patched.setattr("denoise_scrapy.page.events.PIECE", 16)
        return Page.parse(source, work=limit)


@settings(deadline=None)
@given(st.one_of(SOUP, pages()), st.integers(1, 8))
def test_wherever_a_page_is_cut_both_readers_tell_the_same(source, limit):
    native = cut(source, limit)
    with switched_off():
        assert told(cut(source, limit)) == told(native)


def letters(page: Page) -> Counter[str]:
    return Counter("".join("".join(page.block_texts).split()))


@settings(deadline=None)
@given(pages(), st.integers(1, 8))
def test_wherever_a_page_is_cut_all_of_its_text_is_kept(source, limit):
    source = source.replace("script", "span")  # noscript shows nothing only where it is told from the rest
    assert letters(cut(source, limit)) == letters(Page.parse(source))


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        (b"a<b>b</b>c<p>d", "abc|d"),
        (b"<p title='>' data-x=\">\">a</p>", "|a|"),
        (b'<p class=a">it\'s</p><p>"b', "|it's||\"b"),
        (b"<script>x</script >a<STYLE>b</style>c<!-- <p>d --> e", "|a|c| e"),
        (b"&lt;script&gt; &#1;&#0;&#x0;&#" + b"9" * 5000 + b"; &amp", "<script>    &"),
        (b"a<script>b", "a|"),
        (b"a < b <3 c> d", "a < b <3 c> d"),
        (b"a<!-- b", "a|"),
        (b"\xff\xfea", "\ufffd\ufffda"),
    ],
)
def test_text_without_structure(markup, text):
    assert text_of(markup, "|") == text.replace("    ", text_of(b" &#1;&#0;&#x0;&#" + b"9" * 5000 + b"; ", "|"))


@given(SOUP, st.integers(0, 60))
def test_markup_begins_where_it_is_said_to(source, position):
    body = to_utf8(source)
    found = next_markup(body, position)
    assert found >= min(position, len(body)) and (found == len(body) or body[found : found + 1] == b"<")


def test_the_default_is_no_page_that_is_made_by_hand():
    spent = [Page.parse(page.html).work.spent for page in build().pages.values()]
    assert max(spent) < DEFAULT_WORK / 100
