"""Scores of a rule on duplicates: shares of pairs or of a stream's texts, their goals and floors, their tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from evaluation.baseline import Figure
from evaluation.figures import table

RECALL, CHINESE, FALSE = "recall", "recall on Chinese", "false share"
FORMS, STORIES, ACROSS, SAME = "forms kept", "stories kept", "copies across sites", "copies on the same site"
GOALS = {RECALL: 0.99, CHINESE: 0.98, FALSE: 0.01, FORMS: 0.99, STORIES: 0.99, ACROSS: 0.98, SAME: 0.97}
"""To a crawl's owner a wrongly dropped page is a loss, while one copy in a hundred left is good enough."""


@dataclass(frozen=True)
class Share:
    """Share of some pairs that were called duplicates, or of some texts of a stream; of forms and stories, kept."""

    called: int
    pairs: int

    @classmethod
    def of(cls, calls: Iterable[bool]) -> Share:
        """Count some calls."""
        found = list(calls)
        return cls(sum(found), len(found))

    @property
    def value(self) -> float:
        """The share; 0 without pairs."""
        return self.called / self.pairs if self.pairs else 0.0

    @property
    def error(self) -> float:
        """Its standard error; half a pair is added each way, otherwise a share of 0 or 1 would have none."""
        smooth = (self.called + 0.5) / (self.pairs + 1)
        return float((smooth * (1 - smooth) / (self.pairs + 1)) ** 0.5)


@dataclass(frozen=True)
class Score:
    """Shares that a rule reached on pairs, or on a stream; of groups and kinds by (name, is duplicate).

    `variants` are the forms, stories and copies of a stream that were marked as variants of a kept text.
    """

    rule: str
    goals: dict[str, Share]
    groups: dict[tuple[str, bool], Share] = field(default_factory=dict)
    kinds: dict[tuple[str, bool], Share] = field(default_factory=dict)
    variants: dict[str, Share] = field(default_factory=dict)

    def figures(self, texts: str, digest: str) -> list[Figure]:
        """Return the goals as figures of the baseline, for the texts with this hash."""
        sides = {goal: "ceiling" if goal == FALSE else "floor" for goal in self.goals}
        return [
            Figure(f"dedup {texts} {self.rule} {goal}", share.value, digest, bound(goal, share), sides[goal])
            for goal, share in self.goals.items()
        ]

    def unreached(self) -> list[str]:
        """Return a sentence for each goal that is not reached."""
        return [
            f"{goal}: {share.value:.4f}, the goal is {GOALS[goal]}"
            for goal, share in self.goals.items()
            if (share.value > GOALS[goal] if goal == FALSE else share.value < GOALS[goal])
        ]


def bound(goal: str, share: Share) -> float:
    """Return the floor that a measured share sets; for the false share, the ceiling.

    It is the stricter of the goal and the share less one standard error; where a goal is not reached, the latter.
    """
    wanted = GOALS[goal]
    if goal == FALSE:
        limit = share.value + share.error
        return round(limit if share.value > wanted else min(limit, wanted), 4)
    limit = share.value - share.error
    return round(limit if share.value < wanted else max(limit, wanted), 4)


def short_table(scores: Sequence[Score]) -> str:
    """Return a table with a row per rule and a column per goal."""
    rows = [[score.rule, *(f"{goal.value:.4f}" for goal in score.goals.values())] for score in scores]
    return table(["rule", *scores[0].goals], rows)


def tables(scores: Sequence[Score], *, languages: bool) -> str:
    """Return the short table, and shares by kind of pair or form, and optionally by language."""
    return "\n\n".join([short_table(scores), *_by_truth(scores, languages=languages)])


def _by_truth(scores: Sequence[Score], *, languages: bool) -> Iterator[str]:
    for truth, title in ((True, "duplicates found, by"), (False, "others taken for duplicates, by")):
        for name, shares in (("language", [score.groups for score in scores]), ("kind", [s.kinds for s in scores])):
            if name == "kind" or languages:
                keys = [key for key, share in shares[0].items() if key[1] == truth and share.pairs]
                yield table(
                    [f"{title} {name}", "pairs", *(score.rule for score in scores)],
                    [[key[0], str(shares[0][key].pairs), *(f"{one[key].value:.4f}" for one in shares)] for key in keys],
                )
