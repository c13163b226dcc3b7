"""Footnotes of a page: a short link to a note further down, which links back, or has the same sign or number."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from typing import NamedTuple

import numpy as np

from denoise_scrapy.body.code import LEVELS, LINK_CHARS
from denoise_scrapy.core.characters import END, START
from denoise_scrapy.core.markup import HEADING_TAGS
from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import BoolArray

#: The sign of a note: a number, a letter, a mark, with or without brackets.
_SIGN = re.compile(r"([\[({]?)\s*((?:[^\W\d_]{1,6}[\s.-]?)?\d{1,4}[a-z]?|[^\W\d_]{1,3}|[*†‡§]{1,3})\s*[\])}]?")
#: What may be before and after the sign at the start of a note.
_BEFORE, _AFTER = re.compile(r"\s*[\[({^]?\s*"), re.compile(r"(?!\w)\s*[\])}]?[.:]?\s*")
_NOT_OF_LABELS = re.compile(r"[^A-Za-z0-9]+")
#: Characters of a note in which its sign is: marks on letters take time by the square of their number.
BEGINNING = 240
#: The target of a link back may have brackets around the reference, or be right beside it.
BESIDE = 2
#: Links back in which a reference is searched for, as a note with many references has one for each; and texts of a
#: note: its own are behind those of its links back.
MOST_BACK = 40


def _sign_of(text: str) -> re.Match[str] | None:
    return _SIGN.fullmatch(_plain(text.strip()))


class _Reference(NamedTuple):
    """A link down the page that is only the sign of a note."""

    link: int
    target: int
    bracket: str  # opening bracket of its sign, "" for none
    sign: str


class Footnotes:
    """The footnotes of a page with visible text, by their labels: ASCII letters, digits and hyphens.

    Attributes:
        references: The label, by the link that refers to a note.
        backs: The label, by the link of a note that leads back.
        starts: The label, by the mark before the first text of a note.
        signs: By the mark before a text of a note: the number of its first characters that are only its sign, and its
            label.
    """

    def __init__(self, page: Page, shown: BoolArray) -> None:
        """Find the footnotes; `shown` is for the text after each mark, shape (2n,)."""
        self.references: dict[int, str] = {}
        self.backs: dict[int, str] = {}
        self.starts: dict[int, str] = {}
        self.signs: dict[int, tuple[int, str]] = {}
        # one page in fifty may have some
        if any(href.partition("#")[2] and _sign_of(text) for _, href, text in page.tree.short_links_here(LINK_CHARS)):
            self._page, self._e = page, page.elements
            self._find(shown)

    def _find(self, shown: BoolArray) -> None:
        page, e, tags = self._page, self._e, self._page.tags()
        # lists: an item of an array takes five times as long
        self._seen_from, self._seen_to = (e.rows["seen"][edge].tolist() for edge in ("start", "end"))
        self._starts, self._ends = (e.rows["marks"][edge].tolist() for edge in ("start", "end"))
        places = {name: element for element, name in page.tree.values_of(b"id")}
        links = [
            (link, places[name])
            for link, href in page.tree.values_of(b"href")
            if (name := href.partition("#")[2]) in places and tags[link] == "a" and page.leads_here(href)
        ]
        # links up the page: visible characters from and to their targets, and the link
        self._back = sorted((self._seen_from[to], link, to) for link, to in links if to <= link)
        is_back = np.zeros(len(e), bool)
        is_back[[link for _, link, _ in self._back]] = True
        self._in_back, self._in_heading = e.nearest(is_back), e.nearest(e.has_tag(HEADING_TAGS))
        texts = np.flatnonzero(shown & (e.visible_after > 0))  # the marks before visible texts
        self._texts, self._text_marks = texts.tolist(), e.marks[texts].tolist()
        self._items, self._lists = e.has_tag({"li"}), e.has_tag({"ol"})
        sup = e.has_tag({"sup"})
        self._raised = e.inside(np.flatnonzero(sup)) | (e.subtree_sums(sup) > 0)
        candidates = [
            _Reference(link, to, sign[1], sign[2])
            for link, to in links
            if to > link
            and 0 < self._seen_to[link] - self._seen_from[link] <= LINK_CHARS
            and (sign := _sign_of(page.tree.text_in(link)))
        ]
        self._targets = sorted({one.target for one in candidates})
        labels, given = dict[int, str](), set[str]()
        for one in candidates:
            backs = self._leading_back(one)
            is_sign = bool(one.bracket or self._raised[one.link])
            known = bool(backs) or (is_sign and self._is_numbered(one))
            if one.target not in labels and (known or (is_sign and self._begins_with_sign(one))):
                label = _label(one.sign, len(given) + 1, given)
                if self._start(one, label, cut=not known):
                    labels[one.target] = label
                    given.add(label)
            if one.target in labels:
                self.references[one.link] = labels[one.target]
                self.backs.update(dict.fromkeys(backs, labels[one.target]))

    def _leading_back(self, one: _Reference) -> list[int]:
        """Return links in a note, or right after its place, that lead back to a reference."""
        start, end, place = self._seen_from[one.link], self._seen_to[one.link], self._seen_from[one.target]
        first = bisect_left(self._back, (start - BESIDE,))
        last = bisect_left(self._back, (end + BESIDE + 1,))
        return [
            link
            for _, link, to in self._back[first : min(last, first + MOST_BACK)]
            if self._seen_to[to] <= end + BESIDE
            and link >= one.target
            and (link < self._e.end[one.target] or self._seen_from[link] <= place + BESIDE)
        ]

    def _is_numbered(self, one: _Reference) -> bool:
        """Return whether a note is the item of a list that the sign of its reference counts."""
        parent, holder = self._e.parent, int(self._e.parent[one.target])
        is_item = holder >= 0 and self._items[one.target] and self._lists[holder]
        return is_item and one.sign == str((parent[holder : one.target + 1] == holder).sum())

    def _begins_with_sign(self, one: _Reference) -> bool:
        """Return whether a note begins with the sign of its reference."""
        start = self._starts[one.target]
        text = self._page.tree.slice(start, start + BEGINNING).replace(START, "").replace(END, "")
        return _end_of_sign(one.sign, text) > 0

    def _start(self, one: _Reference, label: str, *, cut: bool) -> bool:
        """Note where the text of a note begins, if any of it is visible and it is not a heading."""
        signs: list[tuple[int, int]] = []  # texts before it, and their lengths
        e = self._e
        for mark in self._texts_of(one):
            owner = int(e.text_owner[mark])
            text = self._page.tree.slice(int(e.marks[mark]) + 1, int(e.text_ends[mark]))
            if self._in_heading[owner] >= 0:
                return False
            sign = _end_of_sign(one.sign, text)
            if self._in_back[owner] < 0 and not (sign and not text[sign:].strip()) and any(map(str.isalnum, text)):
                break
            signs.append((mark, len(text)))
        else:
            return False
        blocks = self._page.elements.block_after
        begins = next((before for before, _ in signs if blocks[before] == blocks[mark]), mark)
        if cut and sign and not signs:
            signs.append((mark, sign))
        self.starts[begins] = label
        self.signs.update({before: (length, label) for before, length in signs})
        return True

    def _texts_of(self, one: _Reference) -> list[int]:
        """Return the first visible texts that may be a note's: in its place, or after it in the enclosing element."""
        e, element, sign = self._e, one.target, len(one.sign) + BESIDE
        for _level in range(LEVELS):
            if self._seen_to[element] - self._seen_from[one.target] > sign:
                break
            element = int(e.parent_or_self[element])
        end = self._ends[element]
        following = bisect_left(self._targets, one.target + 1)
        if following < len(self._targets):
            end = min(end, self._starts[self._targets[following]])
        first = bisect_left(self._text_marks, self._starts[one.target])
        found: list[int] = self._texts[first : min(bisect_left(self._text_marks, end), first + MOST_BACK)]
        return found


def _plain(text: str) -> str:
    """Replace raised digits of a text by ordinary ones, if its length stays the same."""
    plain = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return plain if len(plain) == len(text) else text


def _end_of_sign(sign: str, text: str) -> int:
    """Return the length of a sign at the start of a text, with or without brackets; 0 if there is another text."""
    text = _plain(text[:BEGINNING])
    before = _BEFORE.match(text)
    start = before.end() if before else 0
    after = _AFTER.match(text, start + len(sign)) if text.startswith(sign, start) else None
    return after.end() if after else 0


def _label(sign: str, number: int, given: set[str]) -> str:
    """Return a unique label for a note: its sign, if that is possible."""
    label = _NOT_OF_LABELS.sub("-", sign).strip("-") or str(number)
    others = (f"{label}-{more}" for more in range(number, 2 * number + 1))  # fewer are taken
    return label if label not in given else next(other for other in others if other not in given)
