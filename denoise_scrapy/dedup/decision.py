"""The verdict on two texts.

A new text X is a duplicate of a kept text P where X, or nearly all of it, is in P:

1. equal unit sequences: at once;
2. X is cut at P's frequency threshold: were X a part of P, its main feature string would lie
   inside P's, which holds for an absolute threshold only;
3. c1 = common main units / X's main units, c2 = common runs / X's runs, both at least
   the threshold;
4. X has at least 30% of P's length, 4 main units and 8 runs;
5. no more than three tenths of X are new, as estimated from the runs (`differences.share_new`).

Two more questions are answered from the same counts: whether both are nearly the same (c1 and c2
relative to the larger of the two, and no more than three tenths of P are not in X), and whether X
extends P (relative to P).

Source: patent text 'Method and system for web page de-duplication', decision. Three steps of the
literal rule went wrong when measured and are replaced: two empty main strings are no longer equal;
c2 is relative to all of X, not to what follows common units; c1 and c2 must both hold. The
literal rule is `denoise_scrapy.dedup.patent`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup.differences import share_new
from denoise_scrapy.dedup.features import Features
from denoise_scrapy.dedup.fingerprint import MIN_TOKENS, MIN_UNITS, Fingerprint
from denoise_scrapy.dedup.in_common import count_common

THRESHOLD = 0.6
"""c1 and c2 of a duplicate: the middle between copies and others of long Chinese texts (.62 and .57), where they lie
closest together. See `features.RUN`."""

MOST_NEW = 0.3
"""Share of a duplicate that may be new: the middle between copies, of which a fifth is, and others, of which two fifths
are. With .4 four release notes more were wrong on the streams, with .25 a tenth of the texts with a quarter of foreign
text around them were missed."""

MIN_RUNS = 8

RATIO_PERCENT = 30
"""The part's least length in percent of the whole's. A bounded fingerprint cannot know tiny excerpts."""


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
        c2: Share of runs in common, 0 to 1: the score.
        new: Share of the new text that the kept one has not, 0 to 1; 0 for no duplicate.

    """

    duplicate: bool
    c1: float
    c2: float
    new: float = 0.0


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


def compare(new: Features, kept: Fingerprint, threshold: float = THRESHOLD, most_new: float = MOST_NEW) -> Comparison:
    """Judge a new text against a kept one.

    Args:
        new: The new text.
        kept: The kept text.
        threshold: Least c1 and c2 of a duplicate, in (0, 1].
        most_new: Greatest share of a duplicate that is new, 0 to 1.

    Returns:
        Verdict, c1, c2, and the share that is new.

    Example:
        >>> text = "Bees dance to tell their sisters where clover, lime and heather bloom. "
        >>> text += "The angle of the dance is the angle to the sun, its length the distance."
        >>> compare(Features.read(text.upper()), Fingerprint.of(text))
        Comparison(duplicate=True, c1=1.0, c2=1.0, new=0.0)
        >>> compare(Features.read("Quite another text"), Fingerprint.of(text)).duplicate
        False

    """
    return judge(new, [kept], threshold, most_new)[0]


def judge(
    new: Features,
    kept: Sequence[Fingerprint],
    threshold: float,
    most_new: float = MOST_NEW,
    question: Question = Question.PART,
) -> list[Comparison]:
    """Judge a new text against some kept ones, in a few array operations.

    Args:
        new: The new text.
        kept: The kept texts.
        threshold: Least c1 and c2 of a duplicate, in (0, 1].
        most_new: Greatest share of a duplicate that is new, 0 to 1; not asked of a text that has all of a kept one.
        question: What is asked.

    Returns:
        A comparison for each kept text.

    """
    found = [Comparison(False, 0.0, 0.0)] * len(kept)
    groups: dict[tuple[int, int], list[int]] = {}
    for place, one in enumerate(kept):
        if new.n and one.digest == new.digest:
            found[place] = Comparison(True, 1.0, 1.0)
        elif _comparable(new, one, question):
            groups.setdefault((one.t, one.limit), []).append(place)
    asked: list[tuple[npt.NDArray[np.uint16], Sequence[bytes]]] = []
    for (t, limit), places in groups.items():
        asked.append((new.main_units(t), [kept[place].s1 for place in places]))
        asked.append((new.sample(limit), [kept[place].s2 for place in places]))
    all_shares = _shares(asked, question)
    for places, units, runs in zip(groups.values(), all_shares[::2], all_shares[1::2], strict=True):
        for place, (common, size), (common2, size2) in zip(places, units, runs, strict=True):
            passed = common >= needed(size, threshold) and common2 >= needed(size2, threshold)
            passed = passed and size >= MIN_UNITS and size2 >= MIN_RUNS
            share = share_new(new, kept[place]) if passed and question is not Question.WHOLE else 0.0
            passed = passed and share <= most_new
            if passed and question is Question.COPY:  # of the kept text's runs those that the new one cannot have
                own, whole = len(new.sample(kept[place].limit)), len(kept[place].s2) // 2
                passed = 1 - (1 - share) * own / max(1, whole) <= most_new
            found[place] = Comparison(passed, common / max(1, size), common2 / max(1, size2), share if passed else 0.0)
    return found


def _comparable(new: Features, kept: Fingerprint, question: Question) -> bool:
    """Whether both are long enough, and the part not too small for the whole."""
    part, whole = (kept.n, new.n) if question is Question.WHOLE else (new.n, kept.n)
    return min(part, whole) >= MIN_TOKENS and whole <= longest_kept(part) and not kept.too_short


def shares(mine: npt.NDArray[np.uint16], theirs: Sequence[bytes], question: Question) -> list[tuple[int, int]]:
    """Tell for each kept set how much it has in common with a new one, and of how much that is a share.

    Args:
        mine: The new text's set, each element once.
        theirs: Kept sets, sorted uint16 as bytes.
        question: What is asked.

    Example:
        >>> kept = np.array([1, 2, 3, 4, 5], "<u2").tobytes()
        >>> [shares(np.array([4, 5, 6], np.uint16), [kept], one) for one in Question]
        [[(2, 3)], [(2, 5)], [(2, 5)]]

    On the 16-bit halves of runs chance matches add at most 192 / 65536 = 0.3% to c2.
    """
    return _shares([(mine, theirs)], question)[0]


def _shares(
    asked: Sequence[tuple[npt.NDArray[np.uint16], Sequence[bytes]]], question: Question
) -> list[list[tuple[int, int]]]:
    """Give `shares` of several sets of a new text."""
    common = iter(count_common(asked))
    found = []
    for mine, theirs in asked:
        own, sizes = len(mine), [len(one) // 2 for one in theirs]
        if question is Question.PART:
            sizes = [own] * len(sizes)
        elif question is Question.COPY:
            sizes = [max(own, size) for size in sizes]
        found.append([(next(common), of) for of in sizes])
    return found
