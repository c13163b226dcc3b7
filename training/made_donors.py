"""What a recorded page gives to made pages: its headline, paragraphs, sentences, and the element that holds them."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from typing import Any

import numpy as np
from lxml import etree, html

from benchmarks.corpora import RecordedPage
from denoise_scrapy.core.markup import SKIPPED_TAGS
from denoise_scrapy.core.tree import tree_of
from denoise_scrapy.metadata import language_of
from denoise_scrapy.page import Page
from denoise_scrapy.page.parse import to_utf8
from example_project.portal.model import tokens
from training.labels import block_tokens, story_tokens

#: What no document may hold.
_REFUSED = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SENTENCE = re.compile(r"[^.!?。！？…]+(?:[.!?…]+(?=\s|$)|[。！？]+|[.!?…]+|$)")
#: Characters of markup of a further story at most: a made page stays of a page's size.
MAX_STORY = 150_000
#: An element stands for a story where it holds so much of its text, and so little else.
_HOLDS, _ELSE = 0.85, 0.35
#: Tags that cannot stand wherever a box can.
_NOT_FREE = frozenset("html body main tr td th tbody thead tfoot table li dd dt center form".split())


@dataclass(frozen=True)
class Donor:
    """What a recorded page gives to others.

    Attributes:
        page: The page.
        title: Its headline.
        paragraphs: Lines of its gold text.
        sentences: Sentences of them, 4 to 60 tokens long.
    """

    page: RecordedPage
    title: str
    paragraphs: tuple[str, ...]
    sentences: tuple[str, ...]


@lru_cache(maxsize=4096)
def sentences(text: str) -> list[str]:
    """The sentences of a text, in any script."""
    return [sentence for found in _SENTENCE.findall(text) if (sentence := found.strip())]


def donor(page: RecordedPage) -> Donor:
    """Take a page's gold text apart.

    Example:
        >>> gold = "It did not stop. Why? It just did not."
        >>> page = RecordedPage("", "<title>It rained all night | Post</title>", gold)
        >>> donor(page).title, donor(page).sentences
        ('It rained all night', ('It did not stop.', 'It just did not.'))
    """
    gold = clean(unescape(re.sub(r"</?[a-z][^<>]*>", " ", page.gold)))
    lines = tuple(line for line in (" ".join(line.split()) for line in gold.splitlines()) if line)[:400]
    found = re.search(r"<title[^>]*>([^<]{1,300})", page.html, re.IGNORECASE)
    title = clean(" ".join(unescape(found[1]).split())) if found else ""
    title = re.sub(r"(.{15,}?)\s+[|»·–—-]\s.*", r"\1", title)
    if len(tokens(title)) < 3:
        title = lines[0][:120] if lines else ""
    told = (sentence for line in lines for sentence in sentences(line))
    return Donor(page, title, lines, tuple(one for one in told if 4 <= len(tokens(one)) <= 60)[:300])


@lru_cache(maxsize=64)
def story_element(page: RecordedPage) -> Any:
    """The smallest element that holds most of a page's gold text and little else, cleaned; None where there is none."""
    parsed = Page.parse(page.html, url=page.url)
    if not len(parsed.blocks) or parsed.is_too_large:
        return None
    lengths, gold = story_tokens(block_tokens(parsed), page.gold)
    held, all_ = parsed.blocks.subtree_sums(gold), parsed.blocks.subtree_sums(lengths)
    if gold.sum() < 30:
        return None
    best = int(np.flatnonzero(held >= _HOLDS * gold.sum())[-1])
    if all_[best] - held[best] > _ELSE * all_[best]:
        return None
    found = deepcopy(numbered_tree(page.html)[1][best])
    found.tail = None
    for skipped in list(found.iter(*SKIPPED_TAGS)):
        skipped.drop_tree()
    if found.tag in _NOT_FREE:
        found.tag = "div"
    return found if len(html.tostring(found)) <= MAX_STORY else None


def numbered_tree(source: str) -> tuple[Any, dict[int, Any]]:
    """A page's root in a tree of lxml's that may be changed, and its elements by their numbers on the parsed page."""
    parser = html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(to_utf8(source), parser)
    elements = list(root.iter(etree.Element))
    numbers = tree_of(root, keep_nodes=True).numbers_of(elements)
    return root, {number: element for number, element in zip(numbers, elements, strict=True) if number >= 0}


def clean(text: str) -> str:
    """The text without what no document may hold."""
    return _REFUSED.sub("", text)


@lru_cache(maxsize=8192)
def language(page: RecordedPage) -> str:
    """Language of a page's gold text in ISO 639-1, English where nothing tells."""
    return language_of(page.gold[:3000]) or "en"
