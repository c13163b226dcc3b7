"""All signals together: a network, then boosted trees, over features of the block, its surroundings and its site.

Three small networks judge each block; trees judge again, using their mean for its neighbours (`core/judge.pyx`).
Other trees find pages without content: consent walls, logins, error pages. All are fitted on recorded pages of many
publishers (`python -m training`); the model file records which, and the scores on publishers left out. The kept set
maximises the expected F1.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from typing_extensions import override

from denoise_scrapy.body.strategies.base import Decision, LazyReasons, Strategy, Values
from denoise_scrapy.body.tables import tables_around
from denoise_scrapy.body.worded import NOTE_ODDS, PRICE_ODDS, block_of_price, notes_of_corrections
from denoise_scrapy.core.boxes import around_story
from denoise_scrapy.core.choice import choose, expected_f1
from denoise_scrapy.core.features import FAMILIES, NAMES, NO_WORDS, WORDS, View, Vocabulary
from denoise_scrapy.core.judge import Forest, Neighbours, Network, judge
from denoise_scrapy.core.parts import page_signals, part_signals
from denoise_scrapy.core.wording import doubts, odds_of_text
from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import HALF, BoolArray, FloatArray
from denoise_scrapy.site import SiteStatistics

#: A page that declares one of these is a thread, whose answers are content.
FORUM_TYPES = frozenset(["qapage", "question", "discussionforumposting"])
ARTICLE_TYPES = frozenset(["article", "newsarticle", "blogposting", "reportagenewsarticle", "report", "og:article"])


def view_of(page: Page, site: SiteStatistics, vocabulary: Vocabulary = NO_WORDS) -> View:
    """Compute the features of a page, given its comparison pages, if any, and word odds."""
    declared = page.declared_types
    return View(
        page.tree,
        vocabulary,
        site.shared_with(page) if site.pages else None,
        words=page.words,
        declares_article=not declared.isdisjoint(ARTICLE_TYPES),
        declares_forum=not declared.isdisjoint(FORUM_TYPES),
    )


@dataclass(frozen=True, eq=False)
class BlockModel:
    """A model of the probability that a block is content, from its features and its neighbours.

    Attributes:
        names: Names of the n features it was fitted on: `NAMES`.
        vocabulary: Word odds, which some features use.
        network: The first judgement, the mean of three networks.
        forests: The trees of the second judgement, "second", over those n features and `core.judge.NEIGHBOUR_NAMES`,
            and of the last one, "last", over these and once more the latter; the trees that find the blocks of a part,
            as "part title" (`body/taste.py`), pages of a kind, as "kind article" (`body/kind.py`), and pages without
            content, "content" (`content_signals`).
        wording: Weights of the wording of short texts (`core.wording`); "content" uses the odds of the kept one.
        phrases: Weights of the wording of sentences, as of appeals, which lower the probability of short blocks.
        provenance: The data it was fitted on, and its scores.
    """

    names: tuple[str, ...]
    vocabulary: Vocabulary
    network: Network
    forests: Mapping[str, Forest]
    wording: Values
    phrases: Values
    provenance: dict[str, Any]

    def judge(self, features: Values, neighbours: Neighbours) -> tuple[FloatArray, Values, Values]:
        """Return the probability of each of m blocks, its log odds from the network alone, and what the second see.

        They have shape (m,), (m,) and (n + neighbours, m) (`Neighbours.added_to`); the features (n, m), rows as in
        `NAMES`, NaN where unknown.
        """
        return judge(self.network, self.forests["second"], self.forests["last"], neighbours, features)

    @classmethod
    def load(cls, path: Path) -> BlockModel:
        """Load a model from a file, which `training.model_file` writes."""
        owners: dict[str, dict[str, npt.NDArray[Any]]] = defaultdict(dict)
        with np.load(path, allow_pickle=False) as data:
            for key in data.files:
                owner, _, name = key.partition("/")
                owners[owner][name] = data[key]
        words, texts = owners.pop("words"), owners.pop("texts")
        names, provenance = (owners.pop(key)[""] for key in ("names", "provenance"))
        wording, phrases = (owners.pop(key)[""].astype(np.float32) for key in ("wording", "phrases"))
        network = Network(**owners.pop("network"))
        text_words = np.zeros(WORDS, np.float32)
        text_words[texts["gap"].cumsum()] = texts["odds"]
        return cls(
            names=tuple(names.tolist()),
            vocabulary=Vocabulary(dict(zip(words["code"].tolist(), words["odds"].tolist(), strict=True)), text_words),
            network=network,
            forests={owner: Forest(**arrays) for owner, arrays in owners.items()},
            wording=wording,
            phrases=phrases,
            provenance=json.loads(str(provenance)),
        )


@cache
def block_model() -> BlockModel:
    """Return the model that comes with the package."""
    return BlockModel.load(Path(__file__).parents[1] / "models" / "blocks.npz")


def first_judgement(page: Page, site: SiteStatistics) -> tuple[Values, Values]:
    """Return the features of a page's m blocks, shape (n, m), and the log odds of the network, shape (m,)."""
    model = block_model()
    features = view_of(page, site, model.vocabulary).features
    return features, model.network.odds(features)


