"""A page's blocks in C: what they share with other pages, and what their words announce.

`source/shared.c` and `source/texts.c`; the twins in numpy are `site/shared.py` and `body/words.py`.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.library import Library, address_of

_WORD, _POINTER = ctypes.c_int64, ctypes.c_void_p

#: Rows of what is found, a value a block: shares of the others that have its text, and its text under its path; share
#: of its path's tokens in texts that two pages have; how often the page says its text; tokens a page that the others
#: have under its path in texts of one page alone.
TEXT_SHARE, PLACED_SHARE, SLOT_SHARE, TIMES, OWN_TOKENS = range(5)
ROWS = 5
#: More blocks are not numbered by 32 bits.
MAX_BLOCKS = 1 << 30

#: Size of `struct page_facts`.
_FACTS_BYTES = 48


class FactsArrays:
    """The arrays of a page of m blocks as C reads them.

    Args:
        text_hashes: Of its blocks, shape (m,).
        path_keys: Of their paths, shape (m,).
        tokens: Of the blocks, shape (m,).
        shapes: Hashes of the paths of its layout containers, shape (any,); of a page that others are compared with each
            once.

    Raises:
        ValueError: They differ in length.

    Attributes:
        words: `struct page_facts`: addresses and lengths.
    """

    def __init__(
        self,
        text_hashes: npt.NDArray[np.uint64],
        path_keys: npt.NDArray[np.uint64],
        tokens: npt.NDArray[np.int64],
        shapes: npt.NDArray[np.uint64],
    ) -> None:
        if not len(text_hashes) == len(path_keys) == len(tokens):
            raise ValueError(f"arrays differ in length: {len(text_hashes)}, {len(path_keys)} and {len(tokens)}")
        arrays = (text_hashes, np.uint64), (path_keys, np.uint64), (tokens, np.int64), (shapes, np.uint64)
        self._given = text_hashes, path_keys, tokens, shapes
        self._held = [np.ascontiguousarray(array, dtype) for array, dtype in arrays]
        *blocks, containers = map(address_of, self._held)
        self.words = (*blocks, len(tokens), containers, len(shapes))

    def __reduce__(self) -> tuple[type[FactsArrays], tuple[npt.NDArray[Any], ...]]:
        return FactsArrays, self._given  # a copy lies elsewhere


class Shared(NamedTuple):
    """What a page of m blocks shares with k others.

    Attributes:
        rows: `TEXT_SHARE` and so on, shape (ROWS, m).
        carried: The page's tokens, and tokens of prose, in texts that each other has, shape (2, k).
        likeness: Common containers of layout / containers of the page with fewer, 0 to 1, shape (k,).
    """

    rows: npt.NDArray[np.float64]
    carried: npt.NDArray[np.int64]
    likeness: npt.NDArray[np.float64]


def share_blocks(
    library: Library, page: FactsArrays, prose: npt.NDArray[np.int64], others: Sequence[FactsArrays]
) -> Shared | None:
    """What a page of m blocks shares with k others.

    Args:
        library: The compiled library.
        page: The page.
        prose: Tokens of its blocks that are prose, else 0, shape (m,).
        others: The others.

    Returns:
        What they share; None where there are too many blocks.

    Raises:
        ValueError: There are not as many tokens of prose as blocks.
    """
    m, k = page.words[3], len(others)
    blocks = sum(other.words[3] for other in others)
    if m + blocks + page.words[5] > MAX_BLOCKS:
        return None
    if len(prose) != m:
        raise ValueError(f"{m} blocks expected, got {len(prose)}")
    facts = np.array([page.words, *(other.words for other in others)], np.int64)
    prose = np.ascontiguousarray(prose, np.int64)
    rows, sums, likeness = np.empty(ROWS * m), np.empty(2 * k, np.int64), np.empty(k)
    work = np.empty(library.shared_space(m, page.words[5], blocks), np.uint8)
    own = address_of(facts)
    found = (address_of(array) for array in (work, sums, likeness, rows))
    library.shared(own, address_of(prose), own + _FACTS_BYTES, k, *found)
    return Shared(rows.reshape(ROWS, m), sums.reshape(2, k), likeness)


class Page(Protocol):
    """What C finds a page's columns by (`PageColumns`)."""

    address: int


#: What is left to do for a block: it is unseen; its share of the title's words is unknown.
UNSEEN, TITLE = 1, 2


class _Known(ctypes.Structure):
    _fields_ = (
        *(("mask", _WORD), ("seed", ctypes.c_uint64), ("keys", _POINTER), ("bits", _POINTER)),
        ("short_tokens", _WORD),
    )


class AskedTexts(NamedTuple):
    """What is known of the texts of m blocks; arrays of shape (m,).

    Attributes:
        keys: Key of each block that is looked up, anything for others.
        share: Share of its words that stand in the title.
        bits: What it announces.
        left: What is left to do: `UNSEEN`, `TITLE`.
        waiting: For how many blocks something is.
    """

    keys: npt.NDArray[np.uint64]
    share: npt.NDArray[np.float64]
    bits: npt.NDArray[np.uint8]
    left: npt.NDArray[np.uint8]
    waiting: int


class KnownTexts:
    """What short texts announce, by a hash with a seed of this process.

    Args:
        most: Texts that are remembered, a power of two; where there are more, all are forgotten.
        short: Blocks of fewer tokens are looked up, and compared with the title.

    Attributes:
        forgotten: How many have been forgotten.
    """

    def __init__(self, most: int, short: int) -> None:
        self.most, self.forgotten, self._used = most, 0, 0
        self._keys, self._bits = np.zeros(2 * most, np.uint64), np.zeros(2 * most, np.uint8)
        seed = int.from_bytes(os.urandom(8), "little")
        self._struct = _Known(2 * most - 1, seed, address_of(self._keys), address_of(self._bits), short)

    def ask(self, library: Library, page: Page, m: int, lower: npt.NDArray[np.uint16], title: str) -> AskedTexts:
        """What is known of a page's m blocks.

        Args:
            library: The compiled library.
            page: The page's columns.
            m: How many blocks it has.
            lower: What each code is worth, shape (65536,); see `texts.c`.
            title: The page's title in lower case.
        """
        out, codes = np.empty(18 * m + 1, np.uint8), title.encode("utf-16-le", "surrogatepass")
        struct = ctypes.addressof(self._struct)
        waiting = library.texts_ask(page.address, struct, address_of(lower), codes, len(codes) // 2, address_of(out))
        keys, share = out[: 8 * m].view(np.uint64), out[8 * m : 16 * m].view(np.float64)
        return AskedTexts(keys, share, out[16 * m : 17 * m], out[17 * m : 18 * m], waiting)

    def learn(self, library: Library, keys: npt.NDArray[np.uint64], bits: npt.NDArray[np.uint8]) -> None:
        """Remember what some texts announce; both of shape (any,)."""
        if self._used + len(keys) > self.most:
            self.clear()
        keys, bits = keys[: self.most], bits[: self.most]
        if len(keys):
            library.texts_learn(ctypes.addressof(self._struct), len(keys), address_of(keys), address_of(bits))
        self._used += len(keys)

    def clear(self) -> None:
        """Forget all."""
        self._keys[:] = 0
        self.forgotten += self._used
        self._used = 0
