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
from denoise_scrapy.core.judge import Forest, Network
from denoise_scrapy.core.parts import page_signals
from training import trees
from training.dataset import PAGES_ALONE, Example
from training.made import FOLDS
from training.networks import fit_network
from training.parts import fit_content, fit_kinds, fit_parts
from training.phrases import fit_phrases
from training.vocabulary import Vocabularies, with_words

T = TypeVar("T")
Judge = TypeVar("Judge", Network, Forest)
Values = npt.NDArray[np.float32]
#: Numbers of forests whose mean is the second judgement, and the last: see `training`.
SECOND, LAST = 1, 3
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
    """Fit the three judgements, then the trees of the parts."""
    every = range(len(examples))
    told = [i for i in every if examples[i].made not in PAGES_ALONE]
    vocabularies = Vocabularies([examples[i] for i in told])
    inputs = [vocabularies.filled(example) for example in examples]
    network, forests, odds = fit_judges(examples, inputs, told, seed)
    for fit in (fit_parts, fit_kinds):
        forests |= fit(examples, inputs, odds, seed)
    content, wording = fit_content(examples, inputs, odds, seed)
    forests |= content
    phrases = fit_phrases(examples)
    return BlockModel(NAMES, vocabularies.without(None), network, forests, wording, phrases, provenance)


def fit_judges(
    examples: Sequence[Example], inputs: Sequence[Values], told: Sequence[int], seed: int
) -> tuple[Network, dict[str, Forest], dict[int, Values]]:
    """Fit the judgements one after the other to the pages `told`; return also the first one's odds of all pages.

    Each learns from odds by one before it that was not fitted on the page's fold: the odds of pages that it was fitted
    on are too sure.
    """

    def network_of(some: Sequence[int]) -> Network:
        return fit_network(*trees.draw([examples[i] for i in some], lambda number: inputs[some[number]], seed), seed)

    def second_of(some: Sequence[int]) -> Forest:
        return trees.fit_forest([examples[i] for i in some], lambda number: seen(some[number]), seed + LAST, SECOND)

    def by_others(fit: Callable[[Sequence[int]], Judge], read: Callable[[int], Values]) -> dict[int, Values]:
        found = dict[int, Values]()
        for fold in sorted({example.fold for example in examples}):
            judge = fit([i for i in told if examples[i].fold != fold])
            found |= {i: judge.odds(read(i)) for i, example in enumerate(examples) if example.fold == fold}
        return found

    def seen(i: int) -> Values:
        return examples[i].neighbours.added_to(inputs[i], odds[i])

    def last_seen(number: int) -> Values:
        return examples[told[number]].neighbours.added_to(seen(told[number]), again[told[number]])

    odds = by_others(network_of, inputs.__getitem__)
    again = by_others(second_of, seen)
    last = trees.fit_forest([examples[i] for i in told], last_seen, seed, LAST)
    return network_of(told), {"second": second_of(told), "last": last}, odds


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
