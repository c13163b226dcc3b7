"""The MinHash prefilter: texts that may be duplicates share a band of their signatures.

Source: Broder, On the resemblance and containment of documents (1997). Signatures and the choice of bands are those of
datasketch; the shingles are `FeatureStrings.shingles`.
"""

from __future__ import annotations

import zlib
from functools import cache
from typing import Any

import numpy as np

from denoise_scrapy.core.feature_strings import SHINGLE, FeatureStrings

VALUES, SCHEME = 64, "affine32"  # of a signature
BANDS = 32  # which datasketch chooses, by what follows
# Share of shingles in common at which bands should begin to find a pair, and the weights of false and of missed
# candidates, for which datasketch chooses 32 bands of 2 values. Measured on made-up edits of real pages: 99.7% of the
# duplicates share a band (96.9% of texts cut to 30%), with under 10 false candidates in 100,000 unrelated texts. Wider
# bands lose texts that are a part of a kept one: 16 x 4 finds 18% of the texts cut to 30%.
COMMON, WEIGHTS = 0.2, (0.3, 0.7)
PREFILTER = f"{SCHEME} {VALUES}, {COMMON} {WEIGHTS}, shingle {SHINGLE}, crc32"  # equal where bands are comparable


_BATCH = 4096  # shingles at a time: a megabyte


@cache
def _scheme() -> tuple[Any, int, int]:
    """Return an empty signature, the number of bands and of values in a band."""
    from datasketch import MinHash, MinHashLSH  # noqa: PLC0415 - .5 s and 78 MB, mostly SciPy's

    bands = MinHashLSH(threshold=COMMON, num_perm=VALUES, weights=WEIGHTS)
    return MinHash(num_perm=VALUES, scheme=SCHEME, hashfunc=int), bands.b, bands.r


def bands_of(text: FeatureStrings, scope: str = "") -> bytes:
    """Hash the bands of a text's signature, with their place and a scope: uint32 as bytes; candidates share one.

    A text shorter than a shingle has none. A chance match is only a false candidate, which the rule rejects. The first
    call imports datasketch.

    Example:
        >>> text = FeatureStrings("Bees dance to tell their sisters where the clover is. " * 2)
        >>> len(bands_of(text)) // 4
        32
    """
    shingles = text.shingles()
    if not len(shingles):
        return b""
    empty, count, rows = _scheme()
    signature = empty.copy()
    for start in range(0, len(shingles), _BATCH):
        signature.update_batch(shingles[start : start + _BATCH].tolist())
    bands, begin = signature.hashvalues[: count * rows].reshape(count, rows).astype("<u8"), zlib.crc32(scope.encode())
    keys = [zlib.crc32(values.tobytes(), begin ^ place) for place, values in enumerate(bands)]
    return np.array(keys, "<u4").tobytes()
