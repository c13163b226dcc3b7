"""Selectors of the user: which elements of a page a CSS selector or an XPath finds, as numbers of our columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from lxml import etree

from denoise_scrapy.page.css import compile_css
from denoise_scrapy.page.event_tree import EventTree
from denoise_scrapy.page.found import Find
from denoise_scrapy.page.work import VISITS_A_STEP, Work
from denoise_scrapy.page.xpath import compile_xpath

#: What no CSS selector begins with.
_XPATH_STARTS = ("/", "./", "(")


@dataclass(frozen=True, eq=False)
class Match:
    """What a selector has found on a page.

    Attributes:
        selector: As the user wrote it.
        elements: Numbers of the elements, ascending, shape (found,).
    """

    selector: str
    elements: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Selector:
    """A compiled selector.

    Attributes:
        text: As the user wrote it.
        find: From a tree's root to the elements found.
    """

    text: str
    find: Find


@lru_cache(maxsize=1024)
def compile_selector(text: str) -> Selector:
    """Compile a CSS selector or an XPath.

    Args:
        text: XPath where it begins with `/`, `./`, `(` or `xpath:`, else CSS; `css:` before it says so too.

    Raises:
        ValueError: It is neither, or selects something else than elements; the message says why.

    Example:
        >>> compile_selector("div[")
        Traceback (most recent call last):
            ...
        ValueError: selector 'div[': no CSS selector (Expected ident or '*', got <EOF at 4>)
    """
    written = text.strip()
    is_xpath = written.startswith((*_XPATH_STARTS, "xpath:"))
    try:
        if is_xpath:
            return Selector(text, compile_xpath(written.removeprefix("xpath:").strip()))
        return Selector(text, compile_css(written.removeprefix("css:")))
    except ValueError as error:
        raise ValueError(f"selector {text!r}: {error}") from None


def compile_all(selectors: str | Iterable[str]) -> tuple[Selector, ...]:
    """Compile one selector or several.

    Raises:
        TypeError: One of them is no str.
        ValueError: One of them is invalid.
    """
    texts = (selectors,) if isinstance(selectors, str) else tuple(selectors)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"a selector must be str, got {type(text).__name__}")
    return tuple(map(compile_selector, texts))


def match_selectors(
    events: Iterable[tuple[str, Mapping[str, str]] | str | None],
    selectors: Sequence[Selector],
    *,
    keep_noscript: bool,
    work: Work,
) -> tuple[list[Match], Work]:
    """What each selector finds on the page of these events, in their order, and the work with that of finding it.

    Nothing is found where that would take more than is left.

    Raises:
        ValueError: An XPath cannot be evaluated: a function has the wrong arguments.
    """
    tree = EventTree(events, keep_noscript=keep_noscript)
    work = work.after(sum(selector.find.visits(tree.measures) for selector in selectors) / VISITS_A_STEP)
    if work.is_over:
        return nothing(selectors), work
    return [Match(selector.text, _find(selector, tree)) for selector in selectors], work


def nothing(selectors: Iterable[Selector]) -> list[Match]:
    """What is found of a page that is not asked."""
    return [Match(selector.text, np.zeros(0, np.int64)) for selector in selectors]


def _find(selector: Selector, tree: EventTree) -> npt.NDArray[np.int64]:
    if tree.root is None:
        return np.zeros(0, np.int64)
    try:
        found = list(selector.find(tree.root))
    except (etree.XPathError, re.error, TypeError, ValueError) as error:
        raise ValueError(f"selector {selector.text!r}: {error}") from None
    return np.array(sorted({tree.numbers[element] for element in found if element in tree.numbers}), np.int64)
