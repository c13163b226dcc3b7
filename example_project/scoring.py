"""Scores a crawl of the portal against its truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any
from urllib.parse import urlsplit

from example_project.portal.model import Portal, tokens


def f1(text: str, truth: str) -> float:
    """Return the F1 of a text's bag of tokens against the truth's.

    >>> f1("a b c d", "a b")
    0.6666666666666666
    """
    got, wanted = tokens(text), tokens(truth)
    common = sum((Counter(got) & Counter(wanted)).values())
    if not common:
        return float(not got and not wanted)
    return 2 * common / (len(got) + len(wanted))


@dataclass(frozen=True)
class Duplicates:
    """The outcome for planted copies and for texts that are not copies."""

    dropped: tuple[str, ...]
    missed: tuple[str, ...]
    wrongly_dropped: tuple[str, ...]


def judge_duplicates(portal: Portal, kept: Iterable[str]) -> Duplicates:
    """Compare the kept paths with the groups of copies; any one of a group may be kept."""
    here = set(kept)
    dropped: list[str] = []
    missed: list[str] = []
    lost: list[str] = []
    groups = portal.groups
    for path, page in portal.pages.items():
        if page.truth is None or page.copy_of:
            continue
        group = [path, *groups.get(path, ())]
        left = [member for member in group if member in here]
        gone = [member for member in group if member not in here]
        if left:
            missed += left[1:]
            dropped += gone
        else:
            lost.append(path)
            dropped += gone[1:]
    return Duplicates(tuple(dropped), tuple(missed), tuple(lost))


def score(
    portal: Portal, items: Sequence[Mapping[str, str]], stats: Mapping[str, float], seconds: float
) -> dict[str, Any]:
    """Return the figures of a crawl by name."""
    bodies = {urlsplit(item["url"]).path: item.get("body") or "" for item in items}
    marks = {path: f1(text, portal.pages[path].truth or "") for path, text in bodies.items() if path in portal.pages}
    found = judge_duplicates(portal, bodies)
    sections = sorted({portal.pages[path].section for path in marks})
    return {
        "pages": int(stats.get("portal/pages", 0)),
        "items": int(stats.get("portal/items", 0)),
        "bodies": sum(bool(text.strip()) for text in bodies.values()),
        "f1": round(mean(marks.values()), 4) if marks else 0.0,
        "duplicates_dropped": len(found.dropped),
        "duplicates_missed": len(found.missed),
        "wrongly_dropped": len(found.wrongly_dropped),
        "extra_requests": int(stats.get("denoise/comparison/requests", 0)),
        "seconds": round(seconds, 2),
        "errors": int(stats.get("log_count/ERROR", 0)),
        "f1_by_section": {
            name: round(mean(m for p, m in marks.items() if portal.pages[p].section == name), 4) for name in sections
        },
        "missed": list(found.missed),
        "lost": list(found.wrongly_dropped),
    }
