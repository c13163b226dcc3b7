"""How the tests of the rendering make one, and what they hold it to."""

import re

import numpy as np
from hypothesis import strategies as st
from lxml import html

from denoise_scrapy.body.rendering import render, to_html, to_markdown
from denoise_scrapy.core.written import WRITTEN
from denoise_scrapy.page import Page

URL = "http://a.example/d/page.html"
#: What shows nothing, or may stand in no document.
_NOTHING = re.compile("[\x00-\x20\x7f\u200b\u200c\u200d\u2060\ufeff\u00ad\ufffe\uffff]|\\s")

_TAGS = (
    "ul ol li dl dt dd blockquote figure figcaption table caption thead tbody tr td th h1 h2 p pre code kbd div a b i "
    "s sup q span form label article menu hr option"
).split()
_STARTS = (
    "<a href=x>|<a href='javascript:x'>|<img src=i.png>|<img src=i.png alt='](x) <b>'>|<td rowspan=2>|<td colspan=3>|"
    "<ol start=3>|<pre><code class=language-c>|<br>|<br>"
).split("|")
_TEXTS = (
    "one|two |x\ny| |&lt;b>|\u200b|\u00a0z|中。|\u3000|"
    "*|_|#|- |1. |&lt;script>|&amp;lt;|:--|=|+|!|`|```|~~|[x](javascript:y)|\\|>"
).split("|")
#: Tags of every kind that is written and texts that look like markup, opened and closed in any order.
MARKUP = st.lists(
    st.one_of(
        st.sampled_from([f"<{tag}>" for tag in _TAGS] + [f"</{tag}>" for tag in _TAGS] + _STARTS),
        st.sampled_from(["|", *_TEXTS]),
    ),
    max_size=40,
).map("".join)


def parsed(markup: str, dropped: tuple[str, ...] = ()) -> tuple[Page, np.ndarray]:
    """A page, and which of its blocks are kept: those without any of the words."""
    page = Page.parse(f"<body>{markup}", url=URL)
    texts = [page.block_text(i) for i in range(len(page.blocks))]
    return page, np.array([not any(word in text for word in dropped) for text in texts], bool)


def html_of(markup: str, *dropped: str) -> str:
    """The rendering without the white space between its blocks."""
    text = to_html(render(*parsed(markup, dropped)))
    return text if "<pre" in text else text.replace("\n", "")


def markdown_of(markup: str, *dropped: str) -> str:
    return to_markdown(render(*parsed(markup, dropped)))


def bare(text: str) -> str:
    """What of a text counts: no white space, nothing invisible."""
    return _NOTHING.sub("", text)


def assert_whitelisted(document: str, more: frozenset[str] = frozenset()) -> None:
    """Assert that lxml finds nothing in a document but tags and attributes that may be written."""
    if not document.strip():
        return
    for element in html.fragment_fromstring(document, create_parent="section").iterdescendants():
        assert element.tag in WRITTEN | dict.fromkeys(more)
        assert set(element.attrib) <= WRITTEN.get(element.tag, frozenset())
        for name in {"href", "src"} & set(element.attrib):
            assert re.match(r"(https?|ftp)://|mailto:|tel:|data:image/", element.get(name), re.IGNORECASE)
