"""Votes of a template's pages for the element that holds their content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page
from denoise_scrapy.site.learned_rule import LearnedRule
from denoise_scrapy.site.path_sums import NO_PAGES, PathSums
from denoise_scrapy.site.rule_finding import MAX_CUTS, find_cuts, find_rule
from denoise_scrapy.site.rules import Rule

#: Rules of one template that are remembered; the winner seldom has more than a handful of rivals.
MAX_RULES = 64

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Vote:
    """What pages say for one rule; sums over them.

    Attributes:
        weight: Sum of F of the rule's element (`subtree_scores`).
        pages: Pages.
        content: Tokens of content inside.
        tokens: Tokens inside.
        cuts: Path keys of elements below that hold no content, with their paths from the rule's element on.
    """

    weight: float
    pages: float
    content: float
    tokens: float
    cuts: Mapping[int, str] = field(default_factory=dict)

    def __add__(self, other: Vote) -> Vote:
        cuts = {**self.cuts, **other.cuts}
        return Vote(
            self.weight + other.weight,
            self.pages + other.pages,
            self.content + other.content,
            self.tokens + other.tokens,
            dict(list(cuts.items())[-MAX_CUTS:]),
        )

    @cached_property
    def nbytes(self) -> int:
        """About what it occupies in memory, in bytes."""
        return 500 + sum(150 + len(name) for name in self.cuts.values())

    def without_cuts(self) -> Vote:
        """The vote for the element alone."""
        return Vote(self.weight, self.pages, self.content, self.tokens)

    def __mul__(self, factor: float) -> Vote:
        return Vote(self.weight * factor, self.pages * factor, self.content * factor, self.tokens * factor, self.cuts)


@dataclass(frozen=True)
class RuleVotes:
    """Votes by rule, additive and bounded. A value: it never changes.

    Attributes:
        votes: The votes; never changed in place.
        evicted: Rules that left because there were too many. Not part of the votes.

    Example:
        >>> page = Page.parse("<div id=main><p>Story.</div><div>Menu</div>")
        >>> votes = RuleVotes().add(page, np.array([1.0, 0.0]), PathSums())
        >>> print(votes.rules()[0])
        #main: 100% of the votes, 1 page, 100% content
    """

    votes: Mapping[Rule, Vote] = field(default_factory=dict)
    evicted: int = 0

    def __len__(self) -> int:
        return len(self.votes)

    @cached_property
    def nbytes(self) -> int:
        """About what they occupy in memory, in bytes."""
        named = sum(len(rule.id) + len(rule.class_) + len(rule.path) for rule in self.votes)
        return named + sum(vote.nbytes for vote in self.votes.values())

    def add(self, page: Page, probability: FloatArray, sums: PathSums, weight: int = 1) -> RuleVotes:
        """The votes with that of one page; a page without a nameable element with content gives none.

        Args:
            page: A page of m blocks.
            probability: How likely each block is content, shape (m,).
            sums: What the template's pages say of its paths, this page included.
            weight: Pages that it speaks for.
        """
        content = probability * page.blocks.tokens
        found = find_rule(page, content)
        if found is None:
            return self
        rule, element, score = found
        blocks = page.blocks
        inside = blocks.inside(element)
        old = self.votes.get(rule)
        cuts = find_cuts(page, element, sums, old.cuts if old else {})  # the old ones are among them
        vote = Vote(score, 1.0, float(content @ inside), float(blocks.tokens @ inside), cuts) * weight
        new = old.without_cuts() + vote if old else vote
        return RuleVotes({**self.votes, rule: new}, self.evicted)._bounded()

    def merge(self, other: RuleVotes) -> RuleVotes:
        """The votes of both."""
        votes = dict(self.votes)
        for rule, vote in other.votes.items():
            votes[rule] = votes[rule] + vote if rule in votes else vote
        return RuleVotes(votes, self.evicted + other.evicted)._bounded()

    def with_those_since(self, after: RuleVotes, before: RuleVotes, factor: float) -> RuleVotes:
        """The votes with those that another memory has received meanwhile.

        Args:
            after: Its votes.
            before: Its votes before these.
            factor: How much those before have decayed since.
        """
        votes = dict(self.votes)
        for rule, vote in after.votes.items():
            old, present = before.votes.get(rule, _NONE), self.votes.get(rule, _NONE)
            if vote.pages - factor * old.pages > NO_PAGES:
                new = present.without_cuts() + vote.without_cuts() + old.without_cuts() * -factor
                votes[rule] = replace(new, cuts=_cuts(present.cuts, old.cuts, vote.cuts))
        return RuleVotes(votes, self.evicted)._bounded()

    def decay(self, factor: float) -> RuleVotes:
        """All votes times `factor`: shares stay, new votes count more."""
        return RuleVotes({rule: vote * factor for rule, vote in self.votes.items()}, self.evicted)

    def rules(self) -> list[LearnedRule]:
        """The rules, those with most of the votes first."""
        total = sum(vote.weight for vote in self.votes.values())
        order = sorted(self.votes.items(), key=lambda item: -item[1].weight)
        return [
            LearnedRule(
                rule,
                vote.weight / max(total, 1e-9),
                max(round(vote.pages), 1),
                vote.content / max(vote.tokens, 1e-9),
                tuple(sorted(set(vote.cuts.values()))),
            )
            for rule, vote in order
        ]

    def _bounded(self) -> RuleVotes:
        excess = len(self.votes) - MAX_RULES
        if excess <= 0:
            return self
        least = set(sorted(self.votes, key=lambda rule: self.votes[rule].weight)[:excess])
        return RuleVotes({r: vote for r, vote in self.votes.items() if r not in least}, self.evicted + excess)


_NONE = Vote(0.0, 0.0, 0.0, 0.0)


def _cuts(theirs: Mapping[int, str], old: Mapping[int, str], ours: Mapping[int, str]) -> dict[int, str]:
    """Cuts of both; one that either has found to hold content since is none."""
    both = {**theirs, **ours}
    kept = [(key, name) for key, name in both.items() if key not in old or (key in theirs and key in ours)]
    return dict(kept[-MAX_CUTS:])
