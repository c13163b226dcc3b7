"""Generated figures in the documentation: each benchmark replaces its own section of a page and leaves the rest.

<!-- figures: scores -->
…
<!-- end of figures -->
"""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path("docs/figures.md")
README = Path("README.md")


def write(section: str, text: str, page: Path = PAGE) -> None:
    """Replace a section.

    Args:
        section: Its name.
        text: Markdown.
        page: The page that has it.

    Raises:
        ValueError: The page has no such section.
    """
    start, end = f"<!-- figures: {section} -->\n", "<!-- end of figures -->"
    before = page.read_text("utf-8")
    if start not in before:
        raise ValueError(f"{page} has no section {section}")
    pattern = re.compile(f"(?<={re.escape(start)}).*?(?={end})", re.S)
    # once: after an empty section the pattern would go on to the end of the next
    page.write_text(pattern.sub(lambda _: f"\n{text.strip()}\n\n", before, count=1), "utf-8")
