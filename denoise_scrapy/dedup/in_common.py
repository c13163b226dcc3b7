"""How much sets of 16-bit hashes have in common: the two counts that the decision is made of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup.features import UNIT_BITS
from denoise_scrapy.native import dedup_index, library

_Ints = npt.NDArray[np.int64]


def count_common(asked: Sequence[tuple[npt.NDArray[np.uint16], Sequence[bytes]]]) -> list[int]:
    """Count what each kept set has in common with the new text's set it is held against, in one step.

    Args:
        asked: Sets of a new text, uint16, each element once; with each the kept sets, sorted uint16 as bytes.

    Returns:
        A count for each kept set, in order.

    Example:
        >>> kept = np.array([1, 2, 3], "<u2").tobytes()
        >>> count_common([(np.array([2, 3, 4], np.uint16), [kept, b""]), (np.array([1], np.uint16), [kept])])
        [2, 0, 1]

    """
    sets = [one for _, theirs in asked for one in theirs]
    if not sets:
        return []
    mine = np.concatenate([one for one, _ in asked])
    ends = np.fromiter(accumulate(len(one) for one, _ in asked), np.int64, len(asked))
    theirs = np.frombuffer(b"".join(sets), "<u2").astype(np.uint16, copy=False)
    their_ends = np.fromiter(accumulate(len(one) // 2 for one in sets), np.int64, len(sets))
    owner = np.fromiter((place for place, (_, some) in enumerate(asked) for _ in some), np.int64, len(sets))
    native = library()
    count = _count_by_table if native is None else partial(dedup_index.common, native)
    found: list[int] = count(mine, ends, theirs, their_ends, owner).tolist()
    return found


def _count_by_table(
    mine: npt.NDArray[np.uint16], ends: _Ints, theirs: npt.NDArray[np.uint16], their_ends: _Ints, owner: _Ints
) -> _Ints:
    """Count in numpy, by a table of the units there are; see `dedup_index.common`. `owner` ascends."""
    has = np.zeros(1 << UNIT_BITS, np.bool_)
    hits = np.zeros(len(theirs) + 1, np.int64)
    start, bounds = 0, np.concatenate([[0], their_ends])
    for place, end in enumerate(ends.tolist()):
        part = mine[start:end]
        first, last = bounds[owner.searchsorted([place, place + 1])]
        has[part] = True
        hits[first + 1 : last + 1] = has[theirs[first:last]]
        has[part] = False
        start = end
    np.cumsum(hits, out=hits)
    return np.asarray(hits[their_ends] - hits[bounds[:-1]], np.int64)
