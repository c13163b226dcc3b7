"""Selectors of the user: the elements of a page that a CSS selector or an XPath matches, and the removals.

They are parsel's, but a path is evaluated step by step, from each element found so far: libxml2 merges the results of
whole paths by comparing each with each (27 s for `//div/following-sibling::div` on 5,000 elements; over 8 s for
`//div//div[@class]` on 3,000 nested ones in 18,000, which take .1 s in steps). What cannot be split, such as steps from
comments, texts and attributes, looks at the clock in between. No path goes on from the document above `html`.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import parsel
from cssselect import SelectorError
from lxml import etree

from denoise_scrapy.core.tree import Tree
from denoise_scrapy.exceptions import TooLargeError
from denoise_scrapy.page.columns import IntArray

#: A page with more elements is not searched: conditions may take time quadratic in them, 2 s for 20,000. Of 1,800
#: recorded pages the largest has 13,000.
MAX_ELEMENTS = 20_000
#: How a selector begins where a text may stand.
PREFIXES = ("css:", "xpath:")
#: Maximum CPU seconds of a selector on a page: recorded pages take milliseconds.
MAX_SECONDS = 1.0
#: Maximum nesting of a condition's searches that do not look at the clock, see `_reach`.
MAX_REACH = 2

#: A host before a selector. No CSS selector or XPath has a blank after a single colon.
_HOST = re.compile(r"([\w-]+(?:\.[\w-]+)+):\s+(.*)", re.DOTALL)
#: Beginnings of XPaths, but not of CSS selectors.
_XPATH = re.compile(r"xpath:|\.?/|\(")
_NAMESPACES = parsel.Selector("").namespaces
_OPERATORS = frozenset("and or div mod".split())
_ERRORS = (etree.XPathError, re.error, TypeError, ValueError)
_PROBE = etree.fromstring("<html><head/><body><div><p>x</p></div></body></html>")
_TOKEN = re.compile(r""""[^"]*"|'[^']*'|//|[][/|]|(?:\(\s*\)|[^][()/|"'])+|[()"']""")
_STRING = re.compile(r""""[^"]*"|'[^']*'""")
_CALL = re.compile(r"([\w.-]+(?::[\w.-]+)?)\s*\(")
_PREFIX = re.compile(r"([\w.-]+):(?!:)(?<!::)")
# What a step ends with that selects text, attributes and the like, or may select them besides elements.
_NO_ELEMENT = (
    r"(?:(?:@|\battribute\s*::|\bnamespace\s*::)\s*[\w:*.-]+|\b(?:text|comment|processing-instruction)\s*\([^)]*\))"
)
_NO_ELEMENT_LAST = re.compile(rf"{_NO_ELEMENT}[\s)]*$")
_MAY_BE_NO_ELEMENT = re.compile(rf"{_NO_ELEMENT}|\bnode\s*\(")
# An axis and its node test, and where a path begins: what is found from one element is not merged.
_AXIS = re.compile(r"\s*[\w-]+\s*::\s*(?:[\w.:-]*\*|[\w.:-]+(?:\s*\(\s*\))?)")
_BEGINNING = re.compile(r"(?:^|[\[(|,]|(?<!\.)\.)\s*/?$")
# A condition that is true until the time is up.
_IN_TIME = "[in-time($end)]"
_DESCENDANTS = f"/descendant-or-self::node(){_IN_TIME}/"
_DESCENDANTS_BY_NAME = re.compile(re.escape(_DESCENDANTS) + r"([\w*-]+)(?=\s*(?:[/|,)]|$))")
_FAR = re.compile(r"\b(?:following|preceding)(?:-sibling)?\s*::|(?:^|[\[(,|=<>+-]|^and\b|^or\b)\s*/")
_CONDITION = re.compile(r"\[[^][]*\]")
_DEEP = re.compile(r"//|\b(?:ancestor|descendant)(?:-or-self)?\s*::")


@dataclass(frozen=True, eq=False)
class Match:
    """Numbers of the elements that a selector, as the user wrote it, matched on a page, ascending, shape (found,)."""

    selector: str
    elements: IntArray


