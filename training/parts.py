"""Fitting small forests: parts and kinds of pages, on those that readers labelled, and pages without content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from catboost import CatBoostClassifier

from denoise_scrapy.body.kind import KINDS
from denoise_scrapy.body.strategies.combined import FEW_TOKENS, content_signals
from denoise_scrapy.body.taste import LEARNED
from denoise_scrapy.core.judge import Forest
from denoise_scrapy.core.parts import page_signals, part_signals
from denoise_scrapy.core.wording import odds_of_text
from training import trees
from training.dataset import Example
from training.wording import NO_WORDING, fit_wording, short_texts, stories_of

#: The letters of each part (`training/truth.py`): standfirst and points in brief share one, since points are rare.
LETTERS: Mapping[str, str] = {"title": "H", "standfirst": "SK", "captions": "C", "bylines": "B", "comments": "M"}
#: Few and shallow trees: most parts have some hundred blocks, and of twelve thousand short pages a thousand are walls.
OF_PARTS = trees.PARAMETERS | {"iterations": 80, "depth": 5, "learning_rate": 0.15}
OF_CONTENT = OF_PARTS | {"depth": 4}
#: Weight of a page with content relative to a wall. Recall on walls of held-out publishers, and share of other pages
#: taken for walls: 1 .77 and .4%, .3 .86 and 1.0%, .15 .89 and 1.6%; the body stays either way.
CONTENT_WEIGHT = 0.3
BoolArray = npt.NDArray[np.bool_]
Values = npt.NDArray[np.float32]
Weights = npt.NDArray[np.float64]


def fit_parts(
    examples: Sequence[Example], inputs: Sequence[Values], odds: Mapping[int, Values], seed: int
) -> dict[str, Forest]:
    """Fit the trees of each part to the readers' labels; none if no page was read.

    Args:
        examples: The pages.
        inputs: Features of their blocks.
        odds: Odds of their blocks, by networks that were not fitted on their publishers.
        seed: Seed of all randomness.
    """
    read = [i for i, example in enumerate(examples) if any(example.letters)]
    if not read:
        return {}
    pages = [examples[i].page for i in read]
    seen = [examples[i].neighbours.added_to(inputs[i], odds[i]) for i in read]
    made = [part_signals(page.tree, page.words, some, odds[i]) for i, page, some in zip(read, pages, seen, strict=True)]
    signals = np.concatenate(made, axis=1).T
    found = {}
    for part in LEARNED:
        labels, sure = (
            np.concatenate(some) for some in zip(*(_labelled(examples[i], part) for i in read), strict=True)
        )
        found[f"part {part}"] = _fitted(OF_PARTS, signals[sure], labels[sure], seed)
    return found


def _labelled(example: Example, part: str) -> tuple[BoolArray, BoolArray]:
    """Return masks of the blocks of a part, and of those that all readers agree on, shape (blocks,) each."""
    told = [{letter in LETTERS[part] for letter in letters} for letters in example.letters]
    return np.array([one == {True} for one in told]), np.array([len(one) == 1 for one in told])


def fit_content(
    examples: Sequence[Example], inputs: Sequence[Values], odds: Mapping[int, Values], seed: int
) -> tuple[dict[str, Forest], Values]:
    """Fit the trees that find pages without content, and the odds of wordings that they use.

    The trees learn from odds that were not fitted on the page's fold. There are none if no such page was made.
    Arguments as for `fit_parts`.
    """
    few = [i for i, example in enumerate(examples) if example.lengths[odds[i] > 0].sum() <= FEW_TOKENS]
    labels = np.array([examples[i].made != "wall" for i in few])
    if labels.all():
        return {}, NO_WORDING
    texts = short_texts(stories_of(examples), seed)
    without = {fold: fit_wording(texts, {fold}) for fold in sorted({examples[i].fold for i in few})}
    signals = np.concatenate([_signals(examples[i], inputs[i], odds[i], without) for i in few], axis=1).T
    weights = np.where(labels, CONTENT_WEIGHT, 1.0)
    return {"content": _fitted(OF_CONTENT, signals, labels, seed, weights)}, fit_wording(texts)


def fit_kinds(
    examples: Sequence[Example], inputs: Sequence[Values], odds: Mapping[int, Values], seed: int
) -> dict[str, Forest]:
    """Fit the trees of each kind of page, against all others; none if none was read. Arguments as for `fit_parts`."""
    named = [i for i, example in enumerate(examples) if example.kind and len(odds[i])]
    if not any(any(examples[i].letters) for i in named):
        return {}
    signals = np.concatenate([page_signals(inputs[i], odds[i], examples[i].lengths) for i in named], axis=1).T
    kinds = np.array([examples[i].kind for i in named])
    return {f"kind {kind}": _fitted(OF_PARTS, signals, kinds == kind, seed) for kind in KINDS}


def _fitted(
    parameters: Mapping[str, Any], signals: Values, labels: BoolArray, seed: int, weights: Weights | None = None
) -> Forest:
    classifier = CatBoostClassifier(**parameters, random_seed=seed)
    return trees.to_forest(classifier.fit(signals, labels, sample_weight=weights), parameters["depth"])


def _signals(example: Example, features: Values, odds: Values, without: Mapping[int, Values]) -> Values:
    text = example.page.text_of(odds > 0) if len(odds) else ""
    example.page.drop_columns()
    signals = page_signals(features, odds, example.lengths)
    return content_signals(signals, odds_of_text(text, without[example.fold]))
