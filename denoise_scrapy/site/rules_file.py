"""Learned rules as a JSON file that people read, edit and pin."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from denoise_scrapy.page import Page
from denoise_scrapy.site.known_site import KnownSite
from denoise_scrapy.site.learned_rule import LearnedRule
from denoise_scrapy.site.urls import site_key
from denoise_scrapy.storage import replacing

#: Raise with any change that earlier versions cannot read.
FORMAT = 1


class RulesFile:
    """The rules of sites: what a person has pinned, and what crawls learned.

    Attributes:
        path: The file.
        pinned: The pinned rules by site (`site_key`).

    Example:
        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = Path(folder.name, "rules.json")
        >>> rules = '{"sites": {"http://a.example": [{"rule": "#main", "pinned": true}]}}'
        >>> _ = path.write_text(rules)
        >>> {site: str(rule) for site, (rule,) in RulesFile.read(path).pinned.items()}
        {'http://a.example:80': '#main (pinned)'}
        >>> folder.cleanup()
    """

    def __init__(self, path: Path, sites: Mapping[str, Sequence[Mapping[str, Any]]] | None = None) -> None:
        self.path = path
        self._sites = {name: list(rules) for name, rules in (sites or {}).items()}
        self.pinned: dict[str, list[LearnedRule]] = {}
        for name, rules in self._sites.items():
            site = site_key(name)
            if not site:
                raise ValueError(f"{name!r} is no site, as 'https://www.example.com' is one")
            read = [LearnedRule.from_dict(rule) for rule in rules]
            self.pinned.setdefault(site, []).extend(rule for rule in read if rule.pinned)
        self.pinned = {site: rules for site, rules in self.pinned.items() if rules}

    @classmethod
    def read(cls, path: Path) -> RulesFile:
        """The file; none there is as good as an empty one.

        Args:
            path: The file; its folder must exist.

        Raises:
            OSError: It cannot be read, or its folder is missing.
            ValueError: It is no such file.
        """
        if not path.parent.is_dir():
            raise FileNotFoundError(f"{path}: its folder does not exist; create it or give another path")
        if not path.exists():
            return cls(path)
        return cls.parse(path, path.read_bytes())

    @classmethod
    def parse(cls, path: Path, text: str | bytes) -> RulesFile:
        """The same of a text that was read already.

        Args:
            path: What it is called in messages.
            text: The text.

        Raises:
            ValueError: It is no such file.
        """
        try:
            read = json.loads(text)
            sites = read.get("sites", {}) if isinstance(read, dict) else None
            if not isinstance(sites, dict) or not all(isinstance(rules, list) for rules in sites.values()):
                raise ValueError('it is not of the form {"sites": {"https://www.example.com": [{"rule": "#main"}]}}')
            if read.get("format", FORMAT) != FORMAT:
                raise ValueError(f"its format is {read['format']!r}, and this version reads {FORMAT}")
            return cls(path, sites)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{path}: {error}") from error

    def write(self, learned: Mapping[str, Sequence[LearnedRule]]) -> None:
        """Write the file anew: pinned rules as they were, then what was learned; other sites as they were.

        The file is replaced as a whole: it is never half written.

        Args:
            learned: Rules by site.

        Raises:
            OSError: It cannot be written.
        """
        sites = dict(self._sites)
        names = {site_key(name): name for name in sites}
        for site, rules in sorted(learned.items()):
            name = names.get(site, site)
            kept = [rule for rule in sites.get(name, ()) if rule.get("pinned")]
            known = {(rule["rule"], rule.get("template", "")) for rule in kept}
            new = [rule.as_dict() for rule in rules]
            sites[name] = [*kept, *(rule for rule in new if (rule["rule"], rule["template"]) not in known)]
        with replacing(self.path, errors="replace") as file:
            file.write(rules_text(sites))


def rules_text(sites: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """The text of a rules file.

    Args:
        sites: Rules by site, each as `LearnedRule.as_dict` gives it.
    """
    return json.dumps({"format": FORMAT, "sites": sites}, indent=1, ensure_ascii=False) + "\n"


def choose_pinned(rules: Iterable[LearnedRule], page: Page, known: KnownSite) -> LearnedRule | None:
    """The pinned rule that decides for a page, None where none finds its element in it.

    A rule that names a template decides for pages of that template; where the site has none of that name, and
    for rules that name none, for all pages with one element of the rule's name.

    Args:
        rules: Pinned rules of the page's site.
        page: The page.
        known: What is known of the site.
    """
    own = known.template_of(page)
    theirs = [rule for rule in rules if own is not None and rule.template == own.name]
    anybodys = [rule for rule in rules if rule.template not in known.templates]
    return next((rule for rule in (*theirs, *anybodys) if rule.blocks_inside(page).any()), None)
