"""Reads our Markdown as GitHub does, and puts the README's way into the start page.

A list may follow a line of text at once; Python-Markdown needs an empty line before it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_ITEM = re.compile(r"(?:[-*]|\d+\.) ")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_README = Path(__file__).parent.parent / "README.md"
_SECTION = re.compile(r"^\[(.+)\]\(\.\./README\.md#[\w-]+\)$", re.MULTILINE)


def section_of_readme(name: str) -> str:
    """Return a section of the README without its heading, with links as from a page of the docs."""
    section = _README.read_text("utf-8").split(f"\n## {name}\n")[1].split("\n## ")[0].strip()
    return section.replace("](docs/", "](")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Return a page with empty lines before its lists, and the README's section where a line links to it.

    This is a hook of MkDocs.
    """
    markdown = _SECTION.sub(lambda link: section_of_readme(link[1]), markdown)
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
