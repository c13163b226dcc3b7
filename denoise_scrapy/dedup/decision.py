"""The verdict on two texts.

A new text X is a duplicate of a kept text P where X, or nearly all of it, is in P:

1. equal unit sequences: at once;
2. X is cut at P's frequency threshold: were X a part of P, its main feature string would lie
   inside P's, which holds for an absolute threshold only;
3. c1 = common main units / X's main units, c2 = common pairs / X's pairs, both at least
   the threshold;
4. X has at least 30% of P's length, 4 main units and 8 pairs.

Two more questions are answered from the same counts: whether both are nearly the same (c1 and c2
relative to the larger of the two), and whether X extends P (relative to P).

Source: patent text 'Method and system for web page de-duplication', decision. Three steps of the
literal rule went wrong when measured and are replaced: two empty main strings are no longer equal;
c2 is relative to all pairs of X, not to those of common units; c1 and c2 must both hold. The
literal rule is `denoise_scrapy.dedup.patent`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup.features import Cut, Features
from denoise_scrapy.dedup.fingerprint import MIN_TOKENS, MIN_UNITS, Fingerprint

THRESHOLD = 0.7
"""c1 and c2 of a duplicate. Measured with rule B: precision .997, recall .9965; (.8, .7) loses two
points of recall, (.7, .8) gains .2 points of precision for .8 of recall."""

MIN_PAIRS = 8

RATIO_PERCENT = 30
"""The part's least length in percent of the whole's. A bounded fingerprint cannot know tiny excerpts."""

Ints = npt.NDArray[np.int64]


class Question(Enum):
    """What is asked of a new text X and a kept text P."""

    PART = "nearly all of X is in P"
    COPY = "nearly all of X is in P and the other way round"
    WHOLE = "nearly all of P is in X"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A new text against a kept one.

    Attributes:
        duplicate: The verdict.
        c1: Share of main units in common, 0 to 1.
        c2: Share of pairs in common, 0 to 1: the score.

    """

    duplicate: bool
    c1: float
    c2: float


def needed(size: int, threshold: float) -> int:
    """Give the least number of common elements that reaches a share.

    Args:
        size: Number of elements, 0 or more.
        threshold: The share, in (0, 1].

    Returns:
        The least whole number k, 1 or more, with k / size >= threshold, free of rounding error.

    Example:
        >>> needed(10, 0.7), needed(30, 0.1), needed(5, 0.7)
        (7, 3, 4)

    """
    return max(1, math.ceil(threshold * size - 1e-9))


def longest_kept(n: int) -> int:
    """Give the length of the longest kept text a new text may be a part of.

    Args:
        n: Length of the new text in units.

    Returns:
        Length in units.

    Example:
        >>> longest_kept(30)
        100

    """
    return n * 100 // RATIO_PERCENT


def compare(
    new: Features, kept: Fingerprint, threshold: float = THRESHOLD, question: Question = Question.PART
) -> Comparison:
    """Judge a new text against a kept one.

    Args:
        new: The new text.
        kept: The kept text.
        threshold: Least c1 and c2 of a duplicate, in (0, 1].
        question: What is asked.

    Returns:
        Verdict, c1 and c2.

    Example:
        >>> text = "Bees dance to tell their sisters where clover, lime and heather bloom. "
        >>> text += "The angle of the dance is the angle to the sun, its length the distance."
        >>> compare(Features.read(text.upper()), Fingerprint.of(text))
        Comparison(duplicate=True, c1=1.0, c2=1.0)
        >>> compare(Features.read("Quite another text"), Fingerprint.of(text)).duplicate
        False

    """
    return judge(new, [kept], threshold, question)[0]


def judge(
    new: Features, kept: Sequence[Fingerprint], threshold: float, question: Question = Question.PART
) -> list[Comparison]:
    """Judge a new text against some kept ones, in a few array operations.

    Args:
        new: The new text.
        kept: The kept texts.
        threshold: Least c1 and c2 of a duplicate, in (0, 1].
        question: What is asked.

    Returns:
        A comparison for each kept text.

    """
    found = [Comparison(False, 0.0, 0.0)] * len(kept)
    levels: dict[int, list[int]] = {}
    for place, one in enumerate(kept):
        if new.n and one.digest == new.digest:
            found[place] = Comparison(True, 1.0, 1.0)
        elif _comparable(new, one, question):
            levels.setdefault(one.t, []).append(place)
    for t, places in levels.items():
        cut = new.cut(t)
        shares = _shares(cut, [kept[place] for place in places], question)
        for place, (units, unit_size, pairs, pair_size) in zip(places, shares.T.tolist(), strict=True):
            found[place] = Comparison(
                unit_size >= MIN_UNITS
                and pair_size >= MIN_PAIRS
                and units >= needed(unit_size, threshold)
                and pairs >= needed(pair_size, threshold),
                units / max(1, unit_size),
                min(1.0, pairs / max(1, pair_size)),
            )
    return found


def _comparable(new: Features, kept: Fingerprint, question: Question) -> bool:
    """Whether both are long enough, and the part not too small for the whole."""
    part, whole = (kept.n, new.n) if question is Question.WHOLE else (new.n, kept.n)
    return min(part, whole) >= MIN_TOKENS and whole <= longest_kept(part) and not kept.too_short


def _shares(cut: Cut, kept: Sequence[Fingerprint], question: Question) -> Ints:
    """Count common units, the units they are a share of, common pairs, the pairs they are a share of: int64 (4, k)."""
    unit_sizes = np.fromiter((len(one.s1) // 2 for one in kept), np.int64, len(kept))
    pair_sizes = np.fromiter((len(one.s2) // 2 for one in kept), np.int64, len(kept))
    limits = np.fromiter((one.limit for one in kept), np.uint64, len(kept))
    sampled = np.searchsorted(cut.s2.astype(np.uint64), limits).astype(np.int64)
    units = np.frombuffer(b"".join(one.s1 for one in kept), "<u2")
    common_units = _sum_by_owner(cut.has[units], unit_sizes)
    pairs = np.frombuffer(b"".join(one.s2 for one in kept), "<u2")
    owner = np.repeat(np.arange(len(kept)), pair_sizes)
    common_pairs = _sum_by_owner(cut.places[pairs] < sampled[owner], pair_sizes)
    own = np.full(len(kept), len(cut.s1), np.int64)
    if question is Question.WHOLE:
        own, sampled = unit_sizes, pair_sizes
    elif question is Question.COPY:
        own, sampled = np.maximum(own, unit_sizes), np.maximum(sampled, pair_sizes)
    return np.stack([common_units, own, common_pairs, sampled])


def _sum_by_owner(hits: npt.NDArray[np.bool_], sizes: Ints) -> Ints:
    """Count the hits among each text's elements.

    On the 16-bit halves of pairs chance matches add at most 256 / 65536 = 0.4% to c2.
    """
    ends = np.cumsum(sizes)
    sums = np.concatenate([[0], np.cumsum(hits)])
    return np.asarray(sums[ends] - sums[ends - sizes], np.int64)
