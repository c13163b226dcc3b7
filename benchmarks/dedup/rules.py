"""Rules that call a new text a duplicate of a kept one: the product's, and well-known others."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np
import numpy.typing as npt
from datasketch import MinHash

from denoise_scrapy.core.units import tokens, unit_hashes
from denoise_scrapy.dedup import RULES, Fingerprint
from denoise_scrapy.dedup.rules import NewText

Rule = Callable[[str, str], bool]

LIKE = 0.8  # the usual least Jaccard of near-duplicates (Broder 1997 and after)
VALUES = 128  # datasketch's default: a standard error of 3.5 points at .8
BITS = 3  # the Hamming distance of Manku, Jain, Das Sarma (2007) for 64 bits
_SHINGLE = 5
_CACHED = 64  # a text's pairs come close together
_MIX = np.uint64(0xFF51AFD7ED558CCD)


def _product(name: str, new: str, kept: str) -> bool:
    """Judge by a rule of the product, at its own threshold."""
    return RULES[name].judge(_read(name, new)[0], [_read(name, kept)[1]])[0].duplicate


def part_behind_minhash(new: str, kept: str) -> bool:
    """Judge by the default rule where the prefilter lets the pair through: a band in common, or the same words."""
    some, other = _read("part", new)[1], _read("part", kept)[1]
    mine, theirs = (np.frombuffer(one.bands, "<u4") for one in (some, other))
    passes = some.digest == other.digest or (len(mine) == len(theirs) and bool((mine == theirs).any()))
    return passes and _product("part", new, kept)


def jaccard(new: str, kept: str) -> bool:
    """Compare the exact Jaccard of 5-unit shingles."""
    some, others = _shingles(new), _shingles(kept)
    return len(some & others) > LIKE * len(some | others)


def minhash(new: str, kept: str) -> bool:
    """Compare the same Jaccard as estimated by MinHash."""
    return bool(_sketch(new).jaccard(_sketch(kept)) > LIKE)


def simhash(new: str, kept: str) -> bool:
    """Compare SimHash of 64 bits, of pairs of neighbours."""
    return (_simhash(new) ^ _simhash(kept)).bit_count() <= BITS


OWN: dict[str, Rule] = {"part": partial(_product, "part"), "part behind MinHash": part_behind_minhash}
"""The default of a crawl, without and with its prefilter; held to floors."""

OTHERS: dict[str, Rule] = {
    "near-copy": partial(_product, "near-copy"),  # calls no part a duplicate
    "patent": partial(_product, "patent"),  # the literal rule of the source
    f"Jaccard > {LIKE}": jaccard,
    f"MinHash > {LIKE}": minhash,
    f"SimHash <= {BITS}": simhash,
}


@lru_cache(_CACHED)
def _read(name: str, text: str) -> tuple[NewText, Fingerprint]:
    new = RULES[name].read(text)
    return new, RULES[name].fingerprint(new)


@lru_cache(_CACHED)
def _shingles(text: str) -> frozenset[bytes]:
    hashes = unit_hashes(tokens(text)).astype("<u4").tobytes()
    width = 4 * _SHINGLE
    return frozenset(hashes[i : i + width] for i in range(0, len(hashes) - width + 1, 4))


@lru_cache(_CACHED)
def _sketch(text: str) -> MinHash:
    sketch = MinHash(num_perm=VALUES)
    sketch.update_batch(_shingles(text))
    return sketch


@lru_cache(_CACHED)
def _simhash(text: str) -> int:
    hashes: npt.NDArray[np.uint64] = unit_hashes(tokens(text)).astype(np.uint64)
    mixed = (hashes[:-1] << np.uint64(32) | hashes[1:]) * _MIX
    mixed = (mixed ^ (mixed >> np.uint64(33))) * _MIX
    mixed ^= mixed >> np.uint64(33)
    bits = np.unpackbits(mixed.view(np.uint8).reshape(-1, 8), axis=1)
    return int.from_bytes(np.packbits(2 * bits.sum(axis=0) > len(mixed)).tobytes(), "big")
