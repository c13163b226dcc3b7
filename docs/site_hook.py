"""Reads our Markdown as GitHub does: a list may follow a line of text at once.

Python-Markdown needs an empty line before a list; without it the list is a run of words with dashes in them.
"""

from __future__ import annotations

import re
from typing import Any

_ITEM = re.compile(r"(?:[-*]|\d+\.) ")
_FENCE = re.compile(r" {0,3}(```|~~~)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Return the page with an empty line before each list that has none (a hook of MkDocs)."""
    lines, fenced = list[str](), False
    for line in markdown.split("\n"):
        fenced ^= bool(_FENCE.match(line))
        before = lines[-1] if lines else ""
        if not fenced and _ITEM.match(line) and before.strip() and not _in_list(lines):
            lines.append("")
        lines.append(line)
    return "\n".join(lines)


def _in_list(lines: list[str]) -> bool:
    """Return whether the last line is of a list: an item, or its continuation."""
    for line in reversed(lines):
        if _ITEM.match(line):
            return True
        if not line.startswith(" "):
            return False
    return False
