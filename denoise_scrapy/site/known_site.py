"""What is known of one site: its learned templates, and which of them come from earlier crawls."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.site.learned_rule import LearnedRule
from denoise_scrapy.site.learned_template import LearnedTemplate, like_template
from denoise_scrapy.site.stored_site import MAX_MARKS, Merged, StoredSite, Unsaved
from denoise_scrapy.site.urls import url_likeness

#: Templates of a site; those of articles, lists, shops and forums are told apart, and few sites have more.
MAX_TEMPLATES = 8
#: Facts of pages kept of a template from crawl to crawl: as many as strategies compare a page with.
MAX_FACTS = 5
#: URLs of one template differ in an identifier, a slug, a date: that leaves this likeness and more.
LIKE = 0.8
#: A template's rules that are told: at most so many, with at least this share of its votes.
RULES, RULE_SHARE = 3, 0.1
#: Saves without an answer that are remembered: a server that is asked again each time before anything is sent gets no
#: more than one or two such.
MAX_UNCERTAIN = 4


class KnownSite:
    """The learned templates of one site, bounded.

    A page is of the template whose first page's signature it shares. Where it is of none that earlier crawls knew,
    those whose pages had URLs like its own, and of which this crawl has met no page, grow suspect: a site that was
    redesigned has none of their paths.

    Args:
        templates: What earlier crawls learned, those used longest ago first.
        facts: Pages of earlier crawls, each with the name of its template.
        stored: The site in the store where these come from; None: as if it held them.

    Attributes:
        templates: By name, those used longest ago first.
        inherited: URLs of pages of earlier crawls that serve as comparison pages, with the names of their templates.
        stored: URLs of pages whose facts are on disk as they are.
        gone: How often each template was forgotten since the last save.
        unsaved: Whether anything was learned or forgotten since the last save.
        counts: How often what happened: "changed", "evicted/paths", "evicted/rules", "evicted/templates".
    """

    def __init__(
        self,
        templates: Iterable[LearnedTemplate] = (),
        facts: Iterable[tuple[str, PageFacts]] = (),
        stored: StoredSite | None = None,
    ) -> None:
        self.templates: OrderedDict[str, LearnedTemplate] = OrderedDict((t.name, t) for t in templates)
        self.inherited = {page.url: name for name, page in facts}
        self.stored = set(self.inherited)
        self._urls = [(name, url) for url, name in self.inherited.items()]
        self.gone: Counter[str] = Counter()
        self.unsaved = False
        self.counts: Counter[str] = Counter()
        self._old = set(self.templates)
        self._unmet = set(self.templates)
        self._base = stored or StoredSite(tuple(self.templates.values()))
        self._saves = 0
        self._uncertain: dict[int, Unsaved] = {}

    @property
    def nbytes(self) -> int:
        """About what it occupies in memory, in bytes; the pages' facts are counted where they lie."""
        held = {id(template): template for template in (*self._base.templates, *self.templates.values())}
        return 1000 + 300 * len(self.stored) + sum(template.nbytes for template in held.values())

    def template_of(self, page: Page | PageFacts) -> LearnedTemplate | None:
        """The template that a page is of, None where it is of none that is known."""
        return like_template(page.signature, self.templates.values())

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
        self.gone[name] += 1
        if len(self.gone) > MAX_MARKS:  # without a store nothing is ever saved
            del self.gone[next(iter(self.gone))]
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
        found, pages = [], list(pages)
        self.stored &= {page.url for page in pages}  # of others nobody will ask
        for page in pages:
            template = self.template_of(page)
            if template is not None and taken[template.name] < MAX_FACTS:
                taken[template.name] += 1
                if page.url not in self.stored:
                    found.append((template.name, page.facts))
        return found[::-1]

    def to_save(self, writer: str, pages: Iterable[Page | PageFacts]) -> Unsaved:
        """What a store is to merge with what others have saved.

        Args:
            writer: Names this process.
            pages: Pages of the site, newest first.
        """
        self._saves += 1
        templates, facts = tuple(self.templates.values()), tuple(self.newest_facts(pages))
        return Unsaved(templates, self._base, dict(self.gone), facts, writer, self._saves, dict(self._uncertain))

    def failed(self, what: Unsaved) -> None:
        """Note that a save came to nothing, or that nobody knows whether it arrived."""
        if what.sent:
            self._uncertain[what.number] = what
            for number in sorted(self._uncertain)[:-MAX_UNCERTAIN]:
                del self._uncertain[number]

    def saved(self, merged: Merged) -> list[str]:
        """Go on with what this process and others have learned, as it is in the store now.

        Args:
            merged: What a save has made of the site.

        Returns:
            URLs of pages of earlier crawls whose templates others have forgotten.
        """
        before = {template.name: template.pages for template in self._base.templates}
        self.templates = OrderedDict((template.name, template) for template in merged.site.templates)
        # what others have met is there
        self._unmet = {name for name in self._unmet & set(self.templates) if self.templates[name].pages == before[name]}
        self._old &= set(self.templates)
        self._base, self.unsaved = merged.site, False
        self.gone.clear()
        self._uncertain.clear()
        self.stored.update(page.url for _, page in merged.facts)
        dropped = [url for url, name in self.inherited.items() if name in merged.dropped]
        for url in dropped:
            self.forget_page(url)
        self.counts["changed_elsewhere"] += len(merged.dropped)
        self.counts["evicted/templates"] += merged.evicted
        return dropped

    def forget_page(self, url: str) -> None:
        """Forget that there is a page of an earlier crawl, or in the store."""
        self.inherited.pop(url, None)
        self.stored.discard(url)

    def rules(self) -> list[LearnedRule]:
        """The rules of its templates worth telling, those of the template with most pages first."""
        ordered = sorted(self.templates.values(), key=lambda template: -template.pages)
        return [rule for t in ordered for rule in t.rules()[:RULES] if rule.share >= RULE_SHARE]
