"""Where content lay: sums of a template's pages by path, additive and bounded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple
from weakref import ref

import numpy as np
import numpy.typing as npt

#: Paths of one template. Ten pages of a recorded site have 150 on average and 1,160 at most (130 sites); sites that
#: write a new class or id on every page would fill any memory.
MAX_PATHS = 4096

#: A path that fewer pages have than this, decayed, has none: what is left of subtracting is rounding, some 1e-14, and
#: a page counts so little after 2,000 others.
NO_PAGES = 1e-6

KeyArray = npt.NDArray[np.uint64]
FloatArray = npt.NDArray[np.float64]


def _none() -> FloatArray:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class PathSums:
    """Sums over the pages of a template for each of its k paths. A value: it never changes.

    Attributes:
        keys: The paths (`Blocks.path_keys`), ascending, shape (k,).
        content: Sum of p · n over the path's blocks: the tokens that are content, shape (k,).
        tokens: Sum of n, shape (k,).
        pages: Pages on which the path has text, shape (k,).
        evicted: Paths that left because there were too many. Not part of the sums.

    Source: the rule of Wang, Chen and Dai (2018) made soft: a share for each path in place of one block.

    Example:
        >>> keys = np.array([7, 3, 7], np.uint64)
        >>> sums = PathSums().add(keys, np.array([1.0, 0.0, 0.5]), np.array([30, 5, 10]))
        >>> sums.content_share(np.array([3, 7, 9], np.uint64)).tolist()
        [0.0, 0.875, nan]
    """

    keys: KeyArray = field(default_factory=lambda: np.zeros(0, np.uint64))
    content: FloatArray = field(default_factory=_none)
    tokens: FloatArray = field(default_factory=_none)
    pages: FloatArray = field(default_factory=_none)
    evicted: int = 0
    #: Where the paths asked for last stand, shared by sums of the same paths: those of a page are asked for four times,
    #: when its body is made and when it is learned from. Goes with the page's columns, of which its paths are a view.
    _found: list[_Found] = field(default_factory=list, repr=False)

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return 32 * len(self.keys)

    def add(self, keys: KeyArray, probability: FloatArray, tokens: npt.NDArray[np.int64]) -> PathSums:
        """The sums with a page's m blocks.

        Args:
            keys: Paths of the blocks, shape (m,).
            probability: How likely each block is content, shape (m,).
            tokens: Their tokens, shape (m,).
        """
        at, known = self._find(keys)
        if len(keys) and known.all():  # as on nearly all pages of a template: a third of the time of merging
            k = len(self.keys)
            content, total = (np.asarray(np.bincount(at, n, k), np.float64) for n in (probability * tokens, tokens))
            pages = self.pages + (np.bincount(at, minlength=k) > 0)
            return self._with(self.content + content, self.tokens + total, pages)
        paths, path = np.unique(keys, return_inverse=True)
        content, total = (np.bincount(path, n).astype(np.float64) for n in (probability * tokens, tokens))
        return self.merge(PathSums(paths, content, total, np.ones(len(paths))))

    def merge(self, other: PathSums) -> PathSums:
        """The sums of the pages of both; the paths on the fewest pages leave where there are too many."""
        paths, path = np.unique(np.concatenate([self.keys, other.keys]), return_inverse=True)
        content, tokens, pages = (
            np.bincount(path, np.concatenate(both), len(paths)).astype(np.float64)
            for both in (
                (self.content, other.content),
                (self.tokens, other.tokens),
                (self.pages, other.pages),
            )
        )
        evicted = self.evicted + other.evicted
        if len(paths) <= MAX_PATHS:
            return PathSums(paths, content, tokens, pages, evicted)
        kept = np.sort(np.lexsort((tokens, pages))[-MAX_PATHS:])
        evicted += len(paths) - MAX_PATHS
        return PathSums(paths[kept], content[kept], tokens[kept], pages[kept], evicted)

    def since(self, base: PathSums, factor: float) -> PathSums:
        """The sums of the pages that came after others.

        Args:
            base: The sums before them.
            factor: How much these have decayed since.

        Example:
            >>> one, other = np.array([3], np.uint64), np.array([7], np.uint64)
            >>> before = PathSums().add(one, np.ones(1), np.array([10]))
            >>> after = before.decay(0.5).add(other, np.ones(1), np.array([30])).since(before, 0.5)
            >>> after.keys.tolist(), after.tokens.tolist()
            ([7], [30.0])
        """
        at, known = base._find(self.keys)
        old = np.where(known, factor, 0.0) if len(base) else np.zeros(len(self))
        content, tokens, pages = (
            np.maximum(own - old * before.take(at) if len(base) else own, 0.0)
            for own, before in (
                (self.content, base.content),
                (self.tokens, base.tokens),
                (self.pages, base.pages),
            )
        )
        new = pages > NO_PAGES
        return PathSums(self.keys[new], content[new], tokens[new], pages[new])

    def decay(self, factor: float) -> PathSums:
        """All sums times `factor`: what was learned long ago counts less, shares stay."""
        return self._with(self.content * factor, self.tokens * factor, self.pages * factor)

    def _with(self, content: FloatArray, tokens: FloatArray, pages: FloatArray) -> PathSums:
        """Other sums of the same paths."""
        return PathSums(self.keys, content, tokens, pages, self.evicted, self._found)

    def content_share(self, keys: KeyArray) -> FloatArray:
        """Share of each path's tokens that were content, NaN where the path or its text is unknown.

        Args:
            keys: Any paths, shape (m,).

        Returns:
            Shape (m,).
        """
        if not len(self.keys):
            return np.full(len(keys), np.nan)
        at, known = self._find(keys)
        tokens = np.where(known, self.tokens.take(at), 0)
        return np.where(tokens > 0, self.content.take(at) / np.maximum(tokens, 1e-9), np.nan)

    def known_share(self, keys: KeyArray, tokens: npt.NDArray[np.int64], least: float = 0.0) -> float:
        """Share of a page's tokens that stand in known paths, 0 to 1; 1 for a page without text.

        Args:
            keys: Paths of the page's blocks, shape (m,).
            tokens: Their tokens, shape (m,).
            least: Pages that must have a path before it counts as known.
        """
        total = int(tokens.sum())
        return float(self.knows(keys, least) @ tokens) / total if total else 1.0

    def knows(self, keys: KeyArray, least: float = 0.0) -> npt.NDArray[np.bool_]:
        """Which of some paths are known, shape (m,); arguments as for `known_share`."""
        at, known = self._find(keys)
        return np.asarray(known & (self.pages.take(at) >= least)) if len(self.keys) else known

    def _find(self, keys: KeyArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Position of each path, and whether it is there, shape (m,) each."""
        if not len(self.keys):
            return np.zeros(len(keys), np.int64), np.zeros(len(keys), bool)
        found = self._found[0] if self._found else None
        if found is None or found.keys() is not keys:
            at = np.minimum(self.keys.searchsorted(keys), len(self.keys) - 1)
            forget = self._found.clear
            found = _Found(ref(keys, lambda _: forget()), at, np.asarray(self.keys.take(at) == keys))
            self._found[:] = [found]
        return found.at, found.known


class _Found(NamedTuple):
    """What `PathSums._find` found."""

    keys: ref[KeyArray]
    at: npt.NDArray[np.int64]
    known: npt.NDArray[np.bool_]
