"""Pages whose text would be markup in some reader of Markdown."""

import itertools
from html import escape, unescape

from hypothesis import strategies as st

RUNS = "<img src=x onerror='ran=1'>"
_SHOWN = RUNS.replace("<", "&lt;")
_MATH = "<math alttext='{}'></math>"
_NOTES = (
    "<p>a<sup><a id=r href=#n>1</a></sup> [^1] [b][^1] <b>!<a href=#n>1</a></b><ol><li id=n>{}<a href=#r>b</a></ol>"
)
_TABLE = "<table><tr><th>Name<th>Value<tr><td>{}<td>{}</table>"

#: What a page shows as text, found by an attacker or by the fuzz.
CASES = (
    # the finding: a backslash and a pipe in code end the cell
    _TABLE.format(f"<code>a\\|{_SHOWN}</code>", "b"),
    _TABLE.format(f"<code>a\\|{_SHOWN}", f"`|{_SHOWN}`"),
    _TABLE.format(f"\\|{_SHOWN}|\\", f"<code>`|{_SHOWN}|`</code>\\"),
    # the finding: `\<` is no escape everywhere
    f"<p>{_SHOWN} and a text",
    f"<h2>{_SHOWN}</h2><ul><li>{_SHOWN}<li>a <b>{_SHOWN}</b></ul>",
    # code in containers and with empty lines, which some readers take for text
    f"<ul><li>a<pre>b\n\n{_SHOWN}\n\n    {_SHOWN}</pre></ul>",
    f"<blockquote><p>a<pre>{_SHOWN}\n\n{_SHOWN}</pre></blockquote>",
    f"<pre>&lt;/code>&lt;/pre>{_SHOWN}</pre>",
    "<pre>[a](javascript:ran=1)\n\n[b]: javascript:ran=1\n\n[b]</pre>",
    "<ul><li>a<pre>[a](javascript:ran=1)\n\n![a](javascript:ran=1)\n\n[b]: javascript:ran=1\n\n[b] [b][b]</pre></ul>",
    "<ul><li>a<pre>x\n\ny { onclick='ran=1' }\n\n# y {: onclick='ran=1' }</pre></ul>",
    # code in a line, beside backslashes and backticks
    f"<p>\\<code>{_SHOWN}</code>\\`<code>`{_SHOWN}</code>`\\",
    "<p>\\<code>[a](javascript:ran=1)</code> `<code>![a](javascript:ran=1)</code>",
    # attributes, references and entities
    "<h2>a {: onclick='ran=1' }</h2><p>b { onclick='ran=1' }<p><b>c</b>{: onclick='ran=1' } <code>d</code>{: onclick='ran=1' }",  # noqa: E501
    "<p>[a]: javascript:ran=1<p>[a] [b][a] ![a]<p>[^1]: x<p>[^1] *[a]: b",
    "<p>&amp;lt;img src=x onerror='ran=1'&amp;gt; &amp;#60;img src=x onerror='ran=1'>",
    "<p>a&amp;<b>lt;img src=x onerror='ran=1'></b> &lt;<b>img src=x onerror='ran=1'></b> &lt;<code>img src=x onerror='ran=1'></code>",  # noqa: E501
    f"<p>a<br>{_SHOWN}<br>> {_SHOWN}<br>    {_SHOWN}",
    # addresses and descriptions of images
    "<p><a href='http://b.example/\"onmouseover=\"ran=1'>a</a> <a href=\"http://b.example/'onmouseover='ran=1\">a</a>",
    "<p><img src='http://b.example/\"onerror=\"ran=1' alt='\"onerror=\"ran=1'> <img src=y alt='](javascript:ran=1) `a'>",  # noqa: E501
    f"<p><a href='http://b.example/`'>a`</a>{_SHOWN}`<a href='http://b.example/&lt;script>'>a</a>",
    "<p><a href='http://b.example/|\\'>a</a>" + _TABLE.format("<a href='http://b.example/|\\'>a\\|</a>", _SHOWN),
    "<p><img src=y alt='a > b'> onerror=ran=1 <img src=z alt=c>",
    "<p><a href=y>a <code>](javascript:ran=1)</code></a> <a href=y><code>`](javascript:ran=1) `</code></a>",
    "<p><img src=y alt='Photo: www.b.example/onerror=ran=1//a by Ann'> <img src=y alt='http://b.example/onerror=ran=1//'>",
    "<p><a href=y>![a](http://b.example/p.png)</a> <a href=y>a ![b](javascript:ran=1)</a>",
    # an address that goes on in the tag behind it
    "<p>http://b.example/<img src=y alt=' onerror=ran=1 '> www.b.example<a href=y>a</a> www.b.example<b>(</b><a href=y>a</a>",  # noqa: E501
    f"<p>http://b.example/<code>{_SHOWN}</code> www.b.example<code>{_SHOWN}</code>",
    "<p>/// html | script<br>ran=1<br>///",
    "<pre>/// html | script\nran=1\n///</pre><ul><li>a<pre>\n/// html | script\nran=1\n///</pre></ul>",
    # TeX, which stands nearly as it is
    "<p>" + _MATH.format("*a*{: onclick=ran=1 } [[a]](javascript:ran=1)") + _MATH.format("_a_{ onclick=ran=1 ") + " }",
    "<p><script type='math/tex'>**a**{b=\"}\" onclick=ran=1 } [a\\](b)](javascript:ran=1) " + RUNS + "</script>",
    "<p><img class=tex alt='[b]: javascript:ran=1 ![a](javascript:ran=1)'> [b] [a] ![a]",
    "<p>"
    + _MATH.format('![a" onerror=ran=1 ')
    + " <a href=y>b "
    + _MATH.format("](javascript:ran=1)")
    + "</a> <img src=y>",
    f"<p>\\({_SHOWN} =\\) \\[ *a*{{: onclick='ran=1' }} [a](javascript:ran=1) = \\] \\(`\\) `\\)",
    _TABLE.format(_MATH.format("a|`b\\|"), "<script type='math/tex; mode=display'>a | $</script>"),
    # alerts, tabs and signatures, in marks of ours beside texts of theirs
    *(
        f"<div class='admonition note'><p class=title>{title}</p><p>{text}</p></div>"
        for title in ("Note", _SHOWN, "a] (javascript:ran=1)")
        for text in ("(javascript:ran=1) [!NOTE]", ": javascript:ran=1", "[!NOTE]: javascript:ran=1", _SHOWN)
    ),
    f"<div class=tabs><button>{_SHOWN}</button><button>*a</button></div><div><p>b</p><p>{_SHOWN}</p></div>",
    f"<dl><dt id=f>f({_SHOWN}, `a`)</dt><dd>{_SHOWN}</dd><dt class=sig>[a](javascript:ran=1)</dt><dd>b</dd></dl>",
    # footnotes, which readers without them take for addresses of links
    *(
        _NOTES.format(note)
        for note in (
            "javascript:ran=1",
            "javascript:ran=1 'b'",
            "&lt;javascript:ran=1> (b)",
            "javascript:ran=1<br>'b'",
            f"{_SHOWN} {{: onclick='ran=1' }}",
            "/// html | script",
            "[^1]: javascript:ran=1",
            "<b>javascript:ran=1</b>",
            "&amp;lt;javascript:ran=1>",
            "http://b.example/onerror=ran=1//",
        )
    ),
    _TABLE.format("a<sup><a href=#n>1</a></sup>", f"\\|<code>|{_SHOWN}|</code>") + "<p id=n>1 javascript:ran=1",
    # boxes, which readers without them take for names of links
    "<ul><li><input type=checkbox checked>(javascript:ran=1)<li><input type=checkbox>: javascript:ran=1"
    "<li><input type=checkbox checked><a href=y>[a]</a><li><input type=checkbox>[a]: javascript:ran=1</ul>[x] [a]",
)

