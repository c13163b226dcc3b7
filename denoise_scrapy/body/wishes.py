"""What the user wishes, on top of what a strategy decides: their selectors count most, then their taste."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.parts import PARTS, Surroundings
from denoise_scrapy.body.selection import expected_f1, select_by_expected_f1
from denoise_scrapy.body.strategies.base import Decision, OtherReasons
from denoise_scrapy.body.taste import NO_TASTE, Taste
from denoise_scrapy.page import Page
from denoise_scrapy.page.selectors import Match, removed_elements
from denoise_scrapy.site import SiteStatistics

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

#: Fallback of a page of which nothing was selected.
WHOLE_TEXT = "whole text"


@dataclass(frozen=True, eq=False)
class Wishes:
    """What is wished of each of a page's m blocks.

    Attributes:
        keep: Whether it is to be kept, shape (m,).
        drop: Whether it is to be dropped, as its kind is not to the user's taste, shape (m,).
        remove: Whether a selector removes it, shape (m,). A block is in one of the three at most.
        reasons: Which wish it was, "" for none; objects of shape (m,).
    """

    keep: BoolArray
    drop: BoolArray
    remove: BoolArray
    reasons: npt.NDArray[np.object_]


def read_wishes(page: Page, site: SiteStatistics, decision: Decision, taste: Taste) -> Wishes:
    """The wishes for a page's blocks: `drop` goes before `keep`, selectors before both, theirs to keep before all.

    Args:
        page: The page.
        site: Its comparison pages.
        decision: What a strategy has decided: kinds of text are kept where they are the body's own.
        taste: The user's switches.
    """
    m = len(page.blocks)
    wishes = Wishes(np.zeros(m, bool), np.zeros(m, bool), np.zeros(m, bool), np.full(m, "", object))
    around = Surroundings(page, site, decision.kept)
    switched = {name: getattr(taste, name) for name in PARTS if getattr(taste, name) != "auto"}
    found = {name: PARTS[name].find(page) for name in switched}
    for name, switch in switched.items():
        if switch == "keep":
            _mark(wishes, wishes.keep, PARTS[name].own(around, found[name]), f"kept: {name}")
    for name, switch in switched.items():
        if switch == "drop":
            _mark(wishes, wishes.drop, found[name], f"dropped: {name}")
    lost = page.blocks.share_owned_by(removed_elements(page.elements, page.kept_by_user, page.removed_by_user)) == 1
    for match, share in _shares(page, page.removed_by_user):
        _mark(wishes, wishes.remove, lost & (share > 0), f"removed by your selector {match.selector}")
    for match, share in _shares(page, page.kept_by_user):
        _mark(wishes, wishes.keep, share > 0, f"kept by your selector {match.selector}")
    return wishes


def _mark(wishes: Wishes, group: BoolArray, blocks: BoolArray, reason: str) -> None:
    for other in (wishes.keep, wishes.drop, wishes.remove):
        other[blocks] = other is group
    wishes.reasons[blocks] = reason


def _shares(page: Page, matches: Sequence[Match]) -> Iterator[tuple[Match, npt.NDArray[np.float64]]]:
    """Each match, and the share of each block's text that is in it, shape (m,)."""
    for match in matches:
        yield match, page.blocks.share_owned_by(page.elements.inside(match.elements))


def follow(page: Page, site: SiteStatistics, decision: Decision, taste: Taste) -> tuple[Decision, str]:
    """The decision with the user's wishes followed, and what was done where nothing was left to keep.

    Where the strategy has selected nothing, all is kept that is neither dropped nor removed ("whole text"): lost
    content is worse than noise left in. Where the wishes leave nothing of what it has selected, the likeliest of that
    rest ("second choice"). Where there is no rest, what is only dropped ("dropped kinds"). What a selector removes
    never comes back ("all removed").

    Args:
        page: The page of m blocks, at least one.
        site: Its comparison pages.
        decision: What a strategy has decided. Its probabilities stay what they are.
        taste: The user's switches; the page holds their selectors.

    Returns:
        The decision, and the fallback's name, "" for none.
    """
    tasteless = taste is NO_TASTE or replace(taste, favor=NO_TASTE.favor) == NO_TASTE
    plain = tasteless and not page.kept_by_user and not page.removed_by_user
    if plain and decision.kept.any():
        return decision, ""
    wishes = read_wishes(page, site, decision, taste)
    out = wishes.drop | wishes.remove
    probability = np.where(out, 0.0, np.where(wishes.keep, 1.0, decision.probability))
    kept, fallback = (decision.kept | wishes.keep) & ~out, ""
    if not kept.any():
        kept, fallback = _without(decision, wishes, probability, page.blocks.tokens)
        if fallback != WHOLE_TEXT:
            wishes.reasons[kept] = fallback
    confidence = _confidence(decision, kept, probability, page.blocks.tokens) if fallback != WHOLE_TEXT else 0.0
    reasons = OtherReasons(decision.reasons, wishes.reasons.tolist())
    return replace(decision, kept=kept, confidence=confidence, reasons=reasons), fallback


def _without(
    decision: Decision, wishes: Wishes, probability: FloatArray, tokens: npt.NDArray[np.int64]
) -> tuple[BoolArray, str]:
    """What is kept where the wishes leave nothing of what was selected."""
    rest = ~(wishes.drop | wishes.remove)
    if rest.any():
        likeliest, _ = select_by_expected_f1(probability, tokens)
        if decision.kept.any() and likeliest.any():
            return likeliest, "second choice"
        return rest, WHOLE_TEXT
    if wishes.drop.any():
        chosen = wishes.drop & decision.kept
        return chosen if chosen.any() else wishes.drop, "dropped kinds"
    return rest, "all removed"


def _confidence(decision: Decision, kept: BoolArray, probability: FloatArray, tokens: npt.NDArray[np.int64]) -> float:
    """Expected F1 of the new choice; a rule that states a confidence of its own loses or wins as large a share."""
    before, after = expected_f1(decision.kept, decision.probability, tokens), expected_f1(kept, probability, tokens)
    return min(1.0, decision.confidence * after / before) if before and decision.confidence else after
