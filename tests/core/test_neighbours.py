"""What a first judgement says of a block's neighbours, against plain loops."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.core.model import NEIGHBOUR_NAMES, Neighbours
from denoise_scrapy.page import Page
from tests.html_strategies import SOUP, pages

WINDOWS, LEVELS, SHARE_LEVELS, FAR = (1, 3), 3, 2, 30


def literal(page, odds):
    """Rows by name, block after block."""
    m, blocks = len(odds), page.blocks
    first = 1 / (1 + np.exp(-odds.astype(float)))
    tokens = blocks.tokens.astype(float)
    whole = max((first * tokens).sum(), 1e-6)

    def mean(members):
        weight = np.log1p(tokens[members])
        return (first[members] * weight).sum() / (weight.sum() + 1e-3)

    def share(members):
        return (first[members] * tokens[members]).sum() / whole

    rows = {name: np.zeros(m) for name in NEIGHBOUR_NAMES}
    for i in range(m):
        rows["first_odds"][i] = odds[i]
        for width in WINDOWS:
            rows[f"first_window{width}"][i] = mean([j for j in range(m) if abs(i - j) <= width])
        box = int(blocks.element[i])
        for level in range(1, LEVELS + 1):
            box = max(int(page.elements.parent[box]), 0)
            inside = [j for j in range(m) if box <= blocks.element[j] < page.elements.end[box]]
            rows[f"first_up{level}"][i] = mean(inside)
            if level <= SHARE_LEVELS:
                rows[f"first_share_up{level}"][i] = share(inside)
        rows["first_path"][i] = mean([j for j in range(m) if blocks.slots[j] == blocks.slots[i]])
        rows["first_before"][i] = share(list(range(i)))
        rows["first_from_best"][i] = np.clip(i - (first * tokens).argmax(), -FAR, FAR)
        rows["first_page_share"][i] = whole / max(tokens.sum(), 1)
        rows["first_page_tokens"][i] = np.log1p(whole)
    return rows


@given(SOUP | pages(), st.integers(0, 2**32 - 1))
def test_features_equal_plain_loops(html, seed):
    page = Page.parse(html)
    if not len(page.blocks):
        return
    odds = np.random.default_rng(seed).normal(0, 3, len(page.blocks)).astype(np.float32)
    found = dict(zip(NEIGHBOUR_NAMES, Neighbours.of(page.tree).features(odds), strict=True))
    for name, row in literal(page, odds).items():
        assert found[name] == pytest.approx(row, abs=1e-4), name


def test_neighbours_survive_a_pickle():
    found = Neighbours.of(Page.parse("<ul><li>One two.<li>Three.</ul><p>Four five six.").tree)
    again = pickle.loads(pickle.dumps(found))
    assert len(again) == 3
    assert np.array_equal(again.features([1, 2, 3]), found.features([1, 2, 3]))


def test_what_are_no_neighbours():
    found = Neighbours.of(Page.parse("<p>One two.<p>Three.").tree).around
    with pytest.raises(ValueError, match="no neighbours"):
        Neighbours(found[:-1])
    for row in range(1, len(found)):  # the first is of tokens
        for wrong in (-1, 3):
            damaged = found.copy()
            damaged[row, 0] = wrong
            with pytest.raises(ValueError, match="no neighbours"):
                Neighbours(damaged)
    with pytest.raises(ValueError, match="2 blocks, got 3 odds"):
        Neighbours(found).features([1, 2, 3])
