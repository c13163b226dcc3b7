"""The rules there are, and what an index says of arguments that it cannot use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard

from denoise_scrapy.dedup.patent import PatentRule
from denoise_scrapy.dedup.rule import NearCopyRule, PartRule, Rule
from denoise_scrapy.dedup.search import SEARCHES
from denoise_scrapy.dedup.store import Name

RULES: Mapping[str, Rule] = {rule.name: rule for rule in (PartRule(), NearCopyRule(), PatentRule())}
"""The rules there are, by name."""


def rule_named(name: str) -> Rule:
    """Give the rule of a name.

    Raises:
        ValueError: There is none of this name.

    """
    if name not in RULES:
        raise ValueError(f"rule must be one of {', '.join(RULES)}, got {name!r}")
    return RULES[name]


def way_of(rule: Rule, search: str | None, *, extends: bool) -> str:
    """The search to use.

    Raises:
        ValueError: There is no such search, or it does not go with the rule or with `extends`.

    """
    way = search or ("prefilter" if rule.has_bands else "tree")
    if way not in SEARCHES:
        raise ValueError(f"search must be one of {', '.join(SEARCHES)}, got {search!r}")
    if way == "prefilter" and not rule.has_bands:
        raise ValueError(f"search must be tree for the rule {rule.name!r}, got {search!r}")
    if extends and way != "prefilter":
        raise ValueError(f"extends needs search='prefilter', got {way!r}")
    return way


def check_shares(threshold: object, most_new: object) -> None:
    """Refuse what is no share; nothing new may be asked for, nothing in common may not.

    Raises:
        ValueError: One is none.

    """
    if not _is_number(threshold) or not 0 < threshold <= 1:
        raise ValueError(f"threshold must be a number in (0, 1], got {threshold!r}")
    if not _is_number(most_new) or not 0 <= most_new <= 1:
        raise ValueError(f"most_new must be a number in [0, 1], got {most_new!r}")


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def check_names(name: Name) -> None:
    """Refuse an item without a key, and what no store could write.

    Raises:
        ValueError: There is such a part; the message says which.

    """
    for part, value in name._asdict().items():
        _check_name(part, value, empty=part != "key")


def _check_name(name: str, value: object, *, empty: bool = False) -> None:
    """Refuse one part of a name."""
    if not isinstance(value, str) or not (value or empty):
        raise ValueError(f"{name} must be a string{'' if empty else ' not empty'}, got {value!r}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} must be text UTF-8 can write, got {value!r}") from None
