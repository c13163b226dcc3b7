"""Fitting the trees that find the parts of a page, on pages that readers labelled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from catboost import CatBoostClassifier

from denoise_scrapy.body.model import BlockModel
from denoise_scrapy.body.taste import LEARNED, LIKELY, part_signals
from denoise_scrapy.core.model import Forest
from training.dataset import Example
from training.trees import to_forest
from training.vocabulary import with_words

#: The letters of each part (`training/reading.py`): standfirst and points in brief are one, for points are rare.
LETTERS: Mapping[str, str] = {"title": "H", "standfirst": "SK", "captions": "C", "bylines": "B", "comments": "M"}
#: Small ones: most parts have some hundred blocks.
PARAMETERS: dict[str, Any] = {
    "iterations": 80,
    "depth": 5,
    "learning_rate": 0.15,
    "l2_leaf_reg": 5,
    "rsm": 0.4,
    "border_count": 63,
    "boosting_type": "Plain",
    "nan_mode": "Min",
    "thread_count": 1,
    "allow_writing_files": False,
    "verbose": 0,
}
BoolArray = npt.NDArray[np.bool_]
Values = npt.NDArray[np.float32]


def labelled(example: Example, part: str) -> tuple[BoolArray, BoolArray]:
    """Which blocks are of a part, and of which all readers say the same, shape (blocks,) each."""
    told = [{letter in LETTERS[part] for letter in letters} for letters in example.letters]
    return np.array([one == {True} for one in told]), np.array([len(one) == 1 for one in told])


def fit_parts(
    examples: Sequence[Example], inputs: Sequence[Values], odds: Mapping[int, Values], seed: int
) -> dict[str, Forest]:
    """Fit the trees of each part to what readers said; nothing where no page was read.

    Args:
        examples: The pages.
        inputs: Features of their blocks.
        odds: What networks say of their blocks that have not seen their publishers.
        seed: Seed of all that is random.
    """
    read = [i for i, example in enumerate(examples) if any(example.letters)]
    if not read:
        return {}
    signals = np.concatenate([part_signals(examples[i].page, inputs[i], odds[i]) for i in read], axis=1).T
    found = {}
    for part in LEARNED:
        labels, sure = (np.concatenate(some) for some in zip(*(labelled(examples[i], part) for i in read), strict=True))
        trees = CatBoostClassifier(**PARAMETERS, random_seed=seed)
        trees.fit(signals[sure], labels[sure])
        found[part] = to_forest(trees, PARAMETERS["depth"])
    return found


def count_found(examples: Sequence[Example], model: BlockModel) -> Iterator[tuple[str, int, int, int]]:
    """For each part and page: blocks that are found and of the part, blocks found, blocks of the part."""
    for one in (one for one in examples if any(one.letters) and not one.made):
        features = with_words(one, model.vocabulary)
        signals = part_signals(one.page, features, model.network.odds(features))
        for part, trees in model.parts.items():
            labels, sure = labelled(one, part)
            found = (trees.probability(signals) >= LIKELY) & sure
            yield part, int((found & labels).sum()), int(found.sum()), int((labels & sure).sum())
