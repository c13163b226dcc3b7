"""Control characters, and what is no character, reach no output, wherever and however a page has them."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, is_dataclass
from typing import Any

import pytest
import yaml
from parsel import Selector

from denoise_scrapy import Page, extract
from tests.hostile.named import STORY

#: One of each kind, and the edges of their ranges.
CODES = (
    *(0, 1, 2, 8, 0xB, 0xC, 0x1B, 0x1C, 0x1F, 0x7F, 0x80, 0x81, 0x85, 0x9B, 0x9F),
    *(0xFDD0, 0xFDEF, 0xFFFE, 0xFFFF, 0x1FFFE, 0xD83D),
)
FORMS = {
    "raw": chr,
    "decimal": "&#{};".format,
    "hexadecimal": "&#x{:X};".format,
    "without an end": "&#00{} ".format,
    "twice": "&amp;#{};".format,
    "JSON": lambda code: json.dumps(chr(code))[1:-1],
}
PAGE = (
    "<html lang='e@n'><head><title>The old@ bridge</title><base href='http://a.example/@d/'>"
    "<meta name=author content='Ann@ Reed'><meta name=description content='It @rained@'>"
    "<meta name=keywords content='a@,@b'>"
    "<meta property=og:site_name content='The @Post'><meta property=og:image content='http://a.example/@i.png'>"
    "<meta property=article:published_time content='2024-01-0@2'><link rel=canonical href='http://a.example/@x?@#@'>"
    '<script type=application/ld+json>{"@type": "NewsArticle", "headline": "The old@ bridge", "author": "Ann @ Reed", '
    '"image": "http://a.example/@j.png"}</script><script type=application/ld+json>{"@type": "LiveBlogPosting", '
    '"liveBlogUpdate": [{"datePublished": "9:0@0", "headline": "a@", "articleBody": "It @rained", "b@": ["@"]}]}'
    '</script></head><body class="a@b" id="c@d"><p itemscope itemtype=@Thing><b itemprop=name content="@">a@</b>'
    f"{STORY}<h1>The old@ bridge</h1><p>By Ann @ Reed<p>It rained@all night@long, @@ said <b>@</b>"
    "<a href='/@l@' title=@>the @mayor</a>."
    "<p><img src='/@i.png' alt='A @bridge' width=4@0> <code>a@b</code><pre class=language-@c>a@b\n@\tc</pre>"
    "<table><tr><th>a@<td colspan=@2>@b</table><ul><li>@<li>a@</ul><noscript>a@</noscript><textarea>@</textarea>"
)
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff\U0001fffe\U0001ffff\ud800-\udfff]")


def texts(value: Any) -> Iterator[str]:
    """All texts in something."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for pair in value.items() for part in pair for text in texts(part))
    elif isinstance(value, tuple | list):
        yield from (text for one in value for text in texts(one))
    elif is_dataclass(value) and not isinstance(value, type):
        yield from texts(vars(value))


#: Pages within all bounds with each code in each form, and too large ones with each code in one form.
PAGES = [(code, form, bounds) for bounds in ("within", "too large") for code in CODES for form in FORMS]
PAGES = [one for n, one in enumerate(PAGES) if one[2] == "within" or n % 7 == 0]


@pytest.mark.parametrize(("code", "form", "bounds"), PAGES)
def test_no_output_has_any(code: int, form: str, bounds: str) -> None:
    markup = PAGE.replace('{"@type"', '{"%type"').replace("@", FORMS[form](code)).replace("%type", "@type")
    html = markup + ("" if bounds == "within" else "<b>" * 600 + markup)
    page = Page.parse(html, url="http://a.example/d/x.html", keep="body")
    body = extract(html, url="http://a.example/d/x.html", keep="body")
    selected = extract(Selector(html.encode("utf-8", "replace").decode()), url="http://a.example/d/x.html", keep="body")
    front = body.meta.front_matter()
    found = [body.text, body.html, body.markdown, body.title, front, page.title, page.base_url]
    found += [selected.text, selected.html, selected.markdown]
    found += texts([body.chunks(), body.blocks, asdict(body.meta), page.block_texts, page.links])
    assert bounds != "within" or len(body.news.updates) == 1
    found += texts([body.news.updates, body.news.structured, body.news.pages])
    assert [text for text in found if _UNSEEN.search(text)] == []
    assert yaml.safe_load(front.strip("-"))["title"] == body.title
    assert "rained" in body.text
