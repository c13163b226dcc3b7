"""Fitting the trees, and writing them down as arrays."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
from catboost import CatBoost, CatBoostClassifier, sum_models

from denoise_scrapy.core.features import read_words
from denoise_scrapy.core.judge import Forest
from training.dataset import Example

PARAMETERS: dict[str, Any] = {
    "iterations": 120,
    "depth": 7,
    "learning_rate": 0.15,
    "l2_leaf_reg": 5,
    "rsm": 0.4,  # share of the features that may be split on at each depth
    "border_count": 63,
    "boosting_type": "Plain",
    "nan_mode": "Min",  # an unknown value is below all others
    "thread_count": 1,
    "allow_writing_files": False,
    "verbose": 0,
}
#: Weight factor of headline blocks: they have few words, and a missing headline is noticed at once.
HEADLINE_WEIGHT = 2.0


def is_headline(example: Example) -> npt.NDArray[np.bool_]:
    """Return a mask of the headline's blocks, by readers' labels, or by title and gold text, shape (blocks,)."""
    if any(example.letters) and not example.made:
        return np.array([set(letters) == {"H"} for letters in example.letters])
    return np.asarray(read_words(example.page.tree).titles & (example.share > 0.5))


def draw(
    examples: Sequence[Example], seen: Callable[[int], npt.NDArray[np.float32]], seed: int
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
    """Return features, labels and weights of the blocks drawn by a seed: always long ones, sometimes short ones.

    `seen` returns the features of an example's blocks by its number, shape (features, blocks).
    """
    rng = np.random.default_rng(seed)
    features, labels, weights = [], [], []
    for number, example in enumerate(examples):
        n = example.lengths
        chance = np.minimum(1, 0.15 + n / 15)
        drawn = (rng.random(len(n)) < chance) & ~np.isnan(example.share)
        gold = float(np.nan_to_num(example.share) @ n)
        weight = np.minimum(1, n / (gold + 50)) / chance * example.weight
        weight = np.where(is_headline(example), HEADLINE_WEIGHT, 1.0) * weight
        features.append(seen(number)[:, drawn])
        labels.append(example.share[drawn] > 0.5)
        weights.append(weight[drawn])
    return np.concatenate(features, axis=1).T, np.concatenate(labels), np.concatenate(weights)


def to_forest(trees: CatBoost, depth: int) -> Forest:
    """Return the trees as arrays."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "trees.json")
        trees.save_model(str(path), format="json")
        found = json.loads(path.read_text("utf-8"))
    _, [bias] = found["scale_and_bias"]
    t = len(found["oblivious_trees"])
    feature, threshold = np.zeros((t, depth), np.int16), np.full((t, depth), np.inf, np.float32)
    value = np.zeros((t, 1 << depth), np.float32)
    for number, tree in enumerate(found["oblivious_trees"]):
        splits = tree["splits"] or []  # none if there is nothing left to split on
        for place, split in enumerate(reversed(splits), depth - len(splits)):
            feature[number, place] = split["float_feature_index"]
            threshold[number, place] = split["border"]
        value[number, : len(tree["leaf_values"])] = tree["leaf_values"]
    value[0] += bias
    return Forest(**Forest(feature, threshold, value).arrays())  # the same as when read from its file


def fit_forest(
    examples: Sequence[Example], seen: Callable[[int], npt.NDArray[np.float32]], seed: int, forests: int
) -> Forest:
    """Fit a number of forests, each on its own draw, and return their mean; other arguments as for `draw`."""
    fitted = []
    for number in range(seed, seed + forests):
        features, labels, weights = draw(examples, seen, number)
        trees = CatBoostClassifier(**PARAMETERS, random_seed=number)
        fitted.append(trees.fit(features, labels, sample_weight=weights))
    return to_forest(sum_models(fitted, weights=[1 / forests] * forests), PARAMETERS["depth"])
