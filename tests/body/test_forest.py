"""The trees as arrays against a walk down each tree."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.body.features import NAMES
from denoise_scrapy.body.forest import Forest
from denoise_scrapy.body.model import block_model
from denoise_scrapy.body.neighbours import NEIGHBOUR_NAMES

ROWS = len(NAMES) + len(NEIGHBOUR_NAMES)


@pytest.fixture(scope="module")
def forest() -> Forest:
    return block_model().forest


def walk(forest: Forest, tree: int, values: np.ndarray) -> float:
    """The value of the one leaf whose way the answers go."""
    asked, way = values[forest.feature[tree]], forest.way[tree]
    answers = np.where(np.where(np.isnan(asked), forest.missing[tree], asked <= forest.threshold[tree]), 1, -1)
    reached = ((way == 0) | (way == answers)).all(axis=1) & way.any(axis=1)
    assert reached.sum() == 1
    return float(forest.value[tree, reached][0])


@given(st.integers(0, 2**32 - 1))
def test_matrix_form_equals_a_walk(forest, seed):
    rng = np.random.default_rng(seed)
    features = rng.normal(0, 2, (ROWS, 4)).astype(np.float32)
    features[rng.random(features.shape) < 0.2] = np.nan
    odds = [sum(walk(forest, t, features[:, i]) for t in range(len(forest.value))) for i in range(4)]
    assert forest.probability(features) == pytest.approx([1 / (1 + math.exp(-o)) for o in odds], abs=1e-5)


def test_many_blocks_are_judged_in_pieces(forest):
    features = np.zeros((ROWS, 5000), np.float32)
    assert len(set(forest.probability(features).tolist())) == 1
    assert forest.probability(features[:, :0]).shape == (0,)
