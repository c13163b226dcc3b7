"""Tokens of a rendering as Markdown (CommonMark, with the tables and strike-throughs of GitHub's).

Written here and not by a library: of the 27 pages in `tests/readers/cases.py` readers find HTML or scripts in what
markdownify 1.2 and html-to-markdown 3.20 make of 19 each, and their text is another than the page's on every third page
or more that hypothesis makes up; html2text is under the GPL.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from denoise_scrapy.body.rendering.markdown_line import LINE_BREAK, Line
from denoise_scrapy.body.rendering.markdown_table import MarkdownTable
from denoise_scrapy.body.rendering.markdown_text import code_block, escape_heading, escape_line
from denoise_scrapy.body.rendering.tags import CONTAINERS, LEAVES, Token
from denoise_scrapy.page.markup import HEADING_TAGS

_BLOCK_TAGS = LEAVES.union(CONTAINERS.values(), ["div"])
_LISTS = frozenset(["ul", "ol", "dl"])
_ITEMS = frozenset(["li", "dt", "dd"])
#: CommonMark reads no larger number of an item.
MAX_ITEM_NUMBER = 999_999_999
#: Characters before each line of lists and quotes inside each other. What is deeper is written as paragraphs.
MAX_MARGIN = 24
_MARGINS = {"blockquote": 2, "ul": 2, "dl": 4}


@dataclass
class _Frame:
    """A container that is open, with the blocks in it so far."""

    tag: str
    number: int = 1  # of a list's next item
    margin: int = 0  # characters before each line in it, in an item of it
    mark: str = ""  # of a list: its bullet, or what follows a number
    blocks: list[tuple[str, str]] = field(default_factory=list)  # the mark of a list, "line" of a bare line, or ""


def to_markdown(tokens: Iterable[Token]) -> str:
    r"""The rendering as Markdown.

    Headings are `#`, bullets `-`, code is fenced, terms of definition lists are items with their definitions
    below. Text that looks like markup is escaped, HTML too: no reader runs anything of the page.

    Args:
        tokens: What `render` made.

    Returns:
        Blocks parted by empty lines, "" for no tokens.

    Example:
        >>> to_markdown([Token("start", "h2"), Token("text", "1 * 2"), Token("end", "h2")])
        '## 1 \\* 2'
    """
    writer = _Writer()
    for token in tokens:
        writer.add(token)
    return writer.finish()


class _Writer:
    """Takes tokens, and keeps a frame for each container that is open."""

    def __init__(self) -> None:
        self._frames = [_Frame("")]
        self._line = Line()
        self._code: list[str] | None = None  # of the preformatted text that is open
        self._language = ""
        self._table: MarkdownTable | None = None

    def finish(self) -> str:
        self._end_line("line")
        return _joined(self._frames[0].blocks)

    def add(self, token: Token) -> None:
        tag = "" if token.kind == "text" else token.value
        if self._table is not None:
            self._table.add(token)
            if self._table.ended:
                self._frames[-1].blocks.append(("", self._table.finish()))
                self._table = None
        elif self._code is not None:
            self._add_code(token, self._code)
        elif tag not in _BLOCK_TAGS:
            self._line.add(token)
        elif token.kind == "start":
            self._end_line("line")
            self._start(token)
        else:
            self._end(tag)

    def _start(self, token: Token) -> None:
        tag = token.value
        if tag == "table":
            self._table = MarkdownTable()
        elif tag == "pre":
            self._code, self._language = [], ""
        elif tag not in LEAVES:
            self._frames.append(self._opened(token))

    def _opened(self, token: Token) -> _Frame:
        above, tag = self._frames[-1], token.value
        number = max(0, int(dict(token.attributes).get("start", "1")))
        margin = above.margin + (len(f"{number}. ") if tag == "ol" else _MARGINS.get(tag, 0))
        if margin > MAX_MARGIN or (tag in _ITEMS and above.tag not in _LISTS):
            return _Frame("", margin=above.margin)
        before = above.blocks[-1][0] if above.blocks else ""
        usual, other = (".", ")") if tag == "ol" else ("-", "*")
        mark = other if before == usual else usual  # lists of one mark in a row would be one list
        return _Frame(tag, number, margin, mark)

    def _add_code(self, token: Token, code: list[str]) -> None:
        if token.kind == "text":
            code.append(token.value)
        elif token.value == "code" and token.attributes:
            self._language = token.attributes[0][1].partition("-")[2]
        elif token.value == "pre":
            self._frames[-1].blocks.append(("", code_block("".join(code), self._language)))
            self._code = None

    def _end(self, tag: str) -> None:
        if tag in HEADING_TAGS:
            text = self._take_line().replace(LINE_BREAK, " ")
            self._frames[-1].blocks.append(("", f"{'#' * int(tag[1])} {escape_heading(text)}"))
        elif tag in LEAVES:
            self._end_line("")
        else:
            self._end_line("line")
            self._end_container(self._frames.pop())

    def _end_container(self, frame: _Frame) -> None:
        above = self._frames[-1]
        if frame.tag in _LISTS:
            loose = any("\n\n" in item for _, item in frame.blocks)
            above.blocks.append((frame.mark, ("\n\n" if loose else "\n").join(item for _, item in frame.blocks)))
        elif frame.tag in _ITEMS:
            above.blocks.append(("", _item(frame, above)))
        elif frame.tag == "blockquote":
            lines = _joined(frame.blocks).split("\n")
            above.blocks.append(("", "\n".join(f"> {line}".rstrip() for line in lines)))
        else:
            above.blocks.extend(frame.blocks)

    def _take_line(self) -> str:
        line, self._line = self._line.finish(), Line()
        return line

    def _end_line(self, kind: str) -> None:
        """End a paragraph, or a line that stands in a container without one."""
        if self._line.is_empty:
            return
        text = self._take_line()
        if text:
            self._frames[-1].blocks.append((kind, "\n".join(map(escape_line, text.split("\n")))))


def _item(frame: _Frame, above: _Frame) -> str:
    """An item of the list above. A definition is an item in a list below its term."""
    if above.tag == "ol":
        bullet = f"{min(above.number, MAX_ITEM_NUMBER)}{above.mark} "
        above.number += 1
    else:
        bullet = f"{above.mark} "
    margin = "  " if frame.tag == "dd" and above.blocks else ""
    text = _joined(frame.blocks).replace("\n", "\n" + margin + " " * len(bullet))
    return "\n".join(line.rstrip(" ") if line.isspace() else line for line in f"{margin}{bullet}{text}".split("\n"))


def _joined(blocks: list[tuple[str, str]]) -> str:
    """Blocks below each other. A list stands right below the bare line of its item."""
    pieces = []
    for (before, _), (mark, text) in zip([("", ""), *blocks], blocks, strict=False):
        tight = before == "line" and mark and text.startswith(("- ", "* ", "1. ", "1) "))  # others need a blank line
        pieces += ["\n" if tight else "\n\n", text]
    return "".join(pieces[1:])
