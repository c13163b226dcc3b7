"""What can be told of a candidate without asking the store: a bound on the runs it has in common with a new text.

Of each kept text 512 bits are remembered, set by the runs of its auxiliary string, and how that was sampled. A
run of the new text whose bit is clear is not there; where more are missing than a duplicate may lack, the candidate is
none. It is an upper bound, so no duplicate is lost. A text of 440 units among a million has 37 candidates on average,
strangers that share a sentence: fetching and judging them cost more than all the rest of the check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import repeat

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup.features import EVERY
from denoise_scrapy.dedup.growing import Growing
from denoise_scrapy.dedup.rule import Query
from denoise_scrapy.dedup.signature import bits_of, gather, sign

BITS_LOG2 = 9  # strangers lack 69 to 83 in 100 of a full sample's runs by these, where 40 are too many
_BITS = 1 << BITS_LOG2
_UNKNOWN = 33  # the store did not tell, or tells what this version does not make
_HALVED = {EVERY >> halved: halved for halved in range(_UNKNOWN)}


class Sketches:
    """Signatures of kept texts, in rows.

    Example:
        >>> kept = np.arange(0, 9000, 300, dtype="<u2")
        >>> sketches = Sketches()
        >>> sketches.extend([kept.tobytes()], [EVERY])
        >>> sketches.possible([0], lambda limit: Query(kept, 21)).tolist()
        [True]
        >>> sketches.possible([0], lambda limit: Query(kept + np.uint16(20000), 21)).tolist()
        [False]

    """

    def __init__(self) -> None:
        self._bits = Growing(np.uint8, _BITS // 8)
        self._kinds = Growing(np.uint8)  # how often their samples were halved

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._bits.nbytes + self._kinds.nbytes

    def extend(self, samples: Sequence[bytes], limits: Iterable[int]) -> None:
        """Add texts, a row each, by what their listings say."""
        self._bits.extend(sign(*gather(samples), BITS_LOG2).view(np.uint8))
        kinds = map(_HALVED.get, limits, repeat(_UNKNOWN))
        self._kinds.extend(np.fromiter(kinds, np.uint8, len(samples)))

    def possible(self, rows: Sequence[int], query: Callable[[int], Query]) -> npt.NDArray[np.bool_]:
        """Tell which texts may have as much in common with a new one as is needed.

        Args:
            rows: The texts' rows.
            query: What is needed of a text sampled at a limit.

        Returns:
            Bool of the same length; also true where it is not known.

        """
        if not len(rows):
            return np.empty(0, np.bool_)
        kinds: list[int] = self._kinds.values[rows].tolist()
        places = {kind: place for place, kind in enumerate(dict.fromkeys(kinds))}
        counts, needs = np.zeros((len(places), _BITS), np.float32), np.zeros(len(places))
        for kind, place in places.items():
            if kind != _UNKNOWN:
                units, needs[place] = query(EVERY >> kind)
                counts[place] = np.bincount(bits_of(units, BITS_LOG2), minlength=_BITS)
        there = np.unpackbits(self._bits.values[rows], axis=1, bitorder="little")
        which = [places[kind] for kind in kinds]
        found: npt.NDArray[np.bool_] = np.einsum("ij,ij->i", there, counts[which]) >= needs[which]
        return found
