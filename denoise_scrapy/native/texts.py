"""Texts of blocks in C (`source/texts.c`, `source/lexical.c`): what is known of short ones, and their rendering."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.calling import address_of, declared
from denoise_scrapy.native.library import Library

#: What is left to do for a block: it is unseen; its share of the title's words is unknown; it may speak of consent; it
#: is unseen, and its bits are right.
UNSEEN, TITLE, CONSENT, TOLD = 1, 2, 4, 8

IntArray = npt.NDArray[np.int64]


_POINTER, _NUMBER = ctypes.c_void_p, ctypes.c_int64


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

    Attributes:
        forgotten: How many have been forgotten.
    """

    def __init__(self, most: int) -> None:
        self._most, self._used = most, 0
        self.forgotten = 0
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
        function = declared(library.objects.denoise_texts_learn, _POINTER, _NUMBER, _POINTER, _POINTER)
        if len(keys):
            function(ctypes.addressof(self.struct), len(keys), address_of(keys), address_of(bits))
        self._used += len(keys)

    def clear(self) -> None:
        """Forget all."""
        self._keys[:] = 0
        self.forgotten += self._used
        self._used = 0


class _Hints(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in "single first next bits place text edges".split()),
        ("colon", ctypes.c_int64),
    )


class _Question(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("lower", "all", "consents")),
        *((name, ctypes.c_int64) for name in ("short", "known", "consent")),
    )


#: Where in a text a hint counts: anywhere, before all letters from a to z, with none of these beside it. Where it is
#: certain: by itself, as a whole word, as the first half of a year's digits, in a time of day.
ANYWHERE, START, APART, PLAIN, WORD, YEAR, TIME = range(7)
_PAIRS = 4096

#: A literal in lower case, what it tells of as bits, where it counts.
Hint = tuple[str, int, int]


class Question:
    """What blocks are asked for.

    Args:
        lower: What each code is worth, shape (65536,); see `texts.c`.
        hints: Literals, one of which is in each text that announces something; fewer than 255. Those of one character
            count anywhere, but for the colon of a time.
        consents: Those that longer texts are searched for.
        limits: Blocks of fewer tokens are compared with the title, searched for hints, and for consents.
    """

    def __init__(
        self,
        lower: npt.NDArray[np.uint16],
        hints: Sequence[Hint],
        consents: Sequence[Hint],
        limits: tuple[int, int, int],
    ) -> None:
        self._columns = [_hint_columns(hints), _hint_columns(consents), [lower]]
        colons = [sum(tells for _, tells, place in given if place == TIME) for given in (hints, consents)]
        columns = zip(self._columns, colons, strict=False)
        self._hints = [_Hints(*map(address_of, arrays), colon) for arrays, colon in columns]
        self.struct = _Question(address_of(lower), *map(ctypes.addressof, self._hints), *limits)


def _hint_columns(hints: Sequence[Hint]) -> list[npt.NDArray[Any]]:
    """The arrays of `struct hints`, in its order."""
    codes = [np.frombuffer(literal.encode("utf-16-le"), "<u2").tolist() for literal, _, _ in hints]
    single, first = np.zeros(1 << 16, np.uint8), np.zeros(_PAIRS, np.uint8)
    longer = [i for i, literal in enumerate(codes) if len(literal) > 1]
    after = np.zeros(len(longer) + 1, np.uint8)
    for number, i in enumerate(longer):
        begin = (codes[i][0] * 31 + codes[i][1]) % _PAIRS
        after[number], first[begin] = first[begin], number + 1
    for (_, tells, where), literal in zip(hints, codes, strict=True):
        if len(literal) == 1 and where != TIME:
            single[literal[0]] |= tells
    bits, place = (np.array([*(hints[i][column] for i in longer), 0], np.uint8) for column in (1, 2))
    text = np.array([*(code for i in longer for code in codes[i]), 0], np.uint16)
    edges = np.array([0, *(len(codes[i]) for i in longer)], np.int64).cumsum()
    return [single, first, after, bits, place, text, edges]


class Asked(NamedTuple):
    """What is known of m blocks; arrays of shape (m,).

    Attributes:
        waiting: Blocks for which something is left to do.
        keys: Key of each block that is looked up, anything for others.
        bits: What it announces.
        share: Share of its words that stand in the title.
        left: What is left to do: UNSEEN, TITLE, CONSENT, TOLD.
    """

    waiting: int
    keys: npt.NDArray[np.uint64]
    bits: npt.NDArray[np.uint8]
    share: npt.NDArray[np.float64]
    left: npt.NDArray[np.uint8]


def ask(library: Library, page: PageAddress, known: KnownTexts, question: Question, title: str) -> Asked:
    """What is known of a page's m blocks.

    Args:
        library: The compiled library.
        page: The page.
        known: Known texts.
        question: What they are asked for.
        title: The page's title in lower case.
    """
    m = page.blocks
    out, codes = np.empty(18 * m + 1, np.uint8), title.encode("utf-16-le", "surrogatepass")
    # it keeps the lock: nobody learns meanwhile
    function = declared(
        library.objects.denoise_texts_ask, *[_POINTER] * 3, ctypes.c_char_p, _NUMBER, _POINTER, result=_NUMBER
    )
    structs = ctypes.addressof(known.struct), ctypes.addressof(question.struct)
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
    function = declared(
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
    function = declared(library.arrays.denoise_texts_join, *[_POINTER] * 4, result=_NUMBER)
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
    function = declared(library.arrays.denoise_lexical, _POINTER, _POINTER, _NUMBER, _POINTER, _POINTER)
    struct = _Limits(*limits)
    function(address_of(bits), address_of(tokens), len(bits), ctypes.addressof(struct), address_of(out))
