"""Fingerprints, a few hundred bytes per text, and the rules that decide whether two texts are duplicates.

By our own rules, a new text X is a duplicate of a kept text P if all or nearly all of X is in P:

1. equal unit sequences are duplicates at once;
2. X is cut at P's frequency threshold: if X is a part of P, its main feature string then lies inside P's, which is
   true of absolute thresholds only;
3. c1 = common main units / X's main units, c2 = common runs / X's runs, both at least the threshold;
4. X has at least 30% of P's length, 4 main units and 8 runs;
5. no more than .29 of X is new, as estimated from the runs (`share_new`).

"near-copy" divides by the larger of the two texts instead of X, and no more than .29 of P may be missing
from X either.

Source: patent text 'Method and system for web page de-duplication', main and auxiliary feature string
(`core/feature_strings.pyx`), and decision. The threshold by length and the bounds of a fingerprint are ours. Three
steps of the literal rule failed when measured and are replaced: two empty main strings are no longer equal; c2 is
relative to all of X, not to what follows common units; c1 and c2 must both hold. The literal rule is `PatentRule`.
"""

from __future__ import annotations

import hashlib
import math
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from typing_extensions import Self, override

from denoise_scrapy.core.feature_strings import (
    EVERY,
    IDEOGRAPH,
    RUN,
    RUN_HASH,
    RUN_OF_IDEOGRAPHS,
    STOP_LIST_DIGEST,
    STOP_WORDS,
    TOKEN_RULE,
    UNIT_BITS,
    UNIT_HASH,
    FeatureStrings,
    count_common,
)
from denoise_scrapy.dedup.prefilter import PREFILTER

Sample = npt.NDArray[np.uint16]
Runs = Mapping[int, tuple[Sample, int]]

# Rule B: threshold 0 below 600 units, 1 below 2,500, 2 below 8,000, else 3. As accurate as no threshold at all (recall
# .9965, 7 false of 1,520), keeping half the units. The source's fixed threshold of 3 leaves short texts without a main
# feature string.
LEVEL_LENGTHS = (600, 2500, 8000)
# All thresholds. Those above 3 are for texts that would otherwise have more than `S1_CAP` units.
LEVELS = (0, 1, 2, 3, *((1 << bits) - 1 for bits in range(3, 22)))
LIMITS = frozenset(EVERY >> halved for halved in range(33))  # of samples
DIGEST_BYTES = 16
# Maximum units kept per text. Only whole books reach it, and texts made to fill memory.
S1_CAP = 1024
# Maximum runs kept per text. Samples are halved until they fit, so that long texts keep 96 to 192: a standard error of
# 4 points at the threshold. Copies and other texts are further apart than that, see `RUN`.
S2_CAP = 192
# Maximum units kept at or below the threshold, sampled in the same way: all of them in texts under some 3,000 units.
RARE_CAP = 512
# Maximum units of a title, and maximum other fields of an item, that are kept: at most some 200 bytes.
TITLE_CAP, VALUES_CAP = 32, 16
# Texts below this are never dropped by similarity: titles, captions and notices repeat legitimately.
MIN_TOKENS = 20
# Nor are texts with fewer main units: one word in common would decide a quarter of the verdict.
MIN_UNITS = 4

