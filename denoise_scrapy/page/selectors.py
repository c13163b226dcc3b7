"""Selectors of the user: the elements of a page that a CSS selector or an XPath matches, and the removals.

A selector is evaluated step by step, from each element found so far: libxml2 merges the results of whole paths by
comparing each with each (27 s for `//div/following-sibling::div` on 5,000 elements).
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from cssselect import HTMLTranslator, SelectorError, parse
from lxml import etree

from denoise_scrapy.core.tree import Tree
from denoise_scrapy.exceptions import TooLargeError
from denoise_scrapy.page.columns import IntArray

#: A page with more elements is not searched: conditions may take time quadratic in them, 2 s for 20,000. Of 1,800
#: recorded pages the largest has 13,000.
MAX_ELEMENTS = 20_000
#: Maximum CPU seconds of a selector on a page, checked between steps: recorded pages take milliseconds.
MAX_SECONDS = 1.0
#: Maximum nesting of a condition's searches, see `_reach`.
MAX_REACH = 2

#: A host before a selector. No CSS selector or XPath has a blank after a single colon.
_HOST = re.compile(r"([\w-]+(?:\.[\w-]+)+):\s+(.*)", re.DOTALL)
#: Beginnings of XPaths, but not of CSS selectors.
_XPATH = re.compile(r"xpath:|\.?/|\(")
_NAMESPACES = {"re": "http://exslt.org/regular-expressions"}
#: XPath 1.0, and the extensions of Scrapy's selectors. Others would fail only on the first page that reaches them.
_FUNCTIONS = frozenset(
    "last position count id local-name namespace-uri name string concat starts-with contains substring-before "
    "substring-after substring string-length normalize-space translate boolean not true false lang number sum floor "
    "ceiling round has-class re:test re:match re:replace "
    "text comment processing-instruction node and or div mod".split()
)


def _has_class(context: Any, *classes: str) -> bool:
    return set(classes) <= set((context.context_node.get("class") or "").split())


_EXTENSIONS = {(None, "has-class"): _has_class}
_PROBE = etree.fromstring("<html><head/><body><div><p>x</p></div></body></html>")
_TOKEN = re.compile(r"""("[^"]*"|'[^']*'|//|[][()/|]|[^][()/|"']+|["'])""")
_STRING = re.compile(r""""[^"]*"|'[^']*'""")
_CALL = re.compile(r"([\w.-]+(?::[\w.-]+)?)\s*\(")
_PREFIX = re.compile(r"([\w.-]+):(?!:)(?<!::)")
_NO_ELEMENT = re.compile(
    r"(?:(?:@|\battribute\s*::|\bnamespace\s*::)\s*[\w:*.-]+"
    r"|\b(?:text|comment|processing-instruction)\s*\(\s*\)|(?<!:)\bnode\s*\(\s*\))[\s)]*$"
)
_FAR = re.compile(r"\b(?:following|preceding)(?:-sibling)?\s*::|(?:^|[\[(,|=<>+-]|^and\b|^or\b)\s*/")
_CONDITION = re.compile(r"\[[^][]*\]")
#: Operators that separate conditions.
_ALTERNATIVES = re.compile(r"\]\s*\[|\b(?=and\b|or\b)")
_DEEP = re.compile(r"//|\b(?:ancestor|descendant)(?:-or-self)?\s*::")


@dataclass(frozen=True, eq=False)
class Match:
    """Numbers of the elements that a selector, as the user wrote it, matched on a page, ascending, shape (found,)."""

    selector: str
    elements: IntArray


#: A step of a path, and whether it descends: then what it finds below an element it also finds above.
_Step = tuple[etree.XPath, bool]


@dataclass(frozen=True)
class Selector:
    """A compiled selector: its text, its host ("" for all), and its alternatives, each as steps."""

    text: str
    host: str
    paths: tuple[tuple[_Step, ...], ...]

    def is_for(self, url: str) -> bool:
        """Return whether a page is on the selector's host, or a subdomain of it."""
        if not self.host:
            return True
        try:
            return f".{_ascii_host(urlsplit(url).hostname or '')}".endswith(f".{self.host}")
        except ValueError:
            return False

    def find(self, root: Any) -> set[Any]:
        """Return the elements found in the subtree of an lxml element; errors as in `find_elements`."""
        end = time.thread_time() + MAX_SECONDS
        found: set[Any] = set()
        try:
            for steps in self.paths:
                reached = {root}
                for find, descends in steps:
                    before, reached = reached, set()
                    for context in before:
                        if time.thread_time() > end:
                            raise TooLargeError(f"selector {self.text!r} takes more than {MAX_SECONDS:g} s")
                        if not descends or before.isdisjoint(context.iterancestors()):
                            reached.update(_elements(find(context)))
                found |= reached
        except (etree.XPathError, re.error, TypeError, ValueError) as error:
            raise ValueError(f"selector {self.text!r}: {error}") from None
        return found


