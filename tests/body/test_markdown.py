"""The body as Markdown: a reader of CommonMark and of GitHub's tables finds in it what the HTML says, and no more."""

import html
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from denoise_scrapy.body.rendering import render, to_html, to_markdown
from denoise_scrapy.page import Page
from tests.body.rendered import MARKUP, URL, assert_whitelisted, bare, html_of, markdown_of, parsed
from tests.html_strategies import SOUP, pages

#: Reads raw HTML too: what slips through unescaped would run.
READER = MarkdownIt("commonmark", {"html": True, "maxNesting": 1000}).enable(["table", "strikethrough"])


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (
            "<b>a</b> <em>b</em> <s>c</s> <code>d`e</code> <u>f</u> x<sup>2</sup>",
            "**a** *b* ~~c~~ ``d`e`` f x<sup>2</sup>",
        ),
        # lists
        ("<dl><dt>a</dt><dd>b</dd><dd>c</dd></dl>", "- a\n  - b\n  - c"),
        ("<ol reversed><li>a<li>b</ol><ul><li value=7>c</ul>", "2. a\n1. b\n\n- c"),
        ("a <del>20 €</del>15 € <del>b</del>", "a <del>20 €</del>15 € ~~b~~"),
        # quotes, code
        ("<pre><code class=language-c>a\n\n```</code></pre>", "````c\na\n\n```\n````"),
        # code that another reader would take for markup
        ("<p><code>a&lt;b</code> <code>c\\|d</code> <code>{+e}</code>", "`a<b` `c\\|d` <code>&#123;+e}</code>"),
        (
            "<a href=y>![a] &lt;b> a_b <code>c[0]</code> <code>](d)</code></a>",
            "[!&#91;a&#93; &lt;b&gt; a_b `c[0]` <code>&#93;(d)</code>](http://a.example/d/y)",
        ),
        (
            "http://b.example<img src=z alt='http://c.example 1.5 > 1'> http://d.example",
            "http&#58;//b.example![http&#58;//c.example 1.5 &gt; 1](http://a.example/d/z) http://d.example",
        ),
        ('<a href="x(y)\'*|">a</a>', "[a](http://a.example/d/x%28y%29%27%2A%7C)"),
        ("/// html | script<br>/// b", "&#47;// html | script\\\n&#47;// b"),
        (
            "<pre><code class=language-java>List&lt;T> a = b[1](2)\n&lt;p class='c'></code></pre>",
            "```java\nList<T> a = b[1](2)\n<p class='c'>\n```",
        ),
        ("<ul><li>a<pre>&lt;a href=b>c\n\n  d</pre></ul>", "- a\n\n  ```\n\n        <a href=b>c\n\n          d\n  ```"),
        ("<pre>a &lt;B onClick={c}></pre>", "```\n\n    a <B onClick={c}>\n```"),
        ("http://b.example<code>&lt;a></code>", "http&#58;//b.example`<a>`"),
        ("a<code>b<br>c</code>", "a`b`\\\n`c`"),
        # tables
        (
            "<table><caption>t</caption><tr><th>a<th>b<tr><td>1|2<td><code>c|d</code><p>e</table>",
            "t\n\n| a | b |\n| --- | --- |\n| 1\\|2 | `c\\|d`<br>e |",
        ),
        (
            "<table><tr><th rowspan=2>a<th colspan=2>b<tr><td>c<td rowspan=2>d<tr><td>e<td>f</table>",
            "| a | b |  |\n| --- | --- | --- |\n|  | c | d |\n| e | f |  |",
        ),
        (
            "<table><tr><td><th>a<tr><th>b<td>1<tr><th>c<td>2</table>",
            "|  | a |\n| --- | --- |\n| b | 1 |\n| c | 2 |",
        ),
        # tasks
        (
            "<ul><li><input type=checkbox checked> a<li><label><input type='CheckBox'>b</label>"
            "<ul><li><input type=checkbox><p>c</ul><li>d <input type=checkbox><li><input type=radio>e"
            "<li><h3><input type=checkbox>f</h3></ul>",
            "- [x] a\n- [ ] b\n  - [ ] c\n- d\n- e\n- ### f",
        ),
        # what looks like markup
        (
            "a*b_c_d_ &lt;!-- &amp;amp; ~x~ `y` [z](w) \\",
            r"a\*b_c_d\_ &lt;!-- &amp;amp; \~x\~ &#96;y&#96; \[z\](w) &#92;",
        ),
        ("1. a<p>- b<p># c<p>> d<p>+ e", "1\\. a\n\n\\- b\n\n\\# c\n\n&gt; d\n\n\\+ e"),
    ],
)
def test_markdown(markup, expected):
    assert markdown_of(markup) == expected


