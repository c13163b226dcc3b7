"""The model of kinds: one linear score a kind, made probabilities."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.kinds.shape import shape_features
from denoise_scrapy.body.kinds.url import url_features
from denoise_scrapy.body.kinds.words import Value, declared_features, phrase_features, title_features
from denoise_scrapy.page import Page

#: What a page may be: a text (news, post, essay), a thread of posts or questions and answers, one thing for sale, a
#: list of texts or entries (index, archive, search result, videos), many things for sale, a manual or reference, what
#: an organisation offers (home pages, landing pages).
KINDS = ("article", "forum", "product", "listing", "collection", "documentation", "service")
#: Standardised values are cut here: no page is so odd that one feature may decide.
CUT = 4.0


def _all(page: Page) -> Iterator[Value]:
    yield from declared_features(page.declared_types)
    yield from title_features(page.title)
    yield from url_features(page.url)
    yield from phrase_features(page)
    yield from shape_features(page)


def kind_features(page: Page) -> npt.NDArray[np.float64]:
    """Features of a page, shape (n,), named by `FEATURES`; NaN where unknown.

    Example:
        >>> features = kind_features(Page.parse("<table><tr><td>One</td></tr></table>"))
        >>> features.shape == (len(FEATURES),), bool(features[FEATURES.index("tag_tr")] > 0)
        (True, True)
    """
    return np.array([value for _, value in _all(page)], np.float64)


FEATURES: tuple[str, ...] = tuple(name for name, _ in _all(Page.parse("<p>One two three.</p>")))


@dataclass(frozen=True, eq=False)
class KindModel:
    """Probability of each of k kinds from n features of a page.

    Attributes:
        kinds: Names of the kinds.
        names: Names of the features, in the order of the array that is asked about.
        center: Mean of each feature, shape (n,).
        scale: Its standard deviation, shape (n,).
        weights: Log odds that a standardised feature adds to each kind, shape (k, n).
        bias: Log odds without any, shape (k,).
        provenance: What the weights were fitted on, and how well.
    """

    kinds: tuple[str, ...]
    names: tuple[str, ...]
    center: npt.NDArray[np.float32]
    scale: npt.NDArray[np.float32]
    weights: npt.NDArray[np.float32]
    bias: npt.NDArray[np.float32]
    provenance: dict[str, Any]

    def probability(self, features: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Probability of each kind.

        Args:
            features: Shape (n,) of one page, or (pages, n). What is not known counts as usual.

        Returns:
            Shape (k,) or (pages, k); each page's sum to 1.
        """
        odds = standardise(features, self.center, self.scale) @ self.weights.T + self.bias
        odds = np.exp(odds - odds.max(axis=-1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=-1, keepdims=True))

    def kinds_of(self, page: Page) -> dict[str, float]:
        """Probability of each kind of a page, by name."""
        return dict(zip(self.kinds, self.probability(kind_features(page)).tolist(), strict=True))

    def save(self, path: Path) -> None:
        """Write the model to a file, without pickles."""
        with path.open("wb") as file:
            np.savez_compressed(
                file,
                kinds=np.array(self.kinds),
                names=np.array(self.names),
                center=self.center,
                scale=self.scale,
                weights=self.weights,
                bias=self.bias,
                provenance=np.array(json.dumps(self.provenance, sort_keys=True)),
            )

    @classmethod
    def load(cls, path: Path) -> KindModel:
        """Read a file that `save` wrote."""
        with np.load(path, allow_pickle=False) as data:
            return cls(
                kinds=tuple(data["kinds"].tolist()),
                names=tuple(data["names"].tolist()),
                center=data["center"],
                scale=data["scale"],
                weights=data["weights"],
                bias=data["bias"],
                provenance=json.loads(str(data["provenance"])),
            )


def standardise(
    features: npt.NDArray[np.float64], center: npt.NDArray[np.floating], scale: npt.NDArray[np.floating]
) -> npt.NDArray[np.float64]:
    """Features by mean and standard deviation, cut at CUT; 0 where unknown.

    Example:
        >>> standardise(np.array([3.0, np.nan, 99.0]), np.array([1.0, 1.0, 1.0]), np.array([2.0, 2.0, 2.0])).tolist()
        [1.0, 0.0, 4.0]
    """
    return np.asarray(np.clip(np.nan_to_num((features - center) / scale), -CUT, CUT))


@cache
def kind_model() -> KindModel:
    """The model that comes with the package."""
    with as_file(files("denoise_scrapy.body") / "models" / "kinds.npz") as path:
        return KindModel.load(path)
