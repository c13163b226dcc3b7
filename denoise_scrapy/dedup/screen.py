"""The decision on many kept texts at once, with the verdicts of one by one.

A third of new texts share 70% of their main units with some kept text, a few with thousands: in
exact mode the auxiliary strings decide, and comparing them in one operation is ten times faster.

Source: ours; the decision is that of `decision`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup import signature
from denoise_scrapy.dedup.decision import (
    MIN_PAIRS,
    MIN_TOKENS,
    MIN_UNITS,
    compare,
    longest_kept,
    needed,
)
from denoise_scrapy.dedup.features import Cut, Features
from denoise_scrapy.dedup.fingerprint import LEVELS, Fingerprint

_FEW = 6  # up to here one by one is faster
_CHUNK = 512  # a hit ends the search; the chunks before it bound the work to 1 MB each


def duplicates(new: Features, kept: Sequence[Fingerprint], threshold: float) -> Iterator[int]:
    """Find the kept texts that a new one duplicates.

    Args:
        new: The new text.
        kept: Kept texts.
        threshold: Least c1 and c2, in (0, 1].

    Yields:
        Indices into `kept`, ascending: those for which `compare` says so.

    Example:
        >>> text = "Moles dig, moths fly by night, mice gnaw, magpies steal what glitters. " * 2
        >>> kept = [Fingerprint.of("another text"), Fingerprint.of(text)]
        >>> list(duplicates(Features.read(text), kept, 0.7))
        [1]
    """
    if len(kept) <= _FEW:
        yield from (i for i, one in enumerate(kept) if compare(new, one, threshold).duplicate)
        return
    for start in range(0, len(kept), _CHUNK):
        found = _judge(new, kept[start : start + _CHUNK], threshold)
        yield from (np.flatnonzero(found) + start).tolist()


def _judge(new: Features, kept: Sequence[Fingerprint], threshold: float) -> npt.NDArray[np.bool_]:
    """Tell for each kept text whether the new one duplicates it."""
    found = np.array([new.n > 0 and one.digest == new.digest for one in kept])
    if new.n < MIN_TOKENS:
        return found
    longest = longest_kept(new.n)
    for t in range(LEVELS):
        rows = [i for i, one in enumerate(kept) if one.t == t and MIN_TOKENS <= one.n <= longest]
        if rows:
            passed = _judge_level(new.cut(t), [kept[i] for i in rows], threshold)
            found[np.array(rows)[passed]] = True
    return found


def _judge_level(cut: Cut, kept: Sequence[Fingerprint], threshold: float) -> npt.NDArray[np.bool_]:
    """Tell the same for kept texts of one frequency threshold."""
    passed = np.zeros(len(kept), np.bool_)
    if len(cut.s1) < MIN_UNITS or len(cut.s2) < MIN_PAIRS:
        return passed
    shared = signature.common(cut.s1, [one.s1 for one in kept])
    rows = np.flatnonzero(shared >= needed(len(cut.s1), threshold))
    limits = np.fromiter((kept[i].limit for i in rows.tolist()), np.uint64, len(rows))
    sampled = np.searchsorted(cut.s2.astype(np.uint64), limits)
    common = _common_pairs(cut, [kept[i].s2 for i in rows.tolist()], sampled)
    need = np.fromiter((needed(size, threshold) for size in sampled.tolist()), np.int64, len(rows))
    passed[rows] = (sampled >= MIN_PAIRS) & (common >= need)
    return passed


def _common_pairs(cut: Cut, samples: Sequence[bytes], sampled: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Count the pairs of each kept sample found among as many first pairs of the new text."""
    pairs = np.frombuffer(b"".join(samples), "<u2")
    sizes = np.fromiter((len(one) // 2 for one in samples), np.int64, len(samples))
    owner = np.repeat(np.arange(len(samples)), sizes)
    hits = cut.places[pairs] < sampled[owner]
    return np.bincount(owner[hits], minlength=len(samples))
