"""What an XPath expression may be, so that it is told at the start and not on the first page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from lxml import etree

from denoise_scrapy.page.found import Find, all_of, parent, reach
from denoise_scrapy.page.xpath_parts import alternatives, parts_of_path, tokens_of, visits

#: As in Scrapy's selectors: `re:test(@class, "ad-\\d")`.
NAMESPACES = {"re": "http://exslt.org/regular-expressions"}
#: XPath 1.0 and what Scrapy's users know besides. Nothing else: some extensions read files.
FUNCTIONS = frozenset(
    "last position count id local-name namespace-uri name string concat starts-with contains substring-before "
    "substring-after substring string-length normalize-space translate boolean not true false lang number sum floor "
    "ceiling round has-class re:test re:match re:replace".split()
)


def _has_class(context: Any, *classes: str) -> bool:
    names = (context.context_node.get("class") or "").split()
    return all(name in names for name in classes)


_OPERATORS = frozenset(["and", "or", "div", "mod"])
_NODE_TYPES = frozenset(["text", "comment", "processing-instruction", "node"])
#: Axes on which only elements stand (and the document, which is none of ours).
_UPWARD = frozenset(["parent", "ancestor", "ancestor-or-self", "self"])
_EXTENSIONS = {(None, "has-class"): _has_class}
_PROBE = etree.fromstring("<html><body><p>x</p></body></html>")


def compile_xpath(expression: str) -> Find:
    """A compiled expression that selects elements.

    In libxml2 each `//` but the first takes the square of the page and more, where elements are nested: what stands
    between them is looked for by itself, and each element is climbed from once.

    Raises:
        ValueError: It is no XPath, calls what is unknown, or selects something else.

    Example:
        >>> compile_xpath("//p/text()")
        Traceback (most recent call last):
            ...
        ValueError: it selects text or attributes, not elements
    """
    try:
        compiled = etree.XPath(expression, namespaces=NAMESPACES, extensions=_EXTENSIONS, smart_strings=False)
    except etree.XPathError as error:
        raise ValueError(f"no XPath ({error})") from None
    tokens = [token.text for token in tokens_of(expression)]
    _check_names(tokens)
    try:
        result = compiled(_PROBE)
    except etree.XPathError as error:
        raise ValueError(f"no XPath ({error})") from None
    if not isinstance(result, list):
        raise ValueError("its result is a number, a text or a truth, not elements")
    if any(map(_selects_no_element, _last_steps(tokens))):
        raise ValueError("it selects text or attributes, not elements")
    return all_of(map(_chain, alternatives(expression)))


def _chain(path: str) -> Find:
    """A path in parts, where it has some that can be looked for one by one."""
    first, *others = parts_of_path(path)
    found = _evaluated(first[0])
    for part, levels in others:
        found = found.then(_evaluated(part), partial(_below, levels))
    return found


def _below(levels: int, first: set[Any], second: Iterable[Any]) -> set[Any]:
    """Elements of `second` for which what is so many levels above them is below one of `first`."""
    tops = {element: element for element in second}
    for _ in range(levels):
        tops = {element: parent(top) for element, top in tops.items()}
    inside = reach(parent, first, set(tops.values()))
    return {element for element, top in tops.items() if top in inside}


def _evaluated(path: str) -> Find:
    compiled = etree.XPath(path, namespaces=NAMESPACES, extensions=_EXTENSIONS, smart_strings=False)
    return Find(compiled, partial(visits, path))


def _check_names(tokens: list[str]) -> None:
    """Refuse what nobody declares; lxml would not do so before the first element that asks for it."""
    for name, following in zip(tokens, [*tokens[1:], ""], strict=True):
        if name[0] in "\"'":
            continue
        if name == "$":
            raise ValueError("variables are not known")
        if ":" in name.replace("::", "") and name.partition(":")[0] not in NAMESPACES:
            raise ValueError(f"unknown prefix before {following}" if name == ":" else f"unknown prefix in {name}")
        if following == "(" and re.match(r"\w", name) and name not in FUNCTIONS | _NODE_TYPES | _OPERATORS:
            raise ValueError(f"unknown function {name}()")


def _last_steps(tokens: list[str]) -> Iterator[list[str]]:
    """The last step of each path of a union, without predicates, arguments and grouping."""
    step: list[str] = []
    inside: list[str] = []  # open brackets: "[", "call" or "group"
    for before, token in zip(["", *tokens], tokens, strict=False):
        if token in "])" and inside:
            inside.pop()
        elif token == "[":
            inside.append(token)
        elif token == "(":
            if before in _NODE_TYPES and not {"[", "call"} & set(inside):
                step.append(token)
            inside.append("call" if re.match(r"\w", before) and before not in _OPERATORS else "group")
        elif "[" in inside or "call" in inside:
            continue
        elif token == "|":
            yield step
            step = []
        elif token in ("/", "//"):
            step = []
        else:
            step.append(token)
    yield step


def _selects_no_element(step: list[str]) -> bool:
    axis = step[0] if step[1:2] == ["::"] else ""
    if step[:1] == ["@"] or axis in ("attribute", "namespace"):
        return True
    return step[-1:] == ["("] and axis not in _UPWARD
