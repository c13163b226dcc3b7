"""What the index keeps of a text: a few hundred bytes, whatever its length.

Source: patent text 'Method and system for web page de-duplication', main feature string (a set in
code order) and auxiliary feature string (the order of the text). The threshold by length, the sampling
and the 16-bit hashes are ours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup import prefilter, stop_units, tokens
from denoise_scrapy.dedup.features import EVERY, RUN_HASH, UNIT_BITS, Features

LEVEL_LENGTHS = (600, 2500, 8000)
"""Rule B: threshold 0 below 600 units, 1 below 2,500, 2 below 8,000, else 3. As accurate as no
threshold at all (recall .9965, 7 false of 1,520) with half the units to keep. The source's fixed
threshold of 3 leaves short texts without a main feature string."""

LEVELS = (0, 1, 2, 3, *((1 << bits) - 1 for bits in range(3, 22)))
"""The thresholds there are. Those above 3 serve texts that would have more than `S1_CAP` units."""

S1_CAP = 1024
"""Most units kept of a text. Whole books reach it; a text made to fill memory does, and is held there."""

S2_CAP = 192
"""Most runs kept of a text. Samples are halved until they have no more, so that long texts keep 96 to 192: a standard
error of 4 points at the threshold. Copies and others lie further apart than that, see `features.RUN`."""

NUMBERS_CAP = 16
"""Most numbers kept of a text, sampled in the same way: enough for 'two fifths of them differ', in 34 bytes."""

MIN_TOKENS = 20
"""Texts under this are never dropped by similarity: titles, captions and notices repeat rightly."""

MIN_UNITS = 4
"""Texts of fewer main units are not either: one common word would be a quarter of the verdict."""

CONSTANTS: dict[str, str] = {
    "token rule": str(tokens.TOKEN_RULE),
    "unit hash": tokens.UNIT_HASH,
    "unit bits": str(UNIT_BITS),
    "stop list": stop_units.STOP_LIST_DIGEST,
    "level lengths": ",".join(map(str, LEVEL_LENGTHS)),
    "unit cap": str(S1_CAP),
    "run hash": RUN_HASH,
    "run cap": f"{S2_CAP}, halved",
    "number cap": str(NUMBERS_CAP),
    **prefilter.CONSTANTS,
}
"""What two fingerprints must share to be comparable. A store writes it down, refuses others."""


def is_too_short(n: int, units: int) -> bool:
    """Tell whether a text is too short to be judged by similarity.

    Args:
        n: Its length in units.
        units: Its number of main units.

    Returns:
        True under 20 units, or under 4 main units (stop words alone, or one word repeated).

    Example:
        >>> is_too_short(19, 12), is_too_short(20, 12)
        (True, False)

    """
    return n < MIN_TOKENS or units < MIN_UNITS


def threshold_for(new: Features) -> int:
    """Give the frequency threshold at which a text is kept.

    Args:
        new: The text.

    Returns:
        One of `LEVELS`. A unit must occur more often than this to enter the main feature string.

    Example:
        >>> threshold_for(Features.read("a short text"))
        0
        >>> threshold_for(Features.read("a long text " * 200))
        1

    """
    least = sum(new.n >= length for length in LEVEL_LENGTHS)
    return next((t for t in LEVELS[least:] if len(new.main_units(t)) <= S1_CAP), LEVELS[-1])


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A kept text. A value: hashable, comparable, and made of bytes a database can hold.

    Attributes:
        n: Length in units.
        t: Frequency threshold, one of `LEVELS`.
        s1: Main feature string: sorted uint16, the units occurring more than `t` times.
        s2: Auxiliary feature string: sorted uint16, a sample, see `Features.sample`.
        limit: Where it was sampled: a power of two. A new text is sampled at the same limit, so that the two
            samples speak of the same runs.
        digest: 16 bytes, equal for texts of the same units in the same order.
        bands: 32 uint32, hashes of the bands of its MinHash signature; empty where it is too short.
        numbers: Units with a digit: uint16, how often their sample was halved, then the sample, sorted; empty for none.

    Example:
        >>> kept = Fingerprint.of("Bees dance to tell their sisters where the clover is.")
        >>> kept.n, kept.t, kept.units.shape, kept.runs.shape
        (10, 0, (6,), (6,))

    """

    n: int
    t: int
    s1: bytes
    s2: bytes
    limit: int
    digest: bytes
    bands: bytes
    numbers: bytes = b""

    @classmethod
    def of(cls, text: str | Features) -> Fingerprint:
        """Make the fingerprint of a text.

        Args:
            text: A text, or its features where they are known already.

        Returns:
            The fingerprint.

        """
        features = Features.read(text) if isinstance(text, str) else text
        t = threshold_for(features)
        s1 = features.main_units(t)
        runs, limit = features.sample_of(S2_CAP)
        return cls(
            n=features.n,
            t=t,
            s1=s1.astype("<u2").tobytes(),
            s2=runs.astype("<u2").tobytes(),
            limit=limit,
            digest=features.digest,
            bands=b"" if is_too_short(features.n, len(s1)) else features.bands.astype("<u4").tobytes(),
            numbers=_numbers(features),
        )

    @property
    def too_short(self) -> bool:
        """Whether the text is too short to be judged by similarity."""
        return is_too_short(self.n, len(self.s1) // 2)

    @property
    def units(self) -> npt.NDArray[np.uint16]:
        """The main feature string as a sorted uint16 array."""
        return np.frombuffer(self.s1, "<u2").astype(np.uint16, copy=False)

    @property
    def runs(self) -> npt.NDArray[np.uint16]:
        """The auxiliary feature string as a sorted uint16 array."""
        return np.frombuffer(self.s2, "<u2").astype(np.uint16, copy=False)


def _numbers(new: Features) -> bytes:
    """The sample of a text's numbers, see `Fingerprint.numbers`."""
    numbers, halved = new.numbers, 0
    while len(numbers) > NUMBERS_CAP:
        halved += 1
        numbers = numbers[: numbers.searchsorted(np.uint32(EVERY >> halved))]
    return np.array([halved, *sorted(set((numbers & 0xFFFF).tolist()))], "<u2").tobytes() if len(new.numbers) else b""