_PIECES = (
    "a|b |\n| |\\|`|``|\\||\\`|\\\\|[|]|(|)|![|](javascript:ran=1)|[a](javascript:ran=1)|]: javascript:ran=1|<|>|&amp;|"
    "&amp;lt;|&amp;#60;|*|**|_|~|~~|#|# |- |+ |1. |1) |=|---|:-|:|!|{|}|{: onclick='ran=1' }|"
    "{ onclick='ran=1' }|\"|'|^|[^1]|    |\t|$|http://b.example/|<!--|-->|<?|<![CDATA[|</|</code>|</pre>|<script>ran=1</script>|<svg/onload=ran=1>"
)
_TEXTS = [piece.replace("<", "&lt;") for piece in _PIECES.split("|")] + ["|", "\\|", _SHOWN, _SHOWN]
_TAGS = (
    "p div b em s q sup code code code kbd ul ol li li dl dt dd blockquote pre pre h2 table tr tr td td th caption"
).split()
_MARKS = [
    *itertools.chain.from_iterable((f"<{tag}>", f"</{tag}>") for tag in _TAGS),
    *("<br>", "<a href=x>", "<a href=x>", "</a>", "<a href='http://b.example/|`\\'>"),
    *("<td colspan=3>", "<td rowspan=2>", "<pre><code class=language-c>", "<table><tr><td>", "<td><code>"),
    *("<a id=r href=#n>[1]</a>", "<a href=#n>1</a>", "<li id=n>", "<p id=n>1. <a href=#r>b</a>", "<div id=n>"),
    *("<li><input type=checkbox>", "<li><input type=checkbox checked>"),
]
#: What readers make more of than CommonMark: addresses, names, notes, marks of their own.
_MORE_PIECES = (
    "a c .|www.b.example/onerror=ran=1//a|http://b.example/x|ftp://b.example|www.|http://|a@b.example|@user|mailto:|:a:|"
    ":smile:|![a](http://b.example/p.png)|^[a]|==|==a==|++|{++a++}|{--a--}|{>>a<<}|[[a]]|^a^|\\(|\\[|&copy;|%|/|///|--|...|"
    " =100x100|\u00a0|<http://b.example/>|<b>|?>|/// html"
)
_BARE = [unescape(piece) for piece in (*_TEXTS, *_MORE_PIECES.split("|"), "|")]
#: A text of pieces that some reader takes for markup.
TEXTS = st.lists(st.sampled_from(_BARE), min_size=1, max_size=6).map("".join)
_ELEMENTS = TEXTS.map(escape).flatmap(
    lambda text: st.sampled_from([f"<img src=i.png alt='{text}'>", f"<a href=x>{text}</a>", f"<code>{text}</code>"])
)
#: Readers make of TeX what they make of a text besides: addresses, names of little pictures.
_FORMULAS = st.lists(st.sampled_from(_TEXTS), max_size=6).map(lambda of: _MATH.format(escape(unescape("".join(of)))))
#: Texts of marks, of half marks and of HTML, in elements opened and closed in any order; half of them in a table.
PAGES = st.tuples(
    st.sampled_from(["{}", "{}", "<table><tr><th>a<th>b<tr><td>{}<td>c</table>", "<ul><li>a{}</ul>", "<pre>{}</pre>"]),
    st.lists(
        st.one_of(st.sampled_from(_TEXTS), st.sampled_from(_TEXTS), st.sampled_from(_MARKS), _ELEMENTS, _FORMULAS),
        max_size=24,
    ),
).map(lambda made: made[0].replace("{}", "".join(made[1])))

