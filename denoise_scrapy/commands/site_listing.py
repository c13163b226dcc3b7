"""What was learned of a site, for people and for machines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from denoise_scrapy.crawl.text_table import counted, plain_line, text_table
from denoise_scrapy.site import LearnedRule, LearnedTemplate, SiteStore
from denoise_scrapy.site.known_site import KnownSite

PATHS_SHOWN = 8  # of a template, those with the most text; --json has all that have a name
URLS_SHOWN = 3


class KnownTemplate(NamedTuple):
    """A template of a site.

    Attributes:
        learned: What was learned of it.
        rules: Its rules worth telling, the best first.
        urls: URLs of its newest pages, the newest first.

    """

    learned: LearnedTemplate
    rules: list[LearnedRule]
    urls: list[str]

    @property
    def paths(self) -> list[dict[str, Any]]:
        """Paths with the most text: their share of the template's text, and how much of it was content."""
        sums, names = self.learned.sums, self.learned.names
        total = max(float(sums.tokens.sum()), 1e-9)
        order = np.argsort(-sums.tokens, kind="stable").tolist()
        return [
            {
                "path": names[int(sums.keys[i])],
                "text": round(float(sums.tokens[i]) / total, 4),
                "content": round(float(sums.content[i]) / max(float(sums.tokens[i]), 1e-9), 4),
            }
            for i in order
            if int(sums.keys[i]) in names
        ]


def templates_of(store: SiteStore, site: str) -> list[KnownTemplate]:
    """Give the templates of a site, those with most pages first: the first is number 1."""
    templates, facts = store.load(site)
    rules = KnownSite(templates).rules()
    found = []
    for template in sorted(templates, key=lambda template: -template.pages):
        urls = [page.url for name, page in reversed(facts) if name == template.name]
        newest = list(dict.fromkeys(filter(None, [template.example, *urls])))
        found.append(KnownTemplate(template, [rule for rule in rules if rule.template == template.name], newest))
    return found


def site_as_dict(store: SiteStore, site: str) -> dict[str, Any]:
    """Give what is known of a site as plain values."""
    return {
        "site": site,
        "pinned": [rule.as_dict() for rule in store.pinned().get(site, ())],
        "templates": [
            {
                "number": number,
                "name": one.learned.name,
                "pages": one.learned.pages,
                "urls": one.urls,
                "rules": [rule.as_dict() for rule in one.rules],
                "paths": one.paths,
            }
            for number, one in enumerate(templates_of(store, site), 1)
        ],
    }


def site_lines(store: SiteStore, site: str) -> Iterator[str]:
    """Yield the lines of what is known of a site."""
    templates, pinned = templates_of(store, site), store.pinned().get(site, [])
    pages = sum(one.learned.pages for one in templates)
    yield plain_line(f"{site}: {counted(len(templates), 'template')}, {counted(pages, 'page')}")
    for rule in pinned:
        where = f" of template {rule.template}" if rule.template else ""
        yield plain_line(f"pinned: {str(rule).removesuffix(' (pinned)')}{where}")
    for number, one in enumerate(templates, 1):
        yield ""
        yield f"{number}  template {one.learned.name}, {counted(one.learned.pages, 'page')}"
        for place, rule in enumerate(one.rules, 1):
            yield plain_line(f"   {number}.{place}  {rule}")
        yield from (f"   {line}" for line in _path_lines(one))
        yield from (plain_line(f"   {url}") for url in one.urls[:URLS_SHOWN])


def sites_lines(store: SiteStore) -> Iterator[str]:
    """Yield the lines of a table of all sites."""
    pinned, rows = store.pinned(), []
    for site in store.sites():
        templates, _ = store.load(site)
        pages = sum(template.pages for template in templates)
        rows.append((pages, [f"{pages:,}", str(len(templates)), str(len(pinned.get(site, ()))), site]))
    yield f"{store.place}: {counted(len(rows), 'site')}"
    if rows:
        rows.sort(key=lambda row: -row[0])
        yield from text_table(["pages", "templates", "pinned", "site"], [cells for _, cells in rows], [3])


def _path_lines(one: KnownTemplate) -> list[str]:
    rows = [[f"{path['text']:.0%}", f"{path['content']:.0%}", path["path"]] for path in one.paths[:PATHS_SHOWN]]
    return text_table(["text", "content", "path"], rows, [2]) if rows else []
