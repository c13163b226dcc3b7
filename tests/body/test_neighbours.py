"""What a first judgement says of a block's neighbours, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.body.neighbours import FAR, LEVELS, NEIGHBOUR_NAMES, SHARE_LEVELS, WINDOWS, Neighbours
from denoise_scrapy.page import Page
from tests.html_strategies import SOUP, pages


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
    found = dict(zip(NEIGHBOUR_NAMES, Neighbours.of(page).features(odds), strict=True))
    for name, row in literal(page, odds).items():
        assert found[name] == pytest.approx(row, abs=1e-4), name
