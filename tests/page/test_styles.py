"""Selectors of style sheets, against lxml's selection with cssselect."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html
from lxml.cssselect import CSSSelector, SelectorError

from denoise_scrapy import extract
from denoise_scrapy.page import Page

NAMES = ["a", "b", "x-1", "_y", "-z", "über"]
MARK = st.builds("{}{}".format, st.sampled_from(".#"), st.sampled_from(NAMES))
PLACES = [":first-child", ":last-child", ":only-child", ":nth-child(2)", ":nth-last-child(1)", ":nth-child(0)"]
SIMPLE = st.one_of(MARK, st.sampled_from(PLACES), st.just("[id]"))
NOT = st.builds(":not({})".format, SIMPLE)
PART = st.builds(
    lambda tag, marks: (tag + "".join(marks)) or "*",
    st.sampled_from(["", "div", "p", "*", "SPAN"]),
    st.lists(st.one_of(MARK, MARK, SIMPLE, NOT), max_size=2),
)
SELECTOR = st.lists(st.one_of(PART, st.sampled_from([" ", ">", " > ", "\t"])), min_size=1, max_size=7).map("".join)
ELEMENT = st.tuples(
    st.sampled_from(["div", "p", "span"]), st.lists(st.sampled_from(NAMES), max_size=2), st.sampled_from(["", *NAMES])
)


OTHERS = "<p>" + "Other text of the page. " * 20


def page(elements, selector):
    """Return a page of nested elements, each with a word of its own."""
    inner = ""
    for number, (tag, classes, id_) in enumerate(elements):
        of = "div" if "<" in inner else tag  # the parser takes nothing but words into a paragraph
        inner = f'<{of} class="{" ".join(classes)}" id="{id_}">word{number} {inner}</{of}>'
    return f"<html><head><style>{selector} {{ display: none }}</style></head><body>{OTHERS}{inner}</body></html>"


@given(elements=st.lists(ELEMENT, min_size=1, max_size=5), selector=SELECTOR)
def test_selectors_select_what_cssselect_selects(elements, selector):
    source = page(elements, selector)
    hidden = {word for _, text, _ in Page.parse(source).hidden_texts() for word in text.split() if "word" in word}
    try:
        found = CSSSelector(selector, translator="html")(html.fromstring(source))
    except SelectorError:
        found = []
    wanted = {word for one in found for word in one.text_content().split() if word.startswith("word")}
    assert hidden == wanted if ">" not in selector else hidden <= wanted


HIDDEN = (
    "<style>.box { display: none } %s { display: block }</style>"
    + OTHERS
    + ('<input type=checkbox id=x><p>between<div id=y class="box other">Shown by a click.</div>')
)


@pytest.mark.parametrize(
    "selector", ["input:checked ~ .box", ".box:target", "[aria-expanded=true] + p + .box", ".box.on"]
)
def test_rules_of_a_state_show_what_a_click_shows(selector):
    assert not list(Page.parse("<script src=/a.js></script>" + HIDDEN % selector).hidden_texts())


@pytest.mark.parametrize(
    "selector", ["input:hover ~ .box", ".box:not(.on, .off)", "#z:target", ".box::before", ".box:target(x)", "(["]
)
def test_rules_that_are_not_understood_show_nothing(selector):
    assert [text for _, text, _ in Page.parse(HIDDEN % selector).hidden_texts()] == ["Shown by a click."]


@pytest.mark.parametrize(
    "condition",
    [
        "@media screen",
        "@media only all",
        "@supports (x: y)",
        "@LAYER base",
        "@media (width > 9px)",
        "@media (height<=9000px)",
    ],
)
def test_conditions_that_always_hold(condition):
    source = (
        f"<style>{condition} {{ /* }} */ .a {{ content: '}}'; display: none }} }}</style>{OTHERS}<p class=a>Hidden."
    )
    assert [text for _, text, _ in Page.parse(source).hidden_texts()] == ["Hidden."]


def test_rules_in_a_scope_hold_within_it():
    sheet = "<style>@scope (.a) { .b { display: none } }</style>"
    source = f"{sheet}{OTHERS}<p class=b>Shown.<div class=a><p class=b>Hidden."
    assert [text for _, text, _ in Page.parse(source).hidden_texts()] == ["Hidden."]


@pytest.mark.parametrize(
    ("sheet", "hides"),
    [
        (":root, :host { --x: none } .a { display: var(--x) }", True),
        (":root { --x: none } .a { display: var( --x , block) }", True),
        (".a { display: var(--x, none) }", True),
        (":root { --x: block } .a { display: var(--x, none) }", False),
        (":root { --x: none } .b { --x: block } .a { display: var(--x) }", False),
        (".b { --x: none } .a { display: var(--x) }", False),
        (".a { display: var(--x) }", False),
        (f":root {{ --x: none{' ' * 40} }} .a {{ display: var(--x) }}", False),
    ],
)
def test_custom_properties_that_are_set_once_at_the_root(sheet, hides):
    text = "The bridge is seen by nobody who comes by."
    source = f"<style>{sheet}</style>{OTHERS}<p class=a>{text}"
    assert [text for _, text, _ in Page.parse(source).hidden_texts()] == [text] * hides
    assert not list(Page.parse(f"<link rel=stylesheet href=/a.css>{source}").hidden_texts())


def test_what_a_class_may_change_is_read_where_no_script_runs():
    source = f"<style>.a:not(.on) {{ display: none }}</style>{OTHERS}<p class=a>Hidden."
    assert [text for _, text, _ in Page.parse(source).hidden_texts()] == ["Hidden."]
    assert not list(Page.parse(f"<script src=/a.js></script>{source}").hidden_texts())


@pytest.mark.parametrize(
    "condition",
    [
        "@media print",
        "@media (width > 900px)",
        "@media (width: 9000px)",
        "@supports NOT (x: y)",
        "@container x",
        "@keyframes x",
        "@scope",
        "@scope (.b)",
        "@scope (.a) to (.b)",
        ".b",
    ],
)
def test_conditions_that_do_not_always_hold_hide_nothing(condition):
    source = f"<style>{condition} {{ .a {{ display: none }} }}</style>{OTHERS}<p class=a>Shown."
    assert not list(Page.parse(source).hidden_texts())


@pytest.mark.parametrize("outer", ["&", "&.b", ".b, & > &"])
def test_rules_within_a_rule_whose_own_selector_stands_for_nothing_are_read_to_their_end(outer):
    source = (
        f"<style>{outer} {{ .a {{ & i {{ color: red }} }} }} .c {{ display: none }}</style>{OTHERS}<p class=a>Shown."
    )
    assert [text for _, text, _ in Page.parse(f"{source}<p class=c>Hidden.").hidden_texts()] == ["Hidden."]


@pytest.mark.parametrize("broken", [":is(.a,{", ":is(", ":not(.a", ":has(", "[a", ".\\", "&:is(", "::", "a >", "*|"])
def test_selectors_that_are_not_closed_hide_nothing(broken):
    source = f"<style>{broken} display: none}} .c {{ display: none }}</style>{OTHERS}<p class=a>Shown."
    assert "Shown." in Page.parse(source).block_texts


@pytest.mark.parametrize(
    "shown",
    [
        "<p style='font-size:-1px'>{}",
        "<p style='height:-1px;overflow:hidden'>{}",
        "<p style='color:transparent;text-shadow:0 0 2px #000'>{}",
        "<p style='color:#fff;-webkit-text-stroke:1px red'>{}",
        "<style type=text/less>.a { display: none }</style><p class=a>{}",
        "<div style='color:#fff;background:#000'><p style='color:inherit'>{}</div>",
    ],
)
def test_what_browsers_show(shown):
    text = "The old bridge is shown to everybody who comes by."
    assert text in extract(OTHERS + shown.replace("{}", text)).text


@pytest.mark.parametrize(
    "hidden",
    [
        "<div style='display:table-column'>{}</div>",
        "<div style='color:transparent'><p style='color:inherit'>{}</div>",
        "<div style='color:white'><p style='color:Unset'>{}</div>",
        "<style type='TEXT/CSS'>.a { display: none }</style><p class=a>{}",
        "<p style='height:calc(1px - 2px);overflow:hidden'>{}",
    ],
)
def test_what_browsers_do_not_show(hidden):
    assert "Hidden." not in extract(OTHERS + hidden.replace("{}", "Hidden.")).text


@pytest.mark.parametrize(
    ("value", "lines"),
    [("pre-line", 2), ("PRE-WRAP", 2), ("pre", 2), ("break-spaces", 2), ("nowrap", 1), ("normal", 1)],
)
def test_line_ends_that_a_style_keeps(value, lines):
    text = "\n one bell\n\n  two bells\n"
    for page in (
        f"<div style='white-space:{value}'><p>{text}</p></div>",
        f"<style>.song {{ white-space: {value} }}</style><div class=song>{text}</div>",
    ):
        body = extract(page)
        assert body.text.count("\n") == lines - 1
        assert body.markdown == body.text.replace("\n", "\\\n")


@pytest.mark.parametrize(
    "html",
    [
        "<i class='sr-only'>{}</i>",
        "<md-icon>{}</md-icon>",
        "<h2 class='x visually-hidden'>{}</h2>",
        "<b class='x usa-sr-only'>{}</b>",
    ],
)
def test_what_linked_sheets_clip(html):
    page = f"<link rel=stylesheet href=/a.css><p>Before {html.format('arrow_forward')}</p><p>Behind</p>"
    assert "arrow" not in extract(page).text
    assert "arrow" in extract(page.replace("<p>", "<style>.sr-only, .x, md-icon { clip: auto }</style><p>", 1)).text
