"""A table as Markdown: a line a row, cells in their columns."""

from __future__ import annotations

from typing import NamedTuple

from denoise_scrapy.body.rendering.markdown_line import LINE_BREAK, Line
from denoise_scrapy.body.rendering.markdown_text import escape_line
from denoise_scrapy.body.rendering.tags import INLINES, Token

#: Places in a table for each of its cells, as far as spans are written as empty cells. Where a page has two cells a
#: row that take a hundred columns and rows each, they are not.
PLACES_A_CELL = 4
_CELL_TAGS = frozenset(["td", "th", "caption"])


class _Cell(NamedTuple):
    text: str
    columns: int
    rows: int


class MarkdownTable:
    """Takes the tokens from a table's start tag to its end tag.

    Attributes:
        ended: Whether the end tag has come.
    """

    def __init__(self) -> None:
        self.ended = False
        self._caption = ""
        self._rows: list[list[_Cell]] = []
        self._in_head = False
        self._first_tags: set[str] = set()  # what the first row is made of, and stands in
        self._line = Line()
        self._spans = (1, 1)  # columns and rows of the open cell

    def add(self, token: Token) -> None:
        """Add what stands between the tags of a table."""
        starts, tag = token.kind == "start", "" if token.kind == "text" else token.value
        if tag in _CELL_TAGS and starts:
            told = dict(token.attributes)
            self._line, self._spans = Line(), (int(told.get("colspan", "1")), int(told.get("rowspan", "1")))
        elif tag in _CELL_TAGS:
            self._end_cell(tag)
        elif tag == "tr" and starts:
            self._rows.append([])
        elif tag == "thead":
            self._in_head = starts
        elif tag == "table":
            self.ended = not starts
        elif tag in INLINES or token.kind in ("text", "void"):
            self._line.add(token)
        else:  # blocks in a cell stand side by side
            self._line.add(Token("text", " "))

    def finish(self) -> str:
        """The whole table, its caption above."""
        rows = _in_columns(self._rows)
        width = max(map(len, rows), default=0)
        has_head = "thead" in self._first_tags or self._first_tags == {"th"}
        head = rows.pop(0) if has_head else []
        head += [""] * (width - len(head))  # GitHub cuts longer rows, and fills shorter ones
        lines = [_row(cells) for cells in (head, ["---"] * width, *rows)]
        return f"{escape_line(self._caption)}\n\n" * bool(self._caption) + "\n".join(lines)

    def _end_cell(self, tag: str) -> None:
        text = " ".join(self._line.finish().replace(LINE_BREAK, " ").split())
        self._line = Line()
        if tag == "caption":
            self._caption = text
            return
        if len(self._rows) == 1:
            self._first_tags.add("thead" if self._in_head else tag)
        self._rows[-1].append(_Cell(text.replace("|", "&#124;"), *self._spans))


def _in_columns(rows: list[list[_Cell]]) -> list[list[str]]:
    """Texts of each row, with empty ones where a cell goes on from the left or from above; none if they were many."""
    left = PLACES_A_CELL * sum(map(len, rows))
    filled = list[list[str]]()
    going_on: dict[int, int] = {}  # rows that a cell of this column still takes
    for row in rows:
        texts: list[str] = []
        above, going_on = going_on, {column: more - 1 for column, more in going_on.items() if more > 1}
        for cell in row:
            while len(texts) in above:
                texts.append("")
            if cell.rows > 1:
                going_on.update((len(texts) + i, cell.rows - 1) for i in range(cell.columns))
            texts += [cell.text, *[""] * (cell.columns - 1)]
            if len(texts) > left:
                return [[cell.text for cell in row] for row in rows]
        texts += [""] * (1 + max(above, default=-1) - len(texts))
        left -= len(texts)
        filled.append(texts)
    return filled


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
