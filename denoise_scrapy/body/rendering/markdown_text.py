"""Text as Markdown: what would be markup is escaped, what is emphasis is marked where it will be read as such."""

from __future__ import annotations

import re
import unicodedata

#: Markup wherever it stands; an underscore only at a word's edge, an ampersand only before what may be an entity
#: (which may go on in the next text).
_MARKUP = re.compile(r"[\\`*\[\]<~]|(?<![^\W_])_|_(?![^\W_])|&(?=[#\w]|$)")
#: Markup at the start of a line: headings, lists, quotes, underlines of headings, rules, tables.
_LINE_START = re.compile(r"#{1,6}(?=\s|$)|[-+](?=[\s|:-]|$)|>|=+(?=\s*$)|:(?=-)|\|")
_LIST_NUMBER = re.compile(r"(\d{1,9})([.)])(?=\s|$)", re.ASCII)
_CLOSING_HASHES = re.compile(r"#+$")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_BACKTICKS = re.compile("`+")


def escape_text(text: str) -> str:
    r"""Text that stands for itself inside a line.

    Example:
        >>> print(escape_text("a*b <i> snake_case R&D_"))
        a\*b \<i> snake_case R\&D\_
    """
    return _MARKUP.sub(r"\\\g<0>", text)


def escape_line(line: str) -> str:
    r"""A line whose start stands for itself.

    Example:
        >>> print(escape_line("1. x"), escape_line("- x"), escape_line("-x"))
        1\. x \- x -x
    """
    number = _LIST_NUMBER.match(line)
    if number:
        return f"{number[1]}\\{line[number.end(1) :]}"
    return f"\\{line}" if _LINE_START.match(line) else line


def escape_heading(line: str) -> str:
    """Text of a heading, whose last `#` are no end mark."""
    return _CLOSING_HASHES.sub(r"\\\g<0>", line)


def destination(url: str) -> str:
    """An address between the parentheses of a link.

    Example:
        >>> destination("http://a.example/b_(c)?d=1&lt;2")
        'http://a.example/b_%28c%29?d=1&amp;lt;2'
    """
    return _ENTITY.sub("&amp;", url).replace("(", "%28").replace(")", "%29")


def code_span(text: str) -> str:
    """Text as code inside a line, between more backticks than it holds in a row.

    Example:
        >>> print(code_span("a`b"), code_span("`a"))
        ``a`b`` `` `a ``
    """
    fence = backticks(text, 1)
    pad = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def fenced(text: str, language: str) -> str:
    """Lines of code between fences of more backticks than they hold in a row."""
    fence = backticks(text, 3)
    return f"{fence}{language}\n{text}\n{fence}"


def backticks(text: str, least: int) -> str:
    """More backticks than the text holds in a row."""
    return "`" * max(least, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))


def can_mark(before: str, first: str, last: str, after: str) -> bool:
    """Whether emphasis that starts and ends between these characters is read as such, "" for a line's end.

    A mark next to white space inside is none, nor one with punctuation inside and a letter outside
    (CommonMark 0.31, left-flanking and right-flanking delimiter runs).

    Example:
        >>> can_mark(" ", "a", ".", " "), can_mark(" ", "a", ".", "b"), can_mark("", "a", " ", "")
        (True, False, False)
    """
    return _flanks(before, first) and _flanks(after, last)


def _flanks(outside: str, inside: str) -> bool:
    if not inside or inside.isspace():
        return False
    return not _is_punctuation(inside) or not outside or outside.isspace() or _is_punctuation(outside)


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"
