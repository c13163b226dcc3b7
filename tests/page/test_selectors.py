"""Selectors of the user: what they find, what is refused, the hosts they are for, and that they end on any page."""

import pytest
from cssselect import HTMLTranslator
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree, html

from denoise_scrapy import extract
from denoise_scrapy.page import Page, selectors
from denoise_scrapy.page.selectors import MAX_ELEMENTS, TooLargeError, compile_selector
from tests.html_strategies import SOUP, pages


@given(st.one_of(SOUP, pages()), st.sampled_from(["div", "p b", "*", "//p", "//*[@class]", "li:nth-child(2)"]))
def test_nothing_raises_and_marks_are_within_the_page(source, selector):
    page = Page.parse(source, keep=selector, remove=[selector, "a"])
    found = page.kept_by_user[0].elements
    assert found.tolist() == sorted(set(found.tolist()))
    assert all(0 <= element < len(page.elements) for element in found)
    assert page.removed_text.shape == page.elements.marks.shape
    unselected = Page.parse(source, remove="unheard-of")
    assert [unselected.block_text(i) for i in range(len(unselected.blocks))] == Page.parse(source).block_texts


_COMPOUNDS = st.sampled_from(["p", "div", "*", ".a", "#b", "span.menu", "li:first-child", "p:not(.a)"])
_CSS = st.lists(_COMPOUNDS, min_size=1, max_size=4).flatmap(
    lambda parts: st.lists(
        st.sampled_from([" ", " > ", " + ", " ~ "]), min_size=len(parts) - 1, max_size=len(parts) - 1
    ).map(lambda combinators: "".join(a + b for a, b in zip(parts, [*combinators, ""], strict=True)))
)


@given(pages(), st.lists(_CSS, min_size=1, max_size=2).map(", ".join))
def test_css_finds_what_the_translation_as_a_whole_finds(source, selector):
    root = html.document_fromstring(source)
    expected = set(etree.XPath(HTMLTranslator().css_to_xpath(selector))(root))
    assert compile_selector(selector).find(root) == expected


_CONDITIONS = st.sampled_from(
    ["", "", "", "[1]", "[2]", "[last()]", "[@class]", "[.//b]", "[//td]", "[a | b]", "[position() > 1]", "[ .='one' ]"]
)
_NAMES = st.sampled_from(
    "div p span b a ul li * nav section following-sibling::p ancestor::div .. . descendant::b self::p".split()
)
_STEPS = st.tuples(_NAMES, _CONDITIONS).map(lambda step: step[0] if step[0] in ("..", ".") else "".join(step))
_PATHS = st.lists(st.tuples(st.sampled_from(["/", "//", "//"]), _STEPS).map("".join), min_size=1, max_size=5)
_STARTS = st.sampled_from(["", "", "", "/html", "/html/body/*", "(//div)[2]", "(//p | //b)", ".", "./body"])
_XPATHS = st.tuples(_STARTS, _PATHS.map("".join)).map("".join)


@settings(deadline=None)
@given(pages(), st.lists(_XPATHS, min_size=1, max_size=2).map(" | ".join))
def test_an_xpath_step_by_step_finds_what_it_finds_as_a_whole(source, expression):
    root = html.document_fromstring(source)
    expected = {found for found in etree.XPath(expression)(root) if isinstance(found, etree._Element)}
    assert compile_selector(f"xpath:{expression}").find(root) == expected


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("[data-x]", ["div"]),
        ("//p[has-class('b', 'c')]", ["p"]),
        (r"//p[re:test(@class, '\bc$')]", ["p"]),
        ("script, meta", ["script"]),
    ],
)
def test_what_selectors_find(selector, found):
    source = (
        "<head><meta name=k></head><div data-x=1 @click='y'><p>A <b>bold</b> word.</p></div>"
        "<p class='b c'>x <a href=/x>y</a></p><script>z</script>"
    )
    page = Page.parse(source, keep=selector)
    tags = page.tags()
    assert [tags[element] for element in page.kept_by_user[0].elements] == found


