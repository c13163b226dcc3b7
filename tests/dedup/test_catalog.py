"""The catalog against plain lists, and its bound on what candidates have in common with a new text."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.core import catalog as module
from denoise_scrapy.core.catalog import Catalog
from denoise_scrapy.core.feature_strings import FeatureStrings
from denoise_scrapy.dedup.rules import MOST_NEW, THRESHOLD, Fingerprint, NearCopyRule, PartRule
from denoise_scrapy.dedup.store import Listing, Name, Record
from tests.dedup.made_texts import cut_out, english


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(module, "TAIL", 4)
    monkeypatch.setattr(module, "SEGMENT", 16)


def bands(*values):
    return np.resize(np.array(values, "<u4"), 32).tobytes()


def listing(number, key="k", scope="", words=b"w", of=b""):
    return Listing(number, key, scope, 30, words.ljust(16), of)


def looked_up(one):
    return one.key, one.scope, one.digest, one.bands


TEXTS = st.builds(
    lambda key, scope, words, of: listing(0, key, scope, words, of),
    st.sampled_from("abcd"),
    st.sampled_from("st"),
    st.sampled_from([b"x", b"y", b"z"]),
    st.sampled_from([b"", bands(1), bands(1, 2), bands(2, 3), bands(3, 1)]),
)


def values(one):
    return np.frombuffer(one.bands, "<u4").tolist()


def plain(kept, new):
    """What a look through a list finds."""
    here = [one for one in kept if one.scope == new.scope]
    pairs = [
        np.frombuffer(one.bands, "<u4") == np.frombuffer(new.bands, "<u4") if one.bands and new.bands else []
        for one in here
    ]
    alike = [one.id for one, equal in zip(here, pairs, strict=True) if any(equal)]
    same_name = [one.id for one in here if one.key == new.key]
    return same_name, [one.id for one in here if one.digest == new.digest], alike


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(TEXTS, st.integers(1, 9), st.integers(0, 3)), max_size=90), TEXTS)
def test_it_finds_what_a_list_finds(steps, new):
    catalog, kept, last = Catalog(), [], 0
    for text, gap, remove in steps:
        last += gap
        kept.append(text._replace(id=last))
        catalog.extend(kept[-1:])
        for _ in range(remove if len(kept) > 2 else 0):
            gone = kept.pop(len(kept) // 2)
            assert catalog.discard(gone.id) and not catalog.discard(gone.id)
        found = catalog.find(*looked_up(new))
        assert tuple(map(list, found)) == plain(kept, new)
    assert len(catalog) == len(kept) and catalog.last == last and not catalog.discard(last + 1)
    assert catalog.ids_after(last // 2) == [one.id for one in kept if one.id > last // 2]
    sizes = catalog.segments
    assert all(size <= 16 for size in sizes) and sum(sizes) == len(steps) // 4 * 4


def test_of_crowded_bands_the_rarest_are_used(monkeypatch):
    monkeypatch.setattr(module, "MOST_FINDS", 20)
    common, rare = np.arange(32, dtype="<u4"), np.arange(32, dtype="<u4")
    rare[5] = 99
    catalog = Catalog()
    catalog.extend([listing(n, str(n), words=b"%d" % n, of=common.tobytes()) for n in range(1, 41)])
    catalog.extend([listing(n, "z", words=b"z", of=rare.tobytes()) for n in range(41, 49)])
    new, crowded = listing(0, "z", words=b"y", of=rare.tobytes()), listing(0, "7", words=b"y", of=common.tobytes())
    assert catalog.find(*looked_up(new)).alike == [*range(41, 49)]
    found = catalog.find(*looked_up(crowded), most=3)
    assert found.same_name == [7] and len(found.alike) <= 3


def filled(kept):
    catalog = Catalog()
    prints = [one if one.bands else Fingerprint(**{**fields(one), "bands": bands(1)}) for one in kept]
    shared = [Fingerprint(**{**fields(one), "bands": bands(1)}) for one in prints]
    catalog.extend([Record(n, Name(str(n)), one).listing for n, one in enumerate(shared, 1)])
    return catalog


def fields(one):
    return {name: getattr(one, name) for name in one.__slots__}


def possible(catalog, new, rule, threshold=THRESHOLD):
    asked = Listing(0, "new", "", new.n, new.digest, bands(1))
    return catalog.find(*looked_up(asked), query=lambda limit: rule.at(threshold, MOST_NEW).run_query(new, limit)).alike


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 9), st.integers(20, 900), st.floats(0, 0.6), st.sampled_from([0.3, 0.7, 1.0]))
def test_no_duplicate_is_refused(seed, length, share, threshold):
    words = english(seed, length)
    kept = [Fingerprint.of(" ".join(one)) for one in (words, cut_out(words, share), words[length // 3 :], words * 3)]
    new = FeatureStrings(" ".join(cut_out(words, share / 2, 0.1)))
    for rule in (PartRule(), NearCopyRule()):
        can = possible(filled(kept), new, rule, threshold)
        judge = rule.at(threshold, MOST_NEW).judge
        assert set(can) >= {number for number, one in enumerate(kept, 1) if judge(new, one).duplicate}


def test_strangers_are_refused():
    catalog = filled([Fingerprint.of(" ".join(english(seed, 150 + 12 * seed))) for seed in range(60)])
    passed = 0
    for seed in range(100, 130):
        passed += len(possible(catalog, FeatureStrings(" ".join(english(seed, 400))), PartRule()))
    assert passed <= 18  # of 1,800


def test_what_a_store_did_not_say_is_possible():
    catalog = Catalog()
    catalog.extend([listing(n, str(n), of=bands(1))._replace(limit=limit) for n, limit in ((1, 0), (2, 17), (3, 3))])
    assert possible(catalog, FeatureStrings(" ".join(english(1))), PartRule()) == [1, 2, 3]
