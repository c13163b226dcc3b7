"""The duplicate index in C against the one in numpy: the same hashes, samples, bands, finds and counts."""

from __future__ import annotations

import hashlib
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.dedup import DuplicateIndex, Fingerprint
from denoise_scrapy.dedup.features import EVERY, Features, _runs_by_sorting, _sample_by_sorting
from denoise_scrapy.dedup.in_common import count_common
from denoise_scrapy.dedup.lookup import LookupTable
from denoise_scrapy.dedup.prefilter import _PERMUTATIONS, band_hashes, minhash
from denoise_scrapy.dedup.signature import _sign, gather
from denoise_scrapy.dedup.stop_units import STOP_UNITS
from denoise_scrapy.dedup.tokens import read_units, tokens
from denoise_scrapy.native import dedup_index, dedup_text, library, switched_off
from example_project.portal.build import build

native = library()
pytestmark = pytest.mark.skipif(native is None, reason="not compiled here")

LETTERS = st.characters() | st.sampled_from("ab c,_9é\u0301ß的ガー한글की\ud800\U00020000\x00\n\x1f\u2028ﬁＡ")
TEXTS = st.text(LETTERS, max_size=80) | st.lists(st.sampled_from("the of bee Bee 的 été".split())).map(" ".join)
FEW = st.integers(0, 6) | st.sampled_from(STOP_UNITS[:3].tolist())
HASHES = st.lists(FEW | st.integers(0, 2**32 - 1), max_size=60).map(lambda values: np.array(values, np.uint32))
SETS = st.lists(st.sets(st.integers(0, 9) | st.integers(0, 2**16 - 1), max_size=30), max_size=4)


@settings(deadline=None)
@given(TEXTS)
def test_units(text: str) -> None:
    found = read_units(text)
    with switched_off():
        expected = read_units(text)
    assert found.hashes.tolist() == expected.hashes.tolist()
    assert found.kinds.tolist() == expected.kinds.tolist()
    assert bytes(found.joined) == expected.joined == "\n".join(tokens(text)).encode("utf-8", "surrogatepass")


@given(st.binary(max_size=40), st.integers(0, 300))
def test_bytes_that_are_no_utf8_do_no_harm(text: bytes, points: int) -> None:
    assert native is not None
    classes = np.arange(points, dtype=np.uint16).astype(np.uint8) % 6
    hashes, _, joined = dedup_text.units(native, text, classes, np.zeros(256, np.uint32))
    assert len(hashes) <= len(text) and len(joined) <= 2 * len(text)


@settings(deadline=None)
@given(HASHES, st.integers(0, 2**64 - 1))
def test_runs(hashes: np.ndarray, seed: int) -> None:
    assert native is not None
    kinds = np.random.default_rng(seed).integers(0, 3, len(hashes), np.uint8)
    found, expected = dedup_text.runs(native, hashes, kinds, STOP_UNITS), _runs_by_sorting(hashes, kinds)
    for name in expected._fields:
        assert getattr(found, name).tolist() == getattr(expected, name).tolist(), name


@given(HASHES, st.integers(0, 32).map(lambda bits: 1 << bits) | st.just(0), st.integers(0, 60))
def test_samples(values: np.ndarray, limit: int, most: int) -> None:
    assert native is not None
    values.sort()
    found, expected = dedup_text.sample(native, values, limit, most), _sample_by_sorting(values, limit, most)
    assert (found[0].tolist(), found[1]) == (expected[0].tolist(), expected[1])


def test_samples_of_values_in_no_order() -> None:
    assert native is not None
    assert dedup_text.sample(native, np.array([7, 65536, 7, 2], np.uint32), EVERY, 4)[0].tolist() == [0, 2, 7]


