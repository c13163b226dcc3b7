"""Fitting the model of kinds, each page judged by a model that saw none of its publisher's."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import sklearn
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from benchmarks.corpora import Site
from denoise_scrapy.body.kinds import FEATURES, KINDS, KindModel, kind_features
from denoise_scrapy.body.kinds.model import standardise
from denoise_scrapy.page import Page, PathTable
from training.dataset import site_publisher
from training.folds import FOLDS

#: Strength of the pull to small weights (sklearn's C): .02 to .04 do alike, .01 and .1 are worse.
C = 0.03
#: Kinds of few pages weigh more, by this power of how much rarer they are than the mean: 0 finds fewer of them, .6
#: takes more articles for them.
BALANCE = 0.3
#: Weight of a page by its corpus: news that are all of one kind, and many pages of few sites, count for less.
WEIGHTS = {"wcxb": 2.0, "docs": 0.4, "dragnet": 0.25, "big9": 0.25}
#: Corpora of all kinds, which the table of confusions is about.
MIXED = ("single", "wcxb")

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LabelledPage:
    """A recorded page whose kind is known.

    Attributes:
        corpus: Its corpus.
        url: Its URL.
        fold: Its fold; all pages of one publisher are in one.
        kind: Its kind.
        features: See `kind_features`, shape (n,).
    """

    corpus: str
    url: str
    fold: int
    kind: str
    features: FloatArray


@dataclass(frozen=True)
class FittedKinds:
    """What fitting gives.

    Attributes:
        model: Fitted on all pages.
        probability: Of each page, by a model that saw none of its publisher's, shape (pages, kinds).
        report: Accuracies and confusions, to be printed.
    """

    model: KindModel
    probability: FloatArray
    report: str


def labelled_pages(corpora: Mapping[str, list[Site]], folds: Mapping[str, int]) -> Iterator[LabelledPage]:
    """The pages of corpora that tell their kind.

    Args:
        corpora: Sites by corpus.
        folds: Fold by publisher.
    """
    for corpus, sites in corpora.items():
        for site in sites:
            fold, table = folds[site_publisher(site)], PathTable()
            for recorded in site:
                if recorded.kind in KINDS:
                    features = kind_features(Page.parse(recorded.html, url=recorded.url, paths=table))
                    yield LabelledPage(corpus, recorded.url, fold, recorded.kind, features)


def fit_kinds(pages: Sequence[LabelledPage], provenance: dict[str, Any] | None = None) -> FittedKinds:
    """Fit the model, and judge each page by one that saw none of its publisher's.

    The same pages give the same model.

    Args:
        pages: Labelled pages; each fold's others hold two kinds at least.
        provenance: What the model file shall tell besides how well it does.
    """
    x = np.array([page.features for page in pages])
    fold = np.array([page.fold for page in pages])
    probability, blind = np.zeros((len(pages), len(KINDS))), np.zeros((len(pages), len(KINDS)))
    for left_out in range(FOLDS):
        test = fold == left_out
        if test.any():
            model = _fit([page for page in pages if page.fold != left_out], {})
            probability[test] = model.probability(x[test])
            blind[test] = model.probability(_without_url(x[test]))
    scores = {**_accuracies(pages, probability, ""), **_accuracies(pages, blind, " without URL")}
    told = {**(provenance or {}), "cross-validated accuracy": scores, "scikit-learn": sklearn.__version__}
    return FittedKinds(_fit(pages, told), probability, _table(scores) + confusion_table(pages, probability))


def _fit(pages: Sequence[LabelledPage], provenance: dict[str, Any]) -> KindModel:
    """Fit on all these pages, each once with its URL and once without: where none is known, the rest must do."""
    x, kind = np.array([page.features for page in pages]), np.array([KINDS.index(page.kind) for page in pages])
    weight = np.array([WEIGHTS.get(page.corpus, 1.0) for page in pages])
    held = np.bincount(kind, weight, len(KINDS))
    weight *= (held[held > 0].mean() / held[kind]) ** BALANCE
    center, scale = np.nanmean(x, axis=0), np.nanstd(x, axis=0)
    center, scale = np.nan_to_num(center), np.where(scale > 1e-6, scale, 1.0)
    both = standardise(np.concatenate([x, _without_url(x)]), center, scale)
    with threadpool_limits(1):  # the same sums on any number of cores, and no threads that wait for each other
        fitted = LogisticRegression(C=C, max_iter=1000).fit(both, np.tile(kind, 2), np.tile(weight / 2, 2))
    weights, bias = np.zeros((len(KINDS), len(FEATURES))), np.full(len(KINDS), -20.0)  # a kind never seen: never
    weights[fitted.classes_], bias[fitted.classes_] = _of_each_class(fitted)
    c, s, w, b = (np.asarray(values, np.float32) for values in (center, scale, weights, bias))
    return KindModel(KINDS, FEATURES, c, s, w, b, provenance)


def _of_each_class(fitted: LogisticRegression) -> tuple[FloatArray, FloatArray]:
    """Weights and biases, a row a class: of two classes sklearn keeps one row only."""
    if len(fitted.classes_) > 2:
        return fitted.coef_, fitted.intercept_
    return np.concatenate([-fitted.coef_, fitted.coef_]) / 2, np.concatenate(
        [-fitted.intercept_, fitted.intercept_]
    ) / 2


def _without_url(x: FloatArray) -> FloatArray:
    return np.where([name.startswith("url_") for name in FEATURES], np.nan, x)


def _accuracies(pages: Sequence[LabelledPage], probability: FloatArray, note: str) -> dict[str, float]:
    right: dict[str, list[bool]] = defaultdict(list)
    for page, found in zip(pages, probability.argmax(axis=1).tolist(), strict=True):
        right[page.corpus + note].append(KINDS[found] == page.kind)
    return {name: round(sum(some) / len(some), 4) for name, some in right.items()}


def _table(scores: Mapping[str, float]) -> str:
    return "".join(f"{name:28s} {score:.4f}\n" for name, score in scores.items())


def confusion_table(pages: Sequence[LabelledPage], probability: FloatArray) -> str:
    """Of the pages of mixed corpora: a row a true kind, a column a kind found, recall at the end."""
    found = probability.argmax(axis=1).tolist()
    pairs = Counter((p.kind, KINDS[i]) for p, i in zip(pages, found, strict=True) if p.corpus in MIXED)
    lines = [f"{'':14s}" + "".join(f"{kind[:6]:>7s}" for kind in KINDS) + " recall"]
    for kind in KINDS:
        row = [pairs[kind, other] for other in KINDS]
        cells = "".join(f"{count:7d}" for count in row)
        lines.append(f"{kind:14s}{cells}   {pairs[kind, kind] / max(sum(row), 1):.2f}")
    return "\n".join(lines) + "\n"
