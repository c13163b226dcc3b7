"""Features of a page's blocks (`core/features.pyx`), and the reasons of the model to keep or drop each.

A family of features adds to a block's log odds the difference that its values make against average ones. The parts do
not add up to the whole, since families stand in for each other; the largest say what decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import overload

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.model import BlockModel
from denoise_scrapy.core.features import FAMILIES, NAMES, NO_WORDS, Compared, Family, Rows, View
from denoise_scrapy.core.model import Neighbours
from denoise_scrapy.core.vocabulary import Vocabulary
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics

__all__ = [
    "FAMILIES",
    "FORUM_TYPES",
    "NAMES",
    "NO_WORDS",
    "Family",
    "Reasons",
    "Rows",
    "View",
    "block_features",
    "view_of",
]

#: Comparison pages that most features are of, the likest ones: more say no more. `stock` is of all of them: of a text
#: that any has too, the share of its place's text that two pages have.
MODEL_PAGES = 5
#: A page that declares one of these is a thread: what people answer is its content.
FORUM_TYPES = frozenset(["qapage", "question", "discussionforumposting"])
ARTICLE_TYPES = frozenset(["article", "newsarticle", "blogposting", "reportagenewsarticle", "report", "og:article"])


def view_of(page: Page, site: SiteStatistics, vocabulary: Vocabulary = NO_WORDS) -> View:
    """Return a page of m blocks as its features see it.

    Args:
        page: The page.
        site: Its comparison pages, without the page itself and its copies; maybe none.
        vocabulary: What is known of words.
    """
    declared = page.declared_types
    return View(
        page.tree,
        vocabulary,
        _compared(page, site) if site.pages else None,
        declares_article=not declared.isdisjoint(ARTICLE_TYPES),
        declares_forum=not declared.isdisjoint(FORUM_TYPES),
    )


def _compared(page: Page, site: SiteStatistics) -> Compared:
    first, whole = site.first(MODEL_PAGES), site.shared_with(page)
    shared, stock = first.shared_with(page), np.where(whole.text_share > 0, whole.slot_share, 0)
    return Compared(
        len(first.pages), shared.text_share, shared.placed_share, shared.slot_share, shared.own_tokens, stock
    )


def block_features(page: Page, site: SiteStatistics, vocabulary: Vocabulary = NO_WORDS) -> npt.NDArray[np.float32]:
    """Return all features of a page's m blocks, shape (features, m), rows as in `NAMES`; arguments as `view_of`'s.

    Example:
        >>> features = block_features(Page.parse("<h2>One two three.</h2>"), SiteStatistics())
        >>> features.shape == (len(NAMES), 1), float(features[NAMES.index("heading"), 0])
        (True, 2.0)
    """
    return view_of(page, site, vocabulary).features


#: A family that moves the log odds by less is no reason; so many are given at most.
LEAST, MOST = 0.2, 3
#: Blocks of a page whose reasons are computed, by a run of the model for each of the families. Of 354 recorded pages
#: the largest has 2,641.
MOST_BLOCKS = 10_000


class Reasons(Sequence[str]):
    """The reasons of a page's blocks; computed when somebody looks.

    Args:
        features: Shape (features, m), rows as in the model's names.
        neighbours: What stands around the m blocks.
        model: The model that decided.
    """

    def __init__(self, features: npt.NDArray[np.float32], neighbours: Neighbours, model: BlockModel) -> None:
        self._features = features
        self._neighbours = neighbours
        self._model = model

    def __len__(self) -> int:
        return int(self._features.shape[1])

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self._reason(i) for i in range(*index.indices(len(self)))]
        return self._reason(range(len(self))[index])

    @cached_property
    def parts(self) -> dict[str, npt.NDArray[np.float64]]:
        """Contribution of each family to the log odds of each block, shape (m,) each."""
        whole = _odds(self._model.probability(self._features, self._neighbours))
        found, features = {}, self._features.copy()
        for name, family in FAMILIES.items():
            rows = [i for i, feature in enumerate(self._model.names) if feature in family.names]
            features[rows] = self._model.network.mean[rows, None]
            found[name] = whole - _odds(self._model.probability(features, self._neighbours))
            features[rows] = self._features[rows]
        return found

    @cached_property
    def _largest(self) -> list[list[tuple[str, float]]]:
        """Of each block, the families that add most, and what they add; m lists of up to MOST."""
        parts = np.array(list(self.parts.values()))  # (families, m)
        order = np.argsort(-np.abs(parts), axis=0, kind="stable")[:MOST]
        names, values = list(self.parts), np.take_along_axis(parts, order, axis=0).T.tolist()
        return [
            [(names[i], value) for i, value in zip(chosen, added, strict=True) if abs(value) >= LEAST]
            for chosen, added in zip(order.T.tolist(), values, strict=True)
        ]

    @cached_property
    def _rows(self) -> Rows:
        return dict(zip(self._model.names, self._features, strict=True))

    def _reason(self, block: int) -> str:
        if len(self) > MOST_BLOCKS:
            return "the page has too many blocks to say why"
        chosen = self._largest[block]
        said = [f"{FAMILIES[name].say(self._rows, block)} ({value:+.1f})" for name, value in chosen]
        return "; ".join(said) or "nothing stands out"


def _odds(probability: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    sure = np.clip(probability, 1e-6, 1 - 1e-6)
    return np.asarray(np.log(sure / (1 - sure)))
