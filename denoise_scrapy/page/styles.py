"""The style sheets that a page contains: their rules that concern what can be seen, for the core.

The core reads a sheet, since pages are hostile, and many repeat a large one. Selectors with escapes, groups, or
conditions on attributes are read by cssselect, and the result is kept for the next page.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from cssselect import SelectorError, parser
from cssselect.parser import parse

from denoise_scrapy.core.styles import StyleSheet, styles_of

if TYPE_CHECKING:
    from denoise_scrapy.core.styles import Compound, Condition, Selector

#: Sheets that are kept for other pages of a site.
SHEETS = 64
#: Selectors that are kept for other sheets: some systems write the same ones on all pages of all their sites.
SELECTORS = 1024
#: Conditions that a click changes.
_CLICKED = frozenset(["checked", "target", "target-within", "open", "popover-open", "focus-within"])
_SWITCHES = frozenset(["open", "aria-expanded", "aria-selected"])
#: Attributes that scripts change, as those of parts that are shown when a page is ready: no condition on them hides.
_CHANGED = re.compile(r"hidden$|aria-|data-(?:state|open|active|show|visible|collapsed)|.*cloak|style$")
_GROUP = re.compile(r"([^\s>+~,]*):(?:is|where|any|matches)\(([^()]*)\)", re.IGNORECASE)
#: Selectors that groups stand for, at most.
MOST_SPREAD = 50


def sheet_of(root: Any) -> StyleSheet | None:
    """Return the rules of the style sheets in a page's tree, None if there are none and others may be loaded."""
    text, is_all = styles_of(root)
    return _sheet(text, is_all) if is_all or text else None


@lru_cache(SHEETS)
def _sheet(text: bytes, is_all: bool) -> StyleSheet:
    return StyleSheet(text, is_all, read_selectors)


@lru_cache(SELECTORS)
def read_selectors(text: str) -> list[Selector]:
    """Read selectors as cssselect does, without those that are not understood."""
    found: list[Selector] = []
    for one in _spread(text):
        with suppress(SelectorError, RuntimeError):  # of too deep ones, and of an open `:is(`
            for selector in parse(one):
                read = _compounds(selector.parsed_tree)
                if read is not None and not selector.pseudo_element:
                    found.append((selector.specificity(), *read))
    return found


def _spread(text: str) -> list[str]:
    """Return the selectors of a list, one for each of a group such as `:is(a, b)`."""
    found, left = list[str](), re.split(r",(?![^()]*\))", text)[:MOST_SPREAD]
    while left and len(found) + len(left) <= MOST_SPREAD:
        one = left.pop(0)
        group = _GROUP.search(one)
        if group is None:
            found.append(one)
            continue
        names = [name.strip() for name in group[2].split(",")]
        whole = (name + group[1] if name[:1].isalpha() else group[1] + name for name in names)
        left += [one[: group.start()] + name + one[group.end() :] for name in whole]
    return found


def _compounds(tree: Any) -> tuple[list[Compound], bool, list[Condition]] | None:
    """Return a selector's compounds, the last one first, whether it is of a state, and conditions of the last one.

    None if it is not understood.
    """
    found: list[Compound] = []
    conditions: list[Condition] = []
    is_state = is_child = False
    while True:
        before: Any = None
        if isinstance(tree, parser.CombinedSelector):
            before, combinator, tree = tree.selector, tree.combinator, tree.subselector
            is_child = combinator == ">"
            is_state |= combinator in "+~"
        else:
            is_child = False
        classes, id_, is_root = list[str](), "", False
        while not isinstance(tree, parser.Element):
            if isinstance(tree, parser.Class):
                classes.append(tree.class_name)
            elif isinstance(tree, parser.Hash):
                id_ = tree.id
            elif (isinstance(tree, parser.Pseudo) and tree.ident.lower() in _CLICKED) or (
                isinstance(tree, parser.Attrib) and tree.attrib in _SWITCHES
            ):
                is_state = True
            elif isinstance(tree, parser.Pseudo) and tree.ident.lower() == "root":
                is_root = True
            elif isinstance(tree, parser.Attrib) and not found and not _CHANGED.match(tree.attrib.lower()):
                conditions.append((tree.attrib.lower(), tree.operator, (tree.value.value or "") if tree.value else ""))
            else:
                return None
            tree = tree.selector
        tag = (tree.element or ("html" if is_root else "")).lower()
        is_state |= tag in {"html", "body"} and bool(classes)  # which scripts change
        found.append((tag, id_, tuple(classes), is_child))
        if before is None:
            return found, is_state, conditions
        if is_state and "+~".find(combinator) >= 0:
            return found, True, conditions
        tree = before
