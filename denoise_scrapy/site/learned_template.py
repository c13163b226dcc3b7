"""What the bodies of a template's pages have taught: where content lies, by path and by rule."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page
from denoise_scrapy.site.familiarity import Familiarity
from denoise_scrapy.site.learned_rule import LearnedRule
from denoise_scrapy.site.path_names import with_names
from denoise_scrapy.site.path_sums import PathSums
from denoise_scrapy.site.rule_votes import RuleVotes
from denoise_scrapy.site.template import SAME_TEMPLATE, signature_similarity

#: Pages after which what was learned counts half: where content moves and the paths stay, the newer half decides
#: after as many. Two or three pages tell nearly all that a site tells (extraction study, section 1), so that little is
#: lost by forgetting; a path that every 30th page has keeps the weight of some five.
HALF_LIFE = 100
KEPT = 0.5 ** (1 / HALF_LIFE)
#: The first pages of a template all vote for rules; of later ones every eighth does, and counts for eight. To find
#: the element is half of what it costs to learn from a body, and by then the rule is long known.
VOTERS, VOTES_EVERY = 8, 8
#: A path is no news where so many pages had it, or this share of all, if that is less: the first pages of a changed
#: template would make each other known, and hide the change.
OLD_PAGES, OLD_SHARE = 4.0, 0.25


def _name(signature: frozenset[int]) -> str:
    """See `LearnedTemplate.name`."""
    values = np.array(sorted(signature), "<u8").tobytes()
    return hashlib.blake2b(values, digest_size=4).hexdigest()


def vote_weight(pages: int) -> int:
    """What a page's vote counts after so many others, 0 for none."""
    if pages < VOTERS:
        return 1
    return VOTES_EVERY if pages % VOTES_EVERY == 0 else 0


def votes_of(before: int, after: int) -> int:
    """What all votes count of the pages after `before` others, up to `after`.

    Example:
        >>> votes_of(0, 8), votes_of(8, 16), votes_of(9, 16), votes_of(9, 17)
        (8, 8, 0, 8)
    """
    return sum(map(vote_weight, range(before, after)))


@dataclass(frozen=True, eq=False)
class LearnedTemplate:
    """A template of a site, and what was learned from the bodies of its pages. A value: it never changes.

    Attributes:
        signature: `Page.signature` of its first page, by which later ones are recognised.
        pages: Bodies that it was learned from.
        sums: Content by path.
        votes: Votes for the element that holds the content.
        familiarity: Whether new pages are still of it.
        example: URL of the newest page.
        names: Names of the paths with the most text, by key; for people.

    Example:
        >>> page = Page.parse("<div id=main><p>Story.</div><div>Menu</div>", url="http://a.example/1")
        >>> template = LearnedTemplate(page.signature).learn(page, np.array([1.0, 0.0]))
        >>> print(template.rules()[0])
        #main: 100% of the votes, 1 page, 100% content
    """

    signature: frozenset[int]
    pages: int = 0
    sums: PathSums = field(default_factory=PathSums)
    votes: RuleVotes = field(default_factory=RuleVotes)
    familiarity: Familiarity = field(default_factory=Familiarity)
    example: str = ""
    names: Mapping[int, str] = field(default_factory=dict)

    @cached_property
    def name(self) -> str:
        """Eight hexadecimal digits, the same in every process."""
        return _name(self.signature)

    @cached_property
    def nbytes(self) -> int:
        """About what it occupies in memory, in bytes."""
        # a set of integers takes some 70 bytes an entry, a name 200
        return 1000 + 70 * len(self.signature) + 200 * len(self.names) + self.votes.nbytes + self.sums.nbytes

    def learn(self, page: Page, probability: npt.NDArray[np.float64]) -> LearnedTemplate:
        """The template with one more body.

        Args:
            page: A page of m blocks.
            probability: How likely each block is content, shape (m,).
        """
        facts = page.facts
        least = min(OLD_PAGES, OLD_SHARE * self.pages)
        known = self.sums.known_share(facts.path_keys, facts.tokens, least)
        sums = self.sums.decay(KEPT).add(facts.path_keys, probability, facts.tokens)
        votes, weight = self.votes, vote_weight(self.pages)
        if weight:
            votes = votes.decay(KEPT**weight).add(page, probability, sums, weight)
        familiarity = self.familiarity.seen(known) if self.pages else self.familiarity
        names = with_names(self.names, sums, page)
        example = page.url or self.example
        learned = LearnedTemplate(self.signature, self.pages + 1, sums, votes, familiarity, example, names)
        vars(learned)["name"] = self.name  # to hash a signature takes 20 µs
        return learned

    def expect(self, known: float) -> LearnedTemplate:
        """The template with what a page that should be of it tells of whether it has changed.

        Args:
            known: Share of the page's text in known paths.
        """
        return replace(self, familiarity=self.familiarity.seen(known))

    def forget(self) -> LearnedTemplate:
        """The template as if no page had been seen."""
        return LearnedTemplate(self.signature)

    def rules(self) -> list[LearnedRule]:
        """Its rules, those with most of the votes first."""
        return [replace(rule, template=self.name, example=self.example) for rule in self.votes.rules()]


def like_template(signature: frozenset[int], templates: Iterable[LearnedTemplate]) -> LearnedTemplate | None:
    """The first of some templates that a page or another template is of.

    Args:
        signature: `Page.signature` of the page, or of the template's first page.
        templates: The templates.
    """
    for template in templates:
        # pages without any container have nothing but this in common
        if signature == template.signature or signature_similarity(signature, template.signature) > SAME_TEMPLATE:
            return template
    return None
