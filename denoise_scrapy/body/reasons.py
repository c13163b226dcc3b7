"""Why the model keeps or drops a block: what each family of features adds to its log odds, in words and numbers.

A family's part is the difference that it makes to the log odds when its features are what they are on average. The
parts do not add up to the whole, since families stand in for each other; the largest tell what decided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import overload

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.model.block_model import BlockModel
from denoise_scrapy.body.model.network import Context
from denoise_scrapy.page import Flag, Page

#: Families by the beginnings of their features' names; a feature belongs to the first that fits.
FAMILIES: Mapping[str, tuple[str, ...]] = {
    family: tuple(starts.split())
    for family, starts in {
        "site": "repeated path_present slot_ same_as_all k alone",
        "goods": "is_price price pictures_ page_pictures page_prices",
        "words": "after_comments since_ is_ meta_around consent",
        "title": "title_share from_title",
        "place": "in_container in_best_h from_ prose_before position index depth",
        "names": "own_ in_ tag_",
        "records": "record_ page_records",
        "links": "ld",
        "surroundings": "prose tokens_ tokens- tokens+ share_ blocks_ path_ section_",
        "page": "page_ times_on_page",
        "text": "tokens chars word_length stops commas digits capitals cjk ends_in_stop",
        "rule": "hand_",
    }.items()
}
#: A family that moves the log odds by less is no reason; so many are told at most.
LEAST, MOST = 0.2, 3
#: Shares above which a reason says "most", blocks from the headline within which one says "near".
MOSTLY, NEAR = 0.5, 5
#: Blocks of a page whose reasons are computed, by a run of the model for each of the families. Of 354 recorded pages
#: the largest has 2,641.
MOST_BLOCKS = 10_000

Rows = Mapping[str, npt.NDArray[np.float32]]


def family(name: str) -> str:
    """The family of a feature."""
    return next((known for known, starts in FAMILIES.items() if name.startswith(starts)), "page")


class Reasons(Sequence[str]):
    """The reasons of a page's blocks; computed when somebody looks.

    Args:
        page: The page of m blocks.
        features: Shape (features, m), rows as in the model's names.
        model: The model that decided.
    """

    def __init__(self, page: Page, features: npt.NDArray[np.float32], model: BlockModel) -> None:
        self._page = page
        self._features = features
        self._model = model

    def __len__(self) -> int:
        return int(self._features.shape[1])

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self._told(i) for i in range(*index.indices(len(self)))]
        return self._told(range(len(self))[index])

    @cached_property
    def parts(self) -> dict[str, npt.NDArray[np.float64]]:
        """What each family adds to the log odds of each block, shape (m,) each."""
        context = Context.of(self._page)
        whole = _odds(self._model.probability(self._features, context))
        found, features = {}, self._features.copy()
        for name in FAMILIES:
            rows = [i for i, feature in enumerate(self._model.names) if family(feature) == name]
            features[rows] = self._model.network.mean[rows, None]
            found[name] = whole - _odds(self._model.probability(features, context))
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

    def _told(self, block: int) -> str:
        if len(self) > MOST_BLOCKS:
            return "the page has too many blocks to say why"
        chosen = self._largest[block]
        told = [f"{TELL[name](self._rows, self._page, block)} ({value:+.1f})" for name, value in chosen]
        return "; ".join(told) or "nothing stands out"


def _odds(probability: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    sure = np.clip(probability, 1e-6, 1 - 1e-6)
    return np.asarray(np.log(sure / (1 - sure)))


def _site(rows: Rows, page: Page, block: int) -> str:
    if np.isnan(rows["repeated"][block]):
        return "no other page to compare with"
    pages = round(float(rows["k"][block]))
    found = round(float(rows["repeated"][block]) * pages)
    if not found:
        return "its text is on no other page"
    whole = "the other page" if pages == 1 else "both other pages" if pages == 2 else f"all {pages} other pages"
    return f"repeats on {whole if found == pages else f'{found} of {pages} other pages'}"


def _words(rows: Rows, page: Page, block: int) -> str:
    for name, told in (
        ("is_comments", "announces comments"),
        ("is_related", "announces other pages"),
        ("consent", "speaks of consent"),
        ("after_comments", "after a heading of comments"),
        ("is_meta", "a line of names, dates or links to reply"),
    ):
        if rows[name][block] > 0:
            return told
    lines = round(float(rows["meta_around"][block]))
    return f"{lines} lines of names and dates around" if lines else "no words of comments or other pages around"


def _title(rows: Rows, page: Page, block: int) -> str:
    share, distance = float(rows["title_share"][block]), float(rows["from_title"][block])
    if share > 0:
        return "says what the page's title says" if share > MOSTLY else "shares words with the page's title"
    if np.isnan(distance):
        return "the page has no headline"
    return "above the headline" if distance < 0 else "near the headline" if distance < NEAR else "far from the headline"


def _names(rows: Rows, page: Page, block: int) -> str:
    names = _flag_names(int(page.blocks.flags[block]))
    path = page.path_table.step(int(page.elements.paths[page.blocks.element[block]]))
    return f"{path.partition('.')[0].partition('#')[0]} in {names}" if names else f"plain {path}"


@lru_cache(maxsize=1024)
def _flag_names(flags: int) -> str:
    return ", ".join(str(flag.name).lower().replace("_", " ") for flag in Flag.__members__.values() if flags & flag)


def _links(rows: Rows, page: Page, block: int) -> str:
    share = float(rows["ld"][block])
    return "a list of links" if share > MOSTLY else "some of it is links" if share > 0 else "no links"


TELL: Mapping[str, Callable[[Rows, Page, int], str]] = {
    "site": _site,
    "words": _words,
    "title": _title,
    "names": _names,
    "records": lambda rows, page, block: (
        "one of many like entries" if rows["record_outer_count"][block] > 0 else "not one of many like entries"
    ),
    "goods": lambda rows, page, block: "prices around it" if rows["price_around"][block] > 0 else "no prices around it",
    "place": lambda rows, page, block: (
        ("inside" if rows["in_container"][block] > 0 else "outside") + " the part of the page that holds most text"
    ),
    "links": _links,
    "surroundings": lambda rows, page, block: (
        "among full sentences" if rows["prose_up2"][block] > MOSTLY else "few full sentences around it"
    ),
    "page": lambda rows, page, block: (
        "on a page of full sentences" if rows["page_prose"][block] > MOSTLY else "on a page of few full sentences"
    ),
    "text": lambda rows, page, block: f"its length and punctuation: {int(page.blocks.tokens[block])} words",
    "rule": lambda rows, page, block: (
        "like main text by simple counts" if rows["hand_points"][block] > 0 else "unlike main text by simple counts"
    ),
}
