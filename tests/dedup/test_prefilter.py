"""The prefilter: its signatures against datasketch's, and what its bands find."""

import struct
import subprocess
import sys
import zlib
from dataclasses import replace

import numpy as np
from datasketch import MinHash, MinHashLSH

from denoise_scrapy.core.feature_strings import FeatureStrings, read_units
from denoise_scrapy.dedup import DuplicateIndex
from denoise_scrapy.dedup import index as index_module
from denoise_scrapy.dedup.prefilter import BANDS, VALUES, bands_of
from tests.dedup.made_texts import cut_out, english


def bands(words, scope=""):
    return np.frombuffer(bands_of(FeatureStrings(" ".join(words)), scope), "<u4").tolist()


def test_no_shingle_no_signature():
    assert [len(bands(["a"] * n)) for n in (0, 1, 2, 3)] == [0, 0, 0, 32]


def test_same_values_on_every_machine():
    """Stored bands must stay comparable: a change here needs another `PREFILTER`."""
    assert bands("bees dance to tell their sisters where the clover is".split())[:3] == [
        1340093325,
        3284232737,
        3276119880,
    ]


def test_edits_share_a_band_and_others_do_not():
    missed = strangers = 0
    for seed in range(60):
        words = english(seed, 400)
        kept = {*bands(words)}
        edits = [words[: len(words) * 3 // 10], words[:200], cut_out(words, 0.1)]
        missed += sum(not kept & {*bands(edit)} for edit in edits)
        strangers += bool(kept & {*bands(english(seed + 1000, 400))}) + bool(kept & {*bands(words, "another scope")})
    assert missed <= 8  # of 180: at a Jaccard of 0.3 one in twenty is lost, 0.91 ** 32
    assert strangers == 0


def test_bands_are_of_the_values_of_datasketch():
    """Updated one by one with literally hashed shingles; long texts are read in batches."""
    for words in (english(3, 200), english(4, 10_000)):
        wide = read_units(" ".join(words)).hashes.astype(np.uint64)
        constants = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)
        mixed = sum(part * np.uint64(c) for part, c in zip((wide[:-2], wide[1:-1], wide[2:]), constants, strict=True))
        plain = MinHash(num_perm=64, seed=1, scheme="affine32", hashfunc=int)
        plain.update_batch((mixed >> np.uint64(32)).tolist())
        pairs = enumerate(plain.hashvalues.reshape(32, 2).tolist())
        assert bands(words) == [zlib.crc32(struct.pack("<QQ", *pair), place) for place, pair in pairs]


def test_bands_are_as_many_as_datasketch_chooses():
    chosen = MinHashLSH(threshold=0.2, num_perm=64, weights=(0.3, 0.7))
    assert (chosen.b, chosen.r) == (BANDS, VALUES // BANDS)


def test_datasketch_is_imported_by_an_index_that_needs_it_only():
    code = """
import sys
from denoise_scrapy.dedup import DuplicateIndex, index
index.MOST_IN_TREE = 2
text = "Bees dance to tell their sisters where clover, lime and heather bloom. " * 2
with DuplicateIndex() as one:
    for number in range(4):
        one.add(f"/{number}", f"{text} {number}", scope=sys.argv[1] * (number % 2))
print("datasketch" in sys.modules, "scipy" in sys.modules)
"""
    for scope, imported in (("s", "False False"), ("", "True True")):
        said = subprocess.run([sys.executable, "-c", code, scope], capture_output=True, text=True, check=True).stdout
        assert said.strip() == imported


def test_texts_of_the_tree_and_later_ones_are_found(monkeypatch):
    monkeypatch.setattr(index_module, "MOST_IN_TREE", 5)
    texts = [" ".join(english(seed, 100)) for seed in range(10)]
    with DuplicateIndex() as index:
        for number, text in enumerate(texts):
            index.add(f"/{number}", text)
        assert [bool(one.fingerprint.bands) for one in index._store.records()] == [False] * 5 + [True] * 5
        assert [index.check("/new", f"{text} Share this.").of for text in texts] == [f"/{n}" for n in range(10)]
        assert not index.check("/new", " ".join(english(99, 100))).duplicate
        assert index.stats["verified"] == 10


def test_short_texts_with_bands_of_earlier_versions_leave_later_ones_to_the_tree():
    with DuplicateIndex() as index:
        index.add("/short", "two words")
        [short] = index._store.records()
    text = " ".join(english(1, 100))
    with DuplicateIndex() as index:
        index.restore([short._replace(fingerprint=replace(short.fingerprint, bands=b"word"))])
        index.add("/1", text)
        assert [one.fingerprint.bands for one in index._store.records()] == [b"word", b""]
        assert index.check("/new", f"{text} Share this.").of == "/1"
