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
COPY_SHARE = 0.8
#: … where it is the only one, more than this. Measured: touches 8 of 764 pages of five corpora.
ONLY_COPY_SHARE = 0.9
#: … unless the other comparison pages hold as much: then that prose is the template's.
TEMPLATE_SHARE = 0.5


def template_similarity(a: Page, b: Page) -> float:
    """Common block paths / block paths of the page with fewer, 0 to 1.

    Example:
        >>> a = Page.parse("<div><ul><li>x</ul></div>")
        >>> template_similarity(a, Page.parse("<div><p>y</div>"))
        1.0
        >>> template_similarity(a, Page.parse("<table><td>y</table>"))
        0.0
    """
    smaller = min(len(a.signature), len(b.signature))
    if not smaller:
        return 0.0
    return len(a.signature & b.signature) / smaller


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
    kept = []
    for i, other in enumerate(others):
        rest = shares[:i] + shares[i + 1 :]
        usual = float(np.median(rest)) if rest else 0.0
        if shares[i] <= (COPY_SHARE if rest else ONLY_COPY_SHARE) or usual >= TEMPLATE_SHARE:
            kept.append(other)
    return kept
