"""What the index keeps of a text: a few hundred bytes, whatever its length.

Source: patent text 'Method and system for web page de-duplication', main feature string (a set in
code order) and auxiliary feature string (the neighbours). The threshold by length, the sampling
and the 16-bit hashes are ours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup import prefilter, stop_units, tokens
from denoise_scrapy.dedup.features import PAIR_HASH, Features

LEVELS = 4
LEVEL_LENGTHS = (600, 2500, 8000)
"""Rule B: threshold 0 below 600 units, 1 below 2,500, 2 below 8,000, else 3. As accurate as no
threshold at all (recall .9965, 7 false of 1,520) with half the units to keep. The source's fixed
threshold of 3 leaves short texts without a main feature string."""

S2_CAP = 256
"""Pairs kept of a text. Measured: 12 false of 1,816 at 256, 15 at 128; no cap is no better."""

EVERY_PAIR = 1 << 32
"""`Fingerprint.limit` of a text whose pairs are all kept."""

CONSTANTS: dict[str, str] = {
    "token rule": str(tokens.TOKEN_RULE),
    "unit hash": tokens.UNIT_HASH,
    "stop list": stop_units.STOP_LIST_DIGEST,
    "level lengths": ",".join(map(str, LEVEL_LENGTHS)),
    "pair hash": PAIR_HASH,
    "pair cap": str(S2_CAP),
    "minhash scheme": prefilter.SCHEME,
    "minhash seed": str(prefilter.SEED),
    "minhash values": str(prefilter.VALUES),
    "shingle": str(prefilter.SHINGLE),
}
"""What two fingerprints must share to be comparable. A store writes it down, refuses others."""


def threshold_for(n: int) -> int:
    """Give the frequency threshold of a kept text.

    Args:
        n: Its length in units.

    Returns:
        0 to 3. A unit must occur more often than this to enter the main feature string.

    Example:
        >>> [threshold_for(n) for n in (10, 600, 2500, 8000)]
        [0, 1, 2, 3]

    """
    return sum(n >= length for length in LEVEL_LENGTHS)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A kept text. A value: hashable, comparable, and made of bytes a database can hold.

    Attributes:
        n: Length in units.
        t: Frequency threshold, 0 to 3.
        s1: Main feature string: sorted uint32, the units occurring more than `t` times.
        s2: Auxiliary feature string: sorted uint16, the low halves of the hashes of its sample.
        limit: The sample holds the numbered pairs with a 32-bit hash below this; a new text is
            sampled at the same limit, so the two samples speak of the same pairs.
        digest: 16 bytes, equal for texts of the same units in the same order.
        minhash: 64 uint32, or empty where the text is shorter than a shingle.

    Example:
        >>> kept = Fingerprint.of("Bees dance to tell their sisters where the clover is.")
        >>> kept.n, kept.t, kept.units.shape, kept.pairs.shape
        (10, 0, (6,), (9,))

    """

    n: int
    t: int
    s1: bytes
    s2: bytes
    limit: int
    digest: bytes
    minhash: bytes

    @classmethod
    def of(cls, text: str | Features) -> Fingerprint:
        """Make the fingerprint of a text.

        Args:
            text: A text, or its features where they are known already.

        Returns:
            The fingerprint.

        """
        features = Features.read(text) if isinstance(text, str) else text
        t = threshold_for(features.n)
        cut = features.cut(t)
        limit = int(cut.s2[S2_CAP]) if len(cut.s2) > S2_CAP else EVERY_PAIR
        return cls(
            n=features.n,
            t=t,
            s1=cut.s1.astype("<u4").tobytes(),
            s2=np.sort(sample(cut.s2, limit)).astype("<u2").tobytes(),
            limit=limit,
            digest=features.digest,
            minhash=features.minhash.astype("<u4").tobytes(),
        )

    @property
    def units(self) -> npt.NDArray[np.uint32]:
        """The main feature string as a sorted uint32 array."""
        return np.frombuffer(self.s1, "<u4").astype(np.uint32, copy=False)

    @property
    def pairs(self) -> npt.NDArray[np.uint16]:
        """The auxiliary feature string as a sorted uint16 array."""
        return np.frombuffer(self.s2, "<u2").astype(np.uint16, copy=False)


def sample(pairs: npt.NDArray[np.uint32], limit: int) -> npt.NDArray[np.uint16]:
    """Sample numbered pairs by their hash.

    Args:
        pairs: Sorted uint32 hashes.
        limit: Hashes below this are taken, 0 to 2**32.

    Returns:
        The low 16 bits of the hashes taken, in the order of the whole hashes.

    Example:
        >>> sample(np.array([1, 65537, 70000], np.uint32), 70000)
        array([1, 1], dtype=uint16)

    """
    return (pairs[: np.searchsorted(pairs, np.uint64(limit))] & 0xFFFF).astype(np.uint16)
