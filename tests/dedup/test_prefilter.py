import numpy as np
from datasketch import MinHash

from denoise_scrapy.core.feature_strings import BANDS, VALUES, FeatureStrings, minhash
from denoise_scrapy.core.units import unit_hashes
from tests.dedup.made_texts import cut_out, english

# Of the first made text, by the code that wrote the first stores.
VALUES_OF_ONE = [16937440, 10517684, 42318964]
BANDS_OF_ONE = [2483188311, 4027259838, 1284175732]


def bands(words):
    return np.frombuffer(FeatureStrings(" ".join(words)).bands(), "<u4").tolist()


def keys_of(words):
    return set(enumerate(bands(words)))


def test_no_shingle_no_signature():
    assert [len(minhash(np.arange(n, dtype=np.uint32))) for n in (0, 1, 2, 3)] == [0, 0, 0, 64]


def test_edits_share_a_band_and_others_do_not():
    missed = strangers = 0
    for seed in range(60):
        words = english(seed, 400)
        kept = keys_of(words)
        edits = [words[: len(words) * 3 // 10], words[:200], cut_out(words, 0.1)]
        missed += sum(not kept & keys_of(edit) for edit in edits)
        strangers += bool(kept & keys_of(english(seed + 1000, 400)))
    assert missed <= 8  # of 180: at a Jaccard of 0.3 one in twenty is lost, 0.91 ** 32
    assert strangers == 0


def test_a_sketch_of_an_array_is_that_of_its_values():
    """And datasketch's, by its own permutations."""
    hashes = unit_hashes(english(3, 200))
    plain = MinHash(num_perm=64, seed=1, scheme="affine32", hashfunc=int)
    wide = hashes.astype(np.uint64)
    constants = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
    mixed = sum(part * np.uint64(c) for part, c in zip((wide[:-2], wide[1:-1], wide[2:]), constants, strict=True))
    for value in (mixed >> np.uint64(32)).tolist():
        plain.update(value)
    assert np.array_equal(minhash(hashes), plain.hashvalues)


def test_the_values_are_those_that_stores_hold():
    words = english(1, 300)
    values = minhash(unit_hashes(words))
    assert (len(bands(words)), len(values)) == (BANDS, VALUES)
    assert values[:3].tolist() == VALUES_OF_ONE and bands(words)[:3] == BANDS_OF_ONE
