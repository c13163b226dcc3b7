"""The look-up table against a dict, and the catalog against plain lists."""

import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.dedup import catalog as catalog_module
from denoise_scrapy.dedup import lookup
from denoise_scrapy.dedup.catalog import Catalog
from denoise_scrapy.dedup.growing import Growing
from denoise_scrapy.dedup.lookup import SEGMENT, LookupTable
from denoise_scrapy.dedup.store import Listing

SPREAD = 0x9E3779B97F4A7C15


def keys(rows):
    return np.array(rows, np.uint64) * np.uint64(SPREAD)


def finds(table, asked):
    which, rows = table.find(keys(asked))
    return sorted(zip(which.tolist(), rows.tolist(), strict=True))


def plain(rows, asked):
    return sorted((w, r) for w, key in enumerate(asked) for r, row in enumerate(rows) for one in row if one == key != 0)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.integers(0, 60), min_size=3, max_size=3, unique=True), max_size=40),
    st.lists(st.integers(0, 70), min_size=1, max_size=6),
    st.integers(1, 9),
)
def test_finds_what_a_dict_finds(rows, asked, batch):
    table = LookupTable(width=3)
    for start in range(0, len(rows), batch):
        table.extend(keys(rows[start : start + batch]))
    assert finds(table, asked) == plain(rows, asked)
    assert len(table) == len(rows)


def test_over_segments_and_groups(monkeypatch):
    monkeypatch.setattr(lookup, "_GROUP", 2)
    rng = np.random.default_rng(1)
    rows = rng.integers(1, 1 << 40, (5 * SEGMENT + 10, 2))
    table = LookupTable(width=2)
    for part in np.array_split(rows, 7):
        table.extend(keys(part))
    for number in rng.integers(0, len(rows), 300).tolist():
        assert (0, number) in finds(table, rows[number].tolist())
    strangers = sum(len(finds(table, [int(key)])) for key in rng.integers(1 << 41, 1 << 42, 300))
    assert strangers <= 3
    assert table.nbytes / len(rows) < 16  # an unfilled sixth segment included


def test_a_key_more_common_than_its_buckets_loses_nothing():
    table = LookupTable(width=1)
    table.extend(keys([[77]] * 300))
    assert table.crowded == 1
    assert finds(table, [77]) == [(0, row) for row in range(300)]
    table.extend(keys([[77], [78]]))
    assert finds(table, [78, 77])[:2] == [(0, 301), (1, 0)] and len(finds(table, [77])) == 301


def test_growing_is_a_list():
    rnd, rows, expected = random.Random(2), Growing(np.int64), []
    for _ in range(50):
        part = [rnd.randrange(100) for _ in range(rnd.randrange(40))]
        rows.extend(part)
        expected += part
    assert rows.values.tolist() == expected and len(rows) == len(expected)


def listing(number, key="k", scope="", words=b"w", bands=b""):
    return Listing(number, key, scope, 30, words.ljust(16), bands)


class TestCatalog:
    def test_by_name_words_and_bands_within_a_scope(self):
        bands = np.arange(32, dtype="<u4")
        other = np.arange(100, 132, dtype="<u4")
        other[7] = 7
        catalog = Catalog()
        catalog.extend([listing(3, "a", "s", b"x", bands.tobytes()), listing(5, "b", "s", b"y", other.tobytes())])
        catalog.extend([listing(8, "a", "t", b"x", bands.tobytes())])
        found = catalog.find(listing(0, "a", "s", b"y", bands.tobytes()))
        assert found[1:] == ([3], [5], [3, 5], [0, 1])
        assert catalog.find(listing(0, "a", "t", b"q", b""))[1:4] == ([8], [], [])
        assert catalog.find(listing(0, "a", "u", b"x", bands.tobytes()))[1:4] == ([], [], [])
        assert (catalog.last, len(catalog), catalog.ids_after(3)) == (8, 3, [5, 8])

    def test_the_same_value_at_another_place_is_no_common_band(self):
        catalog = Catalog()
        catalog.extend([listing(1, bands=np.arange(32, dtype="<u4").tobytes())])
        assert catalog.find(listing(0, "z", "", b"z", np.arange(1, 33, dtype="<u4").tobytes())).alike == []

    def test_tombstones(self):
        catalog = Catalog()
        catalog.extend([listing(1, "a"), listing(2, "b")])
        assert catalog.discard(1) and not catalog.discard(1) and not catalog.discard(7)
        assert catalog.find(listing(0, "a")).same_name == []
        assert catalog.find(listing(0, "z")).same_words == [2]
        assert (len(catalog), catalog.dead, catalog.ids_after(0)) == (1, 1, [2])

    def test_words_of_short_texts_are_looked_up_by_option_only(self):
        for short in (True, False):
            catalog = Catalog(short=short)
            catalog.extend([listing(1)])
            assert catalog.find(listing(0, "z")).same_words == [1] * short

    def test_of_crowded_bands_the_rarest_are_used(self, monkeypatch):
        monkeypatch.setattr(catalog_module, "_MOST_FINDS", 20)
        common, rare = np.arange(32, dtype="<u4"), np.arange(32, dtype="<u4")
        rare[5] = 99
        catalog = Catalog()
        catalog.extend(
            [listing(number, str(number), words=b"%d" % number, bands=common.tobytes()) for number in range(1, 41)]
        )
        catalog.extend([listing(41, "z", words=b"z", bands=rare.tobytes())])
        assert catalog.find(listing(0, "z", words=b"y", bands=rare.tobytes())).alike == [41]
        found = catalog.find(listing(0, "7", words=b"y", bands=common.tobytes()), most=3)
        assert found.same_name == [7] and found.alike == [1, 2, 3]
