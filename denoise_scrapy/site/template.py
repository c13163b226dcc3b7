"""How much two pages share a template, and whether one is a copy of the other.

Source: Wang, Chen and Dai, Web information extraction based on webpage clustering (2018).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from denoise_scrapy.page import Page

#: Pages more similar than this share a template (the source's value).
SAME_TEMPLATE = 0.82
#: A comparison page that holds more than this share of the page's prose is a copy of it, or another view …
COPY_SHARE = 0.4
#: … where the median of the other comparison pages holds less by this: else that prose is the template's.
#: Against .8 and .5 for the two, dragnet gains .002 and wcxb .009 with five pages, other corpora nothing.
COPY_LEAD = 0.3
#: A single comparison page has no others to tell by: a copy holds more than this. Less costs up to .03.
ONLY_COPY_SHARE = 0.9


def template_similarity(a: Page, b: Page) -> float:
    """Common block paths / block paths of the page with fewer, 0 to 1.

    Example:
        >>> a = Page.parse("<div><ul><li>x</ul></div>")
        >>> template_similarity(a, Page.parse("<div><p>y</div>"))
        1.0
        >>> template_similarity(a, Page.parse("<table><td>y</table>"))
        0.0
    """
    return signature_similarity(a.signature, b.signature)


def signature_similarity(a: frozenset[int], b: frozenset[int]) -> float:
    """The same for two sets of block paths (`Page.signature`)."""
    smaller = min(len(a), len(b))
    return len(a & b) / smaller if smaller else 0.0


def without_copies(page: Page, others: Sequence[Page]) -> list[Page]:
    """The comparison pages less those that carry the same article, which would make it look like template.

    Args:
        page: The target.
        others: Candidates, in order of preference.
    """
    prose = page.blocks.paragraph_tokens
    total = int(prose.sum())
    if not total or not others:
        return list(others)
    shares = [float(prose[np.isin(page.blocks.text_hashes, o.blocks.text_hashes)].sum()) / total for o in others]
    if len(others) == 1:
        return list(others) if shares[0] <= ONLY_COPY_SHARE else []
    kept = []
    for i, other in enumerate(others):
        usual = float(np.median(shares[:i] + shares[i + 1 :]))
        if shares[i] <= COPY_SHARE or shares[i] - usual <= COPY_LEAD:
            kept.append(other)
    return kept
