"""CSS selectors in time that grows with the page, not with its square.

Translated as a whole, `div p` makes libxml2 merge the descendants of every `div`: .8 seconds on a recorded page of
13,000 elements, and minutes on a chain of nested ones. Here each part between combinators is one XPath of its own, and
what stands between them is climbed once an element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from cssselect import HTMLTranslator, SelectorError, parse
from cssselect.parser import CombinedSelector

from denoise_scrapy.page.found import Find, all_of, parent, reach
from denoise_scrapy.page.xpath import compile_xpath


def compile_css(selector: str) -> Find:
    """A compiled CSS selector.

    Raises:
        ValueError: It is no CSS selector, or selects no elements (`::text`).

    Example:
        >>> from lxml import html
        >>> find = compile_css("div > p.a, h1")
        >>> sorted(element.tag for element in find(html.fromstring("<div><h1>x</h1><p class=a>y<p>z</div>")))
        ['h1', 'p']
    """
    try:
        parsed = parse(selector)
    except SelectorError as error:
        raise ValueError(f"no CSS selector ({error})") from None
    if any(part.pseudo_element for part in parsed):
        raise ValueError("it selects text or attributes, not elements")
    finds = [_compile(part.parsed_tree) for part in parsed]
    return finds[0] if len(finds) == 1 else all_of(finds)


def _compile(tree: Any) -> Find:
    if not isinstance(tree, CombinedSelector):
        return _compile_compound(tree)
    first, second, relate = _compile(tree.selector), _compile_compound(tree.subselector), _RELATIONS[tree.combinator]
    return first.then(second, relate)


def _compile_compound(tree: Any) -> Find:
    try:
        expression = HTMLTranslator().xpath(tree)
    except SelectorError as error:
        raise ValueError(f"no CSS selector ({error})") from None
    return compile_xpath(f"descendant-or-self::{expression}")


def _previous(element: Any) -> Any:
    return element.getprevious()


def _steps_from(step: Callable[[Any], Any], first: set[Any], second: Iterable[Any]) -> set[Any]:
    """Elements of `second` that one step leads to one of `first`."""
    return {element for element in second if step(element) in first}


_RELATIONS: dict[str, Callable[[set[Any], Iterable[Any]], set[Any]]] = {
    " ": lambda first, second: reach(parent, first, second),
    ">": lambda first, second: _steps_from(parent, first, second),
    "+": lambda first, second: _steps_from(_previous, first, second),
    "~": lambda first, second: reach(_previous, first, second),
}
