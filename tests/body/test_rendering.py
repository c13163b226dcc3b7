"""The body as HTML: structure, images, addresses; and nothing that runs, whatever a page holds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from denoise_scrapy.body.rendering import render, to_html
from denoise_scrapy.core.writing import MAX_DEPTH
from denoise_scrapy.page import Page
from tests.body.rendered import MARKUP, URL, assert_whitelisted, bare, html_of, parsed
from tests.html_strategies import SOUP, pages

DOT = "data:image/gif;base64,R0lGODlhAQABAAAAACw="
PICTURE = "data:image/png;base64," + "A" * 4000


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        # blocks, and inline elements in and around them
        ("<h1>A</h1><div>b</div>c<section>d</section>", "<h1>A</h1><p>b</p><p>c</p><p>d</p>"),
        ("<p>a<br>b<br><br>c<br></p>", "<p>a<br>b</p><p>c</p>"),
        ("<b>a<div>b</div></b>", "<p><b>a</b></p><p><b>b</b></p>"),
        ("<blockquote><p>a</blockquote><div><figcaption>b</div>", "<blockquote><p>a</p></blockquote><p>b</p>"),
        ("<p style='white-space:pre-line'>a\nb", "<p>a<br>b</p>"),
        ("<b><i><s><u>a</u></s></i></b>", "<p><b><i><s>a</s></i></b></p>"),
        ("<sup>a<sup>b</sup></sup><q>a<q>b</q></q>", "<p><sup>a<sup>b</sup></sup><q>a<q>b</q></q></p>"),
        ("<b>a<b>b</b></b>", "<p><b>ab</b></p>"),
        ("<p>a <x-term>b</x-term> c</p><x-post>d</x-post>e", "<p>a b c</p><p>d</p><p>e</p>"),
        ('1 &lt; 2 &amp;amp; "x"', '<p>1 &lt; 2 &amp;amp; "x"</p>'),
        # lists
        (
            "<ul><li>a<li><p>b</p><ol start=3><li>c</ol></ul>",
            '<ul><li>a</li><li>b<ol start="3"><li>c</li></ol></li></ul>',
        ),
        ("<ul><li>a<li>b</li><ol><li>c</ol><li>d</ul>", "<ul><li>a</li><li>b<ol><li>c</li></ol></li><li>d</li></ul>"),
        (
            "<ol reversed><li>a<li>b</ol><ol reversed start=9><li>c<li value=3>d<li>e</ol><ol role=list><li>f</ol>",
            '<ol><li value="2">a</li><li value="1">b</li></ol>'
            '<ol start="9"><li value="9">c</li><li value="3">d</li><li value="7">e</li></ol><ol><li>f</li></ol>',
        ),
        ("<div role=list><div role=listitem>a</div><div role=listitem>b</div></div>", "<ul><li>a</li><li>b</li></ul>"),
        ("<div>a<li>b<li>c<p>d</div>e", "<p>a</p><ul><li>b</li><li><p>c</p><p>d</p></li></ul><p>e</p>"),
        ("<div><li>b</li>c<li>d</li></div>", "<ul><li>b</li></ul><p>c</p><ul><li>d</li></ul>"),
        ("<div><li>b</li><blockquote>c</div>", "<ul><li>b</li></ul><blockquote><p>c</p></blockquote>"),
        ("<ul>a</ul><ul><ol><li>b</ol></ul>", "<ul><li>a</li></ul><ul><li><ol><li>b</li></ol></li></ul>"),
        (
            "<ul><li>a</li><blockquote>b</blockquote></ul>",
            "<ul><li>a</li><li><blockquote><p>b</p></blockquote></li></ul>",
        ),
        ("<dl><dd>a<blockquote>b</dl>", "<dl><dd>a<blockquote><p>b</p></blockquote></dd></dl>"),
        ("<dl><dt>a<dt>b<dd>c<dd>d</dl>e", "<dl><dt>a</dt><dt>b</dt><dd>c</dd><dd>d</dd></dl><p>e</p>"),
        # quotes, figures, preformatted text
        ("<pre>\n a\r\n  b \n</pre>", "<pre> a\n  b</pre>"),
        ("<pre>a<br><br>b<div>c</div>d</pre>", "<pre>a\n\nb\nc\nd</pre>"),
        ("<pre>a<h2>b</h2></pre>", "<pre>a\nb</pre>"),
        ("<pre>a<pre>b</pre>c</pre>", "<pre>a\nb\nc</pre>"),
        ("<pre><code>a <b>b</b></code></pre>", "<pre><code>a <b>b</b></code></pre>"),
        ("<pre><code>a</code><code> b</code></pre>", "<pre><code>a\n b</code></pre>"),
        ("<pre><code>a\n</code><code>b<br></code><code>c</code></pre>", "<pre><code>a\nb\nc</code></pre>"),
        (
            "<figure class='highlight ruby'><pre>a</pre></figure>",
            '<figure><pre><code class="language-ruby">a</code></pre>\n</figure>',
        ),
        ("<pre class='brush: ruby; gutter: false'>a</pre>", '<pre><code class="language-ruby">a</code></pre>'),
        ("<div data-lang=Ruby><pre>a</pre></div>", '<pre><code class="language-ruby">a</code></pre>'),
        (
            "<div class=highlight-python><div><pre>a</pre></div></div>",
            '<pre><code class="language-python">a</code></pre>',
        ),
    ],
)
def test_structure(markup, expected):
    assert html_of(markup) == expected


def test_only_kept_blocks_and_the_skeleton_around_them():
    markup = "<ul><li>a<li>no</ul><ul><li>no</ul><blockquote>no</blockquote><h2>no</h2><div>b<b> no<br><br>c</b></div>"
    assert html_of(markup, "no") == "<ul><li>a</li></ul><p><b>c</b></p>"
    assert html_of("no", "no") == html_of("") == html_of("<img src=a.png>") == ""


ROW = "<tr><td>{}<td>{}<td>{}"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (
            "<table><caption>c</caption><thead><tr><th scope=col>A<th scope=x>B</thead><tbody><tr><td>1<td>2</table>",
            '<table><caption>c</caption><thead><tr><th scope="col">A</th><th>B</th></tr></thead>'
            "<tbody><tr><td>1</td><td>2</td></tr></tbody></table>",
        ),
        # dropped cells keep their place, dropped rows go, hidden cells held none
        (
            f"<table>{ROW.format('a', 'no', 'b')}{ROW.format('no', 'no', 'no')}<tr><td>c<td hidden>no<td>d</table>",
            "<table><tr><td>a</td><td></td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>",
        ),
        # a row that others reach into stays
        (
            "<table><tr><td rowspan=2>no<td>no<tr><td>a<td>b<tr><td>no<td>no<td>no</table>",
            '<table><tr><td rowspan="2"></td><td></td></tr><tr><td>a</td><td>b</td></tr></table>',
        ),
        (
            "<div role=table><div role=row><span role=columnheader>A</span><span role=columnheader>B</span></div>"
            "<div role=row><span role=cell>1</span><span role=cell>2</span></div></div>",
            "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>",
        ),
        (
            "<table><tr><th>A<th>B<tr><td>1<td><table><tr><td>a<td>b</table><tr><td>2<td>c</table>",
            "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td><p>a</p><p>b</p></td></tr><tr><td>2</td><td>c</td></tr></table>",
        ),
        # layout: one cell a row, crowded cells, displayed formulas, tables around tables
        ("<table><tr><td><math display=block alttext=x></math><td>(1)</table>", r"<p>\[x\]</p><p>(1)</p>"),
        (
            "<table><tr><td>m<td><table><tr><td>a<td>b</table></table>",
            "<p>m</p><table><tr><td>a</td><td>b</td></tr></table>",
        ),
    ],
)
def test_tables(markup, expected):
    assert html_of(markup, "no") == expected


def image(address: str, more: str = ' alt=""') -> str:
    return f'<img src="{address}"{more}>'


A = image("http://a.example/d/a.png")


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        # in a line of text: with the text
        ("<p>x <img src=a.png> y</p>", f"<p>x {A} y</p>"),
        # alone: between kept blocks, or at the edge of what is kept for the most part
        ("<div><p>x</p><div><img src=a.png></div><p>y</p><p>no</p></div>", f"<p>x</p><p>{A}</p><p>y</p>"),
        ("<div><img src=a.png></div><h1>x</h1><p>y</p>", f"<p>{A}</p><h1>x</h1><p>y</p>"),
        ("<div><div><img src=a.png></div><p>long</p><p>no</p></div><p>y</p>", f"<p>{A}</p><p>long</p><p>y</p>"),
        ("<div><div><img src=a.png></div><p>x</p><p>no, no</p></div><p>y</p>", "<p>x</p><p>y</p>"),
        ("<div><p>x</p><div><img src=a.png></div><p>y</p><p>no, no, no</p></div>", f"<p>x</p><p>{A}</p><p>y</p>"),
        ("<p>no</p><div><div><img src=a.png></div><p>y</p></div>", f"<p>{A}</p><p>y</p>"),
        ("<div><p>y</p><div><img src=a.png></div></div><p>no</p>", f"<p>y</p><p>{A}</p>"),
        ("<p>x</p><div><img src=a.png><br><img src=a.png></div>", f"<p>x</p><p>{A}{A}</p>"),
        ("<p>x</p><div><img src=a.png></div><div><img src=a.png></div>", f"<p>x</p><p>{A}</p><p>{A}</p>"),
        ("<div><p>x</p><div hidden><img src=a.png></div><p>y</p></div>", "<p>x</p><p>y</p>"),
        ("x <img srcset='s.png 1x, a.png 2x'>", f"<p>x {A}</p>"),
        ("x <picture><source srcset=a.png><img alt=''></picture>", f"<p>x {A}</p>"),
        *(
            (f"<div><p>x</p><{tag}><img src=a.png></{tag}></div>", "<p>x</p>")
            for tag in ("nav", "aside", "footer", "button")
        ),
        ("<aside><p>x</p><img src=a.png></aside>", f"<p>x</p><p>{A}</p>"),
        # figures stand and fall as one
        (
            "<p>x</p><figure><div><img src=a.png></div><figcaption>c</figcaption></figure>no",
            f"<p>x</p><figure>{A}<figcaption>c</figcaption></figure>",
        ),
        ("<figure><img src=a.png>x</figure>", f"<figure><p>{A}x</p></figure>"),
        ("<div><p>no</p><figure><img src=a.png>no</figure><p>y</p></div>", "<p>y</p>"),
        # addresses
        (f"x <img src='{DOT}' data-src=a.png>", f"<p>x {A}</p>"),
        (f"x <img src='{DOT}'><noscript><img src=a.png></noscript>", f"<p>x {A}</p>"),
        ("x <amp-img src=a.png alt=''><i><img src=a.png></i></amp-img>", f"<p>x {A}</p>"),
        (f"x <img src='{DOT}'>y<noscript><img src=a.png></noscript>", "<p>x y</p>"),
        (f"x <img src='{DOT}'><img><img src='javascript:x'><img src='data:text/html,x'>", "<p>x</p>"),
        ("x <img src=a.png width=1 height=1><img src=a.png style='height:0'>", "<p>x</p>"),
        ("x <img src=a.png width=1 height=90><img src=a.png width=20 height=20>", "<p>x</p>"),
        *(
            (f"x <img src=a.png alt='' {given}>", f"<p>x {image('http://a.example/d/a.png', written)}</p>")
            for given, written in [
                ("width=20", ' alt="" width="20"'),
                ("width=21PX height=10", ' alt="" width="21" height="10"'),
                ("height=٣٠", ' alt=""'),
            ]
        ),
        (
            "x <img src=a.png alt='a \"b\" <c>' width=90px height=50%>",
            '<p>x <img src="http://a.example/d/a.png" alt="a &quot;b&quot; &lt;c&gt;" width="90"></p>',
        ),
    ],
)
def test_images(markup, expected):
    assert html_of(markup, "no") == expected


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<a href='x y?a=1&b=2#c'>z</a>", '<p><a href="http://a.example/d/x%20y?a=1&amp;b=2#c">z</a></p>'),
        # a link around several blocks is written in the first of them
        ("<a href=/x><h2>a</h2><p>b</p></a>", '<h2><a href="http://a.example/x">a</a></h2><p>b</p>'),
        ("<a href=/x><p>a<p><b>b</b></a>", '<p><a href="http://a.example/x">a</a></p><p><b>b</b></p>'),
        # one that leads to its own heading is not
        ("<dl><dt id=a><a href=#a>a</a><dd>b</dl>", "<dl><dt>a</dt><dd>b</dd></dl>"),
        # a note keeps its sign
        ("a<a href=#n>[1]</a><p id=n>[1] b", f'<p>a<a href="{URL}#n">[1]</a></p><p>[1] b</p>'),
        ("<h2 id=a><a href=/b#a>a</a></h2>", '<h2><a href="http://a.example/b#a">a</a></h2>'),
        (
            "<section id=a><h2>1. <a href=#a>a</a> <a href=#b>b</a></h2><p id=b>c</section>",
            '<h2>1. a <a href="http://a.example/d/page.html#b">b</a></h2><p>c</p>',
        ),
    ],
)
def test_links(markup, expected):
    assert html_of(markup) == expected


@pytest.mark.parametrize(
    ("direction", "kept", "expected"),
    [("RTL", True, '<div dir="rtl"><p>אבג</p>\n</div>'), ("ltr", True, "<p>אבג</p>"), ("rtl", False, "")],
)
def test_a_page_that_is_read_from_right_to_left(direction, kept, expected):
    page = Page.parse(f"<html dir={direction}><body><p>אבג", url=URL)
    assert to_html(render(page, np.array([kept]))) == expected


@pytest.mark.parametrize("markup", ["<blockquote>a", "<ul><li>a", "<b><i>a", "<table><tr><td>a<td>b"])
def test_depth_is_bounded(markup):
    text = to_html(render(*parsed(markup * 200 + "z")))
    tree = html.fragment_fromstring(text, create_parent="section")
    assert max(sum(1 for _ in element.iterancestors()) for element in tree.iter()) < 2 * MAX_DEPTH + 12
    assert bare(tree.text_content()).endswith("z")


@given(st.one_of(MARKUP, pages(), SOUP), st.randoms(use_true_random=False))
def test_what_is_rendered_is_what_was_kept_and_nothing_else(markup, random):
    page = Page.parse(markup, url=URL)
    kept = np.array([random.random() < 0.7 for _ in range(len(page.blocks))], bool)
    text = to_html(render(page, kept))
    assert_whitelisted(text)
    again = Page.parse(text)
    expected = [bare(page.block_text(i)) for i in np.flatnonzero(kept)]
    found = [bare(again.block_text(i)) for i in range(len(again.blocks))]
    if "<pre" in text:  # joins the blocks in it
        expected, found = ["".join(expected)], ["".join(found)]
    assert list(filter(None, found)) == list(filter(None, expected))


@given(MARKUP)
def test_renderings_are_well_formed_and_the_same_every_time(markup):
    tokens = render(*parsed(markup))
    stack = []
    for token in tokens:
        if token.kind == "start":
            stack.append(token.value)
        elif token.kind == "end":
            assert stack.pop() == token.value
    assert stack == []
    assert list(map(list, tokens)) == list(map(list, render(*parsed(markup))))


def test_an_alternative_text_that_the_caption_says_too_stands_once():
    figure = "<figure><img src=f.jpg alt=' The  fox'><figcaption>The fox</figcaption></figure>"
    assert html_of(figure).count("The fox") == 1
    assert html_of(figure.replace("caption>The", "caption>A")).count("The fox") == 1