#: Where a text stands that is no markup to any reader, whatever it holds.
PLACES = (
    "<p>x <img src=i.png alt='{0}'> <a href=m>y</a>",
    "<p>x <a href=l>{0}</a> y",
    "<p>x <code>{0}</code> y <code>{0}</code> <b>z</b>",
    "<p>x <a href=l><img src=i.png alt='{0}'></a> <a href=m>b <code>{0}</code></a> y",
    "<h2>x <a href=l>{0}</a> <img src=i.png alt='{0}'> <code>{0}</code></h2>",
    "<ul><li><a href=l>{0}</a> <img src=i.png alt='{0}'> <code>{0}</code><li>y</ul>",
    "<table><tr><th>a<th>b<tr><td><img src=i.png alt='{0}'> <a href=l>{0}</a> <code>{0}</code><td>c</table>",
    "<p>x<a id=r href=#n>[1]</a> y<ol><li id=n>z <a href=l>{0}</a> <code>{0}</code> z <a href=#r>b</a></ol>",
)

#: Code of pieces that readers without fences take for markup, harmless ones and others.
CODES = st.lists(
    st.sampled_from(
        [
            *_BARE,
            *("\n", "\n\n", "\n    ", "    ", "=", '"', "'", ">", "List<String>", "<T, U>", "<div class=box>", "<p>"),
            *(
                "<div class='box'>",
                '<b title="',
                " class='a",
                " onclick=ran=1 ",
                "</b>",
                "<script>ran=1</script>",
                "<a",
            ),
            *(
                " href='javascript:ran=1'",
                "<br/",
                "i<n",
                "table[key](row)",
                "](",
                "]:",
                "//b.example/a.js",
                "```",
                "~~~",
            ),
            *("<svg>", "<style>", "<!--", "-->", "<?php", "data-a='<'", "</ b>", "<b\u00a0", "<B CLASS=x", "  </div>"),
        ]
    ),
    min_size=1,
    max_size=12,
).map("".join)
#: Where code stands.
CODE_PLACES = (
    "<p>a<pre>{0}</pre><p>b",
    "<p>a<pre><code class=language-html>{0}</code></pre><p>b",
    "<ul><li>a<pre>{0}</pre>b<li>c</ul>",
    "<ol><li>a<ul><li>b<ol><li>c<pre>{0}</pre></ol></ul></ol><p>d",
    "<blockquote><p>a<pre>{0}</pre></blockquote>",
    "<dl><dt>a<dd>b<pre>{0}</pre><ul><li>c<pre>{0}</pre></ul></dl>",
)
