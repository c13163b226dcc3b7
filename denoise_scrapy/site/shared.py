"""What a page shares with other pages: which of its texts and paths stand on which of them, all found at once.

Some ten questions are asked of the same few pages. With `np.isin` for each question and page, finding copies and the
features of the site took 2.1 times lxml's parse of the page (500 elements, five pages). Here equal values get equal
numbers by one sort of all pages' values, and every question is a look-up in a small table of numbers by pages: .8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page, PageFacts

BoolArray = npt.NDArray[np.bool_]
IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Numbered:
    """The values of k + 1 pages' blocks as numbers, the page itself first.

    Attributes:
        number: Of each block of all pages, one page after the other, shape (all blocks,); equal where the values are.
        on: Whether each number stands on each page, shape (numbers, k + 1).
    """

    number: IntArray
    on: BoolArray

    @classmethod
    def of(cls, values: npt.NDArray[np.uint64], page_of: IntArray, pages: int) -> _Numbered:
        """Number the values of all blocks; `page_of` has the page of each."""
        distinct, number = np.unique(values, return_inverse=True)
        on = np.zeros((len(distinct), pages), bool)
        on[number, page_of] = True
        return cls(number, on)


class _Blocks:
    """The blocks of a page and of k others, one page after the other."""

    def __init__(self, pages: Sequence[Page | PageFacts]) -> None:
        facts = [page.facts for page in pages]
        self.pages = len(facts)
        self.ends = np.cumsum([len(f.tokens) for f in facts])
        self.page_of = np.repeat(np.arange(len(facts)), [len(f.tokens) for f in facts])
        self.text_hashes = np.concatenate([f.text_hashes for f in facts])
        self.path_keys = np.concatenate([f.path_keys for f in facts])
        self.tokens = np.concatenate([f.tokens for f in facts])

    @cached_property
    def texts(self) -> _Numbered:
        return _Numbered.of(self.text_hashes, self.page_of, self.pages)

    @cached_property
    def paths(self) -> _Numbered:
        return _Numbered.of(self.path_keys, self.page_of, self.pages)

    @cached_property
    def placed(self) -> _Numbered:
        """Texts under their paths."""
        return _Numbered.of(self.text_hashes * np.uint64(3) + self.path_keys, self.page_of, self.pages)


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
        self.page = page
        _ = page.blocks  # first: the facts of a page without columns make all of them, and leave none
        self._blocks = _Blocks([page, *others])
        self._chosen = np.arange(1, len(others) + 1)
        self._m = len(page.facts.tokens)

    def only(self, others: Sequence[int]) -> SharedBlocks:
        """The same of some of the others; what is numbered stays so."""
        some = object.__new__(SharedBlocks)
        some.page, some._blocks, some._m = self.page, self._blocks, self._m
        some._chosen = self._chosen[np.array(others, np.int64)]
        return some

    @property
    def carried(self) -> BoolArray:
        """Which others carry the text of each block, shape (k, m)."""
        return self._standing(self._blocks.texts)

    @property
    def times_on_page(self) -> IntArray:
        """How often the page itself says the text of each block, shape (m,)."""
        number = self._blocks.texts.number[: self._m]
        return np.bincount(number)[number]

    @cached_property
    def text_share(self) -> FloatArray:
        """Share of the others that carry each block's text, shape (m,); 0 where there is no other."""
        return self._mean(self._blocks.texts)

    @cached_property
    def placed_share(self) -> FloatArray:
        """Share of the others that carry it under the same path."""
        return self._mean(self._blocks.placed)

    @cached_property
    def path_share(self) -> FloatArray:
        """Share of the others that have a block of each block's path."""
        return self._mean(self._blocks.paths)

    @cached_property
    def slot_share(self) -> FloatArray:
        """Share of the tokens of each block's path, on the page and the others, in texts that two of them carry."""
        if not len(self._chosen):
            return np.zeros(self._m)
        texts, slot = self._blocks.texts, self._blocks.paths.number
        among = np.append(0, self._chosen)
        repeated = (texts.on[:, among].sum(axis=1) > 1)[texts.number]
        tokens = np.where(self._on_pages(among), self._blocks.tokens, 0)
        share = np.bincount(slot, tokens * repeated) / np.maximum(np.bincount(slot, tokens), 1)
        return np.asarray(share[slot[: self._m]])

    @cached_property
    def slot_tokens(self) -> FloatArray:
        """Mean tokens of the others' blocks of each block's path, shape (m,); NaN where there is none."""
        slot, others = self._blocks.paths.number, self._on_pages(self._chosen)
        blocks = np.bincount(slot, others)
        mean = np.bincount(slot, np.where(others, self._blocks.tokens, 0)) / np.maximum(blocks, 1)
        return np.where(blocks > 0, mean, np.nan)[slot[: self._m]]

    def _on_pages(self, pages: IntArray) -> BoolArray:
        """Which of all blocks stand on these pages, shape (all blocks,)."""
        wanted = np.zeros(self._blocks.pages, bool)
        wanted[pages] = True
        return np.asarray(wanted[self._blocks.page_of])

    def _standing(self, values: _Numbered) -> BoolArray:
        """Which others have the value of each block, shape (k, m)."""
        return np.asarray(values.on[values.number[: self._m]].T[self._chosen])

    def _mean(self, values: _Numbered) -> FloatArray:
        if not len(self._chosen):
            return np.zeros(self._m)
        return np.asarray(self._standing(values).mean(axis=0))
