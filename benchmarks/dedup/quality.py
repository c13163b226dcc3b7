"""Judges pairs with a rule: what share of the duplicates it finds, and of the others it takes for duplicates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from benchmarks.dedup.pairs import Pair
from benchmarks.dedup.pieces import GROUPS
from benchmarks.dedup.rules import Rule

RECALL, CHINESE, FALSE = "recall", "recall on Chinese", "false share"
FORMS, STORIES, ACROSS, SAME = "forms kept", "stories kept", "copies across sites", "copies on the same site"


@dataclass(frozen=True)
class Share:
    """How many of some pairs were called duplicates, or of some texts of a stream; of forms and stories, kept.

    Attributes:
        called: Pairs called duplicates.
        pairs: All pairs of this sort.
    """

    called: int
    pairs: int

    @property
    def value(self) -> float:
        """The share; 0 of no pairs."""
        return self.called / self.pairs if self.pairs else 0.0

    @property
    def error(self) -> float:
        """Its standard error; half a pair each way is added, else a share of 0 or 1 had none."""
        smooth = (self.called + 0.5) / (self.pairs + 1)
        return float((smooth * (1 - smooth) / (self.pairs + 1)) ** 0.5)


@dataclass(frozen=True)
class Score:
    """What a rule made of all pairs, or of a stream.

    Attributes:
        goals: Of pairs recall, recall on Chinese where there is any, and false share.
        groups: Recall and false share of each language group, by (group, is duplicate).
        kinds: The same of each kind.
        variants: Of a stream, how many forms, stories and copies were marked as variants of a kept text.
    """

    rule: str
    goals: dict[str, Share]
    groups: dict[tuple[str, bool], Share]
    kinds: dict[tuple[str, bool], Share]
    variants: dict[str, Share] = field(default_factory=dict)


def measure(name: str, rule: Rule, pairs: Sequence[Pair]) -> Score:
    """Judge all pairs."""
    judged = [(pair, rule(pair.new, pair.kept)) for pair in pairs]
    same = [(pair, called) for pair, called in judged if pair.duplicate]
    chinese = [(pair, called) for pair, called in same if pair.group == "chinese"]
    return Score(
        rule=name,
        goals={
            RECALL: _share(same),
            **({CHINESE: _share(chinese)} if chinese else {}),
            FALSE: _share((pair, called) for pair, called in judged if not pair.duplicate),
        },
        groups={
            (group, truth): _share((p, called) for p, called in judged if (p.group, p.duplicate) == (group, truth))
            for truth in (True, False)
            for group in GROUPS
        },
        kinds={
            (kind, truth): _share((p, called) for p, called in judged if (p.kind, p.duplicate) == (kind, truth))
            for kind, truth in dict.fromkeys((pair.kind, pair.duplicate) for pair in pairs)
        },
    )


def _share(judged: Iterable[tuple[Pair, bool]]) -> Share:
    calls = [called for _, called in judged]
    return Share(sum(calls), len(calls))
