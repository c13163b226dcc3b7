"""Text to units: the alphabet in which two texts are compared.

The source counts single characters. Taken literally that makes any two English pages equal, for
every letter passes a frequency threshold. Here a unit is one character where a script writes
without spaces (ideographs, kana, hangul), and a whole word elsewhere; both carry about as much.

Source: patent text 'Method and system for web page de-duplication', the character alphabet.
"""

from __future__ import annotations

import re
import unicodedata
import zlib

import numpy as np
import numpy.typing as npt

UNIT_HASH = "crc32-utf8"
TOKEN_RULE = 1  # raise when the rule below changes: fingerprints of two rules do not compare

_CJK = (
    "\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\U00020000-\U000323af"
)
# Vowel signs are no word characters to `re`: without them an Indic word falls into its consonants.
_MARKS = "".join(c for c in map(chr, range(0x300, 0xE00)) if unicodedata.category(c)[0] == "M")
_HAS_MARK = re.compile(f"[{_MARKS}]")
_PLAIN = re.compile(f"[{_CJK}]|[^\\W{_CJK}]+")
_MARKED = re.compile(f"[{_CJK}]|(?:(?![{_CJK}])[\\w{_MARKS}])+")

_CACHE_WORDS = 1 << 18  # some 30 MB at most; a crawl's common words fit many times over
_CACHE_LETTERS = 64  # longer 'words' are debris, seen once


class _HashCache(dict[str, int]):
    """Word -> hash, computed at first sight; emptied when full, and filled again."""

    def __missing__(self, word: str) -> int:
        value = zlib.crc32(word.encode("utf-8", "surrogatepass"))
        if len(word) <= _CACHE_LETTERS:
            if len(self) >= _CACHE_WORDS:
                self.clear()
            self[word] = value
        return value


_HASHES = _HashCache()


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
    if text.isascii():
        return _PLAIN.findall(text.lower())
    level = unicodedata.normalize("NFKC", text).lower()
    pattern = _MARKED if _HAS_MARK.search(level) else _PLAIN
    return pattern.findall(level)


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
    return np.fromiter(map(_HASHES.__getitem__, words), dtype=np.uint32, count=len(words))
