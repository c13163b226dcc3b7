"""The network against its formula, unit by unit."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.body.model import block_model
from denoise_scrapy.body.network import FARTHEST, ROWS


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
    assert network.odds(network.inputs(features)) == pytest.approx(expected, abs=1e-3, rel=1e-3)


def test_many_blocks_are_judged_as_each_by_itself():
    network, rng = block_model().network, np.random.default_rng(0)
    inputs = rng.normal(size=(2 * ROWS + 1, len(network.mean))).astype(np.float32)
    alone = [network.odds(row[None])[0] for row in inputs]
    assert network.odds(inputs) == pytest.approx(alone, abs=1e-4)
    assert network.odds(inputs[:0]).shape == (0,)


def test_products_are_too_small_for_threads():
    # bounds of OpenBLAS (interface/gemm.c and gemv.c): 2 ** 18 products of matrices, 9,216 of a matrix and a vector
    network = block_model().network
    assert ROWS * max(network.inner.size, network.outer.size) <= 1 << 18
    assert ROWS * len(network.mean) <= 9216


def test_values_without_bounds_are_cut():
    network = block_model().network
    features = np.repeat(network.mean[:, None], 2, axis=1)
    features[:, 1] = np.float32(1e30)
    assert np.isfinite(network.odds(network.inputs(features))).all()
