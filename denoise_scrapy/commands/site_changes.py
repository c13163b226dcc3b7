"""What a person changes in a site memory: rules pinned, templates forgotten; and rules as JSON."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from denoise_scrapy.commands import STANDARD
from denoise_scrapy.commands.site_listing import KnownTemplate, templates_of
from denoise_scrapy.crawl.text_table import counted
from denoise_scrapy.shown import say, shown
from denoise_scrapy.site import LearnedRule, RulesFile, SiteStore, site_key
from denoise_scrapy.site.known_site import KnownSite
from denoise_scrapy.site.rules import Rule
from denoise_scrapy.site.rules_file import rules_text

ALL = "all"

_NUMBER = re.compile(r"(\d+)(?:\.(\d+))?", re.ASCII)
_RULE = re.compile(r"[#.][^\s#>+~,\[\]]+|[a-z][a-z0-9-]*(?:/[a-z][a-z0-9-]*)*")


def pin(store: SiteStore, site: str, which: str) -> int:
    """Let a rule decide, before those that were pinned earlier."""
    rule = replace(_rule(store, site, which), pinned=True)
    store.pin(site, partial(_before, [rule]))
    pages = f"pages of template {rule.template}" if rule.template else "all pages"
    say(f"pinned for {pages} of {site}, from the next crawl on: {rule.rule}")
    return 0


def unpin(store: SiteStore, site: str, which: str) -> int:
    """Let a rule, or all, decide no more."""
    gone: list[LearnedRule] = []

    def without(pinned: Sequence[LearnedRule]) -> list[LearnedRule]:
        gone[:] = [rule for rule in pinned if which == ALL or _is_meant(store, site, rule, which)]
        return [rule for rule in pinned if rule not in gone]

    store.pin(site, without)
    say(f"unpinned: {len(gone)}")
    return int(not gone)


def forget(store: SiteStore, site: str, which: str, *, ask: bool) -> int:
    """Forget what was learned of a site, or of a template of it.

    Raises:
        ValueError: `which` is neither all nor the number of a template.
    """
    number = None if which == ALL else _NUMBER.fullmatch(which)
    if which != ALL and (number is None or number[2]):
        raise ValueError(f"{which!r} is neither 'all' nor the number of a template")
    template = None if number is None else _template(store, site, int(number[1])).learned
    what = f"all that was learned of {site}" if template is None else f"template {template.name} of {site}"
    if ask and not _agreed(f"Forget {what}? [y/N] "):
        say("nothing is forgotten")
        return 1
    store.forget(site, None if template is None else template.name)
    left = len(store.pinned().get(site, ()))
    say(f"forgotten: {what}{f'; pinned rules stay: {left}' if left else ''}")
    return 0


def export(store: SiteStore, sites: list[str], file: str) -> int:
    """Write the rules of sites, pinned ones first, as JSON.

    Raises:
        ValueError: The file is that of the site memory.
    """
    found, pinned = {}, store.pinned()
    for site in sites:
        first = pinned.get(site, [])
        names = {_name(rule) for rule in first}
        learned = (rule for rule in KnownSite(store.load(site)[0]).rules() if _name(rule) not in names)
        found[site] = [rule.as_dict() for rule in (*first, *learned)]
    if file == STANDARD:
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
        say(*rules_text(found).rstrip("\n").split("\n"))
        return 0
    if store.path is not None and Path(file).exists() and Path(file).samefile(store.path):
        raise ValueError(f"{file}: this is the site memory itself")
    RulesFile(Path(file), found).write({})
    say(f"exported: {_rules_of(found)}", file=sys.stderr)
    return 0


def import_(store: SiteStore, host: str | None, file: str) -> int:
    """Pin the rules that are pinned in a rules file; what was learned is in a site memory only.

    Args:
        store: The site memory.
        host: The only host to take them of; None: all.
        file: The file.

    """
    text = sys.stdin.buffer.read() if file == STANDARD else Path(file).read_bytes()
    rules = RulesFile.parse(Path(file), text)
    found = {name: pins for name, pins in rules.pinned.items() if host is None or is_of(name, host)}
    for name, pins in found.items():
        store.pin(name, partial(_before, pins))
    say(f"pinned: {_rules_of(found)}")
    return 0


def is_of(site: str, host: str) -> bool:
    """Say whether a site is that of an URL, or of a host with or without a port.

    Example:
        >>> [is_of("https://a.example:443", host) for host in ("A.example", "a.example:443", "http://a.example/")]
        [True, True, False]

    """
    name = site.partition("://")[2]
    return site == site_key(host) or host.lower() in {name, name.rpartition(":")[0]}


def _rule(store: SiteStore, site: str, which: str) -> LearnedRule:
    """Give the rule that a number or a text stands for.

    Raises:
        ValueError: It stands for none.

    """
    number = _NUMBER.fullmatch(which)
    if number is None:
        if not _RULE.fullmatch(which):
            raise ValueError(f"{which!r} is no rule: those are #id, .class (.one.two for both), html/body/div")
        return LearnedRule(Rule.parse(which))
    rules, place = _template(store, site, int(number[1])).rules, int(number[2] or 1)
    if not 1 <= place <= len(rules):
        raise ValueError(f"template {number[1]} of {site} has {counted(len(rules), 'rule')}, not {place}")
    return rules[place - 1]


def _template(store: SiteStore, site: str, number: int) -> KnownTemplate:
    templates = templates_of(store, site)
    if not 1 <= number <= len(templates):
        raise ValueError(f"{site} has {counted(len(templates), 'template')}, not {number}")
    return templates[number - 1]


def _is_meant(store: SiteStore, site: str, rule: LearnedRule, which: str) -> bool:
    if _NUMBER.fullmatch(which):
        return _name(rule) == _name(_rule(store, site, which))
    return str(rule.rule) == str(Rule.parse(which))


def _before(new: Sequence[LearnedRule], pinned: Sequence[LearnedRule]) -> list[LearnedRule]:
    """Put rules before those that are pinned, in place of those of the same name."""
    names = {_name(rule) for rule in new}
    return [*new, *(rule for rule in pinned if _name(rule) not in names)]


def _rules_of(found: Mapping[str, Sequence[object]]) -> str:
    return f"{counted(sum(map(len, found.values())), 'rule')} of {counted(len(found), 'site')}"


def _name(rule: LearnedRule) -> tuple[str, str]:
    return str(rule.rule), rule.template


def _agreed(question: str) -> bool:
    try:
        return input(shown(question)).strip().lower() in {"y", "yes"}
    except EOFError:
        return False