@lru_cache(maxsize=1024)
def compile_selector(text: str) -> Selector:
    """Compile a CSS selector or an XPath; raise `ValueError` if it is neither, or does not select elements.

    It is an XPath if it begins with `/`, `./`, `(` or `xpath:`, else CSS, also after `css:`. A host, a colon and a
    blank before it limit it to pages of this host and its subdomains.

    Example:
        >>> compile_selector("example.com: div.story").host
        'example.com'
        >>> compile_selector("div[")
        Traceback (most recent call last):
            ...
        ValueError: selector 'div[': not a CSS selector (Expected ident or '*', got <EOF at 4>)
    """
    host, written = "", text.strip()
    try:
        if limited := _HOST.fullmatch(written):
            host, written = _ascii_host(limited[1]), limited[2]
        if _XPATH.match(written):
            expression = written.removeprefix("xpath:").strip()
            _check_xpath(expression)
        else:
            expression = _css_to_xpath(written.removeprefix("css:"))
        return Selector(text, host, tuple(map(_compile_path, _paths(expression))))
    except (ValueError, etree.XPathError) as error:
        raise ValueError(f"selector {text!r}: {error}") from None


def compile_all(selectors: str | Iterable[str]) -> tuple[Selector, ...]:
    """Compile one selector or several; raise `TypeError` if one is not a str, `ValueError` if one is invalid."""
    texts = (selectors,) if isinstance(selectors, str) else tuple(selectors)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"a selector must be str, got {type(text).__name__}")
    return tuple(map(compile_selector, texts))


def find_elements(tree: Tree, root: Any, selectors: Sequence[Selector]) -> tuple[Match, ...]:
    """Find the elements of each selector on a page, given its tree, made with its nodes, and that tree's root, if any.

    Raise `TooLargeError` if the page is too large or a selector takes too long, `ValueError` if one fails.
    """
    if len(tree.element_rows) > MAX_ELEMENTS:
        raise TooLargeError(f"selectors are not applied to more than {MAX_ELEMENTS:,} elements")
    matches = []
    for selector in selectors:
        found = [] if root is None else tree.numbers_of(list(selector.find(root)))
        known = sorted(number for number in found if number >= 0)
        matches.append(Match(selector.text, np.array(known, np.int64)))
    return tuple(matches)


def _ascii_host(host: str) -> str:
    host = host.lower().rstrip(".")
    return host if host.isascii() else host.encode("idna").decode()


def _css_to_xpath(selector: str) -> str:
    try:
        if any(part.pseudo_element for part in parse(selector)):
            raise ValueError("it selects text or attributes, not elements")
        # the same for elements, and a step that descends
        return HTMLTranslator().css_to_xpath(selector).replace("/descendant-or-self::*/", "//")
    except SelectorError as error:
        raise ValueError(f"not a CSS selector ({error})") from None


def _check_xpath(expression: str) -> None:
    """Reject invalid XPaths, unknown functions, other results than elements, and conditions that take too long."""
    bare = _STRING.sub("''", expression)
    if "$" in bare:
        raise ValueError("variables are not supported")
    for prefix in _PREFIX.findall(bare):
        if prefix not in _NAMESPACES:
            raise ValueError(f"unknown prefix {prefix}:")
    for name in _CALL.findall(bare):
        if name not in _FUNCTIONS:
            raise ValueError(f"unknown function {name}()")
    try:
        result = _xpath(expression)(_PROBE)
    except etree.XPathError as error:
        raise ValueError(f"not an XPath ({error})") from None
    if not isinstance(result, list):
        raise ValueError("its result is a number, a string or a boolean, not elements")
    for path in _paths(bare):
        if _NO_ELEMENT.search(_without_conditions(path[-1])):
            raise ValueError("it selects text or attributes, not elements")
        if any(_reach(part) > MAX_REACH for step in path for part in _ALTERNATIVES.split(step.partition("[")[2])):
            raise ValueError("a condition searches too far: too many nested //, siblings or ancestors")


def _reach(condition: str) -> int:
    """Count one for descendants or ancestors, two for siblings or the whole page: each multiplies the time."""
    rest, far = _FAR.subn("", condition)
    return 2 * far + len(_DEEP.findall(rest))


def _without_conditions(step: str) -> str:
    while (shorter := _CONDITION.sub("", step)) != step:
        step = shorter
    return step


def _paths(expression: str) -> list[list[str]]:
    """Split a union into paths, each as steps."""
    paths: list[list[str]] = [[""]]
    depth = 0
    for token in _TOKEN.findall(expression):
        depth -= token in ("]", ")")
        if depth == 0 and token == "|":
            paths.append([""])
        elif depth == 0 and token in ("/", "//") and paths[-1][-1].strip():
            paths[-1].append(token)
        else:
            paths[-1][-1] += token
        depth += token in ("[", "(")
    return paths


def _compile_path(steps: Sequence[str]) -> tuple[_Step, ...]:
    first, *others = steps
    return ((_xpath(first), False), *((_xpath(f".{step}"), step.startswith("//")) for step in others))


def _xpath(expression: str) -> etree.XPath:
    return etree.XPath(expression, namespaces=_NAMESPACES, extensions=_EXTENSIONS, smart_strings=False)


def _elements(found: Iterable[Any]) -> Iterator[Any]:
    return (element for element in found if isinstance(element, etree._Element))
