"""Fitting the trees that find pages without content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from catboost import CatBoostClassifier

from denoise_scrapy.body.content import FEW_TOKENS, content_signals
from denoise_scrapy.core.model import Forest
from training.dataset import Example
from training.trees import to_forest

#: Made pages that only these trees learn from: walls in the other trees taught that few words alone are no content.
PAGES_ALONE = ("wall", "alone")
#: Few and shallow: two thousand pages.
PARAMETERS: dict[str, Any] = {
    "iterations": 60,
    "depth": 4,
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


def has_few_tokens(example: Example, odds: npt.NDArray[np.float32]) -> bool:
    """Whether a page keeps so little that it may be one without content."""
    return bool(example.lengths[odds > 0].sum() <= FEW_TOKENS)


def fit_content(
    examples: Sequence[Example],
    inputs: Sequence[npt.NDArray[np.float32]],
    odds: Mapping[int, npt.NDArray[np.float32]],
    seed: int,
) -> Forest | None:
    """Fit the trees; None where no page without content was made.

    Args:
        examples: The pages.
        inputs: Features of their blocks.
        odds: What networks say of their blocks that have not seen their publishers.
        seed: Seed of all that is random.
    """
    few = [i for i, example in enumerate(examples) if has_few_tokens(example, odds[i])]
    labels = np.array([examples[i].made != "wall" for i in few])
    if labels.all():
        return None
    signals = np.concatenate([content_signals(inputs[i], odds[i], examples[i].lengths) for i in few], axis=1).T
    trees = CatBoostClassifier(**PARAMETERS, random_seed=seed)
    trees.fit(signals, labels)
    return to_forest(trees, PARAMETERS["depth"])
