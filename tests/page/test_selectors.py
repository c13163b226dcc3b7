"""Selectors of the user: what they are, what is refused, and that they find our elements."""

import numpy as np
import pytest
from cssselect import HTMLTranslator
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree, html

from denoise_scrapy.page import Page, PathTable
from denoise_scrapy.page.event_tree import MAX_DEPTH, EventTree
from denoise_scrapy.page.parse import parse_markup, read_events, to_utf8
from denoise_scrapy.page.selectors import compile_selector
from tests.html_strategies import SOUP, pages


def tree_and_tags(source: str) -> tuple[EventTree, list[str]]:
    """The tree, and the tags of our elements."""
    body, table = to_utf8(source), PathTable()
    parsed = parse_markup(body, table)
    tree = EventTree(read_events(body), keep_noscript=parsed.noscript_read)
    return tree, [table.tags[path] for path in parsed.paths]


@given(st.one_of(SOUP, pages()))
def test_the_tree_has_our_elements_in_our_order(source):
    tree, tags = tree_and_tags(source)
    assert sorted(tree.numbers.values()) == list(range(len(tags)))
    in_order = sorted(tree.numbers, key=lambda element: tree.numbers[element])
    for element, tag in zip(in_order, tags, strict=True):
        assert element.tag == tag or not tag.replace("-", "").isalnum()
    if tree.root is not None:
        assert [e for e in tree.root.iter() if e in tree.numbers] == in_order


@given(st.one_of(SOUP, pages()))
def test_each_element_stands_where_it_stands_in_our_columns(source):
    tree, _ = tree_and_tags(source)
    parent = Page.parse(source).elements.parent.tolist()
    for element, number in tree.numbers.items():
        above = element.getparent()
        expected = -1 if above is None else tree.numbers[above]
        # a second root stands in the first one
        assert parent[number] == expected or (parent[number] == -1 and above is tree.root)


@given(st.one_of(SOUP, pages()), st.sampled_from(["div", "p b", "*", "//p", "//*[@class]", "li:nth-child(2)"]))
def test_nothing_raises_and_marks_are_within_the_page(source, selector):
    page = Page.parse(source, keep=selector, remove=[selector, "a"])
    found = page.kept_by_user[0].elements
    assert found.tolist() == sorted(set(found.tolist()))
    assert all(0 <= element < len(page.elements) for element in found)
    assert page.removed_text.shape == page.elements.marks.shape


_COMPOUNDS = st.sampled_from(["p", "div", "*", ".a", "#b", "span.menu", "li:first-child", "p:not(.a)"])
_SELECTORS = st.lists(_COMPOUNDS, min_size=1, max_size=4).flatmap(
    lambda parts: st.lists(
        st.sampled_from([" ", " > ", " + ", " ~ "]), min_size=len(parts) - 1, max_size=len(parts) - 1
    ).map(lambda combinators: "".join(a + b for a, b in zip(parts, [*combinators, ""], strict=True)))
)


@given(pages(), st.lists(_SELECTORS, min_size=1, max_size=2).map(", ".join))
def test_css_finds_what_the_translation_as_a_whole_finds(source, selector):
    root = html.document_fromstring(source)
    expected = set(etree.XPath(HTMLTranslator().css_to_xpath(selector))(root))
    assert set(compile_selector(selector).find(root)) == expected


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ("p", ["p", "p"]),
        ("[data-x]", ["div"]),
        ("css:div > p", ["p"]),
        ("//div/p", ["p"]),
        ("./body/p", ["p"]),
        ("(//p)[2]", ["p"]),
        ("xpath:descendant::p[@class]", ["p"]),
        ("//p[has-class('b', 'c')]", ["p"]),
        (r"//p[re:test(@class, '\bc$')]", ["p"]),
        ("//p[contains(., 'bold word')]", ["p"]),
        ("/html[head/meta[@name='k']]//div", ["div"]),
        ("//a/@href/..", ["a"]),
        ("article", []),
        ("script, meta", ["script"]),
    ],
)
def test_what_selectors_find(selector, found):
    source = (
        "<head><meta name=k></head><div data-x=1 @click='y'><p>A <b>bold</b> word.</p></div>"
        "<p class='b c'>x <a href=/x>y</a></p><script>z</script>"
    )
    page = Page.parse(source, keep=selector)
    tags = [page.path_table.tags[path] for path in page.elements.paths]
    assert [tags[element] for element in page.kept_by_user[0].elements] == found


