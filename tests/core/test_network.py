"""The network against its formula, unit by unit."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.body.model import block_model
from denoise_scrapy.core.model import Network

FARTHEST = 4.0


def literal_odds(network, values):
    """The log odds of one block."""
    scaled = [
        0.0 if math.isnan(x) else min(max((x - mean) / deviation, -FARTHEST), FARTHEST)
        for x, mean, deviation in zip(values, network.mean, network.deviation, strict=True)
    ]

    def units(inputs, weights, bias):
        sums = [sum(x * w for x, w in zip(inputs, column, strict=True)) for column in weights.T]
        return [max(total + b, 0.0) for total, b in zip(sums, bias, strict=True)]

    outer = units(units(scaled, network.inner, network.inner_bias), network.outer, network.outer_bias)
    above = sum(x * w for x, w in zip(outer, network.last, strict=True))
    return above + sum(x * w for x, w in zip(scaled, network.direct, strict=True)) + network.bias


@given(st.integers(0, 2**32 - 1))
def test_a_network_equals_its_formula(seed):
    network, rng = block_model().network, np.random.default_rng(seed)
    features = (network.mean[:, None] + rng.normal(0, 3, (len(network.mean), 3)) * network.deviation[:, None]).astype(
        np.float32
    )
    features[rng.random(features.shape) < 0.2] = np.nan
    expected = [literal_odds(network, features[:, i].tolist()) for i in range(3)]
    assert network.odds(features) == pytest.approx(expected, abs=1e-4, rel=1e-4)


@pytest.mark.parametrize("shape", [(1, 1, 1), (5, 3, 2), (9, 16, 7)])
def test_layers_of_any_size(shape):
    (n, a, b), rng = shape, np.random.default_rng(0)
    sizes = {"mean": n, "deviation": n, "inner": (n, a), "inner_bias": a, "outer": (a, b), "outer_bias": b, "last": b}
    parts = {name: rng.normal(size=size) for name, size in (sizes | {"direct": n, "bias": ()}).items()}
    network, features = Network(**parts), rng.normal(size=(n, 50)).astype(np.float32)
    expected = [literal_odds(network, features[:, i].tolist()) for i in range(50)]
    assert network.odds(features) == pytest.approx(expected, abs=1e-5, rel=1e-4)


def test_blocks_do_not_depend_on_those_beside_them():
    network, rng = block_model().network, np.random.default_rng(0)
    features = rng.normal(size=(len(network.mean), 70)).astype(np.float32)
    assert network.odds(features).tolist() == [network.odds(column[:, None])[0] for column in features.T]
    assert network.odds(features[:, :0]).shape == (0,)


def test_values_without_bounds_are_cut():
    network = block_model().network
    features = np.repeat(network.mean[:, None], 3, axis=1)
    features[:, 1], features[:, 2] = np.float32(1e30), np.inf
    assert np.isfinite(network.odds(features)).all()


def test_what_does_not_fit():
    network = block_model().network
    with pytest.raises(ValueError, match="do not fit"):
        Network(**network.arrays() | {"last": [1.0]})
    with pytest.raises(ValueError, match=f"{len(network.mean)} features, got 3"):
        network.odds(np.zeros((3, 2)))
