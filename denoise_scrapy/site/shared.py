"""What a page shares with others: texts, paths and template; which are its copies; what its site says of it.

Source of the likeness of templates: Wang, Chen and Dai, Web information extraction based on webpage clustering (2018).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native import library
from denoise_scrapy.native.blocks import (
    OWN_TOKENS,
    PLACED_SHARE,
    ROWS,
    SLOT_SHARE,
    TEXT_SHARE,
    TIMES,
    Shared,
    share_blocks,
)
from denoise_scrapy.page import Page, PageFacts

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

#: Rows of values: texts, paths, texts under their paths. All are hashes of 64 bits.
TEXT, PATH, PLACED = range(3)


def signature_similarity(a: frozenset[int], b: frozenset[int]) -> float:
    """Common block paths / block paths of the page with fewer, 0 to 1, of two sets of them (`Page.signature`)."""
    smaller = min(len(a), len(b))
    return len(a & b) / smaller if smaller else 0.0


def share(page: PageFacts, prose: IntArray, others: Sequence[PageFacts]) -> Shared:
    """What a page of m blocks shares with k others, each with so many tokens of `prose`: `share_blocks` in numpy."""
    m, k = len(page.tokens), len(others)
    # equal values of theirs, be they texts, paths or texts under their paths, get equal numbers; unknown ones the last
    own, values = _values([page]), _values(others)
    distinct, number = np.unique(values, return_inverse=True)
    number, unknown = number.reshape(values.shape), len(distinct)
    found = np.full(own.shape, unknown)
    if unknown:
        at = distinct.searchsorted(own)
        found = np.where(distinct.take(at, mode="clip") == own, at, unknown)
    tokens = np.concatenate([np.zeros(0, np.int64), *(other.tokens for other in others)])
    on = np.zeros((k, unknown + 1), bool)
    on[np.arange(k).repeat([len(other.tokens) for other in others]), number] = True
    count, (text, path, _) = on.sum(axis=0), number
    rows = np.empty((ROWS, m))
    rows[[TEXT_SHARE, PLACED_SHARE]] = (count / max(k, 1)).take(found[[TEXT, PLACED]])
    said = np.zeros(unknown + 1, bool)
    said[found[TEXT]] = True
    repeated = np.bincount(path, tokens * (count.take(text) + said.take(text) > 1), unknown + 1)
    in_path = np.bincount(path, tokens, unknown + 1)
    rows[OWN_TOKENS] = (in_path - repeated).take(found[PATH]) / max(k, 1)
    slots = np.unique(page.path_keys, return_inverse=True)[1]
    own_repeated = np.bincount(slots, page.tokens * (count.take(found[TEXT]) > 0)).take(slots)
    whole = np.bincount(slots, page.tokens).take(slots) + in_path.take(found[PATH])
    rows[SLOT_SHARE] = (own_repeated + repeated.take(found[PATH])) / np.maximum(whole, 1)
    hashes = np.sort(page.text_hashes)
    rows[TIMES] = hashes.searchsorted(page.text_hashes, "right") - hashes.searchsorted(page.text_hashes)
    carried = on.take(found[TEXT], axis=1).astype(float)
    sums = np.array([page.tokens, prose], float) @ carried.T  # exact: sums of whole numbers
    likeness = [signature_similarity(page.signature, other.signature) for other in others]
    return Shared(rows, sums.astype(np.int64), np.array(likeness, float))


def _values(pages: Sequence[PageFacts]) -> npt.NDArray[np.uint64]:
    """The values of all blocks, page by page, shape (3, all blocks)."""
    values = np.empty((3, sum(len(page.tokens) for page in pages)), np.uint64)
    if pages:
        np.concatenate([page.text_hashes for page in pages], out=values[TEXT])
        np.concatenate([page.path_keys for page in pages], out=values[PATH])
    np.multiply(values[TEXT], np.uint64(3), out=values[PLACED])
    values[PLACED] += values[PATH]
    return values


class SharedBlocks:
    """What a page of m blocks shares with k others.

    Args:
        page: The page.
        others: The others, in order.

    Example:
        >>> page, other = Page.parse("<p>One.<p>Two."), Page.parse("<div><p>Two.</div>")
        >>> SharedBlocks(page, [other]).text_share.tolist()
        [0.0, 1.0]
    """

    def __init__(self, page: Page, others: Sequence[Page | PageFacts]) -> None:
        _ = page.blocks  # first: the facts of a page without columns make all of them, and leave none
        self.page = page
        self._others = [other.facts for other in others]

    def only(self, others: Sequence[int]) -> SharedBlocks:
        """The same of some of the others, in this order."""
        some = SharedBlocks(self.page, [self._others[i] for i in others])
        found: Shared | None = self.__dict__.get("_found")
        if found is not None and len(others) == len(self._others):  # the same in another order
            some._found = found._replace(carried=found.carried[:, others], likeness=found.likeness[others])
        return some

    @cached_property
    def _found(self) -> Shared:
        native, prose, found = library(), self.page.blocks.paragraph_tokens, None
        if native is not None:
            arrays = [other.arrays for other in self._others]
            found = share_blocks(native, self.page.facts_arrays, prose, arrays)
        return share(self.page.facts, prose, self._others) if found is None else found

    @property
    def likeness(self) -> list[float]:
        """How like the page's template is to that of each other, see `template_similarity`."""
        return list(self._found.likeness.tolist())

    @property
    def carried_tokens(self) -> IntArray:
        """Tokens, and tokens of prose, of the page's blocks whose text each other carries, shape (2, k)."""
        return self._found.carried

    @property
    def times_on_page(self) -> FloatArray:
        """How often the page itself says the text of each block, shape (m,)."""
        return np.asarray(self._found.rows[TIMES])

    @property
    def text_share(self) -> FloatArray:
        """Share of the others that carry each block's text, shape (m,); 0 where there is no other."""
        return np.asarray(self._found.rows[TEXT_SHARE])

    @property
    def placed_share(self) -> FloatArray:
        """Share of the others that carry it under the same path."""
        return np.asarray(self._found.rows[PLACED_SHARE])

    @property
    def slot_share(self) -> FloatArray:
        """Share of the tokens of each block's path, on the page and the others, in texts that two of them carry."""
        return np.asarray(self._found.rows[SLOT_SHARE])

    @property
    def own_tokens(self) -> FloatArray:
        """Tokens a page that the others have under each block's path in texts of one page alone, shape (m,)."""
        return np.asarray(self._found.rows[OWN_TOKENS])


