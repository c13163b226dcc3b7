"""Fitting the networks: gradient descent in numpy, the same result for the same examples."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.judge import FARTHEST, Network

#: Networks that are fitted, each from other random weights, and whose mean judges: see `training`.
NETWORKS = 3
#: Units of the two layers of each. Twice as many changed the result less than another seed did.
INNER, OUTER = 48, 24
EPOCHS, RATE, DECAY = 4, 3e-3, 3e-4
#: Dropout: share of the first layer's units left out for each block, so that the network does not rely on one of them.
DROPOUT = 0.1
#: Blocks per step.
BATCH = 4096

Values = npt.NDArray[np.float32]
Weights = dict[str, Values]


def fit_network(
    features: npt.NDArray[np.float32], labels: npt.NDArray[np.bool_], weights: npt.NDArray[np.float64], seed: int
) -> Network:
    """Fit the networks, and return their mean.

    `features` have the shape (blocks, features), NaN where unknown; `labels` and `weights` (blocks,).
    """
    mean = np.nanmean(features, axis=0).astype(np.float32)
    deviation = (np.nanstd(features, axis=0) + 1e-6).astype(np.float32)
    inputs = np.clip(np.nan_to_num((features - mean) / deviation), -FARTHEST, FARTHEST)
    wanted, weight = labels.astype(np.float32), weights.astype(np.float32)
    fitted = [_fit(inputs, wanted, weight, np.random.default_rng([seed, number])) for number in range(NETWORKS)]
    found = {name: np.array([one[name] for one in fitted]) for name in fitted[0]}
    means = {name: found.pop(name).mean(axis=0) for name in ("direct", "bias")}
    return Network(mean=mean, deviation=deviation, **found, **means)


def _fit(inputs: Values, wanted: Values, weight: Values, rng: np.random.Generator) -> Weights:
    """Fit one by Adam (Kingma and Ba 2015) with a learning rate that decays like half a cosine."""
    found = _start(inputs.shape[1], rng)
    first = {name: np.zeros_like(values) for name, values in found.items()}
    second = {name: np.zeros_like(values) for name, values in found.items()}
    steps, step = EPOCHS * (len(inputs) // BATCH or 1), 0
    for _ in range(EPOCHS):
        order = rng.permutation(len(inputs))
        for start in range(0, max(len(inputs) - BATCH, 0) + 1, BATCH):
            some, step = order[start : start + BATCH], step + 1
            keep = (rng.random((len(some), INNER), np.float32) >= DROPOUT) / np.float32(1 - DROPOUT)
            rate = RATE * (1 + np.cos(np.pi * step / steps)) / 2
            for name, gradient in gradients(found, inputs[some], wanted[some], weight[some], keep).items():
                first[name] = 0.9 * first[name] + 0.1 * gradient
                second[name] = 0.999 * second[name] + 0.001 * gradient**2
                change = first[name] / (1 - 0.9**step) / (np.sqrt(second[name] / (1 - 0.999**step)) + 1e-8)
                found[name] = (found[name] - rate * (change + DECAY * found[name])).astype(np.float32)
    return found


def _start(n: int, rng: np.random.Generator) -> Weights:
    def random(*shape: int, spread: float) -> Values:
        return (rng.standard_normal(shape) * spread).astype(np.float32)

    return {
        "inner": random(n, INNER, spread=n**-0.5),
        "inner_bias": np.zeros(INNER, np.float32),
        "outer": random(INNER, OUTER, spread=INNER**-0.5),
        "outer_bias": np.zeros(OUTER, np.float32),
        "last": random(OUTER, spread=0.1),
        "direct": np.zeros(n, np.float32),
        "bias": np.zeros((), np.float32),
    }


def gradients(found: Weights, inputs: Values, labels: Values, weights: Values, keep: Values | float = 1.0) -> Weights:
    """Return the gradient of the mean cross entropy with respect to each of a network's weights, by name.

    `inputs` are in standard deviations from the mean, as `Network` reads them; `labels` are 1 for content; `keep` is a
    factor for each of the first layer's units, shape (blocks, units).
    """
    inner = np.maximum(inputs @ found["inner"] + found["inner_bias"], 0) * keep
    outer = np.maximum(inner @ found["outer"] + found["outer_bias"], 0)
    odds = outer @ found["last"] + inputs @ found["direct"] + found["bias"]
    loss = ((1 / (1 + np.exp(-np.clip(odds, -30, 30))) - labels) * weights / weights.sum()).astype(np.float32)
    above = np.outer(loss, found["last"]) * (outer > 0)
    below = (above @ found["outer"].T) * (inner > 0) * keep
    return {
        "inner": inputs.T @ below,
        "inner_bias": below.sum(axis=0),
        "outer": inner.T @ above,
        "outer_bias": above.sum(axis=0),
        "last": outer.T @ loss,
        "direct": inputs.T @ loss,
        "bias": loss.sum(),
    }
