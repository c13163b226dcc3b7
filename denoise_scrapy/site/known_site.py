"""What is known of one site: its learned templates, and which of them come from earlier crawls."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.site.learned_rule import LearnedRule
from denoise_scrapy.site.learned_template import LearnedTemplate
from denoise_scrapy.site.template import SAME_TEMPLATE, signature_similarity
from denoise_scrapy.site.urls import url_likeness

#: Templates of a site; those of articles, lists, shops and forums are told apart, and few sites have more.
MAX_TEMPLATES = 8
#: Facts of pages kept of a template from crawl to crawl: as many as strategies compare a page with.
MAX_FACTS = 5
#: URLs of one template differ in an identifier, a slug, a date: that leaves this likeness and more.
LIKE = 0.8
#: A template's rules that are told: at most so many, with at least this share of its votes.
RULES, RULE_SHARE = 3, 0.1


class KnownSite:
    """The learned templates of one site, bounded.

    A page is of the template whose first page's signature it shares. Where it is of none that earlier crawls knew,
    those whose pages had URLs like its own, and of which this crawl has met no page, grow suspect: a site that was
    redesigned has none of their paths.

    Args:
        templates: What earlier crawls learned, those used longest ago first.
        facts: Pages of earlier crawls, each with the name of its template.

    Attributes:
        templates: By name, those used longest ago first.
        inherited: URLs of pages of earlier crawls that serve as comparison pages, with the names of their templates.
        stored: URLs of pages whose facts are on disk as they are.
        gone: Names of templates that were forgotten since the last save.
        unsaved: Whether anything was learned or forgotten since the last save.
        counts: How often what happened: "changed", "evicted/paths", "evicted/rules", "evicted/templates".
    """

    def __init__(self, templates: Iterable[LearnedTemplate] = (), facts: Iterable[tuple[str, PageFacts]] = ()) -> None:
        self.templates: OrderedDict[str, LearnedTemplate] = OrderedDict((t.name, t) for t in templates)
        self.inherited = {page.url: name for name, page in facts}
        self.stored = set(self.inherited)
        self._urls = [(name, url) for url, name in self.inherited.items()]
        self.gone: set[str] = set()
        self.unsaved = False
        self.counts: Counter[str] = Counter()
        self._old = set(self.templates)
        self._unmet = set(self.templates)

    @property
    def nbytes(self) -> int:
        """About what it occupies in memory, in bytes; the pages' facts are counted where they lie."""
        return 1000 + 300 * len(self.stored) + sum(template.nbytes for template in self.templates.values())

    def template_of(self, page: Page | PageFacts) -> LearnedTemplate | None:
        """The template that a page is of, None where it is of none that is known."""
        own = page.signature
        for template in self.templates.values():
            # pages without any container have nothing but this in common
            if own == template.signature or signature_similarity(own, template.signature) > SAME_TEMPLATE:
                return template
        return None

    def learn(self, page: Page, probability: npt.NDArray[np.float64]) -> list[LearnedTemplate]:
        """Learn from a page's body.

        Args:
            page: A page of m blocks.
            probability: How likely each block is content, shape (m,).

        Returns:
            Templates that have changed, as they were: all that was learned of them is forgotten.
        """
        self.unsaved = True
        before = self.template_of(page) or LearnedTemplate(page.signature)
        changed = [] if before.name in self._old else self._missed(page)
        after = before.learn(page, probability)
        self.counts["evicted/paths"] += after.sums.evicted - before.sums.evicted
        self.counts["evicted/rules"] += after.votes.evicted - before.votes.evicted
        if after.familiarity.changed:
            changed.append(before)
            after = before.forget().learn(page, probability)
        for template in changed:
            self._forget(template.name)
        self.counts["changed"] += len(changed)
        self._unmet.discard(after.name)
        self.templates[after.name] = after
        self.templates.move_to_end(after.name)
        self._make_room()
        return changed

    def _missed(self, page: Page) -> list[LearnedTemplate]:
        """Tell the templates that a page should have been of, by its URL, that it is not; those that have changed."""
        expected = {name for name, url in self._urls if name in self._unmet and url_likeness(page.url, url) >= LIKE}
        if not expected:
            return []
        facts = page.facts
        known = np.any([self.templates[name].sums.knows(facts.path_keys) for name in self._old], axis=0)
        share = float(known @ facts.tokens) / max(int(facts.tokens.sum()), 1)
        for name in expected:
            self.templates[name] = self.templates[name].expect(share)
        return [self.templates[name] for name in sorted(expected) if self.templates[name].familiarity.changed]

    def _forget(self, name: str) -> None:
        self.gone.add(name)
        del self.templates[name]
        self._old.discard(name)
        self._unmet.discard(name)

    def _make_room(self) -> None:
        """Of too many templates the one with the fewest pages leaves, of several the one used longest ago."""
        while len(self.templates) > MAX_TEMPLATES:
            *others, _ = self.templates.values()
            self._forget(min(others, key=lambda template: template.pages).name)
            self.counts["evicted/templates"] += 1

    def newest_facts(self, pages: Iterable[Page | PageFacts]) -> list[tuple[str, PageFacts]]:
        """Facts of the newest pages of each template that are not on disk, oldest first, with the template's name.

        Args:
            pages: Pages of the site, newest first.
        """
        taken: Counter[str] = Counter()
        found = []
        for page in pages:
            template = self.template_of(page)
            if template is not None and taken[template.name] < MAX_FACTS:
                taken[template.name] += 1
                if page.url not in self.stored:
                    found.append((template.name, page.facts))
        return found[::-1]

    def saved(self, facts: Iterable[tuple[str, PageFacts]]) -> None:
        """Note that all of this is in the store, and these new facts."""
        self.stored.update(page.url for _, page in facts)
        self.gone.clear()
        self.unsaved = False

    def rules(self) -> list[LearnedRule]:
        """The rules of its templates worth telling, those of the template with most pages first."""
        ordered = sorted(self.templates.values(), key=lambda template: -template.pages)
        return [rule for t in ordered for rule in t.rules()[:RULES] if rule.share >= RULE_SHARE]
