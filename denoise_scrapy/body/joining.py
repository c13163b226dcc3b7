"""Joining the texts of an article's pages: what they repeat at their edges, such as the headline, is kept once."""

from __future__ import annotations

from collections.abc import Iterable


def join_pages(texts: Iterable[str]) -> str:
    r"""Return one text of several: plain text, Markdown, or HTML with a line for each block.

    Lines at the beginning and the end of a later page that an earlier one has are left out.

    Args:
        texts: The texts of the pages, in order.

    Example:
        >>> join_pages(["Bridge closed\nThe river rose.\nBy Ann", "Bridge closed\nAt noon it fell.\nBy Ann"])
        'Bridge closed\nThe river rose.\nBy Ann\nAt noon it fell.'
    """
    met = {""}
    joined = list[str]()
    for text in filter(None, texts):
        lines = text.rstrip("\n").split("\n")
        start, end = 0, len(lines)
        while start < end and _is_whole(lines[start]) and lines[start].strip() in met:
            start += 1
        while start < end and _is_whole(lines[end - 1]) and lines[end - 1].strip() in met:
            end -= 1
        if start < end:
            met.update(line.strip() for line in lines)
            is_markdown = "" in lines or (joined and "" in joined[-1].split("\n"))
            joined += [*([""] if joined and is_markdown else ()), "\n".join(lines[start:end])]
    return "\n".join(joined)


def _is_whole(line: str) -> bool:
    """Return whether a line is not the beginning or the end of a list or table in HTML."""
    return line.count("<") == 2 * line.count("</")
