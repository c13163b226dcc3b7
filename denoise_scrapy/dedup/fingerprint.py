"""The fingerprint of some hundred bytes that is kept of a text.

Source: patent text 'Method and system for web page de-duplication', main and auxiliary feature string
(`core/feature_strings.pyx`). The threshold by length is ours, and so is what bounds a fingerprint.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core import units as core_units
from denoise_scrapy.core.feature_strings import (
    BAND_ROWS,
    BANDS,
    RUN_HASH,
    SCHEME,
    SEED,
    SHINGLE,
    UNIT_BITS,
    VALUES,
    FeatureStrings,
)

# Rule B: threshold 0 below 600 units, 1 below 2,500, 2 below 8,000, else 3. As accurate as no threshold at all (recall
# .9965, 7 false of 1,520) with half the units to keep. The source's fixed threshold of 3 leaves short texts without a
# main feature string.
LEVEL_LENGTHS = (600, 2500, 8000)
# The thresholds there are. Those above 3 serve texts that would have more than `S1_CAP` units.
LEVELS = (0, 1, 2, 3, *((1 << bits) - 1 for bits in range(3, 22)))
# Most units kept of a text. Whole books reach it; a text made to fill memory does, and is held there.
S1_CAP = 1024
# Most runs kept of a text. Samples are halved until they have no more, so that long texts keep 96 to 192: a standard
# error of 4 points at the threshold. Copies and others lie further apart than that, see `RUN`.
S2_CAP = 192
# Most units at or below the threshold that are kept, sampled in the same way: all of a text under some 3,000 units.
RARE_CAP = 512
# Most units of a title, and most other fields of an item, that are kept: some 200 bytes at the most.
TITLE_CAP, VALUES_CAP = 32, 16
# Texts under this are never dropped by similarity: titles, captions and notices repeat rightly.
MIN_TOKENS = 20
# Texts of fewer main units are not either: one common word would be a quarter of the verdict.
MIN_UNITS = 4

# What two fingerprints must share to be comparable. A store writes it down, and refuses others.
CONSTANTS: dict[str, str] = {
    "token rule": str(core_units.TOKEN_RULE),
    "unit hash": core_units.UNIT_HASH,
    "unit bits": str(UNIT_BITS),
    "stop list": core_units.STOP_LIST_DIGEST,
    "level lengths": ",".join(map(str, LEVEL_LENGTHS)),
    "unit cap": str(S1_CAP),
    "run hash": RUN_HASH,
    "run cap": f"{S2_CAP}, halved",
    "rare cap": f"{RARE_CAP}, halved",
    "minhash scheme": SCHEME,
    "minhash seed": str(SEED),
    "minhash values": str(VALUES),
    "bands": f"{BANDS}x{BAND_ROWS} hash 1",
    "shingle": str(SHINGLE),
}

Sample = npt.NDArray[np.uint16]


def is_too_short(n: int, units: int) -> bool:
    """Return whether a text of `n` units, and so many main units, is too short to be judged by similarity."""
    return n < MIN_TOKENS or units < MIN_UNITS


def threshold_for(new: FeatureStrings) -> int:
    """Return the frequency threshold at which a text is kept, one of `LEVELS`."""
    least = sum(new.n >= length for length in LEVEL_LENGTHS)
    return next((t for t in LEVELS[least:] if len(new.main_units(t)) <= S1_CAP), LEVELS[-1])


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A kept text. A value: hashable, comparable, and made of bytes a database can hold.

    Attributes:
        n: Length in units.
        t: Frequency threshold, one of `LEVELS`.
        s1: Main feature string: sorted uint16, the units occurring more than `t` times.
        s2: Auxiliary feature string: uint16 in order of the text, a sample, see `FeatureStrings.sample`.
        limit: Where it was sampled: a power of two. A new text is sampled at the same limit, so that the two
            samples speak of the same runs.
        digest: 16 bytes, equal for texts of the same units in the same order.
        bands: 32 uint32, hashes of the bands of its MinHash signature; empty where it is too short.
        rare: The other units: uint16, how often their sample was halved, then the sample, sorted; empty for none.
        title: Units of its title: sorted uint16; empty for none, or where it is not known.
        values: Other fields of its item: pairs of uint32, hashes of name and value, sorted; empty for none.

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
    rare: bytes = b""
    title: bytes = b""
    values: bytes = b""

    @classmethod
    def of(cls, text: str | FeatureStrings) -> Fingerprint:
        """Make the fingerprint of a text, or of its features where they are known already."""
        features = FeatureStrings(text) if isinstance(text, str) else text
        t = threshold_for(features)
        s1 = features.main_units(t)
        runs, limit = features.sample_of(S2_CAP)
        short = is_too_short(features.n, len(s1))
        return cls(
            n=features.n,
            t=t,
            s1=s1.tobytes(),
            s2=runs.tobytes(),
            limit=limit,
            digest=features.digest,
            bands=b"" if short else features.bands(),
            rare=features.rare_units(t, RARE_CAP) if t else b"",
        )

    @property
    def too_short(self) -> bool:
        """True where the text is too short to be judged by similarity."""
        return is_too_short(self.n, len(self.s1) // 2)

    @property
    def units(self) -> Sample:
        """The main feature string as a sorted uint16 array."""
        return np.frombuffer(self.s1, np.uint16)

    @property
    def runs(self) -> Sample:
        """The auxiliary feature string as a uint16 array."""
        return np.frombuffer(self.s2, np.uint16)
