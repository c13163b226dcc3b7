"""How much two pages share a template, and whether one is a copy of the other.

Source: Wang, Chen and Dai, Web information extraction based on webpage clustering (2018).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import TypeVar

from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.site.shared import SharedBlocks

ComparedPage = TypeVar("ComparedPage", bound=Page | PageFacts)

#: Pages more similar than this share a template (the source's value).
SAME_TEMPLATE = 0.82
#: A comparison page that carries more than this share of all the page's tokens is the page again, under
#: another URL: siblings differ in a title at least.
SAME_PAGE_SHARE = 0.97
#: A comparison page that holds more than this share of the page's prose is a copy of it, or another view …
COPY_SHARE = 0.25
#: … where the median of the other comparison pages holds less by this: else that prose is the template's.
#: Measured on six corpora: .2 to .4 and .15 to .3 do alike, .8 and .3 cost dragnet .002 and wcxb .009.
COPY_LEAD = 0.2
#: A single comparison page has no others to tell by: a copy holds more than this. Less costs up to .03.
ONLY_COPY_SHARE = 0.9


def template_similarity(a: Page | PageFacts, b: Page | PageFacts) -> float:
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


def likeness_to(page: Page | PageFacts, others: Iterable[Page | PageFacts]) -> list[float]:
    """`template_similarity` of a page to each other."""
    own = page.signature
    return [signature_similarity(own, other.signature) for other in others]


def likest_first(page: Page | PageFacts, others: Iterable[ComparedPage]) -> list[ComparedPage]:
    """Other pages, those most like the page's template first; among equals in the order given."""
    others = list(others)
    likeness = likeness_to(page, others)
    return [others[i] for i in sorted(range(len(others)), key=likeness.__getitem__, reverse=True)]


def without_copies(page: Page, others: Sequence[Page | PageFacts]) -> list[Page | PageFacts]:
    """The comparison pages less those that carry the same article, which would make it look like template.

    Args:
        page: The target.
        others: Candidates, in order of preference.
    """
    return [others[i] for i in find_originals(SharedBlocks(page, others))]


def find_originals(shared: SharedBlocks) -> list[int]:
    """Numbers of the other pages that are no copies of the page."""
    blocks = shared.page.blocks
    tokens, prose = shared.carried_tokens.tolist()
    whole, of_prose = SAME_PAGE_SHARE * int(blocks.tokens.sum()), max(int(blocks.paragraph_tokens.sum()), 1)
    different = [i for i, carried in enumerate(tokens) if carried <= whole]
    shares = [prose[i] / of_prose for i in different]
    if len(different) == 1:
        return [i for i in different if shares[0] <= ONLY_COPY_SHARE]
    kept = []
    for n, i in enumerate(different):
        if shares[n] <= COPY_SHARE or shares[n] - median(shares[:n] + shares[n + 1 :]) <= COPY_LEAD:
            kept.append(i)
    return kept
