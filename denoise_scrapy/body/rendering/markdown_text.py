"""Text as Markdown: what would be markup is escaped, what is emphasis is marked where it will be read as such."""

from __future__ import annotations

import re
import unicodedata

#: Markup wherever it stands; an underscore only at a word's edge, an ampersand only before what may be an entity
#: (which may go on in the next text).
_MARKUP = re.compile(r"[\\`*\[\]<~{]|(?<![^\W_])_|_(?![^\W_])|&(?=[#\w]|$)")
#: As entities, which all readers know: a backslash before `<` is none in some, one before code or a cell's border
#: is read in two ways. So no `<` and no backtick in our Markdown is a text's.
_ENTITIES = {"&": "&amp;", "<": "&lt;", "\\": "&#92;", "`": "&#96;"}
#: Markup at the start of a line: headings, lists, quotes, underlines of headings, rules, tables.
_LINE_START = re.compile(r"#{1,6}(?=\s|$)|[-+](?=[\s|:-]|$)|>|=+(?=\s*$)|:(?=-)|\|")
_LIST_NUMBER = re.compile(r"(\d{1,9})([.)])(?=\s|$)", re.ASCII)
_ENTITY = re.compile(r"&(?=#?\w+;)")
_BACKTICKS = re.compile("`+")
#: Of an address: what ends one, or the attribute that some readers write it to as it is.
_OF_ADDRESSES = str.maketrans({char: f"%{ord(char):02X}" for char in "()<>\"'`\\|*"})
#: Code that a reader who does not know its fence would take for a tag, a link or a definition of one; attributes are
#: told by braces (Python-Markdown knows no fence in a list, nor without an extension).
_ACTIVE_CODE = re.compile(r"<(?=[A-Za-z/!?])|\](?=\s*[(:])")
_OF_CODE = str.maketrans({"&": "&amp;", "<": "&lt;", "]": "&#93;", "{": "&#123;"})
#: Code in a line that a cell's border could part, or that would be a tag then.
_ACTIVE_SPAN = re.compile(r"[<|\\]")


def escape_text(text: str) -> str:
    r"""Text that stands for itself inside a line.

    Example:
        >>> print(escape_text("a*b <i> snake_case R&D_"))
        a\*b &lt;i> snake_case R&amp;D\_
    """
    return _MARKUP.sub(lambda found: _ENTITIES.get(found[0], "\\" + found[0]), text)


def escape_line(line: str) -> str:
    r"""A line whose start stands for itself.

    Example:
        >>> print(escape_line("1. x"), escape_line("- x"), escape_line("-x"), escape_line("> x"))
        1\. x \- x -x &gt; x
    """
    number = _LIST_NUMBER.match(line)
    if number:
        return f"{number[1]}\\{line[number.end(1) :]}"
    if line.startswith(">"):
        return f"&gt;{line[1:]}"
    return f"\\{line}" if _LINE_START.match(line) else line


def escape_heading(line: str) -> str:
    """Text of a heading, whose last `#` are no end mark."""
    text = line.rstrip("#")
    return line if len(text) == len(line) else f"{text}\\{line[len(text) :]}"


def destination(url: str) -> str:
    """An address between the parentheses of a link.

    Example:
        >>> destination("http://a.example/b_(c)?d=1&lt;2")
        'http://a.example/b_%28c%29?d=1&amp;lt;2'
    """
    return _ENTITY.sub("&amp;", url).translate(_OF_ADDRESSES)


def code_span(text: str, *, apart: bool = True) -> str:
    """Text as code inside a line: between more backticks than it holds in a row, or as escaped text in a tag.

    Args:
        text: The code.
        apart: Whether no other code stands right before it.

    Example:
        >>> print(code_span("a`b"), code_span("`a"), code_span("a|b<c>"))
        ``a`b`` `` `a `` <code>a|b&lt;c></code>
    """
    if not apart or _ACTIVE_SPAN.search(text):
        return f"<code>{escape_text(text)}</code>"
    fence = backticks(text, 1)
    pad = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def code_block(text: str, language: str) -> str:
    r"""Lines of code between fences of more backticks than they hold in a row, or as escaped text in tags.

    Example:
        >>> print(code_block("a < b", "c"), code_block("<b>", ""), sep="\n")
        ```c
        a < b
        ```
        <pre><code>&lt;b></code></pre>
    """
    if not _ACTIVE_CODE.search(text) and not any("=" in line.partition("{")[2] for line in text.split("\n")):
        fence = backticks(text, 3)
        return f"{fence}{language}\n{text}\n{fence}"
    known = f' class="language-{language}"' if language else ""
    return f"<pre><code{known}>{text.translate(_OF_CODE)}</code></pre>"


def backticks(text: str, least: int) -> str:
    """More backticks than the text holds in a row."""
    return "`" * max(least, 1 + max(map(len, _BACKTICKS.findall(text)))) if "`" in text else "`" * least


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
