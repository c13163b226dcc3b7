"""The model of blocks in C against the one in numpy: the same probabilities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.body.features import NAMES, block_features
from denoise_scrapy.body.model.block_model import BlockModel, block_model
from denoise_scrapy.body.model.forest import Forest
from denoise_scrapy.body.model.network import BlockNetwork, Context
from denoise_scrapy.native import library, switched_off
from denoise_scrapy.native.blocks import PreparedModel, probability
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics
from example_project.portal.build import build

native = library()
pytestmark = pytest.mark.skipif(native is None, reason="not compiled here")
#: Sizes around those of steps and vectors (`source/model.c`).
SIZES = st.integers(1, 40) | st.sampled_from([127, 128, 129, 255, 256, 257, 300, 520])


def assert_equal(features, context):
    found = block_model().probability(features, context)
    with switched_off():
        expected = block_model().probability(features, context)
    assert found == pytest.approx(expected, abs=2e-6)
    assert ((found >= 0) & (found <= 1)).all()


def made(m: int, seed: int):
    """Features like those of pages, many 0, many constant, some unknown; and a context."""
    rng, network = np.random.default_rng(seed), block_model().network
    n = len(NAMES)
    features = (network.mean[:, None] + rng.normal(0, 2, (n, m)) * network.deviation[:, None]).astype(np.float32)
    features[rng.random((n, m)) < 0.5] = 0
    alike = rng.random(n) < 0.3
    features[alike] = features[alike, :1]
    features[rng.random((n, m)) < 0.02] = np.nan
    paths = np.unique(rng.integers(0, max(m // 3, 1), m), return_inverse=True)[1]
    return features, Context(rng.integers(0, 300, m), paths, np.array([m]))


@settings(deadline=None)
@given(SIZES, st.integers(0, 2**32 - 1))
def test_features_at_random(m, seed):
    assert_equal(*made(m, seed))


@settings(deadline=None)
@given(st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_values_at_the_thresholds(m, seed):
    features, context = made(m, seed)
    descent = block_model().forest.descent
    some = np.random.default_rng(seed).integers(0, len(descent.feature), 60)
    features[descent.feature[some], some % m] = descent.threshold[some, 0]
    assert_equal(features, context)


def test_whole_pages():
    for built in list(build().pages.values())[:40:4]:
        page = Page.parse(built.html)
        assert_equal(block_features(page, SiteStatistics()), Context.of(page))


def test_what_does_not_fit_is_refused():
    features, context = made(5, 0)
    model = block_model()._prepared
    assert native is not None
    assert model is not None
    for wrong in (features[:-1], features[:, :-1]):
        with pytest.raises(ValueError, match="do not fit"):
            probability(native, model, wrong, context.tokens, context.path)
    for path in (-1, 5):
        with pytest.raises(ValueError, match="path"):
            probability(native, model, features, context.tokens, np.full(5, path))


@pytest.mark.parametrize("name", ["split_feature", "node_split", "node_come", "leaf"])
@pytest.mark.parametrize("number", [-1, 100_000])
def test_a_model_that_points_nowhere_is_refused(name, number):
    model = block_model()
    layout = {**model.forest.descent.layout, **model.network.side_by_side.layout, "value": model.forest.value}
    counts = {"most": 30.0, "trees_share": 0.5, "features": len(model.names)}
    assert native is not None
    assert PreparedModel.of({**counts, **layout}) is not None
    layout[name] = np.array(layout[name])
    layout[name].flat[7] = number
    assert PreparedModel.of({**counts, **layout}) is None


def test_trees_of_few_leaves():
    """One tree without a split, one with a single one."""
    way = np.zeros((2, 2, 1), np.int8)
    way[1, :, 0] = 1, -1
    forest = Forest(
        feature=np.zeros((2, 1), np.int32),
        threshold=np.full((2, 1), 3.0, np.float32),
        missing=np.ones((2, 1), bool),
        way=way,
        value=np.array([[0.5, 9.0], [1.0, -2.0]], np.float32),
    )
    odds = np.array([1.5, 1.5, -1.5, 1.5])
    values = np.array([[2, 3, 4, np.nan]], np.float32)
    assert forest.probability(values) == pytest.approx(1 / (1 + np.exp(-odds)))
    network = block_model().network
    weights = tuple(
        {name: w[:1] * 0 if name in ("block", "direct") else w for name, w in one.items()} for one in network.networks
    )
    small = BlockModel(("x",), forest, BlockNetwork(network.mean[:1], network.deviation[:1], weights), {})
    context = Context(np.arange(4), np.zeros(4, np.int64), np.array([4]))
    found = small.probability(values, context)
    with switched_off():
        assert found == pytest.approx(small.probability(values, context), abs=2e-6)