ComparedPage = TypeVar("ComparedPage", bound=Page | PageFacts)

# Pages more similar than this share a template (the source's value).
SAME_TEMPLATE = 0.82
# A comparison page that carries more than this share of all the page's tokens is the page again, under
# another URL: siblings differ in a title at least.
SAME_PAGE_SHARE = 0.97
# A comparison page that holds more than this share of the page's prose is a copy of it, or another view …
COPY_SHARE = 0.25
# … where the median of the other comparison pages holds less by this: else that prose is the template's.
# Measured on six corpora: .2 to .4 and .15 to .3 do alike, .8 and .3 cost dragnet .002 and wcxb .009.
COPY_LEAD = 0.2
# A single comparison page has no others to tell by: a copy holds more than this. Less costs up to .03.
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


def likest_first(page: Page | PageFacts, others: Iterable[ComparedPage]) -> list[ComparedPage]:
    """Other pages, those most like the page's template first; among equals in the order given."""
    others = list(others)
    likeness = [template_similarity(page, other) for other in others]
    return [others[i] for i in sorted(range(len(others)), key=likeness.__getitem__, reverse=True)]


def find_originals(shared: SharedBlocks) -> list[int]:
    """Numbers of the other pages that are no copies of the page: a copy would make its article look like template."""
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


@dataclass(frozen=True)
class SiteStatistics:
    """The comparison pages of a site, as strategies see them. A value: it never changes.

    Attributes:
        pages: Pages of the site, or their facts, in order of preference.
    """

    pages: tuple[Page | PageFacts, ...] = ()
    # what the page compared last shares with them; empty before the first one
    _shared: list[SharedBlocks] = field(default_factory=list, repr=False, compare=False)

    @classmethod
    def of(cls, pages: Iterable[Page | PageFacts]) -> SiteStatistics:
        """Statistics of these pages."""
        return cls(tuple(pages))

    def for_page(self, page: Page) -> SiteStatistics:
        """The same without the page itself and its copies, the likest template first."""
        numbers = [i for i, p in enumerate(self.pages) if p is not page and (not page.url or p.url != page.url)]
        if not numbers:
            return SiteStatistics()
        shared = SharedBlocks(page, [self.pages[i] for i in numbers])
        likeness = shared.likeness
        likest = sorted(find_originals(shared), key=likeness.__getitem__, reverse=True)
        return SiteStatistics(tuple(self.pages[numbers[i]] for i in likest), [shared.only(likest)])

    def first(self, k: int, *, whole: bool = False) -> SiteStatistics:
        """The same of the first k pages only.

        Args:
            k: How many pages at most.
            whole: Only pages that are there as a whole, with their elements.
        """
        if len(self.pages) <= k and not whole:
            return self
        chosen = [i for i, page in enumerate(self.pages) if not whole or isinstance(page, Page)][:k]
        shared = [known.only(chosen) for known in self._shared]
        return SiteStatistics(tuple(self.pages[i] for i in chosen), shared)

    @property
    def whole_pages(self) -> tuple[Page, ...]:
        """Those of the pages that are there as a whole, with their elements."""
        return tuple(page for page in self.pages if isinstance(page, Page))

    def shared_with(self, page: Page) -> SharedBlocks:
        """What a page shares with the pages; found once for all features and rules."""
        if not self._shared or self._shared[0].page is not page:
            self._shared[:] = [SharedBlocks(page, self.pages)]
        return self._shared[0]
