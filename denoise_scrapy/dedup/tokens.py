"""Text to units: the alphabet in which two texts are compared.

The source counts single characters. Taken literally that makes any two English pages equal, for
every letter passes a frequency threshold. Here a unit is one character where a script writes
without spaces (ideographs, kana, hangul), and a whole word elsewhere; both carry about as much.

Source: patent text 'Method and system for web page de-duplication', the character alphabet.
"""

from __future__ import annotations

import re
import sys
import unicodedata
import zlib
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native import dedup_text, library

UNIT_HASH = "crc32-utf8"
TOKEN_RULE = 1  # raise when the rule below changes: fingerprints of two rules do not compare

IDEOGRAPH, NUMBER = 1, 2
"""Kinds of units: an ideograph, and a word with a digit in it. All others are 0."""

_IDEOGRAPHS = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_CJK = f"{_IDEOGRAPHS}\u3040-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uac00-\ud7af"
# Vowel signs are no word characters to `re`: without them an Indic word falls into its consonants.
_MARKS = "".join(c for c in map(chr, range(0x300, 0xE00)) if unicodedata.category(c)[0] == "M")
_HAS_MARK = re.compile(f"[{_MARKS}]")
_PLAIN = re.compile(f"[{_CJK}]|[^\\W{_CJK}]+")
_MARKED = re.compile(f"[{_CJK}]|(?:(?![{_CJK}])[\\w{_MARKS}])+")

_IS_IDEOGRAPH = re.compile(f"[{_IDEOGRAPHS}]")
_HAS_DIGIT = re.compile(r"\d")

_WITHIN, _DIGIT, _ALONE, _IDEOGRAPH = 1, 2, 3, 4
"""Classes of code points: part of a word, a digit in one, a unit by itself, an ideograph; 0 is between units."""

# What bytes an ASCII text has between its words, as spaces. Four times as fast as the regular expression.
_ASCII_WORDS = bytes(b if re.match(r"\w", chr(b), re.ASCII) else 32 for b in range(256))


def _crc_table() -> npt.NDArray[np.uint32]:
    """CRC-32 a byte at a time: the entries by which `zlib.crc32` goes."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(0xEDB88320), table >> 1).astype(np.uint32)
    return table


_CRC = _crc_table()


def tokens(text: str) -> list[str]:
    """Split a text into its units, in order.

    Args:
        text: Any text. Compatibility forms (full-width letters, ligatures) and case are levelled.

    Returns:
        One ideograph, kana or hangul syllable, or one lower-cased run of word characters, each.

    Example:
        >>> tokens("The iPhone,是 新的")
        ['the', 'iphone', '是', '新', '的']

    """
    level = _level(text)
    pattern = _MARKED if not text.isascii() and _HAS_MARK.search(level) else _PLAIN
    return pattern.findall(level)


class Units(NamedTuple):
    """A text's units in order.

    Attributes:
        hashes: uint32 (n,), see `unit_hashes`.
        kinds: uint8 (n,), `IDEOGRAPH`, `NUMBER` or 0.
        joined: UTF-8 of the units, joined by line feeds.

    """

    hashes: npt.NDArray[np.uint32]
    kinds: npt.NDArray[np.uint8]
    joined: bytes | memoryview


def read_units(text: str) -> Units:
    r"""Cut a text into units.

    Args:
        text: Any text.

    Returns:
        The units.

    Example:
        >>> units = read_units("The iPhone 4,是")
        >>> units.kinds.tolist(), bytes(units.joined).decode()
        ([0, 0, 2, 1], 'the\niphone\n4\n是')

    """
    native = library()
    if native is not None:
        data = _level(text).encode("utf-8", "surrogatepass")
        return Units(*dedup_text.units(native, data, _classes(text.isascii()), _CRC))
    words = text.lower().encode().translate(_ASCII_WORDS).decode().split() if text.isascii() else tokens(text)
    kinds = np.fromiter(map(_kind, words), np.uint8, len(words))
    return Units(unit_hashes(words), kinds, "\n".join(words).encode("utf-8", "surrogatepass"))


def unit_hashes(words: list[str]) -> npt.NDArray[np.uint32]:
    """Hash units to 32 bits.

    Args:
        words: Units as `tokens` returns them.

    Returns:
        uint32 array of the same length: CRC-32 of each unit's UTF-8 bytes.

    Example:
        >>> unit_hashes(["a", "b", "a"])
        array([3904355907, 1908338681, 3904355907], dtype=uint32)

    """
    encoded = (word.encode("utf-8", "surrogatepass") for word in words)
    return np.fromiter(map(zlib.crc32, encoded), dtype=np.uint32, count=len(words))


def _kind(word: str) -> int:
    return IDEOGRAPH if _IS_IDEOGRAPH.match(word) else NUMBER if _HAS_DIGIT.search(word) else 0


def _level(text: str) -> str:
    """Level compatibility forms and case."""
    return (text if text.isascii() else unicodedata.normalize("NFKC", text)).lower()


@cache
def _classes(ascii_only: bool) -> npt.NDArray[np.uint8]:
    """What each code point is, by the regular expressions above: 128 of them, or all 1.1 million (40 ms, once)."""
    count = 128 if ascii_only else sys.maxunicode + 1
    points = np.arange(count, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    classes = np.zeros(count, np.uint8)
    for pattern, number in ((f"[\\w{_MARKS}]+", _WITHIN), (r"\d+", _DIGIT)):
        for found in re.finditer(pattern, points):
            classes[slice(*found.span())] = number
    for ranges, number in ((_CJK, _ALONE), (_IDEOGRAPHS, _IDEOGRAPH)):
        for low, high in re.findall("(.)-(.)", ranges):
            classes[ord(low) : ord(high) + 1] = number
    return classes
