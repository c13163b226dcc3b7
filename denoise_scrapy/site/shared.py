"""What a page shares with other pages: which of its texts and paths stand on which of them, all found at once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native import library
from denoise_scrapy.native.blocks import (
    OWN_TOKENS,
    PATH_SHARE,
    PLACED_SHARE,
    ROWS,
    SLOT_SHARE,
    SLOT_TOKENS,
    TEXT_SHARE,
    TIMES,
    Shared,
    share_blocks,
)
from denoise_scrapy.page import Page, PageFacts

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

#: Rows of values: texts, paths, texts under their paths. All are hashes of 64 bits.
TEXT, PATH, PLACED = TEXT_SHARE, PATH_SHARE, PLACED_SHARE


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
    rows[: PLACED + 1] = (count / max(k, 1)).take(found)
    said = np.zeros(unknown + 1, bool)
    said[found[TEXT]] = True
    repeated = np.bincount(path, tokens * (count.take(text) + said.take(text) > 1), unknown + 1)
    in_path = np.bincount(path, tokens, unknown + 1)
    rows[OWN_TOKENS] = (in_path - repeated).take(found[PATH]) / max(k, 1)
    slots = np.unique(page.path_keys, return_inverse=True)[1]
    own_repeated = np.bincount(slots, page.tokens * (count.take(found[TEXT]) > 0)).take(slots)
    whole = np.bincount(slots, page.tokens).take(slots) + in_path.take(found[PATH])
    rows[SLOT_SHARE] = (own_repeated + repeated.take(found[PATH])) / np.maximum(whole, 1)
    with np.errstate(invalid="ignore"):
        rows[SLOT_TOKENS] = (in_path / np.bincount(path, minlength=unknown + 1)).take(found[PATH])
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
    def path_share(self) -> FloatArray:
        """Share of the others that have a block of each block's path."""
        return np.asarray(self._found.rows[PATH_SHARE])

    @property
    def slot_share(self) -> FloatArray:
        """Share of the tokens of each block's path, on the page and the others, in texts that two of them carry."""
        return np.asarray(self._found.rows[SLOT_SHARE])

    @property
    def slot_tokens(self) -> FloatArray:
        """Mean tokens of the others' blocks of each block's path, shape (m,); NaN where there is none."""
        return np.asarray(self._found.rows[SLOT_TOKENS])

    @property
    def own_tokens(self) -> FloatArray:
        """Tokens a page that the others have under each block's path in texts of one page alone, shape (m,)."""
        return np.asarray(self._found.rows[OWN_TOKENS])