@pytest.mark.parametrize(
    ("selector", "why"),
    [
        ("", "Expected selector"),
        ("div[", "no CSS selector"),
        ("p:unheard-of", "pseudo-class :unheard-of is unknown"),
        ("a::text", "selects text or attributes"),
        ("a::attr(href)", "selects text or attributes"),
        ("ns|a", "ns"),
        ("//a[", "no XPath"),
        ("//a/@href", "selects text or attributes"),
        ("//a/attribute::href", "selects text or attributes"),
        ("//b | //a/text()", "selects text or attributes"),
        ("(//a//text())[1]", "selects text or attributes"),
        ("//div/node()", "selects text or attributes"),
        ("//comment()", "selects text or attributes"),
        ("(1 + 2)", "a number, a text or a truth"),
        ("xpath:count(//a)", "a number, a text or a truth"),
        ("//p[document('file:///etc/passwd')]", "unknown function document()"),
        ("//p[foo:bar()]", "unknown prefix in foo:bar"),
        ("//p[$x]", "variables are not known"),
        ("//x:*", "unknown prefix"),
    ],
)
def test_what_is_refused(selector, why):
    with pytest.raises(ValueError, match="selector") as refused:
        Page.parse("<p>x", remove=[selector])
    assert why in str(refused.value)
    assert repr(selector) in str(refused.value)


@pytest.mark.parametrize(
    "selector", ["//text", "//a[text()]", "//div[.//@href]", "//a/parent::node()", "//*[.='x:y(']"]
)
def test_what_is_not_refused(selector):
    assert compile_selector(selector).text == selector


def test_a_selector_must_be_text():
    with pytest.raises(TypeError, match="a selector must be str, got int"):
        Page.parse("<p>x", keep=[1])


def test_wrong_arguments_are_told_on_the_page():
    with pytest.raises(ValueError, match=r"selector '//div\[contains\(.\)\]'"):
        Page.parse("<div>x", keep="//div[contains(.)]")


def test_without_selectors_nothing_is_found():
    page = Page.parse("<p>x")
    assert (page.kept_by_user, page.removed_by_user) == ((), ())
    assert not page.removed_text.any()


def test_text_that_is_removed_is_cut_out_of_its_block():
    source = "<p>The fox<sup>[1]</sup> won<b>, <i>it</i> says</b><br>again.</p><p><sup>[2]</sup></p>"
    page = Page.parse(source, remove=["sup", "//b"], keep="i")
    assert [page.block_text(i) for i in range(len(page.blocks))] == ["The fox wonit\nagain.", "[2]"]
    whole = Page.parse(source)
    assert np.array_equal(page.facts.text_hashes, whole.facts.text_hashes)


@given(pages())
def test_removing_nothing_leaves_every_text_as_it_is(source):
    page, whole = Page.parse(source, remove="unheard-of"), Page.parse(source)
    texts = [page.block_text(i) for i in range(len(page.blocks))]
    assert texts == [whole.block_text(i) for i in range(len(whole.blocks))]


@pytest.mark.parametrize(
    ("selector", "source"),
    [
        ("div div div", "<div class=a>" * 20_000),
        (".a .a .a .a", "<div class=a>" * 20_000),
        ("div ~ div ~ div", "<div></div>" * 20_000),
        ("p", "<p>" + "&amp;" * 200_000),
        ("p", "<p " + " ".join(f"a{n}=1" for n in range(20_000)) + ">x"),
    ],
    ids=["depth", "depth of a class", "siblings", "text in pieces", "attributes"],
)
def test_hostile_pages_end(selector, source):
    assert len(Page.parse(source, remove=selector).removed_by_user[0].elements) > 0  # hours, were time not linear


def test_deep_elements_keep_their_numbers():
    page = Page.parse("<div>" * (2 * MAX_DEPTH) + "<p id=x>deep</p>", keep="#x")
    assert page.kept_by_user[0].elements.tolist() == [2 * MAX_DEPTH + 2]


def test_noscript_is_found_where_it_was_read():
    thread = "<p>A long post that only stands in noscript, with many words, more than the page shows.</p>" * 5
    read = Page.parse(f"<body><p>Enable scripts</p><noscript>{thread}</noscript><p>", keep="noscript p")
    assert len(read.kept_by_user[0].elements) == 5
    unread = Page.parse(f"<body>{thread * 2}<noscript>{thread}</noscript><p>", keep="noscript p")
    assert len(unread.kept_by_user[0].elements) == 0
