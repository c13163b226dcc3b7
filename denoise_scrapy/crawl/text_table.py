"""Tables of plain text, for logs and terminals, of values that anybody may have written."""

from __future__ import annotations

from collections.abc import Sequence

from denoise_scrapy.shown import shown

# Characters of a cell; longer ones, as URLs of trackers, are cut.
MAX_CELL = 200


def plain_line(text: str, most: int = MAX_CELL) -> str:
    r"""Text that does no harm in a terminal or a log: in one line, without control characters, not too long.

    Example:
        >>> plain_line("a\x1b[2Jb"), plain_line("abcdefgh", 5)
        ('a\\u001b[2Jb', 'abcd…')
    """
    return shown(text, most)


def counted(number: int, what: str) -> str:
    """A number of things.

    Example:
        >>> counted(1, "page"), counted(1200, "page")
        ('1 page', '1,200 pages')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]], texts: Sequence[int] = ()) -> list[str]:
    r"""The lines of a table: numbers to the right.

    Args:
        head: Names of the columns.
        rows: Their cells.
        texts: Columns that hold text, and stand to the left.

    Example:
        >>> print(*text_table(["pages", "host"], [["7", "a.example"], ["1,210", "b.example"]], [1]), sep="\n")
        pages  host
            7  a.example
        1,210  b.example
    """
    lines = [[plain_line(cell) for cell in row] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if number in texts else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
