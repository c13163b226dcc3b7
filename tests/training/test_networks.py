"""The gradient by which networks are fitted, against differences."""

import numpy as np
import pytest

from denoise_scrapy.body.model.network import WEIGHTS, Context, forward
from training import networks


@pytest.fixture
def case():
    rng = np.random.default_rng(3)
    pages = [(rng.integers(0, 90, 14), rng.integers(0, 4, 14).astype(np.uint64)) for _ in range(2)]
    inputs = rng.normal(size=(28, 7))
    weights = {name: values.astype(float) for name, values in networks._start(7, rng).items()}
    weights["direct"] = rng.normal(size=7) * 0.1
    weights["bias"] = np.array(0.3)
    return weights, inputs, Context.join(pages), (rng.random(28) < 0.4).astype(float), rng.random(28)


def loss(weights, inputs, context, label, weight):
    odds = forward(weights, inputs, context).odds
    return float(((np.logaddexp(0, odds) - label * odds) * weight).sum() / weight.sum())


@pytest.mark.parametrize("name", WEIGHTS)
def test_gradients_equal_differences(case, name):
    weights, *rest = case
    found = networks.gradients(weights, *rest)[name]
    flat = np.abs(np.atleast_1d(found)).ravel()
    for place in np.argsort(-flat)[:3].tolist():
        index = np.unravel_index(place, np.shape(found))
        low, high = ({**weights, name: weights[name].copy()} for _ in range(2))
        low[name][index] -= 1e-3
        high[name][index] += 1e-3
        assert (loss(high, *rest) - loss(low, *rest)) / 2e-3 == pytest.approx(float(found[index]), rel=0.02, abs=1e-5)
