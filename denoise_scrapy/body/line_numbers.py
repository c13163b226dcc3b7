"""Line numbers that stand beside code, or before each of its lines: they are no text."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.characters import END, START, Class
from denoise_scrapy.page import Page

IntArray = npt.NDArray[np.int64]

_MARKS = re.compile(f"[{START}{END}]")
_NUMBER = re.compile(r"\s*(\d{1,6})(?!\d)", re.ASCII)
_NUMBER_ALONE = re.compile(r"\s*\d{1,6}\s*", re.ASCII)
#: Lines beside a gutter that are empty at the ends of the code, where nobody sees them.
EMPTY = 5
#: A number before each line is one of lines where so many of them have more, as a share.
MIN_CODE = 0.5


def line_numbers(page: Page) -> IntArray:
    r"""Elements that hold nothing but numbers of lines of code, by their numbers.

    Example:
        >>> page = Page.parse("<table><tr><td><pre>1\n2</pre><td><pre>a = 3\nb = 4</pre></table>")
        >>> [page.tags()[element] for element in line_numbers(page)]
        ['td']
    """
    e = page.elements
    if not e.holds_tag({"pre", "code"}):
        return np.zeros(0, np.int64)
    return np.array([*_gutters(page), *_before_lines(page)], np.int64)


def _gutters(page: Page) -> list[int]:
    """Largest elements of numbers alone that go on by one, with as many lines of code in what stands beside them."""
    e, blocks = page.elements, page.blocks
    is_number = (blocks.counts[:, Class.DIGIT] == blocks.chars) & (blocks.chars > 0)
    at = blocks.element
    digits, others = (
        np.asarray(e.subtree_sums(np.bincount(at, chosen, len(e)))) > 0 for chosen in (is_number, ~is_number)
    )
    alone = digits & ~others
    is_code, is_pre = (np.asarray(e.subtree_sums(e.has_tag(tags))) for tags in ({"pre", "code"}, {"pre"}))
    found = []
    for element in np.flatnonzero(alone & ~alone[e.parent_or_self]).tolist():
        beside = int(e.end[element])
        if beside >= int(e.end[e.parent[element]]) or not is_code[beside]:
            continue
        numbers = _MARKS.sub(" ", page.tree.slice(*e.rows["marks"][element].tolist())).split()
        first, last = np.searchsorted(blocks.start, e.rows["marks"][beside].tolist()).tolist()
        if last - first > len(numbers) or not _go_on(numbers):
            continue
        lines = sum(page.block_text(block).count("\n") + 1 for block in range(first, last))
        # where each line is an element, empty ones are no blocks
        most = lines + EMPTY if is_pre[beside] else 2 * lines + EMPTY
        if lines <= len(numbers) <= most and (len(numbers) > 1 or (is_pre[element] and is_pre[beside])):
            found.append(element)
    return found


def _before_lines(page: Page) -> list[int]:
    """Elements with the number of a line at its start, of preformatted text where each line has one."""
    e, blocks = page.elements, page.blocks
    tags, found = page.tags(), list[int]()
    pre = e.nearest(e.has_tag({"pre"}))
    for block in np.flatnonzero(pre[blocks.element] >= 0).tolist():
        lines = page.block_text(block).split("\n")
        numbers = [number[1] for line in lines if (number := _NUMBER.match(line))]
        if len(numbers) < max(2, len(lines)) or not _go_on(numbers):
            continue
        if sum(_NUMBER_ALONE.fullmatch(line) is None for line in lines) >= MIN_CODE * len(lines):
            found += _at_line_starts(page, int(pre[blocks.element[block]]), numbers)
    return [element for element in found if tags[element] != "pre"]


def _at_line_starts(page: Page, pre: int, numbers: Sequence[str]) -> list[int]:
    """Elements of one kind that hold the numbers; none where that kind stands elsewhere too."""
    e, found = page.elements, list[int]()
    end = start = int(e.rows["marks"]["start"][pre])  # of what was looked at
    inside = -1
    for element in range(pre + 1, int(e.end[pre])):
        start, after = e.rows["marks"][element].tolist()
        text = _MARKS.sub("", page.tree.slice(start, after))
        if element < inside or not _NUMBER_ALONE.fullmatch(text):
            continue
        before = _MARKS.sub("", page.tree.slice(end, start))
        line = (before + text[: len(text) - len(text.lstrip())]).rpartition("\n")
        if line[2].strip() == "" and (line[1] or not found):
            found.append(element)
        end, inside = after, int(e.end[element])
    kinds = set(e.token[found].tolist())
    texts = [page.tree.slice(*e.rows["marks"][element].tolist()) for element in found]
    if len(kinds) != 1 or [_MARKS.sub("", text).strip() for text in texts] != list(numbers):
        return []
    return found if (e.token[pre : int(e.end[pre])] == kinds.pop()).sum() == len(found) else []


def _go_on(numbers: Sequence[str]) -> bool:
    """Return whether each number is the one before and one more."""
    if not all(number.isascii() and number.isdigit() and len(number) < 7 for number in numbers):
        return False
    values = list(map(int, numbers))
    return bool(values) and values == list(range(values[0], values[0] + len(values)))
