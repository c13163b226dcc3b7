"""What is compared of a text: its features, read once, and the fingerprint of some hundred bytes that is kept of them.

Source: patent text 'Method and system for web page de-duplication', main feature string (a set in code order) and
auxiliary feature string (the order of the text). What they are made of (different runs of units), the threshold by
length, the sampling and the 16-bit hashes are ours. It has no prefilter; MinHash after Broder (1997), by datasketch,
which is imported with the first signature: with scipy it takes half a second and 50 MB.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup import tokens
from denoise_scrapy.dedup.tokens import IDEOGRAPH, is_stop, read_units, unit_hashes

# Units in the main feature string. 32 bits take twice the memory and decide the same: of 1,000 kept units one and a
# half in a hundred foreign ones would be found by chance, and texts of that many units are one in fifty.
UNIT_BITS = 16
# Units of a run, by its first one. Measured on 7,800 texts of four streams, each against all earlier ones: the share of
# runs in common of copies begins where that of other texts ends at .6 with these lengths; with pairs they overlap
# (Chinese .70 and .70), and with longer runs copies changed in many places fall below.
RUN, RUN_OF_IDEOGRAPHS = 5, 3
RUN_HASH = "runs-5-3-fmix64-v1"
EVERY = 1 << 32  # limit of a sample that has everything
_EVERY_UNIT = 1 << UNIT_BITS

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

# MinHash signatures say 'certainly nothing like this' in a few table look-ups: 64 values, 32 bands of 2, over shingles
# of 3 units. Measured on made-up edits of real pages: 99.7% of the duplicates share a band (96.9% of texts cut to 30%),
# with under 10 false candidates in 100,000 unrelated texts. Wider bands lose the texts that are a part of a kept one:
# 16 x 4 finds 18% of the texts cut to 30%.
SCHEME = "affine32"  # stated, not left to the library's default, for values are stored
SEED = 1
BANDS, BAND_ROWS = 32, 2
VALUES = BANDS * BAND_ROWS
SHINGLE = 3  # 2: forty times the false candidates; 5: weaker on single-word edits

# What two fingerprints must share to be comparable. A store writes it down, and refuses others.
CONSTANTS: dict[str, str] = {
    "token rule": str(tokens.TOKEN_RULE),
    "unit hash": tokens.UNIT_HASH,
    "unit bits": str(UNIT_BITS),
    "stop list": tokens.STOP_LIST_DIGEST,
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

_SPREAD = np.uint32(2654435769)  # the golden ratio in 32 bits: CRC-32's own low bits are less even
_FACTORS = [
    np.uint64(one)
    for one in (
        *(0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9),  # odd constants of xxHash
        *(0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5),
    )
]
_NAME = re.compile(r"(?<=[\w,;)] )[^\W\d_a-z]\w+")
_FMIX_A, _FMIX_B = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_32, _33, _UPPER = np.uint64(32), np.uint64(33), np.uint64(0xFFFFFFFF00000000)

Words = npt.NDArray[np.uint32]
Sample = npt.NDArray[np.uint16]


class Runs(NamedTuple):
    """The different runs of a text, and the frequencies of its units.

    Attributes:
        at: uint64 (n,), in order of the text: hash of the run and, in the lower half, its first unit; 0 for none.
        distinct: uint32, hashes of the different runs, ascending.
        units: uint32 (k,), ascending.
        counts: int64 (k,), of how many different runs each unit is the first.
        stop: bool (k,), which of them are stop units.
    """

    at: npt.NDArray[np.uint64]
    distinct: Words
    units: Words
    counts: npt.NDArray[np.int64]
    stop: npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Features:
    """Main and auxiliary feature string of a text.

    Of a text, the different runs of units count, each once: five from each word on, three from each ideograph. So
    nothing changes when a text repeats itself, and no list of the same few words outweighs the rest. The frequency of a
    unit is the number of runs that it begins; what is a part of a text has no unit more often than the text.

    Attributes:
        n: Length in units.
        digest: 16 bytes, hash of the unit sequence: equal for texts of the same words in order.
        hashes: uint32 (n,), the units in order.
        kinds: uint8 (n,), see `tokens.Units`.
        text: The text.
    """

    n: int
    digest: bytes
    hashes: Words
    kinds: npt.NDArray[np.uint8]
    text: str = field(repr=False)
    _cuts: dict[int, Sample] = field(default_factory=dict)
    _samples: dict[int, Sample] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> Features:
        """Read a text.

        Example:
            >>> Features.read("to be or not to be").n
            6
        """
        hashes, kinds, joined = read_units(text)
        return cls(len(hashes), hashlib.blake2b(joined, digest_size=16).digest(), hashes, kinds, text)

    def main_units(self, t: int) -> Sample:
        """Return the main feature string: sorted hashes of the units that occur more than `t` times, but stop units.

        Example:
            >>> pear = Features.read("pear plum pear fig plum nut date pear plum")
            >>> len(pear.main_units(0)), len(pear.main_units(1))
            (5, 2)
        """
        if t not in self._cuts:
            units, counts, stop = self.runs[2:]
            self._cuts[t] = _each_once(_unit_hashes(units[(counts > t) & ~stop]))
        return self._cuts[t]

    def sample(self, limit: int = EVERY) -> Sample:
        """Sample the auxiliary feature string: the low halves of its hashes below a limit, in order of the text.

        Each is there once. Two texts sampled at one limit, 0 to 2**32, speak of the same runs.

        Example:
            >>> len(Features.read("to be or not to be or not to be or").sample())
            4
        """
        if limit not in self._samples:
            at = self.runs.at
            hashes = (at[(at > 0) & (at >> _32 < np.uint64(min(limit, EVERY)))] >> _32).astype(np.uint16)
            self._samples[limit] = hashes[np.sort(np.unique(hashes, return_index=True)[1])]
        return self._samples[limit]

    def sample_of(self, most: int) -> tuple[Sample, int]:
        """Sample it at the highest power of two that leaves no more than so many, and return the limit too."""
        limit, distinct = EVERY, self.runs.distinct
        while distinct.searchsorted(limit) > most:
            limit >>= 1
        return self.sample(limit), limit

    def rare_units(self, t: int) -> tuple[Sample, int]:
        """Sample the units that occur no more than `t` times, as the main ones; return how often it was halved, too."""
        units, counts, stop = self.runs[2:]
        rare = _each_once(_unit_hashes(units[(counts <= t) & ~stop]))
        halved = 0
        while rare.searchsorted(_EVERY_UNIT >> halved) > RARE_CAP:
            halved += 1
        return rare[: rare.searchsorted(_EVERY_UNIT >> halved)], halved

    @cached_property
    def places(self) -> Sample:
        """Hash of the unit at each place, as in the main feature string: uint16 (n,)."""
        return _unit_hashes(self.hashes)

    @cached_property
    def informative(self) -> npt.NDArray[np.bool_]:
        """Which places have no stop unit: bool (n,)."""
        return ~is_stop(self.hashes)

    @cached_property
    def is_name(self) -> npt.NDArray[np.bool_]:
        """Which places have a word with a capital letter, somewhere in the text but behind a full stop: bool (n,)."""
        return np.isin(self.hashes, unit_hashes(tokens.tokens(" ".join(_NAME.findall(self.text)))))

    @cached_property
    def runs(self) -> Runs:
        """Its different runs, and the frequencies of its units."""
        hashes, at = self.hashes, np.zeros(self.n, np.uint64)
        wide, ideographs = hashes.astype(np.uint64), self.kinds == IDEOGRAPH
        for length, here in ((RUN, ~ideographs), (RUN_OF_IDEOGRAPHS, ideographs)):
            size = max(0, self.n - length + 1)
            if here.any():
                mixed = sum(
                    (wide[step : size + step] * _FACTORS[step] for step in range(1, length)), wide[:size] * _FACTORS[0]
                )
                runs = _fmix64(mixed) & _UPPER | wide[:size]
                at[:size] = runs if here.all() else np.where(here[:size], runs, at[:size])
        distinct = np.sort(at[at > 0])
        distinct = distinct[_is_new(distinct >> _32)]
        ordered = np.concatenate([distinct.astype(np.uint32), hashes[at == 0]])
        ordered.sort()
        starts = np.flatnonzero(_is_new(ordered))
        units, ends = ordered[starts], np.empty_like(starts)
        ends[:-1], ends[-1:] = starts[1:], len(ordered)
        return Runs(at, (distinct >> _32).astype(np.uint32), units, ends - starts, is_stop(units))


def _fmix64(keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The finaliser of MurmurHash3 (public domain): spreads keys, and different ones stay different."""
    keys = (keys ^ (keys >> _33)) * _FMIX_A
    keys = (keys ^ (keys >> _33)) * _FMIX_B
    return np.asarray(keys ^ (keys >> _33), np.uint64)


