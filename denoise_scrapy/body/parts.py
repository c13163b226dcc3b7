"""Parts of a page that a taste keeps or drops: its title, captions, bylines, comments, tables.

For each, one function says which blocks are of the part, wherever they stand; another which of them are the body's own,
and not those of a teaser or a frame. All arrays of blocks have the shape (blocks,), all of elements (elements,).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.strategies.repetition import FRAME_SHARE, LINK_DENSITY, REPEATED_SHARE
from denoise_scrapy.body.tables import data_tables
from denoise_scrapy.core.announcements import (
    ANNOUNCING_TOKENS,
    COMMENTS_BIT,
    META_BIT,
    Words,
    level_one,
    read_words,
)
from denoise_scrapy.core.characters import Class
from denoise_scrapy.core.choice import COMMENTS_META, comments_begin
from denoise_scrapy.core.features import in_best_container
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.site import SiteStatistics

BoolArray = npt.NDArray[np.bool_]

#: What frames a body, by tag, role or class word.
_FRAME = (
    *(Flag.HIDDEN, Flag.NAV, Flag.FOOTER, Flag.ASIDE),
    *(Flag.SIDE_WORD, Flag.AD_WORD, Flag.RELATED_WORD, Flag.CONSENT_WORD),
)


@dataclass(frozen=True, eq=False)
class Surroundings:
    """A page of m blocks, its comparison pages, and what a strategy keeps of it, shape (m,)."""

    page: Page
    site: SiteStatistics
    kept: BoolArray

    @cached_property
    def inside(self) -> BoolArray:
        """Blocks in the element that holds what is kept and little else."""
        return in_best_container(self.page.tree, np.where(self.kept, self.page.blocks.tokens, 0.0))

    @cached_property
    def framed(self) -> BoolArray:
        """Blocks in a frame; one that most of what is kept stands in frames nothing."""
        blocks = self.page.blocks
        has = (blocks.flags & np.array(_FRAME, np.int64)[:, None]) != 0  # shape (flags, m)
        counts = has @ (blocks.tokens * self.kept) <= FRAME_SHARE * (blocks.tokens @ self.kept)
        return np.asarray((has & counts[:, None]).any(axis=0))

    @cached_property
    def template(self) -> BoolArray:
        """Blocks whose text stands in the same place on comparison pages."""
        return np.asarray(self.site.shared_with(self.page).placed_share >= REPEATED_SHARE)

    @property
    def linked(self) -> BoolArray:
        """Blocks that are mostly links."""
        return np.asarray(self.page.blocks.link_density >= LINK_DENSITY)

    @cached_property
    def words(self) -> Words:
        """What the words of each block tell."""
        return read_words(self.page.tree)

    @property
    def bits(self) -> npt.NDArray[np.uint8]:
        """What the words of each block announce."""
        return self.words.bits

    @property
    def meta_lines(self) -> BoolArray:
        """Short blocks of names, dates and links to reply."""
        return np.asarray((self.bits & META_BIT) != 0)

    @cached_property
    def titles(self) -> BoolArray:
        """Headings whose text is in the page's title, and the `h1` if it is the only one; else the first `h1`.

        Pages exist on which every section has an `h1`.
        """
        titled, numbers = self.words.titles, level_one(self.page.tree)
        found = np.unique(numbers[numbers >= 0])
        if len(found) == 1 or (len(found) and not titled.any()):
            return np.asarray(titled | (numbers == found[0]))
        return titled

    @cached_property
    def named_comments(self) -> BoolArray:
        """Blocks in elements with a class word for comments.

        One that holds the page's title is a wrapper ("has-comments"). One that holds most of the page ("commentary")
        needs lines of names and dates, as a thread has them.
        """
        page, blocks, sums = self.page, self.page.blocks, self.page.blocks.subtree_sums
        large = sums(blocks.tokens) > FRAME_SHARE * blocks.tokens.sum()
        thread = sums(self.meta_lines) >= COMMENTS_META
        named = own_flag(page, Flag.COMMENT_WORD) & (sums(self.titles) == 0) & (thread | ~large)
        return np.asarray((page.elements.nearest(named) >= 0)[blocks.element])

    @cached_property
    def comments_heading(self) -> int:
        """The block of the heading of comments, the number of blocks where there is none."""
        return comments_begin(self.page.tree, self.bits)

    def near_kept(self, reach: int) -> BoolArray:
        """Blocks with a kept one not further away than so many blocks."""
        return window_sums(self.kept, reach) > 0


def window_sums(values: npt.NDArray[np.generic], width: int) -> npt.NDArray[np.float64]:
    """Sum over each block, as many blocks before and as many after, shape (blocks,)."""
    m = len(values)
    padded = np.zeros(m + 2 * width + 1)
    padded[width + 1 : width + 1 + m] = values
    padded.cumsum(out=padded)
    return np.asarray(padded[2 * width + 1 :] - padded[:m])


def small_elements(page: Page, marked: BoolArray, tokens: int) -> BoolArray:
    """Elements with no more tokens that are marked, or inside of such.

    A class word of a wrapper ("photo-story") says nothing of the texts in it.
    """
    small = page.blocks.subtree_sums(page.blocks.tokens) <= tokens
    return np.asarray(page.elements.nearest(marked & small) >= 0)


def mostly_in(page: Page, elements: BoolArray) -> BoolArray:
    """Blocks of which most of the text is these elements' own."""
    return np.asarray(page.blocks.share_owned_by(elements) > 0.5)


