"""Formulas in MathML: their TeX is text, in all outputs."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from denoise_scrapy import extract
from denoise_scrapy.page import Page

STORY = "The identity links five constants of mathematics, and is the most beautiful of all: {}, says the book."
PARTS = {
    "msub": ("", "_", ""),
    "msup": ("", "^", ""),
    "msubsup": ("", "_", "^"),
    "munder": ("", "_", ""),
    "mover": ("", "^", ""),
    "munderover": ("", "_", "^"),
    "mfrac": ("\\frac", "", ""),
    "msqrt": ("\\sqrt", "", ""),
}


def tex_of(math: str) -> str:
    return " ".join(Page.parse(f"<p>{math}").block_text(0).split())


def literal_tex(element: Any) -> str:
    """The TeX of an element, by its parts."""
    head, *before = PARTS.get(element.tag, ("",))
    written = [head] if before else [element.text or ""]
    for number, part in enumerate(element):
        mark = "".join(before[number - 1 : number]) if number else ""
        inner = literal_tex(part)
        written += [mark, f"{{{inner}}}" if before and (number or head) else inner]
        written.append("" if before else part.tail or "")
    return "".join(written)


LEAVES = st.tuples(st.sampled_from(["mi", "mo", "mn"]), st.sampled_from(["x", "π", "+", "12", "∑", "&lt;"])).map(
    lambda leaf: f"<{leaf[0]}>{leaf[1]}</{leaf[0]}>"
)
TREES = st.recursive(
    LEAVES,
    lambda parts: st.tuples(st.sampled_from(["mrow", "mroot", *PARTS]), st.lists(parts, min_size=1, max_size=4)).map(
        lambda element: f"<{element[0]}>{''.join(element[1])}</{element[0]}>"
    ),
    max_leaves=12,
)


@given(TREES)
def test_a_formula_is_written_by_its_parts(inside: str) -> None:
    math = f"<math>{inside}</math>"
    assert tex_of(math) == literal_tex(etree.fromstring(math))


@pytest.mark.parametrize(
    ("math", "tex"),
    [
        (
            "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x_1</annotation></semantics></math>",
            "x_1",
        ),
        ("<math alttext='{\\displaystyle a  b}'><mi>c</mi></math>", "a b"),
        ("<math><semantics><mi>x</mi><annotation encoding='text/plain'>no</annotation></semantics></math>", "x"),
        ("<math><mi>f</mi><mo>&#x2061;</mo><mi>x</mi></math>", "fx"),
        ("<math><msup>x<mi>a</mi> <mn>2</mn></msup></math>", "a^{2}"),
        ("<math></math>", ""),
        ("<math><mi>" * 200 + "x", ""),
    ],
)
def test_what_the_page_gives_as_tex_goes_first(math: str, tex: str) -> None:
    page = Page.parse(f"<p>{math}")
    assert (" ".join(page.block_text(0).split()) if len(page.blocks) else "") == tex


def test_a_formula_stands_in_all_outputs() -> None:
    math = "<math><msup><mi>e</mi><mi>x</mi></msup><mo>&lt;</mo><mn>1</mn></math>"
    body = extract("<h1>Euler</h1><p>" + STORY.format(math))
    assert "of all: e^{x}<1, says" in body.text
    assert r"of all: \(e^{x}&lt;1\), says" in body.html
    assert "of all: $e^{x}&lt;1$, says" in body.markdown


@pytest.mark.parametrize(
    "hostile", ["[a](javascript:alert(1))", "<img src=x onerror=y>", "`$|", "![a][b]", "[a]: http://x"]
)
def test_nothing_of_a_formula_is_markup(hostile: str) -> None:
    math = '<math alttext="{}"></math>'.format(hostile.replace("<", "&lt;"))
    markdown = extract("<h1>Euler</h1><p>" + STORY.format(math)).markdown
    inside = markdown.split("of all: $")[1].split("$, says")[0]
    assert not {"<", "`", "$", "|"} & set(inside)
    assert not re.search(r"\[[^]]*\][(:[]", inside)