@given(HASHES)
def test_bands(hashes: np.ndarray) -> None:
    assert native is not None
    if len(hashes) < 3:
        with pytest.raises(ValueError, match="3 units"):
            dedup_text.minhash(native, hashes, _PERMUTATIONS)
        return
    values, bands = dedup_text.minhash(native, hashes, _PERMUTATIONS)
    assert values.tolist() == minhash(hashes).tolist()
    assert bands.tolist() == band_hashes(values).tolist()


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(st.integers(0, 40), min_size=2, max_size=2), max_size=60), st.integers(0, 2**64 - 1))
def test_tables_hold_and_find_the_same(rows: list[list[int]], spread: int) -> None:
    """Written by one and read by the other, in both directions; keys so common that buckets overflow included."""
    keys = np.array(rows, np.uint64).reshape(-1, 2).repeat(9, axis=0) * np.uint64(spread | 1)
    asked = np.arange(50, dtype=np.uint64) * np.uint64(spread | 1)
    ours, other = LookupTable(width=2), LookupTable(width=2)
    ours.extend(keys)
    with switched_off():
        other.extend(keys)
        finds = [_finds(ours, asked), _finds(other, asked)]
    finds += [_finds(ours, asked), _finds(other, asked)]
    assert finds[0] == finds[1] == finds[2] == finds[3]


def _finds(table: LookupTable, asked: np.ndarray) -> list[tuple[int, int]]:
    return sorted(zip(*(column.tolist() for column in table.find(asked)), strict=True))


def test_more_finds_than_there_is_room_for() -> None:
    assert native is not None
    segment = np.full((2, 16), 5 << 16 | 1, np.uint32)
    where = np.array([segment.ctypes.data], np.uintp)
    which, rows = dedup_index.find(native, where, 8, 2, np.full(100, 5, np.uint64))
    assert len(which) == 3200 and not rows.any() and np.bincount(which).tolist() == [32] * 100


@settings(deadline=None)
@given(st.lists(st.tuples(st.sets(st.integers(0, 9) | st.integers(0, 2**16 - 1)), SETS), max_size=5))
def test_common(asked: list[tuple[set[int], list[set[int]]]]) -> None:
    arrays = [
        (np.array(sorted(mine), np.uint16), [np.array(sorted(one), "<u2").tobytes() for one in theirs])
        for mine, theirs in asked
    ]
    expected = [len(mine & one) for mine, theirs in asked for one in theirs]
    assert count_common(arrays) == expected
    with switched_off():
        assert count_common(arrays) == expected


@settings(deadline=None)
@given(SETS, st.integers(6, 10))
def test_signatures(sets: list[set[int]], bits_log2: int) -> None:
    assert native is not None
    units, sizes = gather([np.array(sorted(one), "<u2").tobytes() for one in sets])
    found = dedup_index.sign(native, units, sizes, bits_log2)
    assert found.tolist() == _sign(units, sizes, bits_log2).tolist()


def test_places_outside_of_lists_are_not_read() -> None:
    assert native is not None
    some, far = np.array([1, 2], np.uint16), np.array([-5, 10**12, 10**15])
    for owner in ([0, 1, 2], [-1, 9, 2], [2, 0, 1]):
        dedup_index.common(native, some, far, some, far, np.array(owner))
    assert dedup_index.sign(native, some, far, 8).any()


def test_whole_pages() -> None:
    texts = [re.sub(r"<[^>]*>", " ", page.html) for page in build().pages.values()][:60]
    with switched_off():
        expected = [Fingerprint.of(text) for text in texts]
        verdicts = _verdicts(texts)
    assert [Fingerprint.of(text) for text in texts] == expected
    assert _verdicts(texts) == verdicts
    assert (
        Features.read(texts[0]).digest == hashlib.blake2b("\n".join(tokens(texts[0])).encode(), digest_size=16).digest()
    )


def _verdicts(texts: list[str]) -> list[object]:
    with DuplicateIndex() as index:
        return [
            index.check_and_add(str(number), text[: len(text) - number % 3 * 9])
            for number, text in enumerate(texts * 2)
        ]