#: References and notes as generators of pages write them.
_LEADS = "<p>a<a href=#n id=r>[1]</a> b"
NOTES = {
    "Pandoc, kramdown": "<p>a<sup id='r:1'><a href='#n:1'>1</a></sup> b<div><hr><ol>"
    "<li id='n:1'><p>A <i>note</i>.\u00a0<a href='#r:1'>↩</a></ol></div>",
    "docutils": _LEADS + "<aside id=n><span>[</span><a href=#r>1</a><span>]</span><p>A <i>note</i>.</aside>",
    "MediaWiki": "<p>a<sup id=r><a href=#n>[1]</a></sup> b<ol><li id=n>"
    "<span>^ <b><a href=#r>a</a></b> <b><a href=#r>b</a></b></span> <span>A <i>note</i>.</span></ol>",
    "one way": "<p>a<sup><a href=#n>1</a></sup> b<p id=n>1. A <i>note</i>.",
    "numbered": "<p>a<sup><a href=#n>1</a></sup> b<ol><li id=n>A <i>note</i>.</ol>",
    "in brackets": "<p>a<a href=page.html#n>[1]</a> b<p id=n>[1] A <i>note</i>.",
}


@pytest.mark.parametrize("kind", NOTES)
def test_footnotes(kind):
    assert markdown_of(NOTES[kind]) == "a[^1] b\n\n[^1]: A *note*."
    assert "note" in html_of(NOTES[kind]) and "^" not in html_of(NOTES[kind]).replace("<li>^", "")
    assert "[^" not in markdown_of(NOTES[kind], "note")  # a reference to nothing stays what it is
    assert "[^" not in markdown_of(NOTES[kind], "b")  # and so does a note that nothing refers to
    page = Page.parse(NOTES[kind].replace("page.html", ""))  # of a file nobody knows the address
    assert to_markdown(render(page, np.ones(len(page.blocks), bool))).count("[^1]") == 2


@pytest.mark.parametrize(
    "markup",
    [
        "<a href=#one id=i>1</a><h2 id=one><a href=#i>1</a> One</h2><p>text",  # a table of contents
        "<p>1 <a href=#n>see there</a><p id=n>1 there",  # a link of words
        "<p>page <a href=#n>1</a><p id=n>1 there",  # neither raised nor in brackets
        "<pre>a<sup><a href=#n>1</a></sup></pre><p id=n>1 there",
        "<p id=n>1 there<p>a<sup><a href=#n>1</a></sup>",
        "<p>step <a href=#n>1</a><ol><li id=n>there</ol>",  # a link to a step
        "<p>a<sup><a href=#n>2</a></sup><ol><li id=n>there<li>here</ol>",  # another's number
    ],
)
def test_what_is_no_footnote(markup):
    assert "[^" not in markdown_of(markup)
    assert "1" in markdown_of(markup) or "A" in markdown_of(markup)


def test_footnotes_of_one_page():
    refers, note = "<a href='#{0}' id='r{0}'>{1}</a>", "<li id='{0}'>{2} <a href='#r{0}'>{1}</a>"
    signs = ["1", "1", "[b]", "*", "注1", "1"]
    markup = "<p>" + " ".join(refers.format(f"n{i}", sign) for i, sign in enumerate(signs))
    markup += (
        "<ol>" + "".join(note.format(f"n{i}", sign, f"note {i}") for i, sign in enumerate(signs)) + "<li>no note</ol>"
    )
    assert markdown_of(markup) == (
        "[^1] [^1-2] [^b] [^4] [^1-5] [^1-6]\n\n[^1]: note 0\n\n[^1-2]: note 1\n\n[^b]: note 2\n\n[^4]: note 3\n\n"
        "[^1-5]: note 4\n\n[^1-6]: note 5\n\n7. no note"
    )


