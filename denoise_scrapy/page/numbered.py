"""From the browser's elements to ours: joined by a number that each of them carries as an attribute.

Counting would not do: the browser holds what is inside `noscript` as text, and its markup, read again, is repaired
again, by the rules of another parser. Text changes none of these repairs.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.geometry import Boxes
from denoise_scrapy.page.markup import SKIPPED_TAGS
from denoise_scrapy.page.page import Page
from denoise_scrapy.page.parse import Event, read_events, to_utf8


def boxes_by_number(page: Page, numbered: str, attribute: str, boxes: Boxes) -> Boxes | None:
    """Return the boxes of a page's elements in the page's own order.

    Args:
        page: The page.
        numbered: Its tags with a number in each element's `attribute`; elements without one are unknown. Text, and
            what is inside of `SKIPPED_TAGS`, may be left out.
        attribute: The attribute's name.
        boxes: The boxes by number.

    Returns:
        None: the page has other elements than the numbered tags, or the numbers are none of these boxes.

    Example:
        >>> two = np.array([10, 20], np.float32)
        >>> boxes = Boxes(two, two, two, two, 100, 100)
        >>> page = Page.parse("<p>One<noscript><i>Two</i></noscript><p>Three")
        >>> numbered = "<html><body><p n=0>One<noscript><i>Two</i></noscript><p n=1>Three"
        >>> boxes_by_number(page, numbered, "n", boxes).x.tolist()
        [nan, nan, 10.0, nan, 20.0]
        >>> boxes_by_number(page, numbered + "<p>", "n", boxes) is None
        True
    """
    leaves = SKIPPED_TAGS - {"noscript"} if page.noscript_read else SKIPPED_TAGS
    tags, told = _elements(read_events(to_utf8(numbered)), attribute, leaves)
    if tags != page.tags():
        return None
    numbers = _numbers(told, len(boxes))
    return None if numbers is None else boxes.taken(numbers)


def _elements(events: Iterable[Event], attribute: str, leaves: frozenset[str]) -> tuple[list[str], list[str]]:
    """Tag and number as written, "" for none, of each element that `parse` gives a place."""
    tags: list[str] = []
    numbers: list[str] = []
    skipped = 0  # how many elements are open inside a leaf, itself included
    for event in events:
        if event is None:
            skipped -= skipped > 0
        elif isinstance(event, str):
            continue
        elif skipped:
            skipped += 1
        else:
            tag, attributes = event
            tags.append(tag)
            numbers.append(attributes.get(attribute, ""))
            skipped = int(tag in leaves)
    return tags, numbers


def _numbers(told: list[str], count: int) -> npt.NDArray[np.intp] | None:
    """The numbers, -1 for none; None if they are not below `count`, or one of them stands twice."""
    try:
        numbers = np.array([int(number) if number else -1 for number in told], np.intp)
    except (ValueError, OverflowError):
        return None
    known = numbers[numbers != -1]
    fits = not len(known) or (known.min() >= 0 and known.max() < count and np.bincount(known).max() == 1)
    return numbers if fits else None
