"""Fitting: the gradient of the network against differences, a case that it must learn, the trees as the library's."""

from types import SimpleNamespace

import numpy as np
import pytest

from training import networks

WEIGHTS = ["inner", "inner_bias", "outer", "outer_bias", "last", "direct", "bias"]


@pytest.fixture
def case():
    rng = np.random.default_rng(3)
    weights = {name: values.astype(float) for name, values in networks._start(7, rng).items()}
    weights["direct"], weights["bias"] = rng.normal(size=7) * 0.1, np.array(0.3)
    return weights, rng.normal(size=(28, 7)), (rng.random(28) < 0.4).astype(float), rng.random(28)


def loss(weights, inputs, label, weight):
    inner = np.maximum(inputs @ weights["inner"] + weights["inner_bias"], 0)
    outer = np.maximum(inner @ weights["outer"] + weights["outer_bias"], 0)
    odds = outer @ weights["last"] + inputs @ weights["direct"] + weights["bias"]
    return float(((np.logaddexp(0, odds) - label * odds) * weight).sum() / weight.sum())


@pytest.mark.parametrize("name", WEIGHTS)
def test_gradients_equal_differences(case, name):
    weights, *rest = case
    found = networks.gradients(weights, *rest)[name]
    flat = np.abs(np.atleast_1d(found)).ravel()
    for place in np.argsort(-flat)[:3].tolist():
        index = np.unravel_index(place, np.shape(found))
        low, high = ({**weights, name: weights[name].copy()} for _ in range(2))
        low[name][index] -= 1e-4
        high[name][index] += 1e-4
        assert (loss(high, *rest) - loss(low, *rest)) / 2e-4 == pytest.approx(float(found[index]), rel=0.02, abs=1e-5)


def test_it_learns_what_no_line_parts():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(25_000, 5)).astype(np.float32)
    labels = features[:, 0] * features[:, 1] > 0
    features[rng.random(features.shape) < 0.01] = np.nan
    network = networks.fit_network(features, labels, np.ones(len(labels)), 0)
    found = network.odds(features[:2000].T) > 0
    assert (found == labels[:2000]).mean() > 0.8
    again = networks.fit_network(features, labels, np.ones(len(labels)), 0)
    assert all(np.array_equal(one, again.arrays()[name]) for name, one in network.arrays().items())


def test_probabilities_are_those_of_the_library(monkeypatch):
    from training import trees

    rng = np.random.default_rng(0)
    features = rng.normal(size=(3, 800)).astype(np.float32)
    features[rng.random(features.shape) < 0.2] = np.nan
    labels = np.nan_to_num(features[0]) > 0.2
    example = SimpleNamespace(
        lengths=np.full(800, 20), share=labels.astype(np.float32), weight=1.0, letters=["T"] * 800, made=""
    )
    fitted = []
    to_forest = trees.to_forest
    monkeypatch.setattr(trees, "to_forest", lambda found, depth: fitted.append(found) or to_forest(found, depth))
    forest = trees.fit_forest([example], lambda _: features, 0, 2)
    odds = fitted[0].predict(features.T, prediction_type="RawFormulaVal")
    assert forest.probability(features) == pytest.approx(1 / (1 + np.exp(-odds)), abs=0.01)
    assert len(forest.feature) == 2 * trees.PARAMETERS["iterations"]
    assert ((odds > 0) == labels).mean() > 0.9
