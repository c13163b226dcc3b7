"""Texts of blocks in C (`source/texts.c`, `source/lexical.c`): what is known of short ones, and their rendering."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.address import address_of
from denoise_scrapy.native.library import Library

#: What is left to do for a block: it is unseen, its share of the title's words is unknown, it may speak of consent.
UNSEEN, TITLE, CONSENT = 1, 2, 4

IntArray = npt.NDArray[np.int64]


_POINTER, _NUMBER = ctypes.c_void_p, ctypes.c_int64


def _declared(function: Any, *arguments: Any, result: Any = None) -> Any:
    """A function with its types, which are set once: it takes a microsecond."""
    if function.argtypes is None:
        function.restype, function.argtypes = result, arguments
    return function


class PageAddress(NamedTuple):
    """A page as C knows it.

    Attributes:
        address: Of `struct page_columns`, whose holder outlives this.
        characters: Of its marked text.
        wide: Whether these have 16 bits.
        blocks: How many it has.
    """

    address: int
    characters: int
    wide: bool
    blocks: int


class _Known(ctypes.Structure):
    _fields_ = (
        ("mask", ctypes.c_int64),
        ("seed", ctypes.c_uint64),
        ("keys", ctypes.c_void_p),
        ("bits", ctypes.c_void_p),
    )


class KnownTexts:
    """What short texts announce, by a hash with a seed of this process.

    Args:
        most: Texts that are remembered; where there are more, all are forgotten. A power of two.
    """

    def __init__(self, most: int) -> None:
        self._most, self._used = most, 0
        self._keys = np.zeros(2 * most, np.uint64)
        self._bits = np.zeros(2 * most, np.uint8)
        seed = int.from_bytes(os.urandom(8), "little")
        self.struct = _Known(2 * most - 1, seed, address_of(self._keys), address_of(self._bits))

    def learn(self, library: Library, keys: npt.NDArray[np.uint64], bits: npt.NDArray[np.uint8]) -> None:
        """Remember what some texts announce; both of shape (any,)."""
        if self._used + len(keys) > self._most:
            self.clear()
        keys, bits = keys[: self._most], bits[: self._most]
        # it keeps the lock: nobody asks meanwhile
        function = _declared(library.objects.denoise_texts_learn, _POINTER, _NUMBER, _POINTER, _POINTER)
        if len(keys):
            function(ctypes.addressof(self.struct), len(keys), address_of(keys), address_of(bits))
        self._used += len(keys)

    def clear(self) -> None:
        """Forget all."""
        self._keys[:] = 0
        self._used = 0


class _Literals(ctypes.Structure):
    _fields_ = (
        ("lower", ctypes.c_void_p),
        ("begins", ctypes.c_void_p),
        ("count", ctypes.c_int64),
        ("text", ctypes.c_void_p),
        ("edges", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("short", "known", "consent")),
    )


class Literals:
    """Literals to look for in lower case.

    Args:
        lower: What each code is worth, shape (65536,); see `texts.c`.
        literals: The literals, without white space; from 1 to 254.
        limits: Blocks of fewer tokens are compared with the title, looked up, and searched for literals.
    """

    def __init__(self, lower: npt.NDArray[np.uint16], literals: Sequence[str], limits: tuple[int, int, int]) -> None:
        codes = sorted(tuple(np.frombuffer(literal.encode("utf-16-le"), "<u2").tolist()) for literal in literals)
        begins = np.zeros(1 << 16, np.uint8)
        for number in reversed(range(len(codes))):
            begins[codes[number][0]] = number + 1
        text = np.array([code for literal in codes for code in literal], np.uint16)
        edges = np.array([0, *map(len, codes)], np.int64).cumsum()
        self._columns = lower, begins, text, edges
        first, second, *others = [address_of(column) for column in self._columns]
        self.struct = _Literals(first, second, len(codes), *others, *limits)


class Asked(NamedTuple):
    """What is known of m blocks; arrays of shape (m,).

    Attributes:
        waiting: Blocks for which something is left to do.
        keys: Key of each block that is looked up.
        bits: What it announces.
        share: Share of its words that stand in the title.
        left: What is left to do: UNSEEN, TITLE, CONSENT.
    """

    waiting: int
    keys: npt.NDArray[np.uint64]
    bits: npt.NDArray[np.uint8]
    share: npt.NDArray[np.float64]
    left: npt.NDArray[np.uint8]


def ask(library: Library, page: PageAddress, known: KnownTexts, literals: Literals, title: str) -> Asked:
    """What is known of a page's m blocks.

    Args:
        library: The compiled library.
        page: The page.
        known: Known texts.
        literals: What longer blocks are searched for.
        title: The page's title in lower case.
    """
    m = page.blocks
    out, codes = np.empty(18 * m + 1, np.uint8), title.encode("utf-16-le", "surrogatepass")
    # it keeps the lock: nobody learns meanwhile
    function = _declared(
        library.objects.denoise_texts_ask, *[_POINTER] * 3, ctypes.c_char_p, _NUMBER, _POINTER, result=_NUMBER
    )
    structs = ctypes.addressof(known.struct), ctypes.addressof(literals.struct)
    waiting = function(page.address, *structs, codes, len(codes) // 2, address_of(out))
    keys, share = out[: 8 * m].view(np.uint64), out[8 * m : 16 * m].view(np.float64)
    return Asked(waiting, keys, out[16 * m : 17 * m], share, out[17 * m : 18 * m])


def find_titles(
    library: Library, page: PageAddress, lower: npt.NDArray[np.uint16], title: str
) -> tuple[npt.NDArray[np.uint8], int]:
    """Headings that are part of a title, white space aside.

    Args:
        library: The compiled library.
        page: The page of m blocks.
        lower: What each code is worth, shape (65536,).
        title: The title in lower case, without white space.

    Returns:
        1 for those that are, 0 for all others but 2 where it is left to do, shape (m,), and how many these are.
    """
    out, codes = np.empty(page.blocks + 1, np.uint8), title.encode("utf-16-le", "surrogatepass")
    function = _declared(
        library.arrays.denoise_texts_titles,
        *(_POINTER, _POINTER, ctypes.c_char_p, _NUMBER, _NUMBER, _POINTER),
        result=_NUMBER,
    )
    left = function(page.address, address_of(lower), codes, len(codes) // 2, len(title), address_of(out))
    return out[:-1], left


def join_texts(
    library: Library, page: PageAddress, lower: npt.NDArray[np.uint16], wanted: npt.NDArray[np.bool_]
) -> str | None:
    """The texts of some blocks, a line each; None where blocks overlap, which none do.

    Args:
        library: The compiled library.
        page: The page of m blocks.
        lower: What each code is worth, shape (65536,).
        wanted: Which blocks, shape (m,).

    Raises:
        ValueError: There are not as many blocks.
    """
    kind = np.uint16 if page.wide else np.uint8
    out = np.empty(page.characters + page.blocks + 1, kind)
    function = _declared(library.arrays.denoise_texts_join, *[_POINTER] * 4, result=_NUMBER)
    wanted = np.ascontiguousarray(wanted, np.bool_)
    if len(wanted) != page.blocks:
        raise ValueError(f"{page.blocks} blocks expected, got {len(wanted)}")
    written = function(page.address, *map(address_of, (lower, wanted, out)))
    return None if written < 0 else str(out[:written].data, "utf-16-le" if page.wide else "latin-1", "replace")


class _Limits(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int64) for name in ("announcing", "far", "meta", "consent")),
        ("late", ctypes.c_double),
    )


def fill_lexical(
    library: Library,
    bits: npt.NDArray[np.uint8],
    tokens: IntArray,
    limits: tuple[int, int, int, int, float],
    out: npt.NDArray[np.float32],
) -> None:
    """Fill in the rows of what m blocks announce.

    Args:
        library: The compiled library.
        bits: What each block announces, shape (m,).
        tokens: Its tokens, shape (m,).
        limits: Tokens of what announces something, far, widths of the windows of meta data and consent, late.
        out: Eight rows or more, shape (rows, m), contiguous.

    Raises:
        ValueError: `out` has other strides.
    """
    if out.strides != (4 * len(bits), 4) and out.size:
        raise ValueError(f"rows must follow each other, got strides {out.strides}")
    if not len(bits):
        return
    bits, tokens = np.ascontiguousarray(bits, np.uint8), np.ascontiguousarray(tokens, np.int64)
    function = _declared(library.arrays.denoise_lexical, _POINTER, _POINTER, _NUMBER, _POINTER, _POINTER)
    struct = _Limits(*limits)
    function(address_of(bits), address_of(tokens), len(bits), ctypes.addressof(struct), address_of(out))
