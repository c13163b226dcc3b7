"""Tables of figures, and the sections of the documentation that contain them.

<!-- figures: scores -->
…
<!-- end of figures -->
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

PAGE = Path("docs/figures.md")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table, its first column left-aligned."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def write(section: str, text: str, page: Path = PAGE) -> None:
    """Replace a section of a page by Markdown; raise a ValueError without such a section."""
    page.write_text(replaced(page.read_text("utf-8"), section, text), "utf-8")


def replaced(page: str, section: str, text: str) -> str:
    """Return a page with a section replaced by Markdown; raise a ValueError without such a section."""
    start, end = f"<!-- figures: {section} -->\n", "<!-- end of figures -->"
    if start not in page:
        raise ValueError(f"the page has no section {section}")
    pattern = re.compile(f"(?<={re.escape(start)}).*?(?={end})", re.S)
    # once: after an empty section the pattern would match up to the end of the next
    return pattern.sub(lambda _: f"\n{text.strip()}\n\n", page, count=1)
