"""User preferences: which parts of a page belong to a body, and precision or recall.

Parts are found by boosted trees (`core/parts.pyx`), tables of data by their cells.

The user's selectors take precedence, then the parts to keep or drop, then the preferred error.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from operator import attrgetter
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.strategies import find_strategy
from denoise_scrapy.body.strategies.base import RULE_NO, RULE_YES, Decision, Values
from denoise_scrapy.body.strategies.combined import block_model, first_judgement
from denoise_scrapy.body.strategies.repetition import RepetitionStrategy
from denoise_scrapy.body.tables import data_tables
from denoise_scrapy.core.choice import expected_f1, select_by_expected_f1
from denoise_scrapy.core.judge import Neighbours
from denoise_scrapy.core.parts import part_signals
from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import HALF, BoolArray, FloatArray, IntArray
from denoise_scrapy.page.selectors import Match
from denoise_scrapy.site import SiteStatistics
from denoise_scrapy.support.shown import nearest_hint

#: Parts that boosted trees find, fitted on some seven hundred pages labelled by readers (`docs/main-text.md`,
#: `training/parts.py`).
LEARNED = ("title", "standfirst", "captions", "bylines", "comments")
#: A block belongs to a part if that is at least this probable. On publishers left out, a lower threshold finds more
#: such blocks, and more false ones: F1 of all parts is highest here.
LIKELY = 0.3
#: All parts, by their fields in `Taste`.
PARTS = (*LEARNED, "tables")


def find_parts(
    page: Page, site: SiteStatistics, names: Collection[str], first: tuple[Values, Values] | None = None
) -> dict[str, FloatArray]:
    """Return for each of the named parts the probability that a block of the page belongs to it, shape (m,).

    `first` is the page's first judgement, if there was one.
    """
    found = dict[str, FloatArray]()
    if not {*LEARNED}.isdisjoint(names):
        features, odds = first or first_judgement(page, site)
        signals = part_signals(page.tree, page.words, Neighbours.of(page.tree).added_to(features, odds), odds)
        for name in (name for name in LEARNED if name in names):
            forest = block_model().forests[f"part {name}"]
            if name == "bylines":
                from denoise_scrapy.body.bylines import byline_chances  # noqa: PLC0415 - calendars, for few crawls

                found[name] = byline_chances(page, signals, odds, forest)
            else:
                found[name] = forest.probability(signals)
    if "captions" in found:
        found["captions"][page.blocks.inside_tags({"figcaption", "caption"})] = 1
    if "tables" in names:
        tables = page.elements.nearest(page.elements.has_tag({"table"}))[page.blocks.element]
        found["tables"] = np.array((tables >= 0) & data_tables(page)[tables], float)
    return found


#: Preferred error: less noise, balanced, less lost content.
FAVORS = ("precision", "balanced", "recall")
#: Treatment of a part: as the strategy decides, kept if it belongs to the text, always dropped.
SWITCHES = ("auto", "keep", "drop")


@dataclass(frozen=True)
class Taste:
    """The user's choices of what belongs to a body.

    Attributes:
        favor: "precision" keeps less noise and loses more content, "recall" the reverse.
        title: The page's headline: "auto", "keep" or "drop", as are the following.
        standfirst: The paragraph that introduces the text, or its points in brief.
        captions: Captions of pictures and tables.
        bylines: Lines with author and date.
        comments: Readers' comments.
        tables: Tables of data, not layout tables.
        hidden: What nothing on the page shows: "keep" treats it like any other text, otherwise it is left out.

    Raises:
        ValueError: A value is unknown; the message suggests the nearest.

    Example:
        >>> Taste(comments="dorp")
        Traceback (most recent call last):
            ...
        ValueError: comments = 'dorp': valid is auto | keep | drop; did you mean drop?
    """

    favor: str = "balanced"
    title: str = "auto"
    standfirst: str = "auto"
    captions: str = "auto"
    bylines: str = "auto"
    comments: str = "auto"
    tables: str = "auto"
    hidden: str = "auto"

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            valid = FAVORS if field.name == "favor" else SWITCHES
            if value not in valid:
                hint = nearest_hint(str(value), valid)
                raise ValueError(f"{field.name} = {value!r}: valid is {' | '.join(valid)}{hint}")


#: The strategy alone decides.
NO_TASTE = Taste()


#: Beta of the expected F_beta that is maximised. `combined` on publishers left out, precision / recall / F1, mean of
#: eight corpora: .941 / .885 / .894 at .4, .907 / .942 / .906 at 1, .862 / .974 / .894 at 2.5; .25 and 4 lose three
#: times as much F1. A rule combined with a second one shifts similarly: `repetition` .930 / .879, .889 / .938, .865 /
#: .955.
BETAS = MappingProxyType({"precision": 0.4, "recall": 2.5})


def lean(page: Page, site: SiteStatistics, strategy: str, decision: Decision, favor: str) -> Decision:
    """Return the decision, shifted towards precision or recall.

    With probabilities, blocks are selected again, by another F. Without, precision keeps what a second rule keeps too
    (`repetition`, or `framework` for that one), unless that is nothing; recall keeps what either keeps.
    """
    tokens = page.blocks.tokens
    if decision.is_rule:
        second = find_strategy("framework" if strategy == RepetitionStrategy.name else RepetitionStrategy.name)
        other = second.decide(page, site).kept
        kept = decision.kept & other if favor == "precision" else decision.kept | other
        if not (kept.any() and decision.kept.any()):
            return decision  # where the first rule keeps nothing, the whole text is kept
        probability = (decision.probability + np.where(other, RULE_YES, RULE_NO)) / 2
    else:
        probability = decision.probability
        kept, _ = select_by_expected_f1(probability, tokens, beta=BETAS[favor])
    confidence = _changed_confidence(decision, kept, probability, tokens)
    return decision.revised(kept, np.where(kept == decision.kept, "", f"in favor of {favor}"), confidence)


def _changed_confidence(decision: Decision, kept: BoolArray, probability: FloatArray, tokens: IntArray) -> float:
    """Return the confidence if other blocks are kept: it changes in proportion to the expected F1."""
    before = expected_f1(decision.kept, decision.probability, tokens)
    after = expected_f1(kept, probability, tokens)
    return min(1.0, decision.confidence * after / before) if before and decision.confidence else after


#: Fallback of a page from which nothing was selected.
WHOLE_TEXT = "whole text"


#: Wishes for a block: kept, dropped as a part, or removed by a selector; 0 for none.
KEEP, DROP, REMOVE = 1, 2, 3


def read_wishes(
    page: Page, site: SiteStatistics, decision: Decision, taste: Taste
) -> tuple[IntArray, npt.NDArray[np.object_]]:
    """Return the wish for each of a page's m blocks, and its reason, "" for none; shape (m,) each.

    `drop` overrides `keep`, selectors override both, and selectors to keep override all.
    """
    wishes = np.zeros(len(page.blocks), np.int64)
    reasons = np.full(len(page.blocks), "", object)

    def wish(what: int, blocks: BoolArray, reason: str) -> None:
        wishes[blocks], reasons[blocks] = what, reason

    def matched(match: Match) -> BoolArray:
        return page.blocks.share_owned_by(page.elements.inside(match.elements)) > 0

    probable = find_parts(page, site, [name for name in PARTS if getattr(taste, name) != "auto"], decision.first)
    parts = {name: probability >= LIKELY for name, probability in probable.items()}
    if taste.comments == "drop" and not decision.is_rule:
        # what is rather text is none: a lead below a name and a date looks like one; and what holds half of the kept
        # tokens, as the posts of a live blog or a forum do
        tokens, comments = page.blocks.tokens * decision.kept, parts["comments"]
        comments &= (probable["comments"] > decision.probability) & (2 * tokens[comments].sum() < tokens.sum())
    if taste.tables == "keep":  # only tables in the element that holds the body belong to it
        held = page.blocks.in_best_box(np.where(decision.kept, page.blocks.tokens, 0))
        parts["tables"] &= held & (page.blocks.link_density < HALF)
    for switch, what, said in (("keep", KEEP, "kept"), ("drop", DROP, "dropped")):
        for name in [name for name in parts if getattr(taste, name) == switch]:
            wish(what, parts[name], f"{said}: {name}")
    lost = page.blocks.share_owned_by(page.removed_elements) == 1
    for match in page.removed_by_user:
        wish(REMOVE, lost & matched(match), f"removed by your selector {match.selector}")
    for match in page.kept_by_user:
        wish(KEEP, matched(match), f"kept by your selector {match.selector}")
    return wishes, reasons


def follow(page: Page, site: SiteStatistics, decision: Decision, taste: Taste) -> tuple[Decision, str]:
    """Return the decision with the user's wishes applied, and the fallback's name, "" for none.

    If the strategy has selected nothing, everything is kept that is neither dropped nor removed ("whole text"): lost
    content is worse than noise. If the wishes leave nothing of the selection, the most probable of the other blocks are
    kept ("second choice"); without any, those that are only dropped ("dropped kinds"). What a selector removes never
    comes back ("all removed").
    """
    tasteless = {*attrgetter(*PARTS)(taste)} == {"auto"}
    if tasteless and not page.kept_by_user and not page.removed_by_user and decision.kept.any():
        return decision, ""
    wishes, reasons = read_wishes(page, site, decision, taste)
    out = wishes >= DROP
    probability = np.where(out, 0.0, np.where(wishes == KEEP, 1.0, decision.probability))
    kept, fallback = (decision.kept | (wishes == KEEP)) & ~out, ""
    if not kept.any():
        kept, fallback = _without(decision, wishes, probability, page.blocks.tokens)
        if fallback != WHOLE_TEXT:
            reasons[kept] = fallback
    confidence = _changed_confidence(decision, kept, probability, page.blocks.tokens)
    return decision.revised(kept, reasons, confidence if fallback != WHOLE_TEXT else 0.0), fallback


def _without(decision: Decision, wishes: IntArray, probability: FloatArray, tokens: IntArray) -> tuple[BoolArray, str]:
    """Return the blocks to keep if the wishes leave nothing of the selection."""
    rest, dropped = wishes < DROP, wishes == DROP
    if rest.any():
        likeliest, _ = select_by_expected_f1(probability, tokens)
        if decision.kept.any() and likeliest.any():
            return likeliest, "second choice"
        return rest, WHOLE_TEXT
    if dropped.any():
        chosen = dropped & decision.kept
        return chosen if chosen.any() else dropped, "dropped kinds"
    return rest, "all removed"