@dataclass(frozen=True)
class Selector:
    """A compiled selector: its text, its host ("" for all), and its alternatives, each as steps."""

    text: str
    host: str
    paths: tuple[tuple[str, ...], ...]

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
                for step in steps:
                    find = _xpath(step)
                    before, reached = reached, set()
                    for context in before:
                        _in_time(None, end)
                        # what a step that descends finds below an element it also finds above
                        if not step.startswith(".//") or before.isdisjoint(context.iterancestors()):
                            reached.update(find(context, end=end))
                found |= reached
        except _ERRORS as error:
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
        else:
            expression = _css_to_xpath(written.removeprefix("css:"))
        _check_xpath(expression)
        selector = Selector(text, host, tuple(map(_compiled, _paths(expression))))
    except _ERRORS as error:
        raise ValueError(f"selector {text!r}: {error}") from None
    selector.find(_PROBE)
    return selector


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
        # the same for elements, and a step that descends
        return re.sub("/descendant(?:-or-self::[*]/|::)", "//", parsel.css2xpath(selector))
    except SelectorError as error:
        raise ValueError(f"not a CSS selector ({error})") from None


def _check_xpath(expression: str) -> None:
    """Reject invalid XPaths, unknown functions, and other results than elements."""
    bare = _STRING.sub("''", expression)
    if "$" in bare:
        raise ValueError("variables are not supported")
    for prefix in _PREFIX.findall(bare):
        if prefix not in _NAMESPACES:
            raise ValueError(f"unknown prefix {prefix}:")
    for name in _CALL.findall(bare):
        if not _is_known(name):
            raise ValueError(f"unknown function {name}()")
    try:
        result = _xpath(expression)(_PROBE)
    except etree.XPathError as error:
        raise ValueError(f"not an XPath ({error})") from None
    if not isinstance(result, list):
        raise ValueError("its result is a number, a string or a boolean, not elements")
    for path in _paths(bare):
        if _NO_ELEMENT_LAST.search(_without_conditions(path[-1])):
            raise ValueError("it selects text or attributes, not elements")


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


def _compiled(steps: Sequence[str]) -> tuple[str, ...]:
    """Return the steps that start and end at elements: one that may find anything else is joined with the next."""
    compiled = []
    joined = ""
    for number, step in enumerate(steps):
        joined += step if joined or not number else f".{step}"
        if not _MAY_BE_NO_ELEMENT.search(_without_conditions(step)):
            compiled.append(_bounded(joined))
            joined = ""
    if joined:
        compiled.append(_bounded(f"{joined}/self::*"))
    return tuple(compiled)


def _bounded(path: str) -> str:
    """Return a path that looks at the clock between the results of its parts, and of conditions that search far."""
    bounded = ""
    depth = 0
    is_far = _reach(_STRING.sub("", path.partition("[")[2])) > MAX_REACH
    for token in _TOKEN.findall(path):
        if token == "[" and depth and is_far:
            bounded += _IN_TIME
        depth += (token == "[") - (token == "]")
        if _BEGINNING.search(bounded):
            bounded += token
        elif token == "//":
            bounded += _DESCENDANTS
        elif axis := _AXIS.match(token):
            bounded += f"{axis[0]}{_IN_TIME}{token[axis.end() :]}"
        else:
            bounded += token
    return _DESCENDANTS_BY_NAME.sub(rf"/descendant::\g<1>{_IN_TIME}", bounded)  # which takes less time


def _in_time(_context: Any, end: float) -> bool:
    if time.thread_time() > end:
        raise TooLargeError(f"a selector takes more than {MAX_SECONDS:g} s")
    return True


def _is_known(function: str) -> bool:
    """Return whether there is a function, or a node test, or an operator, with this name."""
    try:
        _xpath(f"{function}()")(_PROBE)
    except Exception as error:  # also of a known one, which wants arguments
        return function in _OPERATORS or "Unregistered function" not in str(error)
    return True


def _xpath(expression: str) -> etree.XPath:
    # made for each page: parsel tells why those with functions of EXSLT grow
    extensions = {(None, "in-time"): _in_time}
    return etree.XPath(expression, namespaces=_NAMESPACES, extensions=extensions, smart_strings=False)