def test_a_number_in_a_numbered_note_is_its_text():
    notes = "<p>a<sup><a href=#n>1</a></sup><sup><a href=#m>2</a></sup><ol><li id=n>Old one.<li id=m>2 boats.</ol>"
    assert markdown_of(notes) == "a[^1] [^2]\n\n[^1]: Old one.\n\n[^2]: 2 boats."


def test_a_picture_as_data_is_its_description():
    markup = "<p>a <img src='data:image/png;base64,{}' alt='b [c]'> d"
    assert "base64" in html_of(markup.format("A" * 4000))
    assert markdown_of(markup.format("A" * 4000)) == "a b \\[c\\] d"


@pytest.mark.parametrize(
    ("links", "images", "expected"),
    [
        (
            "keep",
            "keep",
            "[l](http://a.example/d/x)[^1] **![A](http://a.example/d/a.png)** [![](http://a.example/d/b.png)]"
            "(http://a.example/d/y) e\n\n![C](http://a.example/d/c.png)",
        ),
        ("text", "text", "l[^1] **A**  e\n\nC"),
        ("keep", "drop", "[l](http://a.example/d/x)[^1]   e"),
        ("text", "drop", "l[^1]   e"),
    ],
)
def test_links_and_images(links, images, expected):
    markup = (
        "<p><a href=x>l</a><sup><a href=#n>1</a></sup> <b><img src=a.png alt=A></b> <a href=y><img src=b.png></a> e"
        "<figure><img src=c.png alt=C></figure><p id=n>1 n m"
    )
    page, kept = parsed(markup)
    assert to_markdown(render(page, kept), links, images) == f"{expected}\n\n[^1]: n m"
    for wrong in ({"links": "drop"}, {"images": "no"}):
        with pytest.raises(ValueError, match="keep"):
            to_markdown([], **wrong)


def shown(document: str) -> str:
    """The text of a document, as a reader sees it; quotes may be marks of `q`."""
    return bare(re.sub("[“”]", "", html.unescape(re.sub("<[^>]*>", "", document))))


@given(st.one_of(MARKUP, pages(), SOUP), st.randoms(use_true_random=False))
def test_a_reader_finds_what_the_html_says(markup, random):
    page = Page.parse(markup, url=URL)
    tokens = render(page, np.array([random.random() < 0.8 for _ in range(len(page.blocks))], bool))
    expected, found = to_html(tokens), READER.render(to_markdown(tokens))
    assert shown(found) == shown(expected)
    assert_whitelisted(found)
    if "<table" not in expected:  # whose cells hold lines alone
        for tag in ("ol", "pre", "h1", "h2", "blockquote"):
            assert found.count(f"<{tag}") == expected.count(f"<{tag}")
        assert found.count("<li>") == len(re.findall("<(?:li|dt|dd)>", expected))


EMPHASIS = st.recursive(
    st.sampled_from(["a", "b", " ", "."]),
    lambda inside: st.builds(
        "<{0}>{1}</{0}>".format, st.sampled_from(["em", "b", "i", "s"]), st.lists(inside, max_size=3).map("".join)
    ),
    max_leaves=12,
)


@given(st.lists(EMPHASIS, max_size=4).map("".join))
@example("<em>a</em><b><em>a</em>a</b>")  # an emphasis begins where another ends
@example("<em>a</em><b>a<em>a</em></b>")
@example("x<b><em>a</em>a<em>a</em></b>")
@example("x<em><s>.</s></em>")  # one mark is none, and the other is beside it
def test_marks_are_read_as_marks(markup):
    page = Page.parse(f"<p>x {markup}<p>{markup}", url=URL)
    tokens = render(page, np.ones(len(page.blocks), bool))
    assert shown(READER.render(to_markdown(tokens))) == shown(to_html(tokens))
