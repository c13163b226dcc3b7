"""Signatures, admonitions, and tabs with their panels, in the markup of generators of manuals.

Class names decide only how kept text is written, not what is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from denoise_scrapy.body.code import FRAME_TOKENS, LEVELS
from denoise_scrapy.core.characters import letters
from denoise_scrapy.core.markup import HEADING_TAGS, split_name
from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import BoolArray, IntArray

#: The alerts of GitHub's Markdown, each with the names that generators have for it.
_ALERTS = {
    "NOTE": "note info information seealso abstract question example quote todo",
    "TIP": "tip hint success",
    "IMPORTANT": "important",
    "WARNING": "warning warn attention",
    "CAUTION": "caution danger error failure bug",
}
_KINDS = {word: alert for alert, words in _ALERTS.items() for word in words.split()}
#: Words of the class names of boxes: one that consists of these, of kinds and of what generators add.
_BOXES, _ADDED = (
    frozenset("admonition admonitionblock alert callout notecard custom".split()),
    {"theme", "markdown", "block"},
)
#: Boxes that are admonitions without a title, too.
_UNTITLED = _BOXES - {"alert"}
#: Words that no other boxes have: of any kind.
_OWN = {"admonition", "custom"}
#: Larger headings are those of a section.
_TOO_LARGE = {"h1", "h2", "h3"}
#: Words in the name of a title.
_TITLES = frozenset("title heading header label summary".split())
_BOX_TAGS = frozenset("div section aside details blockquote".split())
#: Words in the names of tabs, and in those of their panels.
_TABS, _PANELS = (
    frozenset("tab tabs tabbed tablist".split()),
    frozenset("panel tabpanel pane tab content block".split()),
)
#: Rows of tabs, and elements of a signature, that are looked at: pages may be hostile.
_MOST = 200
#: A signature of a function, as terms of definitions and headings have it; and of a class.
_CALL = re.compile(r"(?:[\w@.:*&<>\[\],?~-]+ ){0,9}[\w.:$~]+\(.{0,2000}", re.DOTALL)
_DECLARED = re.compile(r"(?:public|private|protected|static|abstract|final|class|interface|enum|record|pub|fn|def)\b")
#: Parts of the names of most boxes, of all tabs and of signatures, after a first letter that may be a capital: where
#: there are none, no title or label is searched for.
_OF_BOXES = b"dmonition allout notecard custom-block lert note tip hint mportant arning aution anger".split()
_OF_TABS, _OF_SIGNATURES = (
    [b"tabs", b"tabbed", b"tablist", b"tab-"],
    [b"descname", b"code-header", b"signature"],
)


class Admonition(NamedTuple):
    """A box with a note or warning.

    Attributes:
        alert: Its kind, as in GitHub's Markdown.
        title: The element of its title, -1 for none.
        blocks: Its blocks, the title's first: the first, and the one after the last.
        kind: The kind in words, if that is the title, else "".
    """

    alert: str
    title: int
    blocks: tuple[int, int]
    kind: str


class Manual:
    """The signatures, admonitions and tabs of a page.

    Attributes:
        admonitions: By their elements.
        tabs: The element of its tab, by that of each panel.
    """

    def __init__(self, page: Page) -> None:
        self._page, self._e = page, page.elements
        self.admonitions: dict[int, Admonition] = {}
        self.tabs: dict[int, int] = {}
        self._words = dict[int, frozenset[str]]()
        boxes = set(page.tree.tokens_named(_OF_BOXES))
        if self._e.holds_tag({"details"}):
            boxes |= {*self._e.token[self._e.has_tag({"details"})].tolist()}
        self._find_admonitions(sorted(boxes))
        self._find_tabs(page.tree.tokens_named(_OF_TABS))

    @cached_property
    def _tags(self) -> list[str]:
        return self._page.tags()

    @cached_property
    def _edges(self) -> IntArray:
        """The first block of each element, and the one after its last, shape (n, 2)."""
        marks = self._e.rows["marks"]
        return np.searchsorted(self._page.blocks.start, np.stack([marks["start"], marks["end"]], axis=1))

    def _blocks(self, element: int) -> tuple[int, int]:
        first, last = self._edges[element].tolist()
        return first, last

    def _words_of(self, element: int) -> frozenset[str]:
        """Return the words in class, role and itemprop of an element."""
        return self._words_in(int(self._e.token[element]))

    def _words_in(self, token: int) -> frozenset[str]:
        if token not in self._words:
            _, _, class_, others = self._page.tree.name_of(token)
            self._words[token] = frozenset(split_name(f"{class_} {others}").split())
        return self._words[token]

    def _inside(self, element: int) -> range:
        """Return an element and those in it, but not all of a large one."""
        return range(element, min(int(self._e.end[element]), element + _MOST))

    def _children(self, element: int) -> Iterator[int]:
        """Yield the child elements with text."""
        child, end = element + 1, int(self._e.end[element])
        while child < end:
            if self._edges[child, 0] < self._edges[child, 1]:
                yield child
            child = int(self._e.end[child])

    # ---- admonitions ----

    def _find_admonitions(self, tokens: list[int]) -> None:
        boxes = {token: self._box_words(token) for token in tokens}
        named = {token for token in tokens if boxes[token] or not self._words_in(token).isdisjoint(_KINDS)}
        elements = np.flatnonzero(np.isin(self._e.token, list(named))).tolist() if named else []
        seen = set[int]()
        for element in (element for element in elements if self._tags[element] in _BOX_TAGS):
            token, (first, last) = int(self._e.token[element]), self._blocks(element)
            kind = next((_KINDS[word] for word in sorted(self._words_in(token)) if word in _KINDS), "")
            if first == last or first in seen:  # inside one that begins with the same title
                continue
            title = self._title_of(element, first)
            text = letters(self._page.block_text(first))
            if title >= 0 and text not in _KINDS and self._tags[title] in _TOO_LARGE:
                continue
            is_box = bool(boxes[token]) or text in _KINDS or self._tags[element] in ("details", "aside")
            if title >= 0 and last - first > 1 and is_box and (kind or boxes[token] & _OWN or text in _KINDS):
                alert = kind or _KINDS.get(text, "NOTE")
                says = text if _KINDS.get(text) == alert else ""
                self.admonitions[element] = Admonition(alert, title, (first, last), says)
                seen.add(first)
            elif title < 0 and kind and not boxes[token].isdisjoint(_UNTITLED):
                self.admonitions[element] = Admonition(kind, -1, (first, last), "")
                seen.add(first)

    def _box_words(self, token: int) -> frozenset[str]:
        """Return the words of the class names of a token that name a box."""
        found = frozenset[str]()
        for name in self._page.tree.name_of(token)[2].split():
            words = frozenset(split_name(name).split())
            if not words.isdisjoint(_BOXES) and words <= _BOXES | _ADDED | _KINDS.keys():
                found |= words
        return found

    def _title_of(self, box: int, block: int) -> int:
        """Return the element of a box that is its title according to its name, and holds only a block; -1 for none."""
        element = int(self._page.blocks.element[block])
        for _level in range(LEVELS):
            if element <= box or self._blocks(element) != (block, block + 1):
                break
            if self._tags[element] == "summary" or not self._words_of(element).isdisjoint(_TITLES):
                return element
            element = int(self._e.parent[element])
        return -1

    # ---- details ----

    def is_line(self, element: int) -> bool:
        """Return whether an element is a summary that is one line of text, no heading or code."""
        if self._tags[element] != "summary":
            return False
        first, last = self._blocks(element)
        return last - first == 1 and {"pre", *HEADING_TAGS}.isdisjoint(self._tags[one] for one in self._inside(element))

    # ---- tabs ----

    def _find_tabs(self, tokens: list[int]) -> None:
        tokens = [token for token in tokens if not self._words_in(token).isdisjoint(_TABS)]
        if not tokens:
            return
        named = np.isin(self._e.token, tokens)
        rows = np.flatnonzero(named)[:_MOST]
        for element in sorted({*rows.tolist(), *self._e.parent_or_self[rows].tolist()}):
            tabs = list(self._children(element))
            if len(tabs) < 2 or not (named[element] or named[tabs].all()):
                continue
            named_labels = [self._tags[one] in ("label", "button") for one in tabs]
            labels, panels = tabs[::2], tabs[1::2]  # each label above its panel
            if named_labels != [True, False] * len(panels) or not all(map(self._is_panel, panels)):
                labels, panels = tabs, []
            edges = self._edges[labels]
            if (edges[:, 1] - edges[:, 0] != 1).any() or (self._page.blocks.tokens[edges[:, 0]] > FRAME_TOKENS).any():
                continue
            panels = panels or self._panels_of(element, len(tabs))
            if named_labels[0] or all(map(self._is_panel, panels)):
                self.tabs |= dict(zip(panels, labels, strict=False))

    def _is_panel(self, element: int) -> bool:
        return not self._words_of(element).isdisjoint(_PANELS)

    def _panels_of(self, row: int, count: int) -> list[int]:
        """Return the panels of a row of tabs: as many elements after it, or in the one after it."""
        for _level in range(LEVELS):
            parent = int(self._e.parent[row])
            if parent < 0:
                break
            behind = [child for child in self._children(parent) if child > row]
            if behind:
                if len(behind) >= count and all(map(self._is_panel, behind[:count])):
                    return behind[:count]
                inner = behind[0]
                for _deeper in range(LEVELS):
                    found = list(self._children(inner))
                    if len(found) == count and len({self._tags[panel] for panel in found}) == 1:
                        return found
                    if len(found) != 1:
                        break
                    inner = found[0]
                return []
            row = parent
        return []

    # ---- signatures ----

    def signatures(self, kept: BoolArray) -> tuple[dict[int, str], set[int]]:
        """Return the heading that each kept signature is written as, "" for a line of code; and lists not written.

        A signature in a list of definitions is a heading, one level below the last one before, and its definition the
        text below it.
        """
        found, lists = dict[int, str](), set[int]()
        named = self._page.tree.tokens_named(_OF_SIGNATURES)
        if not (named or self._e.holds_tag({"dt"})):
            return found, lists
        around = self._e.nearest(self._e.has_tag({"dl"})).tolist()
        level, depth = 1, dict[int, int]()  # of the last heading; of each list of signatures
        number = np.diff(np.append(0, np.cumsum(kept))[self._edges])[:, 0]  # of kept blocks in each element
        wanted = (number > 0) & self._e.has_tag(HEADING_TAGS | {"dt", "dd"})
        if named:
            wanted |= (number == 1) & self._e.has_tag({"div", "p"})
        for element in np.flatnonzero(wanted).tolist():
            tag = self._tags[element]
            if tag in HEADING_TAGS:
                if around[element] not in depth:
                    level = int(tag[1])
                if "signature" in self._words_of(element) or {"code", "header"} <= self._words_of(element):
                    found[element] = tag
            elif tag == "dt" and around[element] >= 0 and self._is_signature(element):
                list_ = around[element]
                above = int(self._e.parent[list_])
                depth[list_] = 1 + (depth.get(around[above], 0) if above >= 0 else 0)
                found[element] = f"h{min(6, level + depth[list_])}"
            elif tag == "dd" and around[element] in depth:
                lists |= {element, around[element]}
            elif tag in ("div", "p") and self._names_signature(element):
                first, last = self._blocks(element)
                text = self._page.block_text(first + int(kept[first:last].argmax()))
                if _CALL.match(text) or _DECLARED.match(text):
                    found[element] = ""
        return found, lists

    def _names_signature(self, box: int) -> bool:
        """Return whether a box is named a signature, or a part of the line in it."""
        named = (one for one in self._inside(box) if "signature" in self._words_of(one))
        return any(one == box or self._tags[one] == "span" for one in named)

    def _is_signature(self, term: int) -> bool:
        """Return whether a term is named a signature, or contains one; or looks like a call, and can be linked to."""
        # names of few kinds, of which a term may hold many
        kinds = {*self._e.token[term : self._inside(term).stop].tolist()}
        if any(not self._words_in(token).isdisjoint(("sig", "signature", "descname")) for token in kinds):
            return True
        first, last = self._blocks(term)
        has_id = self._e.tree.name_of(int(self._e.token[term]))[1] != ""
        return has_id and last - first == 1 and _CALL.fullmatch(self._page.block_text(first)) is not None
