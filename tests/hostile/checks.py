"""What must hold of all that is made of a page, whatever the page is: told by a parser that is not the one at test."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from importlib import resources
from unittest.mock import patch

import numpy as np
from lxml import etree
from markdown_it import MarkdownIt

from denoise_scrapy import Body, DuplicateIndex, Page, SiteModel
from denoise_scrapy.body import STRATEGIES
from denoise_scrapy.body.explanation import explain_page

URL = "http://a.example/d/page.html"
#: Elements that run, ask for something or send something.
_ACTIVE = frozenset(
    "script style iframe frame frameset object embed applet svg math form input button link base meta template video "
    "audio source portal body html head".split()
)
#: Those that are parts of every document.
_DOCUMENT = frozenset(["html", "head", "body"])
_ADDRESSES = frozenset("href src action formaction srcset poster background data cite ping xlink:href".split())
_SAFE = re.compile(r"(?:https?|ftp)://|(?:mailto|tel):|data:image/(?:png|jpe?g|gif|webp|avif)[;,]", re.IGNORECASE)
_READER = MarkdownIt("commonmark", {"html": True, "maxNesting": 1000}).enable(["table", "strikethrough"])
#: A reader of Markdown takes seconds for more characters.
MOST_MARKDOWN = 20_000
#: What no text of ours keeps, or keeps as it was: white space, marks, halves of characters.
_NOTHING = re.compile("[\x00-\x20\x7f-\xa0\u200b\ud800-\udfff\ufeff\ufffd]|\\s")


class _Elements:
    """Collects what an HTML document holds, however deep."""

    def __init__(self) -> None:
        self.found: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.found.append((tag, dict(attributes)))

    def data(self, text: str) -> None:
        self.texts.append(text)

    def close(self) -> None:
        pass


def read_document(document: str) -> _Elements:
    """All elements of a document."""
    found = _Elements()
    if document.strip():
        parser = etree.HTMLParser(target=found, encoding="utf-8", huge_tree=True)
        etree.fromstring(document.encode("utf-8", "replace"), parser)
    return found


def check_fragment(document: str) -> None:
    """Nothing in a fragment of HTML runs, and no address leads where something would."""
    for tag, attributes in read_document(document).found:
        assert tag not in _ACTIVE - _DOCUMENT, f"<{tag}> in HTML"
        for name, value in attributes.items():
            assert not name.startswith("on"), f"{name} in HTML"
            assert name not in ("style", "srcdoc"), f"{name} in HTML"
            assert name not in _ADDRESSES or _SAFE.match(value), f"{name}={value[:60]!r} in HTML"


def check_markdown(document: str) -> None:
    """The same of Markdown, as a reader of it shows it."""
    check_fragment(_READER.render(document[:MOST_MARKDOWN]))


def check_explanation(document: str) -> None:
    """The file of `explain` runs our own script alone, and asks for nothing."""
    own = (resources.files("denoise_scrapy.body") / "explained" / "page.js").read_text(encoding="utf-8").strip()
    elements = read_document(document)
    tags = [tag for tag, _ in elements.found]
    assert tags.count("script") == tags.count("style") == 1 and own in document
    assert not {"iframe", "object", "embed", "form", "svg", "math", "base", "img", "video", "template"} & set(tags)
    for tag, attributes in elements.found:
        for name, value in attributes.items():
            assert not name.startswith("on") and name not in ("style", "srcdoc"), f"{name} of <{tag}> in explain"
            assert name not in _ADDRESSES or value in ("#page", "data:,"), f"{name}={value[:60]!r} in explain"


def check_body(body: Body) -> None:
    """What a body tells is whole and harmless."""
    assert 0 <= body.confidence <= 1
    assert len(body.blocks) == len(body.probability)
    assert all(0 <= probability <= 1 for probability in body.probability.tolist())
    assert body.evidence and isinstance(body.title, str)
    check_fragment(body.html)
    check_markdown(body.markdown)


def over_bounds() -> AbstractContextManager[object]:
    """All pages are too large."""
    return patch("denoise_scrapy.page.page.is_too_large", lambda html: True)


def check_page(
    html: str | bytes,
    others: Sequence[str | bytes] = (),
    *,
    strategies: Iterable[str] = tuple(STRATEGIES),
    encoding: str | None = None,
) -> dict[str, Body]:
    """Everything that can be made of a page, checked; a body by strategy, and "alone" without other pages."""
    page = Page.parse(html, url=URL, encoding=encoding)
    parsed = [Page.parse(o, url=f"{URL}?{n}") for n, o in enumerate(others)]
    assert all(link.startswith(("http://", "https://")) for link in page.links)
    assert page.nbytes > 0 and page.facts.nbytes > 0
    model, found = SiteModel(parsed), {"alone": SiteModel().extract(page)}
    for name in strategies:
        found[name] = model.extract(page, strategy=name)
        # nothing is made up, nothing comes twice
        rest = iter(_NOTHING.sub("", page.text_of(np.ones(len(page.blocks), bool))))
        assert all(char in rest for char in _NOTHING.sub("", found[name].text)), "the text is none of the page's"
        assert found[name].text or found[name].fallback == "whole text" or not page.block_texts
    for body in {body.text: body for body in found.values()}.values():
        check_body(body)
    check_explanation(explain_page(html, URL, [(f"{URL}?{n}", o) for n, o in enumerate(others)]).html)
    index = DuplicateIndex()  # each text can be kept, and is found again
    for number, body in enumerate(found.values()):
        index.check_and_add(str(number), body.text)
        verdict = index.check("again", body.text)
        assert verdict.too_short or verdict.duplicate
    return found
