"""Tables of cross-validation: scores and floors, expected and reached F1, the worst pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import mean, pstdev

from evaluation.figures import table
from training.model import PageScore

#: Lower edges of the bins of confidence.
BINS = (0.95, 0.9, 0.8, 0.7, 0.6, 0.0)
#: Number of pages shown.
WORST = 10


def calibration_table(scores: Sequence[PageScore]) -> str:
    """Return expected and reached F1 of pages by confidence, as Markdown."""
    rows, above = list[list[str]](), 1.01
    for edge in BINS:
        if some := [score for score in scores if edge <= score.confidence < above]:
            expected, reached = mean(s.confidence for s in some), mean(s.f1 for s in some)
            bounds, failed = f"{edge:.2f} to {min(above, 1):.2f}", mean(s.f1 < 0.5 for s in some)
            rows.append([bounds, str(len(some)), f"{expected:.3f}", f"{reached:.3f}", f"{failed:.1%}"])
        above = edge
    return table(["confidence", "pages", "expected F1", "reached F1", "below .5"], rows)


def worst_table(scores: Sequence[PageScore]) -> str:
    """Return the pages with the lowest F1, as Markdown."""
    rows = [
        [score.corpus, score.url[:80], f"{score.f1:.2f}", f"{score.confidence:.2f}", *map(str, score.tokens)]
        for score in sorted(scores, key=lambda s: (s.f1, s.url))[:WORST]
    ]
    return table(["corpus", "page", "F1", "confidence", "tokens kept", "tokens wanted"], rows)


def means(scores: Sequence[PageScore]) -> dict[str, float]:
    """Return F1 by corpus and number of comparison pages."""
    return {name: round(mean(found), 4) for name, found in _by_corpus(scores).items()}


def floors(scores: Sequence[PageScore]) -> dict[str, float]:
    """Return the same less one standard error: the floor for later models."""
    found = _by_corpus(scores)
    return {name: round(mean(some) - pstdev(some) / len(some) ** 0.5, 4) for name, some in found.items()}


def below(scores: Mapping[str, float], lowest: Mapping[str, float]) -> list[str]:
    """Return a sentence for each score below its floor."""
    return [
        f"{name}: F1 {score} is below the floor {lowest[name]}"
        for name, score in scores.items()
        if score < lowest.get(name, 0)
    ]


def _by_corpus(scores: Sequence[PageScore]) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for score in scores:
        found[f"{score.corpus} k={score.k}"].append(score.f1)
    return dict(sorted(found.items()))