def _is_new(ordered: npt.NDArray[np.generic]) -> npt.NDArray[np.bool_]:
    """Which values of a sorted array differ from the one before."""
    new = np.empty(len(ordered), np.bool_)
    new[:1] = True
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return new


def _each_once(values: Sample) -> Sample:
    """Sort values, and leave each out but once."""
    values.sort()
    return values[_is_new(values)]


def _unit_hashes(units: Words) -> Sample:
    return np.asarray(units * _SPREAD >> np.uint32(32 - UNIT_BITS), np.uint16)


def is_too_short(n: int, units: int) -> bool:
    """Return whether a text of `n` units, and so many main units, is too short to be judged by similarity.

    Example:
        >>> is_too_short(19, 12), is_too_short(20, 12)
        (True, False)
    """
    return n < MIN_TOKENS or units < MIN_UNITS


def threshold_for(new: Features) -> int:
    """Return the frequency threshold at which a text is kept, one of `LEVELS`.

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
        s2: Auxiliary feature string: uint16 in order of the text, a sample, see `Features.sample`.
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
    def of(cls, text: str | Features) -> Fingerprint:
        """Make the fingerprint of a text, or of its features where they are known already."""
        features = Features.read(text) if isinstance(text, str) else text
        t = threshold_for(features)
        s1 = features.main_units(t)
        runs, limit = features.sample_of(S2_CAP)
        short = is_too_short(features.n, len(s1))
        return cls(
            n=features.n,
            t=t,
            s1=s1.astype("<u2", copy=False).tobytes(),
            s2=runs.astype("<u2", copy=False).tobytes(),
            limit=limit,
            digest=features.digest,
            bands=b"" if short else bands(features.hashes).astype("<u4", copy=False).tobytes(),
            rare=_rare(features, t),
        )

    @property
    def too_short(self) -> bool:
        """Whether the text is too short to be judged by similarity."""
        return is_too_short(self.n, len(self.s1) // 2)

    @property
    def units(self) -> Sample:
        """The main feature string as a sorted uint16 array."""
        return np.frombuffer(self.s1, "<u2").astype(np.uint16, copy=False)

    @property
    def runs(self) -> Sample:
        """The auxiliary feature string as a uint16 array."""
        return np.frombuffer(self.s2, "<u2").astype(np.uint16, copy=False)


def _rare(new: Features, t: int) -> bytes:
    """What is kept of a text's rare units, see `Fingerprint.rare`."""
    if not t:
        return b""
    units, halved = new.rare_units(t)
    return np.array([halved, *units.tolist()], "<u2").tobytes()


