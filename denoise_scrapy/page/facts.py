"""The little that a page must leave behind to be compared with others: some 25 bytes a block."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.blocks import FactsArrays


@dataclass(frozen=True, eq=False)
class PageFacts:
    """What other pages are told of a page of m blocks.

    Attributes:
        url: Where the page came from.
        signature: See `Page.signature`.
        text_hashes: See `Blocks.text_hashes`, shape (m,).
        path_keys: See `Blocks.path_keys`, shape (m,).
        tokens: See `Blocks.tokens`, shape (m,).
        title: Its title; "" of facts from a file, which holds none.
    """

    url: str
    signature: frozenset[int]
    text_hashes: npt.NDArray[np.uint64]
    path_keys: npt.NDArray[np.uint64]
    tokens: npt.NDArray[np.int64]
    title: str = ""

    @property
    def facts(self) -> PageFacts:
        """These facts: they stand for the page where only its facts count."""
        return self

    @cached_property
    def arrays(self) -> FactsArrays:
        """The arrays for the accelerator."""
        shapes = np.fromiter(self.signature, np.uint64, len(self.signature))
        return FactsArrays(self.text_hashes, self.path_keys, self.tokens, shapes)

    @property
    def nbytes(self) -> int:
        """About what they occupy in memory, in bytes."""
        # a set of integers takes some 70 bytes an entry, arrays and objects about two kilobytes
        return 2000 + 24 * len(self.tokens) + 70 * len(self.signature) + 2 * len(self.title)
