"""Figures that pages of the documentation quote: `python -m benchmarks.quotes` writes them anew from where they stand.

A quote is a part of a table of another page, between two comments:

    <!-- quote methods/scores.md; table 1; rows combined | lcs; columns big9 | zh -->
    …
    <!-- end of quote -->

Rows are named by their first cell, `lcs` as well as lcs; a star stands for all, as it does for columns, and
`*/trafilatura` for all whose second cell is that. A test holds that no page is out of step.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
#: A quote with its comments; the second group is what it was when it was written last.
QUOTE = re.compile(
    r"(<!-- quote ([^;]+); table (\d+); rows (.+?); columns (.+?) -->\n)(.*?)(<!-- end of quote -->)", re.S
)

Cells = list[str]


def main() -> int:
    """Rewrite all pages that quote; name those that have changed."""
    for page, text, new in rewritten():
        if new != text:
            page.write_text(new, "utf-8")
            print(page.relative_to(DOCS))
    return 0


def rewritten() -> Iterator[tuple[Path, str, str]]:
    """Each page that quotes, as it is and as it should be."""
    for page in sorted(DOCS.rglob("*.md")):
        text = page.read_text("utf-8")
        if "<!-- quote " in text:
            yield page, text, QUOTE.sub(lambda found: found[1] + quote(found) + found[7], text)


def quote(found: re.Match[str]) -> str:
    """The lines between two comments.

    Raises:
        ValueError: There is no such table, row or column.
    """
    source = DOCS / found[2]
    tables = list(tables_of(source.read_text("utf-8")))
    if int(found[3]) > len(tables):
        raise ValueError(f"{source.name} has {len(tables)} tables")
    head, rule, *rows = tables[int(found[3]) - 1]
    columns = [0, *_columns(head, _names(found[5]))]
    chosen = [row for name in _names(found[4]) for row in _rows(rows, name)]
    return "\n" + "".join(f"| {' | '.join(row[i] for i in columns)} |\n" for row in (head, rule, *chosen)) + "\n"


def tables_of(text: str) -> Iterator[list[Cells]]:
    """The tables of a page, as rows of cells: head, rule, rows."""
    lines: list[Cells] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            lines.append([cell.strip() for cell in line.strip().strip("|").split("|")])
        elif lines:
            yield lines
            lines = []


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(" | ")]


def _columns(head: Cells, names: Sequence[str]) -> list[int]:
    if list(names) == ["*"]:
        return list(range(1, len(head)))
    plain = [_plain(cell) for cell in head]
    return [plain.index(name) for name in names]


def _rows(rows: Sequence[Cells], name: str) -> list[Cells]:
    first, _, second = name.partition("/")
    found = [row for row in rows if first in ("*", _plain(row[0])) and (not second or second == _plain(row[1]))]
    if not found:
        raise ValueError(f"no row {name}")
    return found


def _plain(cell: str) -> str:
    return cell.replace("`", "").replace("*", "").strip()


if __name__ == "__main__":
    sys.exit(main())
