"""Bit-sliced signatures against a literal linear scan: all matches, while few and many are held."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.dedup import slices
from denoise_scrapy.dedup.decision import needed
from denoise_scrapy.dedup.signature import bits_of
from denoise_scrapy.dedup.slices import Slices
from tests.dedup.unit_sets import (
    SETS,
    as_bytes,
    as_units,
    ask,
    assert_all_matches,
    assert_hardly_any_more,
    draw_question,
    linear_scan,
    realistic,
)


def grown(sets, lengths, batch=7):
    one = Slices()
    for start in range(0, len(sets), batch):
        end = min(len(sets), start + batch)
        one.add(list(range(start, end)), [as_bytes(s) for s in sets[start:end]], lengths[start:end])
    return one


@pytest.fixture(params=[0, 5, 1024], ids=lambda few: f"few{few}")
def few(request, monkeypatch):
    monkeypatch.setattr(slices, "FEW", request.param)


@pytest.mark.usefixtures("few")
@settings(max_examples=120, deadline=None, suppress_health_check=[])
@given(data=st.data(), sets=SETS, threshold=st.sampled_from([0.1, 0.5, 0.7, 0.8, 1.0]))
def test_all_matches_of_a_linear_scan(data, sets, threshold):
    lengths, query, longest = draw_question(data, sets)
    need = needed(len(query), threshold)
    found = ask(grown(sets, lengths), query, need, longest)
    assert_all_matches(found, linear_scan(sets, lengths, query, need, longest), lengths, longest)


def test_all_matches_among_many_and_hardly_any_more():
    rnd = random.Random(5)
    sets = realistic(rnd, 20_000)
    one = grown(sets, [50] * len(sets), batch=1500)
    assert_hardly_any_more(one, sets, rnd)
    assert one.nbytes / len(sets) < 200


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(st.booleans(), min_size=70, max_size=70), min_size=1, max_size=40), st.integers(0, 45))
def test_columns_are_counted_like_by_hand(rows, limit):
    bits = np.zeros((len(rows), 128), np.bool_)
    bits[:, :70] = rows
    packed = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
    over = np.unpackbits(slices._more_than(packed, limit).view(np.uint8), bitorder="little")
    assert over.astype(bool).tolist() == (bits.sum(axis=0) > limit).tolist()


def test_two_units_on_one_bit_are_missing_twice(monkeypatch):
    monkeypatch.setattr(slices, "FEW", 0)
    query = as_units({64, 65, 128})  # the first two set one bit
    assert len(set(bits_of(query).tolist())) == 2
    one = grown([{128}, {64, 128}, {1000}], [1] * 3)
    assert one.search(query, 2, 9).tolist() == [1]
