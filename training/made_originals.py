"""Recorded pages as trees: what is put into them, and the story that is taken out of them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress, islice, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from lxml import etree, html

from benchmarks.corpora import RecordedPage
from denoise_scrapy.core.markup import BLOCK_TAGS, SKIPPED_TAGS
from denoise_scrapy.core.tree import tree_of
from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import BoolArray
from denoise_scrapy.page.parse import to_utf8
from training.labels import block_tokens, story_tokens

#: Tokens of gold below which a page has no story to put something beside, and none to give.
_SHORT, _SHORT_GIVEN = 20, 30
#: Characters of a page at most: one of the corpora's largest takes seconds; and of a story's markup: a made page stays
#: of a page's size.
MAX_CHARS, MAX_STORY = 1_500_000, 150_000
#: An element holds the story that holds so much of the gold; one is given that holds so much, and so little else.
_HOLDS, _HOLDS_GIVEN, _ELSE = 0.9, 0.85, 0.35
#: Elements that a box may be put into.
_HOLDERS = frozenset("body div section article main aside td center form".split())
#: Tags that cannot stand wherever a box can.
_NOT_FREE = frozenset("html body main tr td th tbody thead tfoot table li dd dt center form".split())
#: An attribute of elements while they are put in; and by its value, the share of their blocks that counts for them.
MARK, MARKS = "data-made", {"put": 1.0, "doubt": np.nan}


@dataclass(frozen=True)
class Original:
    """A recorded page as a tree that boxes are put into.

    Attributes:
        page: The page.
        root: Its tree.
        story: The element of its story.
        kept: The element of each block of its gold text, None for one that the parser did not make.
    """

    page: Page
    root: Any
    story: Any
    kept: list[Any]

    @classmethod
    def of(cls, recorded: RecordedPage) -> Original | None:
        """A page, None where it is too long, or has no story in an element of its own."""
        if len(recorded.html) > MAX_CHARS:
            return None
        page = Page.parse(recorded.html, url=recorded.url)
        _, gold = story_tokens(block_tokens(page), recorded.gold)
        if page.is_too_large or gold.sum() < _SHORT:
            return None
        root, elements = _numbered_tree(recorded.html)
        story = elements.get(_holder(page, gold, _HOLDS))
        kept = [elements.get(e) for e in page.blocks.element[gold > 0].tolist()]
        return None if story is None else cls(page, root, story, kept)

    def markup(self) -> str:
        """The tree as it stands."""
        return str(html.tostring(self.root, encoding="unicode"))

    def read(self) -> tuple[str, Page, npt.NDArray[np.float64]]:
        """The tree as it stands without marks, the same parsed, and what `MARKS` say of each block, else 0."""
        marked = self.markup()
        text = re.sub(f' {MARK}="({"|".join(MARKS)})"', "", marked)
        page = Page.parse(text, url=self.page.url)
        share = np.zeros(len(page.blocks))
        found = Page.parse(marked, keep=[f"[{MARK}={mark}]" for mark in MARKS]).kept_by_user
        for match, value in zip(found, MARKS.values(), strict=False):  # none in what is too large
            share[page.elements.inside(match.elements)[page.blocks.element]] = value
        return text, page, share

    def with_boxes(self, boxes: Sequence[Any], parent: Any, index: int) -> tuple[str, Page, BoolArray] | None:
        """The page with boxes, parsed, and whether each block is theirs; None where its own are not the same."""
        for box in boxes:
            box.set(MARK, "put")
        parent[index:index] = boxes
        text, page, share = self.read()
        for box in boxes:
            parent.remove(box)
        foreign = share > 0
        own = list(compress(page.block_texts, ~foreign))
        is_same = own == self.page.block_texts and page.noscript_read == self.page.noscript_read
        return (text, page, foreign) if is_same and foreign.any() else None

    def replace_story(self, boxes: Sequence[Any], *, keep_rest: bool) -> None:
        """Put boxes in place of the story, for good; the page declares no type any more.

        What else was of its gold is marked as in doubt, or goes.
        """
        for element in list(self.root.iter(etree.Element)):
            element.attrib.pop("itemtype", None)
            if element.get("property") == "og:type" or element.get("type") == "application/ld+json":
                element.drop_tree()
        for element in [one for one in self.kept if one is not None]:
            if keep_rest:
                element.set(MARK, "doubt")
            elif element.getparent() is not None and self.story not in element.iter():
                element.drop_tree()
        self.story[:] = boxes
        self.story.text = None

    def places(self, rng: random.Random, ways: Mapping[str, int]) -> Iterator[tuple[Any, int]]:
        """(parent, index) of places for a box, in an order by chance, the ways with more weight first more often."""
        for way in sorted(ways, key=lambda way: rng.random() ** (1 / ways[way]), reverse=True):
            if way == "behind":
                yield from _around(self.story, 1)
            elif way == "beside":
                above = [self.story, *islice(self.story.iterancestors(), rng.randint(0, 2))]
                yield from _around(above[-1], rng.randint(0, 1))
            elif way == "middle":
                found = self._between()
                yield from rng.sample(found, min(len(found), 2))
            else:
                holders = [self.story] if way == "inside" else list(self.root.iter("body"))[:1]
                yield from ((holder, len(holder)) for holder in holders if holder.tag in _HOLDERS)

    def _between(self) -> list[tuple[Any, int]]:
        """Places between two paragraphs of the story."""
        found = dict[tuple[Any, int], None]()
        inside = set(self.story.iterdescendants())
        for element in self.kept[:-1]:
            up = element
            while up in inside and up.getparent().tag not in _HOLDERS:
                up = up.getparent()
            if up in inside:
                parent, index = up.getparent(), up.getparent().index(up) + 1
                if index < len(parent) and _free(parent, index):
                    found[parent, index] = None
        if not found and self.story.tag in _HOLDERS:  # paragraphs parted by breaks
            return [(self.story, i) for i in range(1, len(self.story)) if _at_breaks(self.story, i)]
        return list(found)


def _around(element: Any, after: int) -> Iterator[tuple[Any, int]]:
    """Places right behind an element, or before it, and the same of what it stands in."""
    for inner, parent in pairwise((element, *element.iterancestors())):
        index = parent.index(inner) + after
        if _free(parent, index):
            yield parent, index


def _free(parent: Any, index: int) -> bool:
    """Whether a block of text ends at a place anyway."""
    if parent.tag not in _HOLDERS:
        return False
    if index == len(parent) or parent[index].tag in BLOCK_TAGS or _at_breaks(parent, index):
        return True
    return index > 0 and parent[index - 1].tag in BLOCK_TAGS | SKIPPED_TAGS and not tail(parent[index - 1])


def _at_breaks(parent: Any, index: int) -> bool:
    """Whether a place is between two breaks with nothing else between."""
    return index > 0 and parent[index - 1].tag == "br" == parent[index].tag and not tail(parent[index - 1])


def tail(element: Any) -> str:
    """The text right behind an element."""
    return (element.tail or "").strip()


@lru_cache(maxsize=64)
def story_element(recorded: RecordedPage) -> Any:
    """The smallest element that holds most of a page's gold text and little else, cleaned; None where there is none."""
    page = Page.parse(recorded.html, url=recorded.url)
    lengths, gold = story_tokens(block_tokens(page), recorded.gold)
    if page.is_too_large or gold.sum() < _SHORT_GIVEN:
        return None
    holder = _holder(page, gold, _HOLDS_GIVEN)
    inside = page.blocks.inside(holder)
    if (lengths - gold)[inside].sum() > _ELSE * lengths[inside].sum():
        return None
    found = deepcopy(_numbered_tree(recorded.html)[1][holder])
    found.tail = None
    for skipped in list(found.iter(*SKIPPED_TAGS)):
        skipped.drop_tree()
    if found.tag in _NOT_FREE:
        found.tag = "div"
    return found if len(html.tostring(found)) <= MAX_STORY else None


def _holder(page: Page, gold: npt.NDArray[np.int64], share: float) -> int:
    """Number of the smallest element that holds a share of the tokens of gold."""
    return int(np.flatnonzero(page.blocks.subtree_sums(gold) >= share * gold.sum())[-1])


def _numbered_tree(source: str) -> tuple[Any, dict[int, Any]]:
    """A page's root in a tree of lxml's that may be changed, and its elements by their numbers on the parsed page."""
    parser = html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    root = etree.fromstring(to_utf8(source), parser)
    elements = list(root.iter(etree.Element))
    numbers = tree_of(root, keep_nodes=True).numbers_of(elements)
    return root, {number: element for number, element in zip(numbers, elements, strict=True) if number >= 0}
