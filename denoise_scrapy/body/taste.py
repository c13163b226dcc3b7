"""What a user may say of a body beside the strategy, and what follows from it.

Their selectors count most, then what they want kept or dropped, then which error is worse.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.parts import PARTS, Surroundings
from denoise_scrapy.body.selection import expected_f1, select_by_expected_f1
from denoise_scrapy.body.strategies.base import RULE_NO, RULE_YES, Decision, OtherReasons
from denoise_scrapy.body.strategies.framework import FrameworkStrategy
from denoise_scrapy.body.strategies.repetition import RepetitionStrategy
from denoise_scrapy.page import Page
from denoise_scrapy.page.selectors import Match, removed_elements
from denoise_scrapy.site import SiteStatistics

BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]

#: What the choice leans to: less noise, neither, less lost content.
FAVORS = ("precision", "balanced", "recall")
#: What becomes of a kind of text: what the strategy says, kept where it is the body's own, never kept.
SWITCHES = ("auto", "keep", "drop")


@dataclass(frozen=True)
class Taste:
    """What belongs to a body.

    Attributes:
        favor: "precision" keeps less noise and loses more content, "recall" the reverse.
        title: The page's heading: "auto", "keep" or "drop", as the following.
        captions: Captions of pictures and tables.
        bylines: Lines that say who wrote it and when.
        comments: What readers wrote under it.
        tables: Tables of data. Tables that lay out the page are none.

    Raises:
        ValueError: A value is unknown; the message names the nearest.

    Example:
        >>> Taste(comments="dorp")
        Traceback (most recent call last):
            ...
        ValueError: comments = 'dorp': did you mean 'drop'? There are auto, keep, drop
    """

    favor: str = "balanced"
    title: str = "auto"
    captions: str = "auto"
    bylines: str = "auto"
    comments: str = "auto"
    tables: str = "auto"

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            valid = FAVORS if field.name == "favor" else SWITCHES
            if value not in valid:
                nearest = difflib.get_close_matches(str(value), valid, 1, 0)[0]
                raise ValueError(f"{field.name} = {value!r}: did you mean {nearest!r}? There are {', '.join(valid)}")


#: The strategy decides alone.
NO_TASTE = Taste()


#: Beta of the expected F_beta that is maximised. `combined`, each page judged by trees that saw none of its
#: publisher's, precision / recall / F1, mean of eight corpora: .941 / .885 / .894 at .4, .907 / .942 / .906 at 1,
#: .862 / .974 / .894 at 2.5. Both cost .012 of F1, and take away more than a third of the noise, half of the loss.
#: At .25 and 4 they cost .036 and .031.
#: Rules with a second one, precision / recall at precision, balanced, recall: `repetition` .930 / .879, .889 / .938,
#: .865 / .955; `lcs` .901 / .899, .807 / .929, .795 / .968; `cluster` .910 / .861, .883 / .874, .852 / .954;
#: `framework` .910 / .868, .898 / .882, .839 / .962; `block-filter` .889 / .900, .845 / .923, .806 / .972;
#: `style-tree` .889 / .937, .644 / .985, .644 / .986 (151 or fewer pages of each of the eight corpora).
BETAS = MappingProxyType({"precision": 0.4, "balanced": 1.0, "recall": 2.5})


def lean(page: Page, site: SiteStatistics, strategy: str, decision: Decision, favor: str) -> Decision:
    """The decision, moved to precision or to recall.

    Probabilities are selected from anew, by another F. A rule has none: to favor precision keeps what a second
    rule keeps too (nothing changes where that is nothing), to favor recall what either keeps. The second rule is
    `repetition`, and that one's is `framework`. Probabilities stay what they are: a site's memory learns from them.

    Args:
        page: The page, with at least one block.
        site: Its comparison pages.
        strategy: Name of the strategy that has decided.
        decision: What it has decided.
        favor: One of `taste.FAVORS`.
    """
    if favor == "balanced":
        return decision
    if decision.is_rule:
        return _with_second(page, site, strategy, decision, favor)
    kept, f1 = select_by_expected_f1(decision.probability, page.blocks.tokens, beta=BETAS[favor])
    return _changed(decision, kept, f1, favor)


def _with_second(page: Page, site: SiteStatistics, strategy: str, decision: Decision, favor: str) -> Decision:
    second = FrameworkStrategy() if strategy == RepetitionStrategy.name else RepetitionStrategy()
    other = second.decide(page, site).kept
    kept = decision.kept & other if favor == "precision" else decision.kept | other
    if not kept.any():
        return decision
    probability = (decision.probability + np.where(other, RULE_YES, RULE_NO)) / 2
    return _changed(decision, kept, expected_f1(kept, probability, page.blocks.tokens), favor)


def _changed(decision: Decision, kept: BoolArray, confidence: float, favor: str) -> Decision:
    moved = np.where(kept == decision.kept, "", f"in favor of {favor}").tolist()
    return replace(decision, kept=kept, confidence=confidence, reasons=OtherReasons(decision.reasons, moved))


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
