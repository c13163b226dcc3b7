"""The verdict on two texts.

A new text X is a duplicate of a kept text P where X, or nearly all of it, is in P:

1. equal unit sequences: at once;
2. X is cut at P's frequency threshold: were X a part of P, its main feature string would lie
   inside P's, which holds for an absolute threshold only;
3. c1 = common main units / X's main units, c2 = common pairs / X's pairs, both at least
   the threshold;
4. X has at least 30% of P's length, 4 main units and 8 pairs.

Source: patent text 'Method and system for web page de-duplication', decision. Three steps of the
literal rule went wrong when measured and are replaced: two empty main strings are no longer equal;
c2 is relative to all pairs of X, not to those of common units; c1 and c2 must both hold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup.features import Features
from denoise_scrapy.dedup.fingerprint import Fingerprint, sample

THRESHOLD = 0.7
"""c1 and c2 of a duplicate. Measured with rule B: precision .997, recall .9965; (.8, .7) loses two
points of recall, (.7, .8) gains .2 points of precision for .8 of recall."""

MIN_UNITS = 4  # below: one common word would be a quarter of the verdict
MIN_PAIRS = 8
MIN_TOKENS = 20
"""Texts under this are never dropped by similarity: titles, captions and notices repeat rightly."""

RATIO_PERCENT = 30
"""X's least length in percent of P's. A bounded fingerprint cannot know tiny excerpts."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A new text against a kept one.

    Attributes:
        duplicate: The verdict.
        c1: Share of the new text's main units found in the kept one, 0 to 1.
        c2: Share of the new text's pairs found in the kept one, 0 to 1: the score. 0 where c1
            already decided.

    """

    duplicate: bool
    c1: float
    c2: float


_Unsigned = TypeVar("_Unsigned", np.uint16, np.uint32)
_DIFFERENT = Comparison(False, 0.0, 0.0)


def needed(size: int, threshold: float) -> int:
    """Give the least number of common elements that reaches a share.

    Args:
        size: Number of elements, 0 or more.
        threshold: The share, in (0, 1].

    Returns:
        The least whole number k with k / size >= threshold, free of rounding error.

    Example:
        >>> needed(10, 0.7), needed(30, 0.1), needed(5, 0.7)
        (7, 3, 4)

    """
    return max(1, math.ceil(threshold * size - 1e-9))


def longest_kept(n: int) -> int:
    """Give the length of the longest kept text a new text may duplicate.

    Args:
        n: Length of the new text in units.

    Returns:
        Length in units.

    Example:
        >>> longest_kept(30)
        100

    """
    return n * 100 // RATIO_PERCENT


def too_short(text: Fingerprint) -> bool:
    """Tell whether a text is too short to be judged by similarity.

    Args:
        text: Its fingerprint.

    Returns:
        True under 20 units, or under 4 main units (stop words alone, or one word repeated).

    Example:
        >>> too_short(Fingerprint.of("Page not found"))
        True

    """
    return text.n < MIN_TOKENS or len(text.s1) // 4 < MIN_UNITS


def compare(new: Features, kept: Fingerprint, threshold: float = THRESHOLD) -> Comparison:
    """Judge a new text against a kept one.

    Args:
        new: The new text.
        kept: The kept text.
        threshold: Least c1 and c2 of a duplicate, in (0, 1].

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
    if new.n and new.digest == kept.digest:
        return Comparison(True, 1.0, 1.0)
    cut = new.cut(kept.t)
    if min(new.n, kept.n) < MIN_TOKENS or kept.n > longest_kept(new.n) or len(cut.s1) < MIN_UNITS:
        return _DIFFERENT
    common = _members(cut.s1, kept.units)
    c1 = common / len(cut.s1)
    if common < needed(len(cut.s1), threshold):
        return Comparison(False, c1, 0.0)
    pairs = sample(cut.s2, kept.limit)
    if len(pairs) < MIN_PAIRS:
        return Comparison(False, c1, 0.0)
    common = _members(kept.pairs, np.sort(pairs))
    return Comparison(common >= needed(len(pairs), threshold), c1, common / len(pairs))


def _members(some: npt.NDArray[_Unsigned], ordered: npt.NDArray[_Unsigned]) -> int:
    """Count the elements of `some` that occur in the sorted `ordered`.

    On the 16-bit halves of pairs chance matches add at most 256 / 65536 = 0.4% to c2.
    """
    if not len(ordered):
        return 0
    place = np.minimum(np.searchsorted(ordered, some), len(ordered) - 1)
    return int(np.count_nonzero(ordered[place] == some))