# Constants that two fingerprints must share to be comparable. A store records them and rejects others.
CONSTANTS: dict[str, str] = {
    "token rule": str(TOKEN_RULE),
    "unit hash": UNIT_HASH,
    "unit bits": str(UNIT_BITS),
    "stop list": STOP_LIST_DIGEST,
    "level lengths": ",".join(map(str, LEVEL_LENGTHS)),
    "unit cap": str(S1_CAP),
    "run hash": RUN_HASH,
    "run cap": f"{S2_CAP}, halved",
    "rare cap": f"{RARE_CAP}, halved",
    "prefilter": PREFILTER,
}


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A kept text. A value: hashable, comparable, and made of bytes a database can hold.

    Attributes:
        n: Length in units.
        t: Frequency threshold, one of `LEVELS`.
        s1: Main feature string: sorted uint16, the units occurring more than `t` times.
        s2: Auxiliary feature string: uint16 in order of the text, a sample, see `FeatureStrings.sample`.
        limit: Hash below which runs are sampled, a power of two. A new text is sampled at the same limit, so that both
            samples select the same runs.
        digest: 16 bytes, equal for texts of the same units in the same order.
        bands: uint32, hashes of the bands of its MinHash signature (`bands_of`), by which the prefilter finds it; empty
            if the edit-distance tree does. Not part of the comparison of two fingerprints.
        rare: The other units: uint16, how often their sample was halved, then the sample, sorted; empty for none.
        title: Units of its title: sorted uint16; empty for none, or if unknown.
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
    bands: bytes = field(default=b"", compare=False)
    rare: bytes = b""
    title: bytes = b""
    values: bytes = b""

    @classmethod
    def of(cls, text: str | FeatureStrings) -> Fingerprint:
        """Return the fingerprint of a text, or of its features if already computed."""
        features = FeatureStrings(text) if isinstance(text, str) else text
        for t in LEVELS[bisect_right(LEVEL_LENGTHS, features.n) :]:
            s1 = features.main_units(t)
            if len(s1) <= S1_CAP:
                break
        runs, limit = features.sample_of(S2_CAP)
        return cls(
            n=features.n,
            t=t,
            s1=s1.tobytes(),
            s2=runs.tobytes(),
            limit=limit,
            digest=features.digest,
            rare=features.rare_units(t, RARE_CAP) if t else b"",
        )

    @property
    def is_sound(self) -> bool:
        """False if a part has an impossible type, size or value: others may write to a store."""
        try:
            uneven = len(self.s1) % 2 + len(self.s2) % 2 + len(self.rare) % 2 + len(self.title) % 2
            others = len(self.bands) % 4 + len(self.values) % 8
            numbers = 0 <= self.n < EVERY and self.t in LEVELS and self.limit in LIMITS
            sizes = len(self.digest) == DIGEST_BYTES and len(self.s1) < 2 << UNIT_BITS
        except TypeError:
            return False
        return sizes and numbers and not (uneven or others)

    @property
    def too_short(self) -> bool:
        """True if the text is too short to be judged by similarity."""
        return self.n < MIN_TOKENS or len(self.s1) < 2 * MIN_UNITS

    @property
    def units(self) -> Sample:
        """The main feature string as a sorted uint16 array."""
        return np.frombuffer(self.s1, np.uint16)

    @property
    def runs(self) -> Sample:
        """The auxiliary feature string as a uint16 array."""
        return np.frombuffer(self.s2, np.uint16)


# Minimum c1 and c2 of a duplicate: midway between copies and other texts among long Chinese texts (.62 and .57), where
# they are closest together. See `RUN`.
THRESHOLD = 0.6
# Maximum share of new text in a duplicate: midway between copies, a fifth of which is new, and other texts, two fifths
# of which are. On the streams, .30 drops a release note more than .29, and .28 misses one of 757 copies; .25 misses two
# and drops two release notes less.
MOST_NEW = 0.29
MIN_RUNS = 8
# Minimum length of a part in percent of the whole. A bounded fingerprint cannot recognise tiny excerpts.
RATIO_PERCENT = 30


