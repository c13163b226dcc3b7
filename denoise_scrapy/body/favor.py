"""Leaning to precision or to recall: the selection rule moves, and a rule of yes and no hears a second one."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np

from denoise_scrapy.body.selection import BoolArray, expected_f1, select_by_expected_f1
from denoise_scrapy.body.strategies.base import RULE_NO, RULE_YES, Decision, OtherReasons
from denoise_scrapy.body.strategies.framework import FrameworkStrategy
from denoise_scrapy.body.strategies.repetition import RepetitionStrategy
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics

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
