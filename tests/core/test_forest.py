"""The boosted trees as a step over all blocks, against a walk down each tree."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.body.features import NAMES
from denoise_scrapy.body.model import block_model
from denoise_scrapy.core.model import NEIGHBOUR_NAMES, Forest

FOREST = block_model().forest
ROWS = len(NAMES) + len(NEIGHBOUR_NAMES)


def walk(forest, tree, values):
    leaf = 0
    for feature, threshold in zip(forest.feature[tree].tolist(), forest.threshold[tree].tolist(), strict=True):
        leaf = 2 * leaf + (not math.isnan(values[feature]) and values[feature] > threshold)
    return float(forest.value[tree, leaf])


@given(st.integers(0, 2**32 - 1))
def test_probabilities_equal_a_walk(seed):
    rng = np.random.default_rng(seed)
    features = (rng.normal(size=(ROWS, 6)) * rng.choice([0.5, 5, 50], (ROWS, 1))).astype(np.float32)
    features[rng.random(features.shape) < 0.2] = np.nan
    odds = [sum(walk(FOREST, tree, features[:, i].tolist()) for tree in range(len(FOREST.value))) for i in range(6)]
    assert FOREST.probability(features) == pytest.approx([1 / (1 + math.exp(-o)) for o in odds], abs=1e-5)


@pytest.mark.parametrize("depth", range(9))
def test_trees_of_any_depth_equal_a_walk(depth):
    rng = np.random.default_rng(depth)
    feature, threshold = rng.integers(0, 5, (9, depth)), rng.normal(size=(9, depth)).round(1)
    forest = Forest(feature, threshold, rng.normal(size=(9, 1 << depth)))
    features = rng.normal(size=(5, 70)).round(1).astype(np.float32)  # some are at a threshold
    odds = [sum(walk(forest, tree, features[:, i].tolist()) for tree in range(9)) for i in range(70)]
    assert forest.probability(features) == pytest.approx([1 / (1 + math.exp(-o)) for o in odds], abs=1e-6)


def test_blocks_do_not_depend_on_those_beside_them():
    features = np.random.default_rng(0).normal(size=(ROWS, 131)).astype(np.float32)
    assert FOREST.probability(features)[100:].tolist() == FOREST.probability(features[:, 100:]).tolist()
    assert FOREST.probability(features[:, :0]).shape == (0,)


@pytest.mark.parametrize(
    "parts",
    [
        ([[0] * 9], [[0.0] * 9], [[0.0] * 512]),
        ([[0]], [[0.0]], [[0.0]]),
        ([[0]], [[0.0, 1.0]], [[0.0, 1.0]]),
        ([[-1]], [[0.0]], [[0.0, 1.0]]),
    ],
)
def test_what_is_no_forest(parts):
    with pytest.raises(ValueError, match="no forest"):
        Forest(*parts)


def test_features_that_are_missing():
    with pytest.raises(ValueError, match=f"{ROWS} features, got 3"):
        FOREST.probability(np.zeros((3, 2), np.float32))
