"""The same by the literal rule of the source, whose units are characters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.commands.judging import EXAMPLES, Floor, Judged, Share, percent
from denoise_scrapy.dedup import Fingerprint
from denoise_scrapy.dedup.fingerprint import MIN_TOKENS
from denoise_scrapy.dedup.patent import FREQUENCY, LONG, SMALL_SHARE, Characters, PatentRule, above

_16 = np.uint32(16)
_NO_C2 = "equal main feature strings; c2 is not looked at"


class _Texts(NamedTuple):
    new: Characters
    own: Fingerprint
    kept: Fingerprint


def judge_characters(new_text: str, kept_text: str, threshold: float) -> Judged:
    """Judge a new text against a kept one.

    Args:
        new_text: The new text.
        kept_text: The kept text.
        threshold: What c1 or c2 must be above.

    Example:
        >>> judge_characters("the cat sat on the mat " * 4, "the cat sat on the mat " * 5, 0.8).why
        'equal main feature strings; c2 is not looked at'

    """
    rule = PatentRule()
    new = rule.read(new_text)
    texts = _Texts(new, rule.fingerprint(new), rule.fingerprint(rule.read(kept_text)))
    own, kept = texts.own, texts.kept
    floors = (
        Floor("characters", min(own.n, kept.n), MIN_TOKENS),
        Floor(f"characters that come more than {FREQUENCY} times", min(len(own.units), len(kept.units)), 1),
    )
    same = bool(own.n) and own.digest == kept.digest
    common = np.intersect1d(own.units, kept.units)
    c1 = Share(len(common), len(own.units), above(len(own.units), threshold), len(own.units), len(kept.units))
    compared = rule.judge(new, [kept], threshold)[0]
    c2 = None if np.array_equal(own.units, kept.units) else _neighbours(texts, common, compared.c2, threshold)
    short = rule.too_short(own)
    why = "too short to be judged" if short else "the same characters" if same else _step(texts, c1, c2)
    duplicate = not short and (same or compared.duplicate)
    return Judged(duplicate, why, FREQUENCY, same, floors, c1, c2, None, *_lacking(texts))


def _neighbours(texts: _Texts, common: npt.NDArray[np.uint16], c2: float, threshold: float) -> Share:
    mine = texts.new.neighbours
    of = int(np.isin(mine >> _16, common).sum())
    return Share(round(c2 * of), of, above(of, threshold), len(mine), len(texts.kept.s2) // 4)


def _step(texts: _Texts, c1: Share, c2: Share | None) -> str:
    """Say which step of the source decided."""
    if not texts.kept.units.size or min(texts.own.n, texts.kept.n) < MIN_TOKENS:
        return "the kept text is too short to be judged, or no character comes often in it"
    if c2 is None:
        return _NO_C2
    shorter, longer = sorted((texts.own.n, texts.kept.n))
    if shorter > LONG:
        return f"c2 is {percent(c2.value)}, which decides where both have more than {LONG} characters"
    if shorter < SMALL_SHARE * longer:
        return f"c2 is {percent(c2.value)}, which decides where one is under {SMALL_SHARE:.0%} of the other"
    return f"c1 is {percent(c1.value)}, which decides where one has {LONG} characters or fewer"


def _lacking(texts: _Texts) -> tuple[list[str], list[str]]:
    units = np.setdiff1d(texts.own.units, texts.kept.units)
    pairs = np.setdiff1d(texts.new.neighbours, np.frombuffer(texts.kept.s2, "<u4"))[:EXAMPLES]
    return _letters(units[:EXAMPLES]), ["".join(_letters((pair >> _16, pair & 0xFFFF))) for pair in pairs]


def _letters(codes: Iterable[np.integer[npt.NBitBase]]) -> list[str]:
    """Characters; half of one beyond 16 bits becomes a question mark."""
    return [chr(int(code)).encode("utf-8", "replace").decode() for code in codes]
