"""A pinned rule decides: what is inside its element is content, what is outside or cut is none."""

from __future__ import annotations

import numpy as np

from denoise_scrapy.body.selection import lower_hidden, select_by_expected_f1
from denoise_scrapy.body.strategies.base import Decision
from denoise_scrapy.page import Page
from denoise_scrapy.site.learned_rule import LearnedRule


def decide_by_rule(page: Page, rule: LearnedRule | None) -> Decision | None:
    """The decision of a pinned rule; hidden text inside its element is judged as everywhere.

    Args:
        page: A page with at least one block.
        rule: The rule, None for none.

    Returns:
        None where there is no rule, or no element of its name with text on the page: then the strategy decides.

    Example:
        >>> from denoise_scrapy.site.rules import Rule
        >>> page = Page.parse("<div id=a>One</div><div id=b>Two</div>")
        >>> decide_by_rule(page, LearnedRule(Rule.parse("#b"))).kept.tolist()
        [False, True]
    """
    if rule is None:
        return None
    inside = rule.blocks_inside(page)
    if not inside.any():
        return None
    probability = lower_hidden(page, inside.astype(np.float64))
    kept, f1 = select_by_expected_f1(probability, page.blocks.tokens)
    kept = kept | (probability == 1)  # a row of stars has no tokens, and belongs to the text
    reasons = np.where(inside, f"inside the pinned rule {rule.rule}", "outside the pinned rule")
    return Decision(kept, probability, f1, reasons.tolist())
