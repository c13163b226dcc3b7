"""Formulas: their TeX is text, in all outputs, each once."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from denoise_scrapy.page import Page
from tests.body.rendered import assert_whitelisted, html_of, markdown_of

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
    "mroot": ("\\sqrt", "", ""),
}


def tex_of(math: str) -> str:
    return " ".join(Page.parse(f"<p>{math}").block_text(0).split())


def literal_tex(element: Any) -> str:
    """The TeX of an element, by its parts."""
    head, *before = PARTS.get(element.tag, ("",))
    written = [head] if before else [element.text or ""]
    parts = list(element)
    if element.tag == "mroot" and len(parts) > 1:
        written.append(f"[{literal_tex(parts.pop(1))}]")
    for number, part in enumerate(parts):
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
    lambda parts: st.tuples(st.sampled_from(["mrow", *PARTS]), st.lists(parts, min_size=1, max_size=4)).map(
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
        ("<math alttext='a%&#10;b \\%'></math>", "ab \\%"),  # as LaTeXML breaks its lines
        ("<script type='math/tex'>% <![CDATA[\na < b\\%c \\\\% d\n e %]]></script>", "a < b\\%c \\\\ e"),  # kramdown's
        ("<script type='text/javascript'>x = 1</script><script type='math/mml'>y</script><script>z</script>", ""),
        ("<img class=latex alt='$x_1$'>", "x_1"),
        ("<img alt='$x_1$'> <img alt='\\frac{a}{b}'> <img alt='\\(c\\)'>", "x_1 \\frac{a}{b} c"),
        ("<img alt='C:\\new {a}'> <img alt='$5 to $'> <img alt='a_b'>", ""),
        ("<img class=latex alt=''><img class=latex><img class=context alt='x^2'><img class=math alt='Noether'>", ""),
        ("<math><mi>" * 200 + "x", "x"),
    ],
)
def test_what_the_page_gives_as_tex_goes_first(math: str, tex: str) -> None:
    page = Page.parse(f"<p>{math}")
    assert (" ".join(page.block_text(0).split()) if len(page.blocks) else "") == tex


MATH = "<math><semantics><mi>no</mi><annotation encoding='application/x-tex'>{0}</annotation></semantics></math>"
#: How pages hold a formula, with what they show of it beside its source.
FORMS = [
    MATH,
    f"<span class=katex><span class=katex-mathml>{MATH}</span>"
    "<span class=katex-html aria-hidden=true><b>{0}</b></span></span>",
    "<script type='math/tex'>{0}</script>",
    "<span class=MathJax_Preview>{0}</span><script type='math/tex' id=MathJax-Element-1>{0}</script>",
    "<span class=MathJax_Preview></span> <span class=MathJax><nobr aria-hidden=true><i>{0}</i></nobr>"
    f"<span class=MJX_Assistive_MathML>{MATH}</span></span><script type='math/tex'>{{0}}</script>",
    "<span class=MathJax_Preview>{0}</span><span class='mjx-chtml MathJax_CHTML'><span aria-hidden=true>{0}</span>"
    "</span><script type='math/tex'>{0}</script>",
    f"<span class=MathJax_SVG><svg aria-hidden=true>{{0}}</svg><span>{MATH}</span></span>"
    "<script type='math/tex'>{0}</script>",
    f"<span class=MathJax><nobr aria-hidden=true>{{0}}</nobr><span class=MJX_Assistive_MathML>{MATH}</span></span>",
    f"<span class=MathJax_MathML>{MATH}</span><script type='math/tex'>{{0}}</script>",
    f"<span>{MATH}</span><script type='math/tex'>{{0}}</script>",
    "<mjx-container class=MathJax jax=CHTML><mjx-math aria-hidden=true><mjx-mi>{0}</mjx-mi></mjx-math>"
    f"<mjx-assistive-mml>{MATH}</mjx-assistive-mml></mjx-container>",
    f"<mjx-container><svg aria-hidden=true></svg> <mjx-assistive-mml>{MATH}</mjx-assistive-mml></mjx-container>",
    f"<span class=mwe-math-element><span style='display: none'>{MATH}</span>"
    "<img src=m.svg class=mwe-math-fallback-image-inline aria-hidden=true alt='{{\\displaystyle {0}}}'></span>",
    f"<span>{MATH}</span><img src=/math/render/svg/1 alt='{{0}}'>",
    "<img src=/latex.php class=latex alt='{0}'>",
]


@given(st.lists(st.sampled_from(FORMS), min_size=1, max_size=4))
def test_each_formula_stands_once(forms: list[str]) -> None:
    written = [f"x_{{{number}}}" for number in range(len(forms))]
    page = "<p>Of all: " + ", ".join(form.format(tex) for form, tex in zip(forms, written, strict=True)) + ", say we."
    assert Page.parse(page).block_texts == [f"Of all: {', '.join(written)}, say we."]
    assert html_of(page) == f"<p>Of all: {', '.join(f'{chr(92)}({tex}{chr(92)})' for tex in written)}, say we.</p>"
    assert markdown_of(page) == f"Of all: {', '.join(f'${tex}$' for tex in written)}, say we."


@pytest.mark.parametrize(
    "form",
    [
        "<script type='math/tex; mode=display'>x</script>",
        "<mjx-container display=true><mjx-math aria-hidden=true></mjx-math><mjx-assistive-mml><math><mi>x</mi></math>"
        "</mjx-assistive-mml></mjx-container>",
        "<img class=latex alt='\\[x\\]'>",
    ],
)
@pytest.mark.parametrize(
    ("page", "markdown"),
    [
        ("<p>One</p>{}<p>two", "One\n\n$$x$$\n\ntwo"),
        (
            "<table><tr><td>{}<td>one<tr><td>two<td>three</table>",
            "|  |  |\n| --- | --- |\n| $$x$$ | one |\n| two | three |",
        ),
    ],
)
def test_formulas_in_a_line_of_their_own(form: str, page: str, markdown: str) -> None:
    assert html_of(page.format(form)).count(r"\[x\]") == 1
    assert markdown_of(page.format(form)) == markdown


M, IMAGE = "<math alttext='\\m'></math>", "<img class=tex alt='\\i'>"
SCRIPT = "<script type='math/tex'>\\s</script>"


@pytest.mark.parametrize(
    ("inside", "text"),
    [
        (f"<span aria-hidden=true>x</span> {M} <span aria-hidden=true>y</span>", r"\m"),
        (f"<span aria-hidden=true>x</span> word {M}<span>y</span>", r"word \my"),
        (f"<span>{M}</span>{IMAGE}", r"\m"),
        (f"<span>{M} word</span>{IMAGE}", r"\m word\i"),
        (f"<span>{M}<b></b></span>{IMAGE}", r"\m\i"),
        (f"<span aria-hidden=true>{M}</span>{M}", r"\m\m"),
        (f"<b class=MathJax_Preview>p</b><b>word</b>{SCRIPT}", r"pword\s"),
        (f"<b class=MathJax_Preview>p</b><i class=mjx-chtml>q</i>{SCRIPT}{M}", r"\s\m"),
        (f"<b class=MathJax>{M}</b>{SCRIPT}", r"\s"),
        (f"{M}{SCRIPT}", r"\m"),
    ],
)
def test_what_shows_a_formula_again_is_left_out(inside: str, text: str) -> None:
    html = f"<html><body><p>{inside}</p></body></html>"
    assert "".join(Page.parse(html).block_texts) == text
    assert_whitelisted(html_of(html))


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        (
            r"Let \(x\) be, \(a_1 + b*c\), \[ \frac{1}{2} \\[2pt] \] and \((a,b)\)",
            r"Let $x$ be, $a_1 + b*c$, $$\frac{1}{2} \\[2pt]$$ and $(a,b)$",
        ),
        (r"Between \( and \) it stands, \(so\)", "Between &#92;( and &#92;) it stands, &#92;(so&#92;)"),
        (r"$x_1$ and $$y$$ \(z", r"$x_1$ and $$y$$ &#92;(z"),
        (r"\(a=\[b=\(c=1\)", r"&#92;(a=&#92;\[b=$c=1$"),
    ],
)
def test_tex_in_a_text(text: str, markdown: str) -> None:
    assert html_of(f"<p>{text}") == f"<p>{text}</p>"
    assert markdown_of(f"<p>{text}") == markdown