@pytest.mark.parametrize(
    ("selector", "why"),
    [
        ("", "Expected selector"),
        ("div[", "not a CSS selector"),
        ("p:unheard-of", "pseudo-class :unheard-of is unknown"),
        ("a::text", "selects text or attributes"),
        ("//a[", "not an XPath"),
        ("//a/@href", "selects text or attributes"),
        ("(1 + 2)", "a number, a string or a boolean"),
        ("//p[document('file:///etc/passwd')]", "unknown function document()"),
        ("//x:*", "unknown prefix x:"),
        ("//*[.//*[.//*[.//b]]]", "searches too far"),
        ("example.com: //a[", "not an XPath"),
        ("example: div", "not a CSS selector"),
    ],
)
def test_what_is_refused(selector, why):
    with pytest.raises(ValueError, match="selector") as refused:
        Page.parse("<p>x", remove=[selector])
    assert why in str(refused.value)
    assert repr(selector) in str(refused.value)


def test_what_is_not_refused():
    for selector in ("//a[text()]", "//a/parent::node()", "//*[.='x:y(']"):
        assert compile_selector(selector).text == selector


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("http://example.com/a", ["all", "example.com"]),
        ("https://www.Example.com:8080/a", ["all", "example.com", "www.example.com"]),
        ("http://example.com.evil.org/", ["all"]),
        ("http://xn--bcher-kva.example/", ["all", "bücher.example"]),
        (None, ["all"]),
    ],
)
def test_a_host_in_front_limits_a_selector_to_its_pages(url, hosts):
    given = {"all": "p"} | {
        host: f"{host}:  //p" for host in ("example.com", "www.example.com", "bücher.example", "127.0.0.1")
    }
    page = Page.parse("<p>x", url=url, keep=given.values())
    assert [match.selector for match in page.kept_by_user] == [given[host] for host in hosts]
    assert all(match.elements.tolist() == [2] for match in page.kept_by_user)


def test_text_that_is_removed_is_cut_out_of_its_block():
    source = "<p>The fox<sup>[1]</sup> won<b>, <i>it</i> says</b><br>again.</p><p><sup>[2]</sup></p>"
    page = Page.parse(source, remove=["sup", "//b"], keep="i")
    assert [page.block_text(i) for i in range(len(page.blocks))] == ["The fox wonit\nagain.", "[2]"]
    whole = Page.parse(source)
    assert page.facts.data == whole.facts.data


def test_noscript_is_found_where_it_was_read():
    thread = "<p>A long post that only stands in noscript, with many words, more than the page shows.</p>" * 5
    read = Page.parse(f"<body><p>Enable scripts</p><noscript>{thread}</noscript><p>", keep="noscript p")
    assert len(read.kept_by_user[0].elements) == 5
    unread = Page.parse(f"<body>{thread * 2}<noscript>{thread}</noscript><p>", keep="noscript p")
    assert len(unread.kept_by_user[0].elements) == 0


@pytest.mark.parametrize(
    ("selector", "source"),
    [
        ("div div div", "<div class=a>" * 400 + "<div></div>" * 15_000),
        ("//div//div//div[.//b]", "<div>x</div>" * 19_000),
        ("p", "<p>" + "&amp;" * 200_000),
    ],
    ids=["depth", "flat", "text in pieces"],
)
def test_selectors_on_hostile_pages_end(selector, source, monkeypatch):
    """With 20,000 nested elements `//div//div` took 46 s as a whole; these take .1 s, on a busy machine 1 s."""
    monkeypatch.setattr(selectors, "MAX_SECONDS", 20)
    page = Page.parse(source, remove=selector)
    assert not page.is_too_large
    assert len(page.removed_by_user[0].elements) > 0 or "b" in selector


@pytest.mark.parametrize("selector", ["//div/following-sibling::div", "div ~ div"])
def test_a_selector_that_takes_too_long_leaves_the_page_unjudged(selector, monkeypatch):
    monkeypatch.setattr(selectors, "MAX_SECONDS", 0.05)
    source = "<p>First of it.</p>" + "<div>word</div>" * 3_000
    with pytest.raises(TooLargeError, match="takes more than"):
        compile_selector(selector).find(html.document_fromstring(source))
    body = extract(source, remove=selector)
    assert (body.fallback, body.text.count("word")) == ("too large", 3_000)


def test_a_page_of_too_many_elements_is_not_searched():
    source = "<p>First words of it.</p>" + "<b>x</b>" * MAX_ELEMENTS
    assert extract(source, remove="b").fallback == "too large"
    assert extract(source, url="http://a.example/", remove="b.example: b").fallback == "page alone"
