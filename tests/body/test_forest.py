"""The boosted trees as a step over all blocks, against a walk down each tree."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.body.features import NAMES
from denoise_scrapy.body.model import block_model
from denoise_scrapy.body.neighbours import NEIGHBOUR_NAMES

FOREST = block_model().forest
ROWS = len(NAMES) + len(NEIGHBOUR_NAMES)


def walk(tree, values):
    leaf = 0
    for feature, threshold in zip(FOREST.feature[tree].tolist(), FOREST.threshold[tree].tolist(), strict=True):
        leaf = 2 * leaf + (not math.isnan(values[feature]) and values[feature] > threshold)
    return float(FOREST.value[tree, leaf])


@given(st.integers(0, 2**32 - 1))
def test_probabilities_equal_a_walk(seed):
    rng = np.random.default_rng(seed)
    features = (rng.normal(size=(ROWS, 6)) * rng.choice([0.5, 5, 50], (ROWS, 1))).astype(np.float32)
    features[rng.random(features.shape) < 0.2] = np.nan
    odds = [sum(walk(tree, features[:, i].tolist()) for tree in range(len(FOREST.value))) for i in range(6)]
    assert FOREST.probability(features) == pytest.approx([1 / (1 + math.exp(-o)) for o in odds], abs=1e-5)


def test_many_blocks_are_judged_in_pieces():
    features = np.random.default_rng(0).normal(size=(ROWS, 1300)).astype(np.float32)
    assert FOREST.probability(features)[1100:] == pytest.approx(FOREST.probability(features[:, 1100:]))
    assert FOREST.probability(features[:, :0]).shape == (0,)
