"""What a page shares with other pages: which of its texts and paths stand on which of them, all found at once.

Some ten questions are asked of the same few pages. Equal values of theirs, be they texts, paths or texts under their
paths, get equal numbers by one sort; a page's own are looked up among them once, and every question is a look-up in a
small table by number. What depends on the other pages alone is kept with their numbers, for the next page.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native import library
from denoise_scrapy.native.blocks import (
    PATH_SHARE,
    PLACED_SHARE,
    SLOT_SHARE,
    SLOT_TOKENS,
    TEXT_SHARE,
    TIMES,
    Shared,
    share_blocks,
)
from denoise_scrapy.page import Page, PageFacts

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

#: Rows of values: texts, paths, texts under their paths. All are hashes of 64 bits, and share their numbers.
TEXT, PATH, PLACED = TEXT_SHARE, PATH_SHARE, PLACED_SHARE
#: Sums kept for as many choices among the same pages; nearly all pages are compared with all, or all but one.
MAX_CHOICES = 8


def _values(pages: Sequence[PageFacts]) -> npt.NDArray[np.uint64]:
    """The values of all blocks, page by page, shape (3, all blocks)."""
    values = np.empty((3, sum(len(page.tokens) for page in pages)), np.uint64)
    np.concatenate([page.text_hashes for page in pages], out=values[TEXT])
    np.concatenate([page.path_keys for page in pages], out=values[PATH])
    np.multiply(values[TEXT], np.uint64(3), out=values[PLACED])
    values[PLACED] += values[PATH]
    return values


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums over some of the pages. Of the d + 1 numbers the last, that of all unknown values, has nothing.

    Attributes:
        count: How many pages have each value, shape (d + 1,).
        tokens: Tokens of the blocks of each path, shape (d + 1,).
        slot_tokens: Mean of these a block, NaN where there is none.
        repeated: Tokens of its blocks whose text two of the pages have.
        once: Text, path and tokens of the blocks whose text one page has.
    """

    count: IntArray
    tokens: FloatArray
    slot_tokens: FloatArray
    repeated: FloatArray
    once: tuple[IntArray, IntArray, IntArray]


class NumberedPages:
    """The blocks of k pages; numpy numbers their d different values.

    Args:
        pages: The pages.

    Attributes:
        facts: What is left of them.
    """

    def __init__(self, pages: Sequence[Page | PageFacts]) -> None:
        self.facts = [page.facts for page in pages]
        self._sums: dict[tuple[int, ...], _Sums] = {}

    @cached_property
    def on(self) -> BoolArray:
        """Which pages have each value, shape (k, d + 1); no page has the last."""
        distinct, numbers, _, page_of = self._numbers
        on = np.zeros((len(self.facts), len(distinct) + 1), bool)
        on[page_of, numbers] = True
        return on

    @cached_property
    def _numbers(self) -> tuple[npt.NDArray[np.uint64], IntArray, IntArray, IntArray]:
        """The values in order; of all blocks the numbers of their values, shape (3, blocks), tokens, and page."""
        page_of = np.arange(len(self.facts)).repeat([len(facts.tokens) for facts in self.facts])
        tokens = np.concatenate([facts.tokens for facts in self.facts])
        values = _values(self.facts).ravel()
        order = values.argsort(kind="stable")  # half the time of the default: pages of a site have runs in common
        values = values.take(order)
        first = np.empty(len(values), bool)
        first[:1] = True
        np.not_equal(values[1:], values[:-1], out=first[1:])
        number = np.empty(len(values), np.int64)
        number[order] = first.cumsum() - 1
        return values[first], number.reshape(3, -1), tokens, page_of

    def find(self, page: PageFacts) -> IntArray:
        """Numbers of the values of a page's m blocks, d where there is none, shape (3, m)."""
        values, distinct = _values([page]), self._numbers[0]
        if not len(distinct):
            return np.zeros(values.shape, np.int64)
        found = distinct.searchsorted(values)
        found[distinct.take(found, mode="clip") != values] = len(distinct)
        return found

    def sums(self, chosen: Sequence[int]) -> _Sums:
        """Sums over some of the pages."""
        key = tuple(sorted(chosen))
        if key not in self._sums:
            if len(self._sums) >= MAX_CHOICES:
                self._sums.clear()
            self._sums[key] = self._sum(key)
        return self._sums[key]

    def _sum(self, chosen: tuple[int, ...]) -> _Sums:
        _, (text, path, _), tokens, page_of = self._numbers
        on, size = self.on, self.on.shape[1]
        if len(chosen) < len(self.facts):
            wanted = np.zeros(len(self.facts), bool)
            wanted[list(chosen)] = True
            there = wanted[page_of]
            text, path, tokens, on = text[there], path[there], tokens[there], on[wanted]
        count = on.sum(axis=0)
        pages = count.take(text)
        in_path = np.bincount(path, tokens, size)
        with np.errstate(invalid="ignore"):
            mean = in_path / np.bincount(path, minlength=size)
        repeated = np.bincount(path, tokens * (pages > 1), size)
        once = pages == 1
        once_said = text[once], path[once], tokens[once]
        return _Sums(count, np.asarray(in_path, float), mean, np.asarray(repeated, float), once_said)


