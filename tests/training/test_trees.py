"""The fitted trees as arrays, against the library's own answers."""

from types import SimpleNamespace

import numpy as np
import pytest

from training import trees


def test_probabilities_are_those_of_the_library(monkeypatch):
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
    forest = trees.fit_forest([example], lambda _: features, 0)
    odds = fitted[0].predict(features.T, prediction_type="RawFormulaVal")
    assert forest.probability(features) == pytest.approx(1 / (1 + np.exp(-odds)), abs=0.01)
    assert len(forest.feature) == trees.FORESTS * trees.PARAMETERS["iterations"]
    assert ((odds > 0) == labels).mean() > 0.9
