"""The floors of the rule on duplicates, beside the others in `baseline.json`.

A floor is the stricter of the goal and what was measured less one standard error; where a goal is not reached,
the latter. It belongs to the very pairs it was measured on, by their hash. The false share has a ceiling.
"""

from __future__ import annotations

import json

from benchmarks import gate
from benchmarks.dedup.quality import ACROSS, CHINESE, FALSE, FORMS, RECALL, SAME, STORIES, Score, Share

GOALS = {RECALL: 0.99, CHINESE: 0.98, FALSE: 0.01, FORMS: 0.99, STORIES: 0.99, ACROSS: 0.98, SAME: 0.97}
"""A crawl's owner sees a wrongly dropped page as loss, and one copy in a hundred left as good enough."""


def key(texts: str, score: Score, goal: str) -> str:
    """Name in the baseline."""
    return f"dedup {texts} {score.rule} {goal}"


def bound(goal: str, share: Share) -> float:
    """The floor that a measured share sets; a ceiling for the false share.

    >>> bound(RECALL, Share(9999, 10000)), bound(RECALL, Share(991, 1000)), bound(FALSE, Share(9, 1000))
    (0.9998, 0.99, 0.01)
    """
    wanted = GOALS[goal]
    if goal == FALSE:
        limit = share.value + share.error
        return round(limit if share.value > wanted else min(limit, wanted), 4)
    limit = share.value - share.error
    return round(limit if share.value < wanted else max(limit, wanted), 4)


def write(texts: str, score: Score, digest: str) -> None:
    """Set the floors to what was measured now."""
    baseline = gate.read()
    for goal, share in score.goals.items():
        side = "ceiling" if goal == FALSE else "floor"
        baseline[key(texts, score, goal)] = {"corpus": digest, side: bound(goal, share)}
    gate.BASELINE.write_text(json.dumps(baseline, indent=1, sort_keys=True) + "\n")


def failures(texts: str, score: Score, digest: str) -> list[str]:
    """What is worse than its floor, or has none; a sentence each."""
    baseline, found = gate.read(), []
    for goal, share in score.goals.items():
        name = key(texts, score, goal)
        entry = baseline.get(name)
        if entry is None or entry["corpus"] != digest:
            found.append(f"{name}: no floor for these pairs ({share.value:.4f}); --set-baseline sets one")
        elif "floor" in entry and share.value < float(str(entry["floor"])):
            found.append(f"{name}: {share.value:.4f} is below the floor {entry['floor']}")
        elif "ceiling" in entry and share.value > float(str(entry["ceiling"])):
            found.append(f"{name}: {share.value:.4f} is above the ceiling {entry['ceiling']}")
    return found


def unreached(score: Score) -> list[str]:
    """The goals that are not reached, a sentence each."""
    return [
        f"{goal}: {share.value:.4f}, the goal is {GOALS[goal]}"
        for goal, share in score.goals.items()
        if (share.value > GOALS[goal] if goal == FALSE else share.value < GOALS[goal])
    ]
