import numpy as np
import pytest
from datasketch import MinHash

from denoise_scrapy.dedup.bands import WINDOW, BandTable
from denoise_scrapy.dedup.features import Features
from denoise_scrapy.dedup.prefilter import band_keys, minhash
from tests.dedup.made_texts import cut_out, english


def keys_of(words, scope=0):
    new = Features.read(" ".join(words))
    return set(band_keys(new.minhash[None], np.array([scope], np.uint64))[0].tolist())


def test_no_shingle_no_signature():
    assert [len(minhash(np.arange(n, dtype=np.uint32))) for n in (0, 1, 2, 3)] == [0, 0, 0, 64]


def test_signature_estimates_the_jaccard_of_shingles():
    words = english(1, 2000)
    part = words[:1000]
    estimate = np.mean(Features.read(" ".join(words)).minhash == Features.read(" ".join(part)).minhash)
    assert estimate == pytest.approx(0.5, abs=0.2)


def test_long_texts_are_hashed_in_chunks():
    hashes = np.arange(10_000, dtype=np.uint32)
    by_halves = np.minimum(minhash(hashes[:5002]), minhash(hashes[5000:]))
    assert np.array_equal(minhash(hashes), by_halves)


def test_scheme_is_the_stored_one():
    assert MinHash(num_perm=64, seed=1, scheme="affine32").hashvalues.dtype == np.uint32
    assert minhash(np.array([1, 2, 3], np.uint32)).dtype == np.uint32


def test_edits_share_a_band_and_others_do_not():
    missed = strangers = 0
    for seed in range(60):
        words = english(seed, 400)
        kept = keys_of(words)
        edits = [words[: len(words) * 3 // 10], words[:200], cut_out(words, 0.1)]
        missed += sum(not kept & keys_of(edit) for edit in edits)
        strangers += bool(kept & keys_of(english(seed + 1000, 400)))
        assert not kept & keys_of(words, scope=1)
    assert missed <= 8  # of 180: at a Jaccard of 0.3 one in twenty is lost, 0.91 ** 32
    assert strangers == 0


def test_table_against_a_dict():
    rng = np.random.default_rng(3)
    table, plain = BandTable(), {}
    for start in range(0, 6000, 500):
        keys = rng.integers(0, 3000, (500, 8)).astype(np.uint32) * np.uint32(7919)
        table.add(keys, np.arange(start, start + 500))
        for number, row in zip(range(start, start + 500), keys.tolist(), strict=True):
            for key in row:
                plain.setdefault(key, set()).add(number)
    for _ in range(300):
        asked = rng.integers(0, 4000, 8).astype(np.uint32) * np.uint32(7919)
        expected = set().union(*(plain.get(key, set()) for key in asked.tolist()))
        assert table.find(asked).tolist() == sorted(expected)


def test_a_band_more_common_than_the_window_loses_nothing():
    table = BandTable()
    keys = np.full((WINDOW * 5, 1), 77, np.uint32)
    table.add(keys, np.arange(len(keys)))
    assert table.crowded == 1
    assert table.find(np.array([77], np.uint32)).tolist() == list(range(len(keys)))
    table.add(np.arange(9000, dtype=np.uint32)[:, None] * 1000, np.arange(1000, 10_000))  # grows
    assert set(range(len(keys))) <= set(table.find(np.array([77], np.uint32)).tolist())