_CHUNK = 1024  # shingles hashed at a time: the (shingles, values) matrix has 256 KB, which a cache holds
_SHINGLE_A, _SHINGLE_B = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_SHINGLE_C = np.uint64(0x165667B19E3779F9)
_BAND_MIX = np.uint64(0xFF51AFD7ED558CCD)


@cache
def load_minhash() -> Any:
    """Return a signature without values, whose permutations all others share."""
    from datasketch import MinHash  # noqa: PLC0415 - takes half a second

    return MinHash(num_perm=VALUES, seed=SEED, scheme=SCHEME, hashfunc=_as_it_is)


def _as_it_is(hashes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    return hashes


def minhash(hashes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Compute the MinHash signature of a text, uint32 (64,); none where it is shorter than a shingle.

    Example:
        >>> minhash(np.arange(5, dtype=np.uint32)).shape
        (64,)
        >>> minhash(np.arange(2, dtype=np.uint32)).shape
        (0,)
    """
    if len(hashes) < SHINGLE:
        return np.empty(0, np.uint32)
    wide = hashes.astype(np.uint64)
    shingles = ((wide[:-2] * _SHINGLE_A + wide[1:-1] * _SHINGLE_B + wide[2:] * _SHINGLE_C) >> _32).astype(np.uint32)
    signature = load_minhash().copy()
    for start in range(0, len(shingles), _CHUNK):
        signature.update_batch([shingles[start : start + _CHUNK]])  # an array of hashes as one value of the batch
    return np.asarray(signature.hashvalues, np.uint32)


def bands(hashes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Hash each band of a text's signature to 32 bits: what two texts must share one of; none as for `minhash`.

    A chance match is only a false candidate, which the rule throws out.
    """
    values = minhash(hashes).astype(np.uint64).reshape(-1, BAND_ROWS)
    keys = (values[:, 0] << _32 | values[:, 1]) * _SHINGLE_A
    keys = (keys ^ (keys >> _32)) * _BAND_MIX
    return np.asarray(keys >> _32, np.uint32)


# Signatures of sets have one bit for each element. An element of X whose bit is clear in Z's signature is not in Z, so
# |X & Z| <= |X| - popcount(signature(X) & ~signature(Z)); the OR of some signatures bounds every set among them. The
# bound never lies low, so pruning by it is exact. Source: ours (superimposed coding).
BITS_LOG2 = 10  # 1,024 bits of a signature: as fast as 2,048 at 84,000 texts, in half the memory

_BYTE_ONES = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)

Row = TypeVar("Row", bound=np.generic)
Ints = npt.NDArray[np.int64]
Units = npt.NDArray[np.uint16]
Signatures = npt.NDArray[np.uint64]


def grown(rows: npt.NDArray[Row]) -> npt.NDArray[Row]:
    """Copy an array into one with room for twice as many rows, which take no memory before they are written."""
    room = np.zeros((2 * len(rows), *rows.shape[1:]), rows.dtype)
    room[: len(rows)] = rows
    return room


def gather(sets: Sequence[bytes]) -> tuple[Units, Ints]:
    """Join sets held as bytes, and return all elements one set after another, and the size of each."""
    units = np.frombuffer(b"".join(sets), "<u2").astype(np.uint16, copy=False)
    return units, np.fromiter(map(len, sets), np.int64, len(sets)) // 2


def count_common(mine: Units, theirs: Sequence[bytes]) -> list[int]:
    """Count what each of some sets, sorted uint16 arrays as bytes, has in common with another.

    Example:
        >>> count_common(np.array([2, 3, 4], np.uint16), [np.array([1, 2, 3], "<u2").tobytes(), b""])
        [2, 0]
    """
    units, sizes = gather(theirs)
    has = np.zeros(1 << UNIT_BITS, np.bool_)
    has[mine] = True
    hits = np.zeros(len(units) + 1, np.int64)
    np.cumsum(has[units], out=hits[1:])
    ends = np.cumsum(sizes)
    found: list[int] = (hits[ends] - hits[ends - sizes]).tolist()
    return found


def bits_of(units: Units, bits_log2: int = BITS_LOG2) -> Ints:
    """Return the bit that each element sets, of 2**bits_log2."""
    return (units >> (UNIT_BITS - bits_log2)).astype(np.int64)


def sign(units: Units, sizes: Ints, bits_log2: int = BITS_LOG2) -> Signatures:
    """Make the signatures of k sets, uint64 (k, 16), from their elements one set after another, and their sizes.

    Example:
        >>> ones(sign(np.array([1 << 6, 2 << 6, 3 << 6], np.uint16), np.array([2, 1]))).tolist()
        [2, 1]
    """
    grid = np.zeros((len(sizes), 1 << bits_log2), np.bool_)
    grid[np.repeat(np.arange(len(sizes)), sizes), bits_of(units, bits_log2)] = True
    return np.packbits(grid, axis=1, bitorder="little").view(np.uint64)


def ones(words: Signatures) -> Ints:
    """Count the set bits of each row, as int64: counts are subtracted, and unsigned ones would wrap round."""
    if hasattr(np, "bitwise_count"):  # numpy 2
        counts = np.bitwise_count(words)
    else:
        counts = _BYTE_ONES[np.ascontiguousarray(words).view(np.uint8)]
    return np.asarray(counts.sum(axis=1, dtype=np.int64))
