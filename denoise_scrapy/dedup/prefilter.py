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
# Bands, of 2 values each. They are those that datasketch chooses for .2 of the shingles in common as the share at which
# bands should begin to find a pair, and .3 and .7 as the weights of false and of missed candidates. Measured on edits
# made to real pages: 99.7% of the duplicates share a band (96.9% of texts cut to 30%), with under 10 false
# candidates in 100,000 unrelated texts. Wider bands lose texts that are a part of a kept one: 16 x 4 finds 18% of the
# texts cut to 30%.
BANDS = 32
PREFILTER = f"{SCHEME} {VALUES}, 0.2 (0.3, 0.7), shingle {SHINGLE}, crc32"  # equal where bands are comparable


_BATCH = 4096  # shingles at a time: a megabyte


@cache
def _no_values() -> Any:
    """Return the signature of nothing."""
    from datasketch import MinHash  # noqa: PLC0415 - .5 s and 78 MB, mostly SciPy's

    return MinHash(num_perm=VALUES, scheme=SCHEME, hashfunc=int)


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
    signature = _no_values().copy()
    for start in range(0, len(shingles), _BATCH):
        signature.update_batch(shingles[start : start + _BATCH].tolist())
    bands = signature.hashvalues.reshape(BANDS, -1).astype("<u8")
    begin = zlib.crc32(scope.encode())
    keys = [zlib.crc32(values.tobytes(), begin ^ place) for place, values in enumerate(bands)]
    return np.array(keys, "<u4").tobytes()