#: Maximum tokens kept of a page without content: of 1,323 synthetic ones in twelve languages 46 keep more.
FEW_TOKENS = 250


def content_signals(signals: Values, wording: float) -> Values:
    """Return a page's signals (`core.parts.page_signals`) and the log odds of the wording of its kept text."""
    return np.append(signals, np.array([[wording]], np.float32), axis=0)


#: A family that changes the log odds by less is not a reason; and the maximum number of reasons.
LEAST, MOST = 0.2, 3
#: Maximum blocks of a page whose reasons are computed, each family with a run of the model, and drawn: a browser lays
#: out so many in a second, and nobody reads more. The largest of 354 recorded pages has 2,641.
MOST_EXPLAINED = 5_000


def contributions(features: Values, neighbours: Neighbours, model: BlockModel) -> dict[str, FloatArray]:
    """Return each family's contribution to the log odds of each block of a page, shape (m,) each."""

    def odds(of: Values) -> FloatArray:
        sure = np.clip(model.judge(of, neighbours)[0], 1e-6, 1 - 1e-6)
        return np.log(sure / (1 - sure))

    whole, found = odds(features), {}
    for name, family in FAMILIES.items():
        without, rows = features.copy(), [NAMES.index(feature) for feature in family.names]
        without[rows] = model.network.mean[rows, None]
        found[name] = whole - odds(without)
    return found


def reasons_of(
    features: Values, neighbours: Neighbours, model: BlockModel, asides: BoolArray, shift: FloatArray
) -> list[str]:
    """Return the reason for each block of a page: a byline or comment, or the families that change its odds most.

    First comes by what its odds were shifted afterwards.
    """
    if features.shape[1] > MOST_EXPLAINED:
        return ["the page has too many blocks to say why"] * features.shape[1]
    parts = contributions(features, neighbours, model)
    rows = dict(zip(NAMES, features, strict=True))
    names, added = list(parts), np.array(list(parts.values())).T  # (m, families)
    order = np.argsort(-np.abs(added), axis=1, kind="stable")[:, :MOST]
    reasons = []
    for block, (chosen, values) in enumerate(zip(order.tolist(), added.tolist(), strict=True)):
        if asides[block]:
            reasons.append("a byline or comment")
            continue
        strong = (i for i in chosen if abs(values[i]) >= LEAST)
        said = [f"{FAMILIES[names[i]].say(rows, block)} ({values[i]:+.1f})" for i in strong]
        if abs(shift[block]) >= LEAST:
            raised = "the price below the headline" if shift[block] == PRICE_ODDS else "a correction"
            why = "worded like a frame" if shift[block] < 0 else raised
            said.insert(0, f"{why} ({shift[block]:+.1f})")
        reasons.append("; ".join(said[:MOST]) or "nothing stands out")
    return reasons


