"""The bounds of a page: what is over one keeps its text, and all others are read as ever."""

from collections import Counter
from contextlib import nullcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy import Page, SiteModel, extract
from denoise_scrapy.body import STRATEGIES
from denoise_scrapy.body.strategies import lcs
from denoise_scrapy.native import library, switched_off
from denoise_scrapy.page import PathTable, parse
from denoise_scrapy.page.parse import next_markup, parse_markup, text_of, to_utf8
from tests.html_strategies import SOUP, pages

HEAD = "<html><head><title>T</title><style>p { color: red }</style></head><body>"
STORIES = [f"Story {number} tells of rain." for number in range(400)]
PAGE = HEAD + "".join(f"<div><p>{text}</p><script>if (a<b) hide('<p>')</script></div>" for text in STORIES)


@pytest.fixture
def bounded(monkeypatch):
    monkeypatch.setattr(parse, "PIECE", 512)
    monkeypatch.setattr(parse, "MAX_ELEMENTS", 300)


def told(page: Page) -> tuple[object, ...]:
    return page.tags(), page.block_texts, page.links, page.title


@pytest.mark.parametrize("numpy", [False, True])
def test_a_page_over_a_bound_is_told_as_such_and_keeps_its_text(numpy, bounded):
    with switched_off() if numpy or library() is None else nullcontext():
        body, page = extract(PAGE), Page.parse(PAGE)
    assert (body.fallback, body.evidence, body.confidence) == ("too large", "whole text", 0.0)
    assert [line for line in body.text.split("\n") if line] == STORIES
    assert 200 < len(page.tags()) < 700 and page.is_too_large
    assert "hide" not in body.text + body.html + body.markdown
    assert body.blocks[0].reason == "too large" and all(block.kept for block in body.blocks)


def test_within_its_bounds_a_page_is_judged(bounded, monkeypatch):
    monkeypatch.setattr(parse, "MAX_ELEMENTS", 5 + 4 * len(STORIES))
    assert extract(PAGE).fallback == "page alone"


def test_bytes_are_bounded(bounded, monkeypatch):
    monkeypatch.setattr(parse, "MAX_ELEMENTS", 10**9)
    monkeypatch.setattr(parse, "MAX_BYTES", 20_000)
    body = extract(PAGE)
    assert body.fallback == "too large" and [line for line in body.text.split("\n") if line] == STORIES


def test_selectors_are_not_asked_then(bounded):
    page = Page.parse(PAGE, keep="p", remove=["div", "//p"])
    assert (page.kept_by_user, page.removed_by_user) == ((), ())
    assert extract(PAGE, remove="p").text.endswith(STORIES[-1])


def test_depth_is_bounded():
    """20,000 open elements, and as many end tags that end none: libxml2 looks at 400 million."""
    page = Page.parse("<div>" * 20_000 + "</b>" * 20_000 + "word")
    assert page.is_too_large and page.block_texts == ["word"]
    assert not Page.parse("<div>" * parse.MAX_DEPTH + "word").is_too_large


def test_a_matching_that_takes_too_long_is_not_begun(monkeypatch):
    """Levels of 1,400 nodes have tables of two million cells each."""
    monkeypatch.setattr(lcs, "MAX_CELLS", 500_000)
    level = "<p>".join(f"<b>{number}</b>" for number in range(700))
    source = "<div>" * 2 + f"<div>{level}</div>" * 2
    other = Page.parse(source.translate(dict(zip(b"0123456789", "abcdefghij", strict=True))), url="http://a.example/2")
    page = Page.parse(source, url="http://a.example/1")
    fallbacks = {name: SiteModel.fit([other]).extract(page, strategy=name).fallback for name in STRATEGIES}
    assert {name for name, fallback in fallbacks.items() if fallback == "too large"} == {"lcs"}
    assert SiteModel.fit([other]).extract(page, strategy="lcs").text.split() == " ".join(page.block_texts).split()


def test_elements_inside_skipped_ones_count(bounded):
    for tag in ("noscript", "template", "svg", "head"):
        page = Page.parse(f"<{tag}>" + "<i x=1></i>" * 2000 + f"</{tag}><p>word")
        assert page.is_too_large, tag
        assert page.block_texts[-1] == "word"


@settings(deadline=None)
@given(st.one_of(SOUP, pages()), st.integers(1, 40))
def test_a_page_read_in_pieces_is_the_same(source, size):
    """lxml gets it as a file then."""
    body = to_utf8(source)
    whole = parse_markup(body, PathTable())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(parse, "PIECE", size)
        parsed = parse_markup(body, PathTable())
    for name in ("paths", "text", "urls", "sizes", "attributes", "title", "base", "noscript_read"):
        assert repr(getattr(parsed, name)) == repr(getattr(whole, name)), name


def cut(source: str, elements: int) -> Page:
    """A page that is read in tiny pieces, and as far as its bound goes."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(parse, "PIECE", 16)
        patched.setattr(parse, "MAX_ELEMENTS", elements)
        return Page.parse(source)


def letters(page: Page) -> Counter[str]:
    return Counter("".join("".join(page.block_texts).split()))


@settings(deadline=None)
@given(st.one_of(SOUP, pages()), st.integers(1, 8))
def test_wherever_a_page_is_cut_both_readers_tell_the_same(source, elements):
    native = cut(source, elements)
    with switched_off():
        assert told(cut(source, elements)) == told(native)


@settings(deadline=None)
@given(pages(), st.integers(1, 8))
def test_wherever_a_page_is_cut_all_of_its_text_is_kept(source, elements):
    source = source.replace("script", "span")  # noscript shows nothing only where it is told from the rest
    assert letters(cut(source, elements)) == letters(Page.parse(source))


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
