"""Folds of whole publishers, balanced in every corpus."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

FOLDS = 4


def balanced_folds(pages: Mapping[tuple[str, str], int]) -> dict[str, int]:
    """Give each publisher a fold.

    Those that hold much of a corpus are placed first, each where its corpora have the fewest pages so far.

    Args:
        pages: Number of pages by (corpus, publisher).

    Returns:
        Fold by publisher, the same for the same pages.

    Example:
        >>> balanced_folds({("news", "a"): 9, ("news", "b"): 5, ("news", "c"): 5, ("blogs", "a"): 1})
        {'a': 0, 'b': 1, 'c': 2}
    """
    held: dict[str, Counter[str]] = defaultdict(Counter)
    size: Counter[str] = Counter()
    for (corpus, publisher), count in pages.items():
        held[publisher][corpus] += count
        size[corpus] += count
    load = [Counter[str]() for _ in range(FOLDS)]
    folds: dict[str, int] = {}

    def fullest(fold: int, mine: Counter[str]) -> float:
        return max((load[fold][corpus] + count) / size[corpus] for corpus, count in mine.items())

    order = sorted(held, key=lambda name: (-max(n / size[c] for c, n in held[name].items()), name))
    for name in order:
        mine = held[name]
        best = min(range(FOLDS), key=lambda fold: (fullest(fold, mine), sum(load[fold].values())))
        folds[name] = best
        load[best].update(mine)
    return folds
