"""Selectors of the user: what they find, what is refused, the hosts they are for, and that they end on any page."""

import parsel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree, html
from scrapy.http import HtmlResponse

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
    assert compile_selector(selector).find(root) == {found.root for found in parsel.Selector(root=root).css(selector)}


_CONDITIONS = st.sampled_from(
    ["", "", "", "[1]", "[2]", "[last()]", "[@class]", "[.//b]", "[//td]", "[a | b]", "[position() > 1]", "[ .='one' ]"]
)
_NAMES = st.sampled_from(
    "div p span b a ul li * nav section following-sibling::p ancestor::div parent::* . descendant::b self::p".split()
)
_NOT_ELEMENTS = st.sampled_from(
    "comment() text() node() @class @* preceding::comment() following-sibling::node() ancestor::node()".split()
)


def _steps(names: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    tests = st.tuples(names, _CONDITIONS).map(lambda step: step[0] if step[0] == "." else "".join(step))
    return st.tuples(st.sampled_from(["/", "//", "//"]), tests).map("".join)


_PATHS = st.lists(_steps(_NAMES | _NAMES | _NOT_ELEMENTS), max_size=4).map("".join)
_STARTS = st.sampled_from(
    [
        "",
        "",
        "",
        "/html",
        "/html/body/*",
        "(//div)[2]",
        "(//p | //b)",
        ".",
        "./body",
        "(//p/text() | //b//a)",
        "(//p//b)[1]",
    ]
)
_XPATHS = st.tuples(_STARTS, _PATHS, _steps(_NAMES)).map("".join)


@settings(deadline=None)
@given(pages(), st.lists(_XPATHS, min_size=1, max_size=2).map(" | ".join))
def test_an_xpath_step_by_step_finds_what_it_finds_as_a_whole(source, expression):
    root = html.document_fromstring(source.replace("</p>", "</p>x<!-- y --><?z ?>"))
    expected = {found for found in etree.XPath(expression)(root) if isinstance(found, etree._Element)}
    assert compile_selector(f"xpath:{expression}").find(root) == expected


SHOP = """<!-- shop --><html lang=de><head><title>Schuhe</title><meta name=k></head><body class="home wide">
<!-- Kopf --><nav id=top><ul><li class=first><a href=/>Start</a><li><a href="/b.pdf" rel="nofollow x">Preise</a></ul>
</nav>
<!-- Werbung --><div class="ad big"><img src=a.png></div><h2>Neu</h2><p>Leicht<sup>[1]</sup> und <b>rot</b></p>
<p class="note x">Nur heute<!-- Ende --></p><div class=story><p>Eins</p><div><p id=deep>Zwei <i>drei</i></p></div></div>
<table><tr><td>1<td>2<tr><td>3<td></table><form><input disabled><input type=checkbox checked></form>
<section><h2>Maße</h2><p>38 bis 46</p><p></p></section><footer><p lang=en-GB>Imprint</p></footer></body></html>"""
FOUND_AS_BY_PARSEL = [
    "*",
    "p, h2",
    "div p",
    "div > p",
    "h2 + p",
    "h2 ~ p",
    ".ad.big",
    "#deep",
    "body.wide nav a",
    "[lang|=en]",
    "a[href$='.pdf']",
    "a[rel~=x]",
    "p:not(.note)",
    "div:has(p)",
    "div:has(> img)",
    "div:not(:has(img))",
    "li:first-child",
    "tr:nth-child(2) td",
    "p:nth-of-type(2)",
    "p:last-of-type",
    "sup:only-of-type",
    "tr td:nth-last-child(2)",
    "p:empty",
    "input:checked",
    "a:link",
    ":is(h1, h2)",
    "p:contains('heute')",
    "p:lang(en)",
    ":root > body > *",
    "div div p i",
    "td:nth-child(2n+1)",
    "//p",
    "/html/body/p",
    ".//div//p",
    "(//div//p)[1]",
    "(//h2/following-sibling::p)[last()]",
    "(//p)[1]/b",
    "(//td | //sup)/..",
    "//p[has-class('note', 'x')]",
    "//a[re:test(@href, '[.]pdf$')]",
    "xpath:set:difference(//p, //div//p)",
    "xpath:id('deep')/..",
    "//p[set:has-same-node(., //div//p)]",
    "//h2[.='Neu']/following-sibling::p[1]",
    "//p[preceding-sibling::h2]",
    "//comment()/..",
    "//comment()[contains(., 'Werbung')]/following-sibling::div",
    "//body/comment()[1]/following-sibling::*[1]",
    "//comment()/following-sibling::comment()/following::p",
    "/comment()/following-sibling::html",
    "//p/comment()/parent::p",
    "//comment()[.=' Kopf ']/following::comment()[1]/following-sibling::div",
    "//div[preceding-sibling::comment()]",
    "//text()/..",
    "//text()[contains(., 'Zwei')]/ancestor::div[1]",
    "//p/text()[2]/preceding-sibling::*",
    "//@href/..",
    "//a/@rel/../../..",
    "//p/attribute::class/parent::p",
    "//body/node()[2]/following-sibling::node()[4]/self::div",
    "//p/node()",
    "//*[.//*[.//*[.//*[.//i]]]]",
    "//p[count(../p/following-sibling::p) > 0]",
    "//div[not(.//div)]",
    "//*[self::td or self::sup]",
    "//p[ancestor::div][last()]",
    "//i/ancestor-or-self::*[@id]",
    "//td[. > preceding::td]",
    "//p/following::*[1]",
    "//p[not(.='a::b//c')]",
    "//section/child::p/preceding-sibling::h2",
    "//p[position() > 1]/ancestor::section",
    "//*[@class and not(contains(@class, 'a'))]",
    "//tr[2]/td",
    "//b | //comment()/..",
    "div p, h2 + p",
]


@pytest.mark.parametrize("more", ["", f"<!--{'x' * 200_000}-->"], ids=["small", "large"])
@pytest.mark.parametrize("selector", FOUND_AS_BY_PARSEL)
def test_a_selector_finds_what_it_finds_in_a_response(selector, more):
    """Also on large pages, which our own parser reads."""
    source = SHOP + more
    response = HtmlResponse("http://a.example/", body=source, encoding="utf-8")
    is_xpath = selector.startswith(("/", ".//", "(", "xpath:"))
    found = response.xpath(selector.removeprefix("xpath:")) if is_xpath else response.css(selector)
    expected = {one.root for one in found if isinstance(getattr(one.root, "tag", None), str)}
    assert expected, "the table is for what is found"
    root = response.selector.root
    assert compile_selector(selector).find(root) == expected
    ours, theirs = (Page.parse(source, keep=selector, root=tree).kept_by_user[0] for tree in (None, root))
    assert len(ours.elements) and ours.elements.tolist() == theirs.elements.tolist()


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
        ("//p[current()]", "unknown function current()"),
        ("//p[set:foo(.)]", "unknown function set:foo()"),
        ("//p[re:test(., '(')]", "missing )"),
        ("//p[re:test(.)]", "positional arguments"),
        ("//p[has-class()]", "at least 1 argument"),
        ("//div/comment()[1]", "selects text or attributes"),
        ("(//p)[1]/attribute::class", "selects text or attributes"),
        ("//p | //p/text()", "selects text or attributes"),
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


_FLAT = "<div>word</div><!-- -->" * 5_000
_DEEP = "<div>" * 200 + "<b><i>word</i></b>" * 5_000


@pytest.mark.parametrize(
    ("selector", "source"),
    [
        ("//following-sibling::div", _FLAT),
        ("//comment()/following-sibling::div", _FLAT),
        ("//comment()/following-sibling::comment()/following-sibling::div", _FLAT),
        ("//text()/following::*", _FLAT),
        ("(//div/following-sibling::div)[1]", _FLAT),
        ("//node()/preceding::node()", _FLAT),
        ("//*[count(div/following-sibling::div) > 3]", _FLAT),
        ("//div[following::div[following::div[following::p]]]", _FLAT),
        ("//*[.//*[.//*[.//p]]]", _DEEP),
        ("//*[count(.//div//i) > 1e9]", _DEEP),
        ("(//div//i)[last()]", _DEEP),
        ("//text()/ancestor::div", _DEEP),
    ],
)
def test_what_libxml2_takes_minutes_for_is_given_up(selector, source, monkeypatch):
    monkeypatch.setattr(selectors, "MAX_SECONDS", 0.1)
    root = html.document_fromstring(source)
    with pytest.raises(TooLargeError, match="takes more than"):
        compile_selector(selector).find(root)


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
