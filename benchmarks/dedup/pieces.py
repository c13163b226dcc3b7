"""Texts in pieces which, joined, are the text again: the edits cut at these places and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from math import ceil
from random import Random

from denoise_scrapy.core.units import tokens

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_PIECE = re.compile(rf"[{_CJK}]|[^\s{_CJK}]+|\s+")
_SENTENCE_END = re.compile(r"(?<=[。！？\n])|(?<=[.!?؟۔])(?=\s)")
_HAN, _KANA_HANGUL = re.compile("[\u3400-\u9fff]"), re.compile("[\u3040-\u30ff\uac00-\ud7af]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
GROUPS = ("latin", "chinese", "other cjk", "other")


def group_of(text: str) -> str:
    """The language group, one of `GROUPS`, by the script of most of the text.

    >>> group_of("Plain words"), group_of("你好，世界"), group_of("これはペンです"), group_of("سلام دنیا")
    ('latin', 'chinese', 'other cjk', 'other')
    """
    han, other_cjk = len(_HAN.findall(text)), len(_KANA_HANGUL.findall(text))
    letters = sum(map(str.isalpha, text))
    if han + other_cjk > 0.3 * letters:  # an ideograph says what several letters say
        return "other cjk" if other_cjk > 0.1 * han else "chinese"
    return "latin" if len(_LATIN.findall(text)) > 0.5 * letters else "other"


_WORDS, _TEXTS = 1 << 16, 1 << 11  # pieces and texts remembered; the bases come again and again


@lru_cache(_WORDS)
def size(text: str) -> int:
    """Length in units."""
    return len(tokens(text))


@lru_cache(_TEXTS)
def pieces(text: str) -> tuple[str, ...]:
    """Words with their punctuation, single CJK characters, and the white space between.

    >>> pieces("An iPhone, 是新的")
    ('An', ' ', 'iPhone,', ' ', '是', '新', '的')
    """
    return tuple(_PIECE.findall(text))


def words(parts: Sequence[str]) -> list[int]:
    """Places of the pieces that hold a unit."""
    return [i for i, piece in enumerate(parts) if size(piece)]


@lru_cache(_TEXTS)
def sentences(text: str) -> tuple[str, ...]:
    r"""Sentences; a line is one, too. Joined they are the text.

    >>> sentences("One. Two!\nThree")
    ('One.', ' Two!', '\n', 'Three')
    """
    return tuple(part for part in _SENTENCE_END.split(text) if part)


def split(text: str, units: int) -> tuple[str, str]:
    """The text in two, the first of at least so many units, or of all there are.

    >>> split("one two, three four", 2)
    ('one two,', ' three four')
    """
    seen, parts = 0, pieces(text)
    for i, piece in enumerate(parts):
        if seen >= units:
            return "".join(parts[:i]), "".join(parts[i:])
        seen += size(piece)
    return text, ""


def first(text: str, share: float) -> str:
    """The beginning of a text, at least that share of its units."""
    whole, units = size(text), ceil(share * size(text))
    while units < whole:  # units at a joint may fall together, so a piece more now and then
        part = split(text, units)[0]
        if size(part) >= share * whole:
            return part
        units += 1
    return text


def excerpt(text: str, units: int, rng: Random) -> str:
    """That many units from a random place in a text, or all of a shorter one."""
    spare = size(text) - units
    if spare <= 0:
        return text.strip()
    return split(split(text, rng.randint(1, spare) - 1)[1], units)[0].strip()