def own_flag(page: Page, flag: Flag) -> BoolArray:
    """Elements that have a flag themselves."""
    return np.asarray((np.asarray(page.elements.column("own_flags"), np.int64) & flag) != 0)


def named(page: Page, flag: Flag, words: re.Pattern[str]) -> BoolArray:
    """Elements that have a flag themselves because of one of these words in class or id."""
    marked, token = own_flag(page, flag), page.elements.token
    first = dict(zip(reversed(token[marked].tolist()), reversed(np.flatnonzero(marked).tolist()), strict=True))
    by_word = [one for one, element in first.items() if words.search(page.elements.step(element).lower())]
    return np.asarray(marked & np.isin(token, by_word))


def is_heading(page: Page) -> BoolArray:
    """Blocks in a heading."""
    return np.asarray((page.blocks.flags & Flag.HEADING) != 0)


def find_heading(around: Surroundings) -> BoolArray:
    """The page's titles."""
    return around.titles


def own_heading(around: Surroundings, found: BoolArray) -> BoolArray:
    """One of the titles, neither framed nor template: of those that are kept, else of all, the longest, then the first.

    The site's name stands in the title as well. The heading stands outside of the body's element often enough.
    """
    blocks = around.page.blocks
    left = np.flatnonzero(found & ~around.framed & ~around.template)
    if not len(left):
        return np.zeros_like(found)
    left = left[around.kept[left]] if around.kept[left].any() else left
    longest = left[np.argmax(blocks.chars[left])]
    return np.asarray(found & (blocks.element == blocks.element[longest]))


CAPTION_TAGS = frozenset(["figcaption", "caption"])
PICTURE_TAGS = frozenset(["img", "picture", "video"])
#: Of the class words for captions and pictures those that mean the caption itself.
CAPTION_WORDS = re.compile("caption|credit")
#: An element named after a picture or a caption that holds more than this is no caption.
CAPTION_TOKENS = 60
#: A caption is the body's own where it keeps a text so many blocks away.
CAPTION_REACH = 3


def find_captions(around: Surroundings) -> BoolArray:
    """Blocks in `figcaption` and `caption`, in small elements called so or that hold a picture and no heading."""
    page = around.page
    tagged = page.elements.nearest(page.elements.has_tag(CAPTION_TAGS)) >= 0
    pictured = _holds(page, page.elements.has_tag(PICTURE_TAGS)) & ~_holds(page, own_flag(page, Flag.HEADING))
    called = named(page, Flag.CAPTION_WORD, CAPTION_WORDS) | (own_flag(page, Flag.CAPTION_WORD) & pictured)
    in_caption = tagged | small_elements(page, called, CAPTION_TOKENS)
    shown = (page.blocks.flags & Flag.CONTROL) == 0
    return np.asarray(mostly_in(page, in_caption) & shown & ~is_heading(page))


def _holds(page: Page, elements: BoolArray) -> BoolArray:
    """Elements in whose subtree one of these is."""
    return np.asarray(page.elements.subtree_sums(elements.astype(np.int64)), np.int64) > 0


def own_captions(around: Surroundings, found: BoolArray) -> BoolArray:
    """Captions beside what is kept; those of teasers are links or stand in frames. Many pages say "Photo: AP"."""
    return found & around.near_kept(CAPTION_REACH) & ~around.framed & ~around.linked


BYLINE_TAGS = frozenset(["time", "address"])
#: Of the class words for bylines those that mean nothing else ("info", "meta" and "date" do).
AUTHOR_WORDS = re.compile("author|byline|dateline")
#: A longer text is more than a byline (a portrait of the author).
BYLINE_TOKENS = 30
#: A byline stands so many blocks from the title, or from the body's first or last block.
BYLINE_REACH = 4


