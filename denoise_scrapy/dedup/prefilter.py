"""MinHash signatures: 'certainly nothing like this' in a few table look-ups.

64 values, 32 bands of 2, over shingles of 3 units. Measured on made-up edits of real pages: 99.7%
of the duplicates share a band (96.9% of texts cut to 30%), with under 10 false candidates in
100,000 unrelated texts. Wider bands lose the texts that are a part of a kept one: 16 x 4 finds 18%
of the texts cut to 30%.

Source: patent text 'Method and system for web page de-duplication' has no prefilter; MinHash after
Broder (1997), as implemented by datasketch.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native import dedup_text, library

SCHEME = "affine32"  # stated, not left to the library's default, for values are stored
SEED = 1
BANDS, BAND_ROWS = 32, 2
VALUES = BANDS * BAND_ROWS
SHINGLE = 3  # 2: forty times the false candidates; 5: weaker on single-word edits

CONSTANTS = {
    "minhash scheme": SCHEME,
    "minhash seed": str(SEED),
    "minhash values": str(VALUES),
    "bands": f"{BANDS}x{BAND_ROWS} hash 1",
    "shingle": str(SHINGLE),
}
"""What two signatures must share to be comparable."""

_CHUNK = 4096  # shingles hashed at a time: bounds the (values, shingles) matrix to 1 MB
_SHINGLE_A, _SHINGLE_B = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_SHINGLE_C = np.uint64(0x165667B19E3779F9)
_BAND_MIX = np.uint64(0xFF51AFD7ED558CCD)
_32 = np.uint64(32)


def _permutations() -> npt.NDArray[np.uint32]:
    """Factors and summands of datasketch's scheme, shape (2, VALUES): numpy's legacy generator never changes.

    Made here, not read off a `MinHash`: to import datasketch brings scipy, which is 50 MB and half a second in every
    crawl, and 33,000 objects that the garbage collector looks through again and again. A test compares the two.
    """
    random = np.random.RandomState(SEED)
    factors = random.randint(0, 1 << 31, VALUES, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    return np.array([factors, random.randint(0, 1 << 32, VALUES, dtype=np.uint32)])


# The finaliser is datasketch's too (MurmurHash3's).
_PERMUTATIONS = _permutations()
_FINALISER = [(np.uint32(16), np.uint32(0x85EBCA6B)), (np.uint32(13), np.uint32(0xC2B2AE35))]


def bands(hashes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Hash the bands of a text's MinHash signature, see `minhash` and `band_hashes`.

    Args:
        hashes: uint32 (n,), the text's units in order.

    Returns:
        uint32 (32,), or an empty array where the text is shorter than a shingle.

    """
    native = library()
    if native is None or len(hashes) < SHINGLE:
        return band_hashes(minhash(hashes))
    return dedup_text.minhash(native, hashes, _PERMUTATIONS)[1]


def minhash(hashes: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Compute the MinHash signature of a text.

    Args:
        hashes: uint32 (n,), the text's units in order.

    Returns:
        uint32 (64,), or an empty array where the text is shorter than a shingle (two texts without
        shingles would count as equal).

    Example:
        >>> minhash(np.arange(5, dtype=np.uint32)).shape
        (64,)
        >>> minhash(np.arange(2, dtype=np.uint32)).shape
        (0,)

    """
    if len(hashes) < SHINGLE:
        return np.empty(0, np.uint32)
    wide = hashes.astype(np.uint64)
    mixed = wide[:-2] * _SHINGLE_A + wide[1:-1] * _SHINGLE_B + wide[2:] * _SHINGLE_C
    shingles = (mixed >> _32).astype(np.uint32)
    for shift, factor in _FINALISER:
        shingles = (shingles ^ (shingles >> shift)) * factor
    shingles ^= shingles >> np.uint32(16)
    factors, summands = _PERMUTATIONS[:, :, None]
    values = np.full(VALUES, 0xFFFFFFFF, np.uint32)
    for start in range(0, len(shingles), _CHUNK):
        permuted = factors * shingles[start : start + _CHUNK]
        permuted += summands
        np.minimum(values, permuted.min(axis=1), out=values)
    return values


def band_hashes(signature: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Hash each band of a signature to 32 bits: what two texts must share one of.

    Args:
        signature: uint32 (64,), or empty.

    Returns:
        uint32 (32,), or empty. A chance match is only a false candidate, which the verification throws out.

    Example:
        >>> band_hashes(np.arange(64, dtype=np.uint32)).shape
        (32,)

    """
    values = signature.astype(np.uint64).reshape(-1, BAND_ROWS)
    keys = (values[:, 0] << _32 | values[:, 1]) * _SHINGLE_A
    keys = (keys ^ (keys >> _32)) * _BAND_MIX
    return np.asarray(keys >> _32, np.uint32)
