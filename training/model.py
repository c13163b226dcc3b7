"""Fitting and cross-validating the whole model."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.kind import likeliest
from denoise_scrapy.body.strategies.combined import BlockModel, CombinedStrategy
from denoise_scrapy.core.features import NAMES
from denoise_scrapy.core.judge import Network
from denoise_scrapy.core.parts import page_signals
from training import trees
from training.dataset import PAGES_ALONE, Example
from training.made import FOLDS
from training.networks import fit_network
from training.parts import fit_content, fit_kinds, fit_parts
from training.phrases import fit_phrases
from training.vocabulary import Vocabularies, with_words

T = TypeVar("T")
#: Confidence below which a page counts as one without content.
UNSURE = 0.5
#: Name of the scores of kinds of pages: 1 for one that is named as readers named it, else 0.
KIND = "kind of page"


@dataclass(frozen=True)
class PageScore:
    """A page judged by a model that was not trained on its publisher.

    Attributes:
        corpus: Its corpus; "made story" and the like for a page with foreign content; `KIND` for that.
        url: Its URL.
        k: Number of comparison pages requested.
        f1: Token F1 of its body; for a wall, 1 if the model is unsure of it, else 0.
        confidence: The F1 that the model expected.
        tokens: Tokens of the body, and of the gold text.
    """

    corpus: str
    url: str
    k: int
    f1: float
    confidence: float
    tokens: tuple[int, int]


def fit_model(examples: Sequence[Example], seed: int, provenance: dict[str, Any]) -> BlockModel:
    """Fit the network, then the trees, then the trees of the parts.

    The trees learn from odds by networks that were not fitted on the page's fold: the odds of pages that a network was
    fitted on are too sure.
    """
    every = range(len(examples))
    told = [i for i in every if examples[i].made not in PAGES_ALONE]
    vocabularies = Vocabularies([examples[i] for i in told])
    inputs = [vocabularies.filled(example) for example in examples]
    odds: dict[int, npt.NDArray[np.float32]] = {}
    for fold in sorted({example.fold for example in examples}):
        network = _network([i for i in told if examples[i].fold != fold], examples, inputs, seed)
        odds |= {i: network.odds(inputs[i]) for i in every if examples[i].fold == fold}

    def seen(number: int) -> npt.NDArray[np.float32]:
        i = told[number]
        return examples[i].neighbours.added_to(inputs[i], odds[i])

    forest = trees.fit_forest([examples[i] for i in told], seen, seed)
    network = _network(told, examples, inputs, seed)
    forests = {"forest": forest}
    for fit in (fit_parts, fit_kinds):
        forests |= fit(examples, inputs, odds, seed)
    content, wording = fit_content(examples, inputs, odds, seed)
    forests |= content
    phrases = fit_phrases(examples)
    return BlockModel(NAMES, vocabularies.without(None), network, forests, wording, phrases, provenance)


def _network(
    chosen: Sequence[int], examples: Sequence[Example], inputs: Sequence[npt.NDArray[np.float32]], seed: int
) -> Network:
    drawn = trees.draw([examples[i] for i in chosen], lambda number: inputs[chosen[number]], seed)
    return fit_network(*drawn, seed)


def cross_validate(examples: Sequence[Example], seed: int, jobs: int = 2) -> list[PageScore]:
    """Return the score of each page, each fold judged by a model that was not fitted on its publishers."""
    folds = by_fold(examples, partial(_fold_scores, seed=seed), jobs)
    return [score for fold in folds for score in fold]


def by_fold(examples: Sequence[Example], work: Callable[[Sequence[Example], int], T], jobs: int) -> list[T]:
    """Return the result of some work on each fold, in processes that share the examples without copying them."""
    global _examples  # noqa: PLW0603 - shared by forked processes
    _examples = examples
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        return pool.map(partial(_of_fold, work), range(FOLDS), chunksize=1)


_examples: Sequence[Example] = ()


def _of_fold(work: Callable[[Sequence[Example], int], T], fold: int) -> T:
    return work(_examples, fold)


def model_without(examples: Sequence[Example], fold: int, seed: int) -> BlockModel:
    """Fit a model without a fold's publishers."""
    return fit_model([example for example in examples if example.fold != fold], seed, {})


def _fold_scores(examples: Sequence[Example], fold: int, seed: int) -> list[PageScore]:
    model = model_without(examples, fold, seed)
    return list(judge([example for example in examples if example.fold == fold and example.k >= 0], model))


def judge(examples: Sequence[Example], model: BlockModel) -> Iterator[PageScore]:
    """Yield the score of each page with a model."""
    strategy = CombinedStrategy(model)
    for example in examples:
        features = with_words(example, model.vocabulary)
        decision = strategy.judge(example.page, features)
        text = "\n".join(example.page.block_texts[i] for i in np.flatnonzero(decision.kept).tolist())
        tokens = sum(len(example.tokens[i]) for i in np.flatnonzero(decision.kept).tolist())
        example.page.drop_columns()
        if example.kind and not example.made:
            signals = page_signals(features, model.network.odds(features), example.lengths)
            is_right = float(likeliest(model, signals) == example.kind)
            yield PageScore(KIND, example.page.url, example.k, is_right, decision.confidence, (0, 0))
        for truth in example.truths:
            corpus = f"made {example.made}" if example.made else truth.corpus
            lengths = tokens, len(" ".join(truth.texts[:1]).split())
            score = float(decision.confidence < UNSURE) if example.made == "wall" else truth.score(text)
            yield PageScore(corpus, example.page.url, example.k, score, decision.confidence, lengths)