class Check(NamedTuple):
    """A step of a decision."""

    name: str  # what is checked, in the words of the documentation
    value: float  # what was found
    bound: float  # minimum value; for "new" and "missing" the maximum
    passed: bool
    of: int = 0  # number of elements that `value` and `bound` are parts of; 0 for other checks

    @property
    def share(self) -> float:
        """The share in common, 0 to 1."""
        return self.value / max(1, self.of)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of a new text with a kept one; only a duplicate has shares."""

    duplicate: bool
    c1: float = 0.0  # share of main units in common, 0 to 1
    c2: float = 0.0  # share of runs in common, 0 to 1: the score
    new: float = 0.0  # share of the new text that the kept one lacks, 0 to 1


class Rule(ABC):
    """A definition of duplicates. Each rule takes new texts as its own `read` returns them."""

    name: ClassVar[str]
    threshold: float  # minimum share of a duplicate found in the kept text, 0 to 1
    most_new = MOST_NEW  # maximum share of new text in a duplicate, 0 to 1; not used by the literal rule
    constants: ClassVar[Mapping[str, str]]  # must be equal for fingerprints to be comparable; recorded by stores
    has_runs: ClassVar[bool]  # whether its auxiliary strings are samples of runs
    least_units: ClassVar[int] = MIN_UNITS  # minimum length of a main feature string that is judged

    def at(self, threshold: float, most_new: float) -> Self:
        """Return the same rule with other limits."""
        other = copy(self)
        other.threshold, other.most_new = threshold, most_new
        return other

    @abstractmethod
    def read(self, text: str) -> NewText:
        """Read a text."""

    @abstractmethod
    def fingerprint(self, new: Any, /) -> Fingerprint:
        """Return the fingerprint of a text."""

    @abstractmethod
    def checks(self, new: Any, kept: Fingerprint) -> Iterator[Check]:
        """Compare a text with a kept one: yield the steps of the decision."""

    def judge(self, new: Any, kept: Fingerprint) -> Comparison:
        """Compare a text with a kept one; a duplicate passes all checks."""
        shares = {}
        for check in self.checks(new, kept):
            if not check.passed:
                return Comparison(duplicate=False)
            shares[check.name] = check.share
        return Comparison(True, shares["c1"], shares["c2"], shares.get("new", 0.0))

    @abstractmethod
    def query(self, new: Any, t: int, halvings: Sequence[int]) -> tuple[Sample, int, int, Runs]:
        """Return main units, how many of them a text kept at `t` must share (0: no search), its maximum length, runs.

        These are a sample for each number of halvings, and how many of it the text must share (0: no search).
        """

    def too_short(self, kept: Fingerprint) -> bool:
        """Return whether a text is too short to be judged by similarity."""
        return kept.n < MIN_TOKENS or len(kept.s1) < 2 * self.least_units


def needed(size: int, threshold: float) -> int:
    """Return the smallest integer k >= 1 with k / size >= threshold, without rounding error."""
    return max(1, math.ceil(threshold * size - 1e-9))


def _least(name: str, value: float, bound: float, of: int = 0) -> Check:
    return Check(name, value, bound, value >= bound, of)


class PartRule(Rule):
    """A new text is a duplicate if nearly all of it is in a kept text.

    Example:
        >>> text = "Bees dance to tell their sisters where clover, lime and heather bloom. "
        >>> text += "The angle of the dance is the angle to the sun, its length the distance."
        >>> rule, kept = PartRule(), Fingerprint.of(text)
        >>> new = rule.read(f"{text} Share this.")
        >>> rule.judge(new, kept).duplicate, [check.name for check in rule.checks(new, kept)]
        (True, ['units', '% of its length', 'main units', 'runs', 'c1', 'c2', 'new'])
    """

    name = "part"
    threshold = THRESHOLD
    constants = CONSTANTS
    has_runs = True
    both: ClassVar[bool] = False  # whether nearly all of the kept text must be in the new one as well

    read = staticmethod(FeatureStrings)
    fingerprint = staticmethod(Fingerprint.of)

    @override
    def judge(self, new: FeatureStrings, kept: Fingerprint) -> Comparison:
        same = new.n > 0 and kept.digest == new.digest
        return Comparison(True, 1.0, 1.0) if same else super().judge(new, kept)

    @override
    def checks(self, new: FeatureStrings, kept: Fingerprint) -> Iterator[Check]:
        yield _least("units", min(new.n, kept.n), MIN_TOKENS)
        yield _least("% of its length", new.n * 100 // max(1, kept.n), RATIO_PERCENT)
        units, runs = new.main_units(kept.t), new.sample(kept.limit)
        theirs, their_runs = len(kept.units), len(kept.runs)
        of = max(len(units), theirs) if self.both else len(units)
        yield _least("main units", min(of, theirs), MIN_UNITS)
        of_runs = max(len(runs), their_runs) if self.both else len(runs)
        yield _least("runs", of_runs, MIN_RUNS)
        yield _least("c1", count_common(units, kept.s1), needed(of, self.threshold), of)
        yield _least("c2", count_common(runs, kept.s2), needed(of_runs, self.threshold), of_runs)
        share = share_new(new, kept)
        yield Check("new", share, self.most_new, share <= self.most_new)
        if self.both:  # estimate how much of the kept text the new one lacks
            missing = 1 - (1 - share) * len(runs) / max(1, their_runs)
            yield Check("missing", missing, self.most_new, missing <= self.most_new)

    @override
    def query(self, new: FeatureStrings, t: int, halvings: Sequence[int]) -> tuple[Sample, int, int, Runs]:
        units, found = new.main_units(t), {}
        for halved in halvings:
            runs = new.sample(EVERY >> halved)
            found[halved] = runs, needed(len(runs), self.threshold) if len(runs) >= MIN_RUNS else 0
        need = needed(len(units), self.threshold) if len(units) >= MIN_UNITS else 0
        return units, need, new.n * 100 // RATIO_PERCENT, found


class NearCopyRule(PartRule):
    """A new text is a duplicate if it and a kept text are nearly the same; a part is not a duplicate."""

    name = "near-copy"
    both = True


def share_new(new: FeatureStrings, kept: Fingerprint) -> float:
    """Estimate the share of a text that a kept text lacks, by what the text has between the runs in common.

    If all runs were kept, it is what no common run covers. Of a sample, some common runs at both sides are unknown: as
    the missing runs are spread evenly, they leave one share of the gap in `missing + 1` to them. The further 2 units
    are measured: on 1,719 texts of which a tenth to four tenths are others' text, the estimate then is right on the
    average, within 2 points in two of three, 5 at worst too low, and 7 too high in one of a hundred.
    """
    if new.digest == kept.digest:
        return 0.0
    sampled, is_common = new.sampled(kept.runs, kept.limit)
    common = np.flatnonzero(is_common)
    places = sampled[common].astype(np.intp)
    starts = np.concatenate([[0], places + np.where(new.kinds[places] == IDEOGRAPH, RUN_OF_IDEOGRAPHS, RUN)])
    ends = np.concatenate([places, [new.n]])
    gaps = np.maximum(ends - starts, 0).astype(np.float64)
    if kept.limit < EVERY:
        missing = np.diff(common, prepend=-1, append=len(sampled)) - 1
        gaps = np.maximum(gaps * missing / (missing + 1) - 2, 0)
    return float(gaps.sum()) / max(1, new.n)


# The literal rule of the source, measured beside ours in docs/figures.md: it considers a third of the pages of one site
# equal, because all pages of a language share its frequent characters. Two bounds are ours: text beyond 100,000
# characters is not read, and texts that are too short, or without a frequent character, are not judged (taken
# literally, two of the latter are equal).
FREQUENCY = 3  # source: a main unit occurs more often than this
LONG = 500  # source: if both texts are longer, their auxiliary strings are compared
SMALL_SHARE = 0.3  # source: likewise if one is shorter than this share of the other
PATENT_THRESHOLD = 0.8  # source
MAX_CHARACTERS = 100_000  # ours: bounds the data kept per page to some 400 KB

_STOP = np.array(sorted({ord(one) for one in STOP_WORDS if len(one) == 1 and ord(one) < 1 << 16}), np.uint16)
_16 = np.uint32(16)


class Characters:
    """A text as read by the literal rule.

    Attributes:
        codes: Its letters, digits and ideographs in order, lower-cased, as uint16; others are omitted.
        n: Length in characters.
        main_units: S1: the frequent characters except stop characters, in code order.
        neighbours: S2: each frequent character with the one after it, as sorted uint32, repeats included.
    """

    def __init__(self, text: str) -> None:
        kept = "".join(c for c in text[:MAX_CHARACTERS].lower() if c.isalnum() and c < "\U00010000")
        self.codes = np.frombuffer(kept.encode("utf-16-le", "surrogatepass"), "<u2").astype(np.uint16, copy=False)
        self.n = len(self.codes)
        found, counts = np.unique(self.codes, return_counts=True)
        frequent = found[counts > FREQUENCY]
        self.main_units = frequent[~np.isin(frequent, _STOP)]
        pairs = (self.codes[:-1].astype(np.uint32) << _16) | self.codes[1:]
        self.neighbours = np.sort(pairs[np.isin(self.codes[:-1], frequent)])


class PatentRule(Rule):
    """The literal rule."""

    name = "patent"
    threshold = PATENT_THRESHOLD
    has_runs = False
    least_units = 1
    constants: ClassVar[Mapping[str, str]] = {
        "rule": "patent",
        "frequency": str(FREQUENCY),
        "stop list": STOP_LIST_DIGEST,
        "most characters": str(MAX_CHARACTERS),
    }

    read = staticmethod(Characters)

    @override
    def fingerprint(self, new: Characters, /) -> Fingerprint:
        s1 = new.main_units.astype("<u2").tobytes()
        s2 = new.neighbours.astype("<u4").tobytes()
        digest = hashlib.blake2b(new.codes.astype("<u2").tobytes(), digest_size=16).digest()
        return Fingerprint(new.n, FREQUENCY, s1, s2, EVERY, digest)

    @override
    def checks(self, new: Characters, kept: Fingerprint) -> Iterator[Check]:
        mine, theirs = new.main_units, kept.units
        yield _least("characters", min(new.n, kept.n), MIN_TOKENS)
        yield _least(f"characters that come more than {FREQUENCY} times", min(len(mine), len(theirs)), 1)
        common = np.intersect1d(mine, theirs, assume_unique=True)
        shorter, longer = sorted((new.n, kept.n))
        decides = "c2" if shorter > LONG or shorter < SMALL_SHARE * longer else "c1"
        if np.array_equal(mine, theirs):  # a duplicate, whatever the shares
            decides = ""
        there, of = _common_neighbours(new.neighbours, np.frombuffer(kept.s2, "<u4"), common)
        yield _least("c1", len(common), self._more(len(mine)) if decides == "c1" else 0, len(mine))
        yield _least("c2", there, self._more(of) if decides == "c2" else 0, of)

    def _more(self, size: int) -> int:
        """Return the smallest number of common elements above the threshold."""
        return int(self.threshold * size + 1e-9) + 1

    @override
    def query(self, new: Characters, t: int, halvings: Sequence[int]) -> tuple[Sample, int, int, Runs]:
        # The source requires more than the threshold, or equal main strings.
        units = new.main_units
        return units, min(len(units), self._more(len(units))) if new.n >= MIN_TOKENS else 0, 1 << 62, {}


def _common_neighbours(
    mine: npt.NDArray[np.uint32], theirs: npt.NDArray[np.uint32], common: npt.NDArray[np.uint16]
) -> tuple[int, int]:
    """Count the neighbours of common characters that are equal, and all those in X."""
    mine = mine[np.isin(mine >> _16, common)]
    pairs, counts = np.unique(mine, return_counts=True)
    there = np.searchsorted(theirs, pairs, "right") - np.searchsorted(theirs, pairs)
    return int(np.minimum(counts, there).sum()), len(mine)


NewText = FeatureStrings | Characters  # as read by its rule