def find_bylines(around: Surroundings) -> BoolArray:
    """Short blocks that tell a date or an author in an element called so; beside the title one of both is enough."""
    page, blocks, elements = around.page, around.page.blocks, around.page.elements
    telling = around.meta_lines
    near_title = window_sums(around.titles, BYLINE_REACH) > 0
    author = named(page, Flag.BYLINE_WORD, AUTHOR_WORDS)
    marked = own_flag(page, Flag.BYLINE_WORD) | elements.has_tag(BYLINE_TAGS)
    in_author = mostly_in(page, small_elements(page, author, BYLINE_TOKENS))
    in_marked = mostly_in(page, small_elements(page, marked, BYLINE_TOKENS))
    # the signs for day, month and year are parts of other words
    dated = telling & ((blocks.counts[:, Class.DIGIT] > 0) | (blocks.counts[:, Class.CJK] == 0)) & ~blocks.ends_in_stop
    plain = dated & (blocks.link_density < LINK_DENSITY)
    called = (in_marked & telling) | (near_title & (in_author | plain))
    return np.asarray(called & (blocks.tokens <= BYLINE_TOKENS) & ~is_heading(page))


def own_bylines(around: Surroundings, found: BoolArray) -> BoolArray:
    """Bylines near the title or the ends of what is kept: teasers in a list have their dates too.

    The pages of one author have one byline, and all dates are alike: that they are repeated says nothing.
    """
    ends = own_heading(around, around.titles)
    kept = np.flatnonzero(around.kept)
    if len(kept):
        ends[kept[[0, -1]]] = True
    return found & (window_sums(ends, BYLINE_REACH) > 0) & ~around.framed


#: A short text that stands so often among the comments is a button ("Reply", "Report abuse").
BUTTONS = 3


def find_comments(around: Surroundings) -> BoolArray:
    """Blocks in elements that a class word calls comments, and all that follows a heading of comments."""
    return around.named_comments | (np.arange(len(around.kept)) >= around.comments_heading)


def own_comments(around: Surroundings, found: BoolArray) -> BoolArray:
    """The texts of the thread, without what is clicked, filled in, or stands beside each of them.

    After a heading the thread ends with the element that holds it.
    """
    page, blocks = around.page, around.page.blocks
    meta = around.meta_lines & ~blocks.ends_in_stop
    heading = (around.bits & COMMENTS_BIT) != 0
    _, kind, count = np.unique(np.where(found, blocks.text_hashes, 0), return_inverse=True, return_counts=True)
    button = (count[kind] >= BUTTONS) & (blocks.tokens < ANNOUNCING_TOKENS)
    clicked = (blocks.flags & (Flag.CONTROL | Flag.HEADING)) != 0
    said = found & ~(meta | button | clicked | heading | around.linked)
    return np.asarray(said & _in_thread(around) & ~_in_form(page) & ~around.framed & ~around.template)


def _in_thread(around: Surroundings) -> BoolArray:
    """Blocks in named elements, or in the smallest element around the heading that holds lines of a thread."""
    blocks, parent = around.page.blocks, around.page.elements.parent
    if around.comments_heading == len(blocks):
        return around.named_comments
    lines = blocks.subtree_sums(around.meta_lines)
    holder = blocks.element[around.comments_heading]
    while lines[holder] < COMMENTS_META and parent[holder] >= 0:
        holder = parent[holder]
    return np.asarray(around.named_comments | blocks.inside(int(holder)))


def _in_form(page: Page) -> BoolArray:
    """Blocks in a form that is not most of the page, as those of old servers are."""
    tokens = page.blocks.tokens
    small = page.blocks.subtree_sums(tokens) <= FRAME_SHARE * tokens.sum()
    return (page.elements.nearest(page.elements.has_tag({"form"}) & small) >= 0)[page.blocks.element]


def find_tables(around: Surroundings) -> BoolArray:
    """Blocks in tables of data."""
    page = around.page
    tables = page.elements.nearest(page.elements.has_tag({"table"}))[page.blocks.element]
    return (tables >= 0) & data_tables(page)[tables]


def own_tables(around: Surroundings, found: BoolArray) -> BoolArray:
    """Tables in the body's element that are neither template nor lists of links."""
    return found & around.inside & ~around.framed & ~around.template & ~around.linked


class Part(NamedTuple):
    """Which blocks are of a part of a page, and which of those belong to the body."""

    find: Callable[[Surroundings], BoolArray]
    own: Callable[[Surroundings, BoolArray], BoolArray]


#: By the name of the switch in `Taste`.
PARTS: Mapping[str, Part] = MappingProxyType(
    {
        "title": Part(find_heading, own_heading),
        "captions": Part(find_captions, own_captions),
        "bylines": Part(find_bylines, own_bylines),
        "comments": Part(find_comments, own_comments),
        "tables": Part(find_tables, own_tables),
    }
)
