"""Fitting the trees that find pages without content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from catboost import CatBoostClassifier

from denoise_scrapy.body.model import FEW_TOKENS, content_signals
from denoise_scrapy.core.model import Forest
from training.dataset import Example
from training.trees import to_forest

#: Made pages that only these trees learn from: walls in the other trees taught that few words alone are no content.
PAGES_ALONE = ("wall", "alone")
#: Weight of a page with content towards a wall. Walls of publishers left out that are found, and others that are taken
#: for walls: 1 .77 and .4%, .3 .86 and 1.0%, .15 .89 and 1.6%; the body stays either way.
CONTENT_WEIGHT = 0.3
#: Few and shallow: twelve thousand pages, a thousand of them walls.
PARAMETERS: dict[str, Any] = {
    "iterations": 80,
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
    signals = np.concatenate([_signals(examples[i], inputs[i], odds[i]) for i in few], axis=1).T
    trees = CatBoostClassifier(**PARAMETERS, random_seed=seed)
    trees.fit(signals, labels, sample_weight=np.where(labels, CONTENT_WEIGHT, 1.0))
    return to_forest(trees, PARAMETERS["depth"])


def _signals(
    example: Example, features: npt.NDArray[np.float32], odds: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    text = example.page.text_of(odds > 0) if len(odds) else ""
    example.page.drop_columns()
    return content_signals(features, odds, example.lengths, text)
