"""What a page shares with others: texts, paths and template; which are its copies; what its site says of it.

Source of the likeness of templates: Wang, Chen and Dai, Web information extraction based on webpage clustering (2018).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from statistics import median
from threading import Lock
from typing import NamedTuple, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.page.columns import distinct

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
HashArray = npt.NDArray[np.uint64]
NumberArray = npt.NDArray[np.int32]


def signature_similarity(a: frozenset[int], b: frozenset[int]) -> float:
    """Common block paths / block paths of the page with fewer, 0 to 1, of two sets of them (`Page.signature`)."""
    smaller = min(len(a), len(b))
    return len(a & b) / smaller if smaller else 0.0


class Numbers:
    """Small numbers of hashes, so that arrays by number take the place of tables by hash.

    Example:
        >>> numbers = Numbers()
        >>> numbers.of(np.array([7, 9, 7], np.uint64)).tolist(), numbers.of(np.array([8, 9], np.uint64)).tolist()
        ([1, 2, 1], [3, 2])
    """

    _made = count()

    def __init__(self) -> None:
        self.birth = next(self._made)
        self._hashes, self._numbers = np.zeros(1, np.uint64), np.zeros(1, np.int32)  # in the order of the hashes
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._numbers)

    def of(self, hashes: HashArray) -> NumberArray:
        """Numbers of some hashes, shape (any,)."""
        once, back = distinct(hashes)
        with self._lock:
            at = self._hashes.searchsorted(once)
            new = self._hashes.take(at, mode="clip") != once
            fresh = once.compress(new)
            if len(fresh):
                place, known = at.compress(new), len(self)
                self._hashes = np.insert(self._hashes, place, fresh)
                self._numbers = np.insert(self._numbers, place, np.arange(known, known + len(fresh)))
                at += new.cumsum() - new
            return self._numbers.take(at).take(back)


class Numbered(NamedTuple):
    """Facts of a page of m blocks by number.

    Attributes:
        numbers: What they are numbers of.
        blocks: Path and text of each block, shape (2, m).
        placed: Its text under its path, shape (m,).
        shapes: The page's layout containers, each once.
        distinct: Texts, texts under their paths, and containers, each once.
    """

    numbers: Numbers
    blocks: NumberArray
    placed: NumberArray
    shapes: NumberArray
    distinct: NumberArray


#: As long as the facts live.
_numbered: WeakKeyDictionary[PageFacts, Numbered] = WeakKeyDictionary()
#: Hashes that are numbered: so many, or so many times those of the pages compared. Those of pages past stay else.
MAX_NUMBERS, MOST_TIMES = 1 << 14, 4
#: Added to hashes of texts under their paths, and of containers: other things than texts have other numbers.
_PLACED, _SHAPE = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1B54A32D192ED03)


def number_facts(pages: Sequence[PageFacts]) -> list[Numbered]:
    """The facts of some pages, numbered alike."""
    found = [_numbered.get(page) for page in pages]
    numbers = max((known.numbers for known in found if known), key=lambda one: one.birth, default=None)
    most = sum([3 * len(page.tokens) + len(page.signature) for page in pages])
    if numbers is None or len(numbers) > max(MAX_NUMBERS, MOST_TIMES * most):
        numbers = Numbers()
    new = [i for i, known in enumerate(found) if known is None or known.numbers is not numbers]
    for i, made in zip(new, _number([pages[i] for i in new], numbers), strict=True):
        found[i] = _numbered[pages[i]] = made
    return [known for known in found if known]


def _number(pages: Sequence[PageFacts], numbers: Numbers) -> list[Numbered]:
    """The facts of some pages by these numbers; all at once, so that they are sorted once."""
    hashes: list[HashArray] = [np.zeros(0, np.uint64)]
    for page in pages:
        shapes = np.fromiter(page.signature, np.uint64, len(page.signature))
        placed = page.text_hashes * np.uint64(3) + page.path_keys + _PLACED
        hashes += [page.path_keys, page.text_hashes, placed, shapes + _SHAPE]
    found, made = numbers.of(np.concatenate(hashes)), []
    for page in pages:
        m = len(page.tokens)
        end = 3 * m + len(page.signature)
        own, found = found[:end], found[end:]
        once, _ = distinct(own[m:])
        made.append(Numbered(numbers, own[: 2 * m].reshape(2, m), own[2 * m : 3 * m], own[3 * m :], once))
    return made


class Shared(NamedTuple):
    """What a page of m blocks shares with k others, see `SharedBlocks`."""

    text_share: FloatArray
    placed_share: FloatArray
    slot_share: FloatArray
    own_tokens: FloatArray
    carried: FloatArray
    likeness: FloatArray


def share(page: PageFacts, prose: IntArray, others: Sequence[PageFacts], numbered: Sequence[Numbered]) -> Shared:
    """What a page of m blocks shares with k others.

    Args:
        page: The page.
        prose: Tokens of its blocks that are prose, else 0, shape (m,).
        others: The others.
        numbered: The facts of the page and of the others.
    """
    (own, *theirs), k, m, d = numbered, len(others), len(page.tokens), len(numbered[0].distinct)
    # small numbers, from 1 on, of what the page has, and 0 of all else: arrays by them are as small as the page
    place, path = np.zeros((2, len(own.numbers)), np.int32)
    place[own.distinct], path[own.blocks[0]] = np.arange(1, d + 1), np.arange(1, m + 1)  # of a path its last block's
    slots, texts = path.take(own.blocks[0]), place.take(own.blocks[1])
    # what each of the others has, once; and what of it the page has too
    has = np.concatenate([np.zeros(0, np.int32), *(other.distinct for other in theirs)], dtype=np.intp)
    found = place.take(has)
    common = found.nonzero()[0]
    found, on = found.take(common), np.arange(k).repeat([len(other.distinct) for other in theirs]).take(common)
    pages_with, containers = np.bincount(found, minlength=d + 1), np.zeros(d + 1)
    containers[place.take(own.shapes)] = 1
    weights = np.bincount(texts, page.tokens, d + 1), np.bincount(texts, prose, d + 1), containers
    *carried, alike = (np.bincount(on, weight.take(found), k) for weight in weights)
    fewer = np.minimum([len(other.shapes) for other in theirs], len(own.shapes))
    # tokens by path of the page's, on it and the others: all, and those in texts that one of these alone has
    all_slots, all_texts = np.concatenate([known.blocks for known in numbered], axis=1, dtype=np.intp)
    all_slots, said = path.take(all_slots), place.take(all_texts) > 0
    tokens = np.concatenate([page.tokens, *(other.tokens for other in others)])
    alone = tokens * (np.bincount(has, minlength=len(place)).take(all_texts) + said < 2)
    whole, in_one = np.bincount(all_slots, tokens, m + 1), np.bincount(all_slots, alone, m + 1)
    others_alone = in_one - np.bincount(slots, alone[:m], m + 1)
    among = max(k, 1)
    return Shared(
        pages_with.take(texts) / among,
        pages_with.take(place.take(own.placed)) / among,
        ((whole - in_one) / np.maximum(whole, 1)).take(slots),
        others_alone.take(slots) / among,
        np.array(carried),
        alike / np.maximum(fewer, 1),
    )


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
        some._numbered = [self._numbered[0], *(self._numbered[i + 1] for i in others)]
        found: Shared | None = self.__dict__.get("_found")
        if found is not None and len(others) == len(self._others):  # the same in another order
            some._found = found._replace(carried=found.carried[:, others], likeness=found.likeness[others])
        return some

    @cached_property
    def _numbered(self) -> list[Numbered]:
        return number_facts([self.page.facts, *self._others])

    @cached_property
    def _found(self) -> Shared:
        return share(self.page.facts, self.page.blocks.paragraph_tokens, self._others, self._numbered)

    @property
    def likeness(self) -> list[float]:
        """How like the page's template is to that of each other, see `template_similarity`."""
        return list(self._found.likeness.tolist())

    @property
    def carried_tokens(self) -> FloatArray:
        """Tokens, and tokens of prose, of the page's blocks whose text each other carries, shape (2, k)."""
        return self._found.carried

    @property
    def text_share(self) -> FloatArray:
        """Share of the others that carry each block's text, shape (m,); 0 where there is no other."""
        return self._found.text_share

    @property
    def placed_share(self) -> FloatArray:
        """Share of the others that carry it under the same path."""
        return self._found.placed_share

    @property
    def slot_share(self) -> FloatArray:
        """Share of the tokens of each block's path, on the page and the others, in texts that two of them carry."""
        return self._found.slot_share

    @property
    def own_tokens(self) -> FloatArray:
        """Tokens a page that the others have under each block's path in texts of one page alone, shape (m,)."""
        return self._found.own_tokens


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
