"""Context and networks against their literal versions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.body.model.block_model import block_model
from denoise_scrapy.body.model.network import REACH, SETS, WINDOWS, Context, forward, window_sums

PAGES = st.lists(
    st.lists(st.tuples(st.integers(0, 300), st.integers(0, 3)), min_size=1, max_size=12), min_size=1, max_size=3
)


def joined(pages):
    return Context.join(
        [(np.array([n for n, _ in page]), np.array([key for _, key in page], np.uint64)) for page in pages]
    )


def literal_means(pages, values):
    """Means over each set of each block, by plain loops: SETS lists of rows."""
    found = [[] for _ in range(SETS)]
    start = 0
    for page in pages:
        rows = range(start, start + len(page))
        for i in rows:
            near = [[j for j in rows if abs(i - j) <= width] for width in WINDOWS]
            same_path = [j for j in rows if page[j - start][1] == page[i - start][1]]
            for number, members in enumerate([*near, list(rows), same_path]):
                weight = [np.log1p(page[j - start][0]) + 0.1 for j in members]
                found[number].append(np.average(values[members], axis=0, weights=weight))
        start += len(page)
    return np.array(found)


@given(PAGES, st.integers(0, 2**32 - 1))
def test_means_equal_plain_loops(pages, seed):
    context = joined(pages)
    values = np.random.default_rng(seed).normal(size=(len(context.path), 3)).astype(np.float32)
    assert np.array(context.means(values)) == pytest.approx(literal_means(pages, values), abs=1e-4)


@given(PAGES, st.integers(0, 2**32 - 1))
def test_the_gradient_is_the_transpose_of_the_means(pages, seed):
    context, rng = joined(pages), np.random.default_rng(seed)
    values = rng.normal(size=(len(context.path), 2)).astype(np.float32)
    given_back = [rng.normal(size=values.shape).astype(np.float32) for _ in range(SETS)]
    forth = sum(float((mean * back).sum()) for mean, back in zip(context.means(values), given_back, strict=True))
    assert float((values * context.gradient(given_back)).sum()) == pytest.approx(forth, abs=1e-3, rel=1e-3)


@given(PAGES, st.integers(0, 2**32 - 1))
def test_a_network_equals_its_formula(pages, seed):
    model = block_model().network
    context = joined(pages)
    features = np.random.default_rng(seed).normal(size=(len(model.mean), len(context.path))).astype(np.float32)
    inputs = model.inputs(features)
    for weights in model.networks:
        block = np.maximum(inputs.astype(float) @ weights["block"] + weights["block_bias"], 0)
        around = np.concatenate([block, *literal_means(pages, block)], axis=1)
        inner = np.maximum(around @ weights["context"] + weights["context_bias"], 0)
        odds = inner @ weights["last"] + inputs @ weights["direct"] + weights["bias"]
        assert forward(weights, inputs, context).odds == pytest.approx(odds, abs=2e-3, rel=1e-3)


@given(st.integers(1, 70), st.integers(0, 2**32 - 1))
def test_window_sums_equal_plain_loops(m, seed):
    values = np.random.default_rng(seed).normal(size=(m, 2)).astype(np.float32)
    rows = np.pad(values, [(REACH, REACH), (0, 0)])
    for width, sums in zip(WINDOWS, window_sums(rows), strict=True):
        expected = [values[max(i - width, 0) : i + width + 1].sum(axis=0) for i in range(m)]
        assert sums == pytest.approx(np.array(expected), abs=1e-4)


@given(PAGES, st.integers(0, 2**32 - 1))
def test_networks_side_by_side_equal_each_alone(pages, seed):
    model, context, rng = block_model().network, joined(pages[:1]), np.random.default_rng(seed)
    shape = (len(model.mean), len(context.path))
    features = (model.mean[:, None] + rng.normal(0, 2, shape) * model.deviation[:, None]).astype(np.float32)
    features[rng.random(shape) < 0.1] = np.nan
    each = [forward(weights, model.inputs(features), context).odds for weights in model.networks]
    expected = np.mean([1 / (1 + np.exp(-odds.astype(float))) for odds in each], axis=0)
    assert model.probability(features, context) == pytest.approx(expected, abs=1e-5)


def test_long_pages_are_judged_in_steps():
    model, rng = block_model().network, np.random.default_rng(0)
    features = rng.normal(size=(len(model.mean), 1200)).astype(np.float32)
    context = Context(rng.integers(0, 50, 1200), rng.integers(0, 9, 1200), np.array([1200]))
    each = [forward(weights, model.inputs(features), context).odds for weights in model.networks]
    expected = np.mean([1 / (1 + np.exp(-odds.astype(float))) for odds in each], axis=0)
    assert model.probability(features, context) == pytest.approx(expected, abs=1e-5)


def test_an_unknown_feature_counts_as_its_mean():
    model = block_model().network
    unknown = np.full((len(model.mean), 1), np.nan, np.float32)
    assert model.inputs(unknown).tolist() == model.inputs(model.mean[:, None]).tolist() == [[0.0] * len(model.mean)]
