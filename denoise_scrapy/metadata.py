"""Language and date of publication, by py3langid and htmldate: the extra `meta`, imported when first asked.

Example:
    >>> language_of("The river rose again on Tuesday, and by noon the council had closed the old bridge.")
    'en'
    >>> published_on('<meta property="article:published_time" content="2024-03-12T08:00:00Z"><p>It rained.')
    '2024-03-12'
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from itertools import islice
from typing import Any

from lxml import etree
from lxml import html as lxml_html

from denoise_scrapy.page.markup import BLOCK_TAGS
from denoise_scrapy.page.parse import feed, to_utf8
from denoise_scrapy.page.reader import Target
from denoise_scrapy.shown import logger_of

__all__ = ["language_of", "published_on"]

logger = logger_of(__name__)

#: Fewer letters are too few to tell a language by: the page's own word for it counts.
MIN_LETTERS = 50
#: Characters of a text that are looked at; more tell nothing new, and take a millisecond a thousand.
MAX_TEXT = 5_000
#: Bytes of HTML in which a date is looked for. Of 360 recorded pages the largest has 1.5 MB.
MAX_HTML = 2_000_000
#: Levels and attributes of the tree that htmldate gets: it reads all text again at each level, and libxml2 all
#: attributes for each of an element. Recorded pages have 55 levels at most; what is deeper stands at the last one.
MAX_DEPTH = MAX_ATTRIBUTES = 60
#: Where the tag `html` is looked for; comments and declarations may stand before it.
MAX_BEFORE = 20_000

_LANG = re.compile(r"<html\b[^>]{0,2000}?\slang\s{0,9}=\s{0,9}[\"']?([a-z]{2,3})(?![a-z])", re.IGNORECASE)


def load(name: str) -> Any:
    """Import a library of the extra.

    Raises:
        ImportError: It is not installed; the message names the extra.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"needs {name}, which is not installed: pip install denoise-scrapy[meta]") from error


def language_of(text: str, html: str = "") -> str:
    """The language that a text is written in, as its code in ISO 639-1.

    Args:
        text: The text. One with fewer than `MIN_LETTERS` letters is not judged.
        html: The page it stands on, whose `lang` counts for such a text.

    Returns:
        "en", "de", "zh" …, "" where nothing tells.

    Raises:
        ImportError: py3langid is not installed.

    Example:
        >>> language_of("OK", '<html lang="pt-BR"><p>OK'), language_of("OK")
        ('pt', '')
    """
    classify = load("py3langid").classify
    start = text[:MAX_TEXT]
    if sum(map(str.isalpha, start)) >= MIN_LETTERS:
        return str(classify(start)[0])
    declared = _LANG.search(html, 0, MAX_BEFORE)
    return declared[1].lower() if declared else ""


def published_on(html: str | bytes, url: str | None = None) -> str:
    """The day on which a page was published, by what its markup and its URL say.

    Where they say nothing, a date in the text counts if it is written as one there, in digits and in full (2024-03-12).
    Others do not: there is one on nearly every page.

    Args:
        html: The page. No date is looked for in more than `MAX_HTML` bytes.
        url: Where it came from.

    Returns:
        "2024-03-12", "" where nothing tells.

    Raises:
        ImportError: htmldate is not installed.
    """
    find_date = load("htmldate").find_date
    if not html or len(html) > MAX_HTML:
        return ""
    try:
        tree = _tree(to_utf8(html))  # a text that looks like a URL would be fetched
        with _silent("htmldate"):
            return find_date(tree, extensive_search=False, original_date=True, url=url or None) or ""
    except Exception as error:  # a date is not worth a page, whatever it holds
        logger.debug("No date of %s: %r", url, error)
        return ""


def _tree(body: bytes) -> Any:
    """The page as elements of lxml, without what a tree of its own would take time for that grows with its square."""
    builder = etree.TreeBuilder(element_factory=lxml_html.html_parser.makeelement)
    builder.start("html", {})
    depth = 0

    def start(tag: str, attributes: Mapping[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth < MAX_DEPTH:
            builder.start(tag, dict(islice(attributes.items(), MAX_ATTRIBUTES)))

    def end(tag: str) -> None:
        nonlocal depth
        if depth < MAX_DEPTH:
            builder.end(tag)
            if tag not in BLOCK_TAGS:  # htmldate drops some, and would add what follows to one ever longer text
                builder.start("wbr", {})
                builder.end("wbr")
        depth -= 1

    feed(body, Target(start, end, builder.data))
    while depth > 0:
        end("html")
    builder.end("html")
    return builder.close()


@contextmanager
def _silent(name: str) -> Iterator[None]:
    """Without what a library logs: of pages that hold nonsense there is nothing to be said."""
    theirs = logging.getLogger(name)
    level = theirs.level
    theirs.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        theirs.setLevel(level)