class SharedBlocks:
    """What a page of m blocks shares with k others.

    Args:
        page: The page.
        others: The others, in order.

    Example:
        >>> page, other = Page.parse("<p>One.<p>Two."), Page.parse("<div><p>Two.</div>")
        >>> SharedBlocks(page, [other]).carried.tolist()
        [[False, True]]
    """

    def __init__(self, page: Page, others: Sequence[Page | PageFacts]) -> None:
        _ = page.blocks  # first: the facts of a page without columns make all of them, and leave none
        self.page = page
        self._numbered = NumberedPages(others)
        self._chosen = list(range(len(others)))

    @classmethod
    def among(cls, page: Page, numbered: NumberedPages, chosen: list[int]) -> SharedBlocks:
        """The same with some of pages that others are compared with, too."""
        shared = cls(page, ())
        shared._numbered, shared._chosen = numbered, chosen
        return shared

    def only(self, others: Sequence[int]) -> SharedBlocks:
        """The same of some of the others, in this order."""
        chosen = [self._chosen[i] for i in others]
        if chosen == self._chosen:
            return self
        some = self.among(self.page, self._numbered, chosen)
        if "_found" in self.__dict__:
            some.__dict__["_found"] = self._found
        native = self.__dict__.get("_native")
        if isinstance(native, Shared) and len(chosen) == len(self._chosen):  # the same in another order
            carried, likeness = native.carried[:, others], native.likeness[others]
            some.__dict__["_native"] = native._replace(carried=carried, likeness=likeness)
        return some

    @cached_property
    def _native(self) -> Shared | None:
        """All that is shared, as C finds it at once; None where numpy must."""
        native, blocks = library(), self.page.blocks
        if native is None:
            return None
        others = [self._numbered.facts[i].arrays for i in self._chosen]
        return share_blocks(native, self.page.facts_arrays, blocks.paragraph_tokens, others)

    @property
    def likeness(self) -> list[float] | None:
        """How like the page's template is to that of each other (`template_similarity`); None where C does not tell."""
        return None if self._native is None else list(self._native.likeness.tolist())

    @cached_property
    def _found(self) -> IntArray:
        """Numbers of the page's values."""
        return self._numbered.find(self.page.facts)

    @property
    def carried(self) -> BoolArray:
        """Which others carry the text of each block, shape (k, m)."""
        if not self._chosen:
            return np.zeros((0, len(self.page.blocks)), bool)
        carried = self._numbered.on.take(self._found[TEXT], axis=1)
        return np.asarray(carried if self._chosen == list(range(len(carried))) else carried[self._chosen])

    @property
    def carried_tokens(self) -> IntArray:
        """Tokens, and tokens of prose, of the page's blocks whose text each other carries, shape (2, k)."""
        if self._native is not None:
            return self._native.carried
        blocks = self.page.blocks
        weights = np.array([blocks.tokens, blocks.paragraph_tokens], float)
        return np.asarray(weights @ self.carried.T.astype(float), np.int64)  # exact: sums of whole numbers

    @property
    def times_on_page(self) -> IntArray | FloatArray:
        """How often the page itself says the text of each block, shape (m,)."""
        if self._native is not None:
            return np.asarray(self._native.rows[TIMES])
        own = self.page.blocks.text_hashes
        values = np.sort(own)
        return np.asarray(values.searchsorted(own, "right") - values.searchsorted(own))

    @cached_property
    def _shares(self) -> FloatArray:
        """Share of the others that have each value, shape (3, m); 0 where there is no other."""
        if self._native is not None:
            return self._native.rows[: PLACED_SHARE + 1]
        if not self._chosen:
            return np.zeros((3, len(self.page.blocks)))
        count = self._numbered.sums(self._chosen).count
        return np.asarray((count / len(self._chosen)).take(self._found))

    @property
    def text_share(self) -> FloatArray:
        """Share of the others that carry each block's text, shape (m,); 0 where there is no other."""
        return np.asarray(self._shares[TEXT_SHARE])

    @property
    def placed_share(self) -> FloatArray:
        """Share of the others that carry it under the same path."""
        return np.asarray(self._shares[PLACED_SHARE])

    @property
    def path_share(self) -> FloatArray:
        """Share of the others that have a block of each block's path."""
        return np.asarray(self._shares[PATH_SHARE])

    @cached_property
    def slot_share(self) -> FloatArray:
        """Share of the tokens of each block's path, on the page and the others, in texts that two of them carry."""
        blocks = self.page.blocks
        if self._native is not None:
            return np.asarray(self._native.rows[SLOT_SHARE])
        if not self._chosen:
            return np.zeros(len(blocks))
        sums = self._numbered.sums(self._chosen)
        text, path, _ = self._found
        said = np.zeros(len(sums.count), bool)
        said[text] = True
        once_text, once_path, once_tokens = sums.once
        again = said.take(once_text)  # one of the others has the text, and the page
        repeated = np.bincount(once_path[again], once_tokens[again], len(said)) + sums.repeated
        own = np.bincount(blocks.slots, blocks.tokens * (sums.count.take(text) > 0))
        whole = np.bincount(blocks.slots, blocks.tokens).take(blocks.slots) + sums.tokens.take(path)
        return np.asarray((own.take(blocks.slots) + repeated.take(path)) / np.maximum(whole, 1))

    @cached_property
    def slot_tokens(self) -> FloatArray:
        """Mean tokens of the others' blocks of each block's path, shape (m,); NaN where there is none."""
        if self._native is not None:
            return np.asarray(self._native.rows[SLOT_TOKENS])
        if not self._chosen:
            return np.full(len(self.page.blocks), np.nan)
        return np.asarray(self._numbered.sums(self._chosen).slot_tokens.take(self._found[PATH]))