#: Power of the odds of each block in the confidence: kinds of pages that were not fitted are less sure. Of pages that
#: readers marked, their publishers left out, 1.6% of those with .9 or more lack or add a third
#: (`python -m training.confidence`).
CAUTION = 0.6
#: A wall that passes for a text is this many times as bad as a short text that passes for a wall, whose body stays: of
#: walls in a wording and a frame that were not fitted 83% are found and 4.8% of recorded short pages doubted; with 1,
#: 81% and 3.9%, with 2.33, 88% and 6.7%.
MISSED_WALL = 1.25
#: Factor of a byline or comment. The model keeps a byline beside few pages of a site, and drops it beside more.
ASIDE = 0.3
#: Log odds added to every block, as text that is lost costs more than a menu that stays: of 465 pages that no fit has
#: seen (`python -m benchmarks --corpora training/unseen --names unseen`) 94 pieces of content are lost, 133 of frames
#: are kept; with .05, 103 and 126, with .25, 86 and 142.
IN_DOUBT = 0.15
_STOCK = NAMES.index("stock")


def comments_on(model: BlockModel, signals: Values, of_page: Callable[[], Values]) -> BoolArray:
    """Return a mask of the blocks that are comments on an article; those of a thread are its posts.

    `python -m benchmarks.rules`: the portal +.003, `jocmp` +.0035; twelve recorded pages are better, five worse.
    """
    found = model.forests["part comments"].probability(signals) > HALF
    if found.any():
        found &= model.forests["kind article"].probability(of_page()) > HALF
    return found


class CombinedStrategy(Strategy):
    """A network and boosted trees over all signals, with a given model or that of the package."""

    name = "combined"
    comparison_pages = 20
    needs_elements = False

    def __init__(self, model: BlockModel | None = None) -> None:
        self._model = model

    @override
    def decide(self, page: Page, site: SiteStatistics) -> Decision:
        view = view_of(page, site, (self._model or block_model()).vocabulary)
        return self.judge(page, view.features)

    def judge(self, page: Page, features: Values) -> Decision:
        """Decide on a page's m blocks, given features of shape (features, m), rows as in `NAMES`."""
        model = self._model or block_model()
        neighbours = Neighbours.of(page.tree)
        probability, odds, seen = model.judge(features, neighbours)
        shift = doubts(page.tree, model.phrases, probability)
        if (price := block_of_price(page)) is not None:
            shift[price] = PRICE_ODDS
        shift[notes_of_corrections(page, probability)] = NOTE_ODDS
        probability /= probability + (1 - probability) * np.exp(-IN_DOUBT - shift)
        probability[page.unseen_blocks] = 0
        is_aside, of_page = np.zeros(len(odds), bool), cache(partial(page_signals, features, odds, page.blocks.tokens))
        if "part bylines" in model.forests:
            signals = part_signals(page.tree, page.words, seen, odds)
            is_aside = model.forests["part bylines"].probability(signals) > HALF
            is_aside |= comments_on(model, signals, of_page)
            probability[is_aside] *= ASIDE
        choice = choose(
            page.tree,
            around_story(page.tree, page.words.titles, probability),
            stock=features[_STOCK],
            layout=page.blocks.layout,
            unseen=page.unseen_blocks,
            tables=tables_around(page),
        )
        kept = choice.kept
        yes, no = choice.probability**CAUTION, (1 - choice.probability) ** CAUTION
        confidence = expected_f1(kept, yes / (yes + no), page.blocks.tokens)
        content = model.forests.get("content")
        if content is not None and page.blocks.tokens[kept].sum() <= FEW_TOKENS:
            wording = odds_of_text(page.text_of(odds > 0), model.wording)
            chance = float(content.probability(content_signals(of_page(), wording))[0])
            chance /= chance + MISSED_WALL * (1 - chance)
            # where content is not likely, it is as sure as that; else as the blocks are
            confidence = min(confidence, chance) if chance < HALF else confidence
        reasons = LazyReasons(partial(reasons_of, features, neighbours, model, is_aside & ~kept, shift))
        return Decision(kept, choice.probability, confidence, reasons, first=(features, odds))
