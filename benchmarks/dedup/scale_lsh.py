"""What datasketch's MinHashLSH takes for the texts of `scale`: the prefilter alone, in dicts, with nothing judged.

As many permutations in the same bands as ours. Reading is a sketch of all runs of three words in datasketch's own way;
the table is filled with sketches of ours, values of the same form, for making them its way would take most of the time.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
from datasketch import MinHash, MinHashLSH

from benchmarks.dedup.scale_rows import Question, Row, memory_in_use, spread, timed
from benchmarks.dedup.scale_texts import ScaleTexts
from denoise_scrapy.core.feature_strings import BAND_ROWS, BANDS, SCHEME, SEED, SHINGLE, VALUES, minhash
from denoise_scrapy.core.units import read_units, tokens

LSH = "datasketch-lsh"
_SHARED = MinHash(num_perm=VALUES, seed=SEED, scheme=SCHEME)  # its permutations are shared, as datasketch advises


def measure_lsh(texts: ScaleTexts, count: int, asked: Sequence[Question]) -> Row:
    """Fill an index with so many texts, and ask it.

    Args:
        texts: The texts.
        count: How many are kept.
        asked: What is asked about.
    """
    before, start = memory_in_use(), time.perf_counter()
    lsh = MinHashLSH(num_perm=VALUES, params=(BANDS, BAND_ROWS))
    for number in range(count):
        lsh.insert(number, _sketch(texts.original(number)))
    opened, memory = time.perf_counter() - start, memory_in_use() - before
    sketches = [_sketch(one.text) for one in asked]
    read, _ = timed(lambda _, one: _read(one.text), asked)
    query, found = timed(lambda n, _: lsh.query(sketches[n]), asked)
    insert, _ = timed(lambda n, _: lsh.insert(count + n, sketches[n]), asked)
    copy = np.array([one.of >= 0 for one in asked])
    return Row(
        *(
            count,
            LSH,
            opened,
            float(np.median(read)),
            *spread(read + query, copy),
            float(np.median(read + query + insert)),
        ),
        *(memory / count, 0.0, float(np.mean([len(some) for some in found])), 0.0),
        sum(one.of in some for one, some in zip(asked, found, strict=True)),
        int(copy.sum()),
        sum(len(some) > 0 and one.of < 0 for one, some in zip(asked, found, strict=True)),
    )


def _read(text: str) -> MinHash:
    """A sketch in datasketch's way: its hash, one call for all runs."""
    words = [word.encode() for word in tokens(text)]
    sketch = _SHARED.copy()
    sketch.update_batch([b" ".join(words[start : start + SHINGLE]) for start in range(len(words) - SHINGLE + 1)])
    return sketch


def _sketch(text: str) -> MinHash:
    """A sketch of the values that ours are."""
    values = minhash(read_units(text)[0])
    return MinHash(hashvalues=values, permutations=_SHARED.permutations, seed=SEED, scheme=SCHEME)
