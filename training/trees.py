"""Fitting the trees, and writing them down as arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import lightgbm
import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.forest import Forest
from training.dataset import Example

TREES, LEAVES, DEPTH = 160, 32, 8
PARAMETERS: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.08,
    "num_leaves": LEAVES,
    "max_depth": DEPTH,
    "min_data_in_leaf": 60,
    "feature_fraction_bynode": 0.4,
    "lambda_l2": 5.0,
    "max_bin": 63,
    "verbose": -1,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
}


def draw(
    examples: Sequence[Example], seen: Callable[[int], npt.NDArray[np.float32]], seed: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
    """Features, labels and weights of the blocks that a seed draws: long ones always, short ones at times.

    Args:
        examples: The pages.
        seen: Features of the blocks of an example by its number, shape (features, blocks).
        seed: Seed of the draw.
    """
    rng = np.random.default_rng(seed)
    features, labels, weights = [], [], []
    for number, example in enumerate(examples):
        n = example.lengths
        chance = np.minimum(1, 0.15 + n / 15)
        drawn = (rng.random(len(n)) < chance) & ~np.isnan(example.share)
        gold = float(np.nan_to_num(example.share) @ n)
        weight = np.minimum(1, n / (gold + 50)) / chance * example.weight
        features.append(seen(number)[:, drawn])
        labels.append(example.share[drawn] > 0.5)
        weights.append(weight[drawn])
    return np.concatenate(features, axis=1).T, np.concatenate(labels), np.concatenate(weights)


def to_forest(booster: lightgbm.Booster) -> Forest:
    """The trees as arrays."""
    trees = [tree["tree_structure"] for tree in booster.dump_model()["tree_info"]]
    t, splits = len(trees), LEAVES - 1
    forest = Forest(
        feature=np.zeros((t, splits), np.int32),
        threshold=np.full((t, splits), np.inf, np.float32),
        missing=np.ones((t, splits), bool),
        way=np.zeros((t, LEAVES, splits), np.int8),
        value=np.zeros((t, LEAVES), np.float32),
    )
    for number, tree in enumerate(trees):
        stack: list[tuple[dict[str, Any], list[tuple[int, int]]]] = [(tree, [])]
        while stack:
            node, way = stack.pop()
            if "leaf_value" in node:
                leaf = node.get("leaf_index", 0)
                forest.value[number, leaf] = node["leaf_value"]
                for split, answer in way:
                    forest.way[number, leaf, split] = answer
                continue
            split = node["split_index"]
            forest.feature[number, split] = node["split_feature"]
            forest.threshold[number, split] = _float32_below(node["threshold"])
            forest.missing[number, split] = node["default_left"]
            stack += [(node["left_child"], [*way, (split, 1)]), (node["right_child"], [*way, (split, -1)])]
    return forest


def _float32_below(value: float) -> float:
    """The largest float32 that is not above: a float32 is at most the one where it is at most the other."""
    if value > float(np.finfo(np.float32).max):  # asks only whether the feature is known
        return float("inf")
    rounded = np.float32(value)
    return float(rounded if float(rounded) <= value else np.nextafter(rounded, np.float32(-np.inf)))


def fit_forest(
    features: npt.NDArray[np.float32], labels: npt.NDArray[np.bool_], weights: npt.NDArray[np.float64], seed: int
) -> Forest:
    """Fit the trees; arguments as `draw` gives them."""
    data = lightgbm.Dataset(features, labels.astype(float), weight=weights, free_raw_data=True)
    return to_forest(lightgbm.train({**PARAMETERS, "seed": seed}, data, TREES))
