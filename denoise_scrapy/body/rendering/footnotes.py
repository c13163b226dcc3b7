"""Footnotes of a page: a short link to a note further down, which leads back to it or begins with the same sign."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.characters import END, START
from denoise_scrapy.core.markup import HEADING_TAGS
from denoise_scrapy.page import Flag, Page

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]

#: The sign of a note: a number, a letter, a mark, in brackets or not.
_SIGN = re.compile(r"([\[({]?)\s*((?:[^\W\d_]{1,6}[\s.-]?)?\d{1,4}[a-z]?|[^\W\d_]{1,3}|[*†‡§]{1,3})\s*[\])}]?")
_MARKS = re.compile(f"[{START}{END}]")
_NOT_OF_LABELS = re.compile(r"[^A-Za-z0-9]+")
#: Visible characters of a link that is no more than such a sign.
MOST_CHARS = 12
#: What a link back leads to may have brackets around the reference, or stand right beside it.
BESIDE = 2
#: Links back that are looked at for a reference; a note that is referred to often has one for each.
MOST_BACK = 40
#: Elements around a place that holds no more than a sign, as a name in `a` or a term, in which its note is looked for.
LEVELS = 4
#: Texts of a note that are looked at for the first of its own: before it stand links back, and their brackets.
MOST_TEXTS = 40


class Footnotes(NamedTuple):
    """The footnotes of a page by their labels, which hold nothing but letters and digits of ASCII, and hyphens.

    Attributes:
        references: The label by the link that refers to a note.
        backs: The same by the link of a note that leads back.
        starts: The same by the mark before the first text of a note.
        signs: By the mark before a text of a note: how many of its first characters are no more than its sign, and its
            label.
    """

    references: dict[int, str]
    backs: dict[int, str]
    starts: dict[int, str]
    signs: dict[int, tuple[int, str]]


def footnotes_of(page: Page, shown: BoolArray) -> Footnotes:
    """Find the footnotes of which some text is shown.

    Args:
        page: A page of n elements.
        shown: Whether the text after each mark is, shape (2n,).
    """
    finder = _Finder(page, shown)
    if _has_signs(page):
        finder.find()
    return finder.found


def blocks_of_notes(page: Page, kept: BoolArray) -> BoolArray:
    """Return which of the m blocks are footnotes that kept text refers to; `kept` and the result have shape (m,)."""
    blocks, e = page.blocks, page.elements
    of_notes = np.zeros(len(blocks), bool)
    if not kept.any() or kept.all() or not _has_signs(page):
        return of_notes
    finder = _Finder(page, blocks.block_of_text >= 0)
    finder.find()
    start = {label: mark for mark, label in finder.found.starts.items()}
    marks, done = e.rows["marks"], set[int]()
    for one in finder.references:
        label = finder.found.references.get(one.link)
        block = int(np.searchsorted(blocks.start, marks["start"][one.link], "right")) - 1
        if label and one.target not in done and block >= 0 and kept[block]:
            done.add(one.target)
            first, last = np.searchsorted(blocks.start, marks[one.target].tolist()).tolist()
            of_notes[first:last] = True
            of_notes[blocks.block_of_text[start[label]]] = True
    return np.asarray(of_notes & ~kept & ((blocks.flags & Flag.HIDDEN) == 0))


def _has_signs(page: Page) -> bool:
    """Return whether any link to a place on a page is no more than the sign of a note, as on one of fifty pages."""
    marks = page.tree.element_rows["marks"]
    return any(
        href.partition("#")[2] and _SIGN.fullmatch(_plain(_shown(page, *marks[link].tolist())))
        for link, href in page.tree.short_links(MOST_CHARS)
    )


def _shown(page: Page, start: int, end: int) -> str:
    return _MARKS.sub("", page.tree.slice(start, end)).strip()


class _Reference(NamedTuple):
    link: int
    target: int
    bracket: str  # that opens its sign, "" for none
    sign: str


class _Finder:
    def __init__(self, page: Page, shown: BoolArray) -> None:
        self.found = Footnotes({}, {}, {}, {})
        self._page, self._e = page, page.elements
        self._shown = shown
        self._seen = self._e.rows["seen"]
        self._places = {name: element for element, name in page.places}

    def find(self) -> None:
        self._targets = sorted({one.target for one in self.references})
        labels: dict[int, str] = {}
        given: set[str] = set()
        for one in self.references:
            backs = self._leading_back(one)
            if one.target not in labels and (backs or self._begins_with_sign(one)):
                label = _label(one.sign, len(given) + 1, given)
                if self._start(one, label, cut=not backs):
                    labels[one.target] = label
                    given.add(label)
            if one.target in labels:
                self.found.references[one.link] = labels[one.target]
                self.found.backs.update(dict.fromkeys(backs, labels[one.target]))

    @cached_property
    def _links(self) -> list[tuple[int, int]]:
        """Links to places on the page, and these places; both are elements."""
        page, tags = self._page, self._page.tags()
        return [
            (link, self._places[name])
            for link, href in page.references
            if (name := href.partition("#")[2]) in self._places and tags[link] == "a" and page.leads_here(href)
        ]

    @cached_property
    def _back(self) -> list[tuple[int, int, int]]:
        """Links up the page: where that leads to in visible characters, from and to, and the link; ascending."""
        return sorted((int(self._seen["start"][to]), link, to) for link, to in self._links if to <= link)

    @cached_property
    def _in_back(self) -> IntArray:
        """The link up the page that each element stands in, -1 for none, shape (n,)."""
        is_back = np.zeros(len(self._e), bool)
        is_back[[link for _, link, _ in self._back]] = True
        return self._e.nearest(is_back)

    @cached_property
    def _in_heading(self) -> IntArray:
        return self._e.nearest(self._e.has_tag(HEADING_TAGS))

    @cached_property
    def _texts(self) -> IntArray:
        """The marks before texts that are shown, ascending."""
        return np.flatnonzero(self._shown & (self._e.visible_after > 0))

    @cached_property
    def _text_marks(self) -> IntArray:
        """The positions of these marks."""
        return self._e.marks[self._texts]

    @cached_property
    def _raised(self) -> BoolArray:
        """Elements that are raised or hold what is, shape (n,)."""
        sup = self._e.has_tag({"sup"})
        return self._e.inside(np.flatnonzero(sup)) | (np.asarray(self._e.subtree_sums(sup), np.int64) > 0)

    @cached_property
    def references(self) -> list[_Reference]:
        """Links down the page that are no more than the sign of a note."""
        found = []
        for link, to in self._links:
            if to > link and 0 < self._seen["end"][link] - self._seen["start"][link] <= MOST_CHARS:
                sign = _SIGN.fullmatch(_plain(_shown(self._page, *self._e.rows["marks"][link].tolist())))
                if sign:
                    found.append(_Reference(link, to, sign[1], sign[2]))
        return found

    def _leading_back(self, one: _Reference) -> list[int]:
        """Links of a note that lead back to a reference."""
        start, end = self._seen[one.link].tolist()
        first = bisect_left(self._back, (start - BESIDE,))
        return [
            link
            for _, link, to in self._back[first : first + MOST_BACK]
            if self._seen["end"][to] <= end + BESIDE and link >= one.target and self._is_in(link, one.target)
        ]

    def _is_in(self, link: int, target: int) -> bool:
        """Return whether a link stands in a place, or right behind it."""
        starts = self._seen["start"]
        return bool(link < self._e.end[target] or starts[link] <= starts[target] + BESIDE)

    def _begins_with_sign(self, one: _Reference) -> bool:
        """Return whether a note begins with the sign of its reference, which is in brackets or raised."""
        if not self._raised[one.link] and not one.bracket:
            return False
        start = int(self._e.rows["marks"]["start"][one.target])
        text = _MARKS.sub("", self._page.tree.slice(start, start + 20 * MOST_CHARS))
        return _own_sign(one.sign).match(_plain(text)) is not None

    def _start(self, one: _Reference, label: str, *, cut: bool) -> bool:
        """Note where the text of a note begins, if any of it is shown and it is no heading."""
        first, last = self._region(one)
        signs: list[tuple[int, int]] = []  # texts before it, and how long they are
        own_sign, e = _own_sign(one.sign), self._e
        for mark in self._texts[first:last][:MOST_TEXTS].tolist():
            owner = int(e.text_owner[mark])
            text = self._page.tree.slice(int(e.marks[mark]) + 1, int(e.text_ends[mark]))
            if self._in_heading[owner] >= 0:
                return False
            sign = own_sign.match(_plain(text))
            is_sign = sign is not None and not text[sign.end() :].strip()
            if self._in_back[owner] < 0 and not is_sign and any(map(str.isalnum, text)):
                break
            signs.append((mark, len(text)))
        else:
            return False
        blocks = self._page.blocks.block_of_text
        begins = next((before for before, _ in signs if blocks[before] == blocks[mark]), mark)
        if cut and sign and not signs:
            signs.append((mark, sign.end()))
        self.found.starts[begins] = label
        self.found.signs.update({before: (length, label) for before, length in signs})
        return True

    def _region(self, one: _Reference) -> tuple[int, int]:
        """Return the range of shown texts that may be a note's: in its place, or behind it in the element around."""
        e, element, sign = self._e, one.target, len(one.sign) + BESIDE
        for _level in range(LEVELS):
            if self._seen["end"][element] - self._seen["start"][one.target] > sign:
                break
            element = int(e.parent_or_self[element])
        end = int(e.rows["marks"]["end"][element])
        following = bisect_left(self._targets, one.target + 1)
        if following < len(self._targets):
            end = min(end, int(e.rows["marks"]["start"][self._targets[following]]))
        first, last = np.searchsorted(self._text_marks, [int(e.rows["marks"]["start"][one.target]), end]).tolist()
        return first, last


def _plain(text: str) -> str:
    """A text with its raised digits as others, if that is no longer or shorter."""
    plain = unicodedata.normalize("NFKC", text)
    return plain if len(plain) == len(text) else text


def _own_sign(sign: str) -> re.Pattern[str]:
    """A sign at the start of a text, in brackets or not."""
    return re.compile(rf"\s*[\[({{^]?\s*{re.escape(sign)}(?!\w)\s*[\])}}]?[.:]?\s*")


def _label(sign: str, number: int, given: set[str]) -> str:
    """A label of a note that no other has: its sign, where that can be one."""
    label = _NOT_OF_LABELS.sub("-", sign).strip("-") or str(number)
    others = (f"{label}-{more}" for more in range(number, 2 * number + 1))  # fewer are given
    return label if label not in given else next(other for other in others if other not in given)
