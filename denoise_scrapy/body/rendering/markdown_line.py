"""A paragraph's worth of Markdown: texts, emphasis, links, images and code as they come."""

from __future__ import annotations

from denoise_scrapy.body.rendering.markdown_text import can_mark, code_span, destination, escape_text
from denoise_scrapy.body.rendering.tags import Token

_EMPHASIS = {"b": "**", "strong": "**", "i": "*", "em": "*", "cite": "*", "s": "~~", "del": "~~"}
#: Markdown has no marks for sub and sup, and lets HTML stand. Other inline elements are text.
_PAIRS = {"sub": ("<sub>", "</sub>"), "sup": ("<sup>", "</sup>"), "q": ("“", "”")}
_MARKS = frozenset(["", *_EMPHASIS.values()])  # "" is one that was left out
_CODE = frozenset(["code", "kbd"])
LINE_BREAK = "\\\n"


class Line:
    """What stands between two ends of blocks."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._open: list[tuple[str, int]] = []  # emphasis that is open: its mark and the piece, -1 where it has none
        self._marked: list[tuple[int, int]] = []  # pieces of the two marks of an emphasis, inner ones first
        self._code: list[str] = []
        self._code_depth = 0
        self._spans: dict[int, list[str]] = {}  # text of each code, by its piece
        self._href = ""

    def add(self, token: Token) -> None:
        """Add a text, an image, a line break, or the start or the end of an inline element."""
        value, starts = token.value, token.kind == "start"
        if token.kind == "text":
            self._code.append(value) if self._code_depth else self._pieces.append(escape_text(value))
        elif token.kind == "void":
            self._code.append(" ") if self._code_depth else self._pieces.append(_void(token))
        elif value == "a":
            self._link(token)
        elif value in _CODE:
            self._code_depth += 1 if starts else -1
            if not self._code_depth:
                self._end_code()
        elif value in _PAIRS and not self._code_depth:
            self._pieces.append(_PAIRS[value][not starts])
        elif value in _EMPHASIS and not self._code_depth:
            self._start_mark(_EMPHASIS[value]) if starts else self._end_mark()

    @property
    def is_empty(self) -> bool:
        """Whether nothing came."""
        return not self._pieces and not self._code

    def finish(self) -> str:
        """All of it, "" for nothing."""
        self._end_code()
        if len(self._pieces) < 2 and not self._spans:
            return "".join(self._pieces)
        for start, end in self._marked:
            if not self._is_read(start, end):
                self._unmark((start, end))
        if len(self._marked) > 1:
            self._part_stars()
        written = [""]
        for index, piece in enumerate(self._pieces):
            if index in self._spans:
                written.append(code_span("".join(self._spans[index]), apart=not written[-1].endswith("`")))
            elif piece == "[" and written[-1].endswith("!"):
                written[-1:] = [written[-1][:-1], "\\!["]  # no image
            elif piece:
                written.append(piece)
        return "".join(written)

    def _link(self, token: Token) -> None:
        """Start or end a link. Code around it is parted: a link in code is no link."""
        self._end_code()
        if token.kind == "start":
            self._href = dict(token.attributes)["href"]
            self._pieces.append("[")
        else:
            self._pieces.append(f"]({destination(self._href)})")

    def _end_code(self) -> None:
        if not self._code:
            return
        text, self._code = "".join(self._code), []
        if text and len(self._pieces) - 1 not in self._spans:  # backticks of neighbours would be one fence
            self._spans[len(self._pieces)] = []
            self._pieces.append("`")
        if text:
            self._spans[len(self._pieces) - 1].append(text)

    def _start_mark(self, mark: str) -> None:
        if self._open and any(mark == outer for outer, _ in self._open):
            self._open.append((mark, -1))
        elif self._marked and self._pieces[-1] == mark and self._marked[-1][1] == len(self._pieces) - 1:
            self._pieces.pop()  # goes on where its like ended
            self._open.append((mark, self._marked.pop()[0]))
        else:
            self._open.append((mark, len(self._pieces)))
            self._pieces.append(mark)

    def _end_mark(self) -> None:
        mark, start = self._open.pop()
        if start >= 0:
            self._marked.append((start, len(self._pieces)))
            self._pieces.append(mark)

    def _unmark(self, pair: tuple[int, int]) -> None:
        for index in pair:
            self._pieces[index] = ""

    def _part_stars(self) -> None:
        """Leave out each emphasis that begins right behind the mark of another, unless they end together too.

        What a run of three or more stars is read as depends on all that follows (CommonMark 0.31, rules 9 and 10).
        """
        pairs = {index: pair for pair in self._marked if self._pieces[pair[0]][:1] == "*" for index in pair}
        behind = -1  # the mark of stars that stands right before a piece
        for index, piece in enumerate(self._pieces):
            if index not in pairs:
                behind = -1 if piece else behind
            elif piece and behind >= 0 and index == pairs[index][0] and not self._end_together(index, behind, pairs):
                self._unmark(pairs[index])
            elif piece:
                behind = index

    def _end_together(self, inner: int, outer: int, pairs: dict[int, tuple[int, int]]) -> bool:
        """Whether of two marks that start side by side the ends stand side by side."""
        between = slice(pairs[inner][1] + 1, pairs[outer][1])
        return outer == pairs[outer][0] and not any(self._pieces[between])

    def _is_read(self, start: int, end: int) -> bool:
        """Whether two marks are read as emphasis, whatever becomes of marks beside them."""
        (before, _), (first, first_mark) = self._beside(start, -1), self._beside(start, 1)
        (last, last_mark), (after, _) = self._beside(end, -1), self._beside(end, 1)
        if not can_mark(before, first, last, after):
            return False
        return not (first_mark or last_mark) or can_mark(before, first_mark or first, last_mark or last, after)

    def _beside(self, index: int, step: int) -> tuple[str, str]:
        """On one side of a mark: the next character of the text, and that of the next mark; stars are one run."""
        pieces, mark = self._pieces, ""
        end = len(pieces) if step > 0 else -1
        for other in range(index + step, end, step):
            piece = pieces[other]
            if piece not in _MARKS:
                return (piece[0] if step > 0 else piece[-1]), mark
            mark = mark or piece.strip(pieces[index][0])[:1]
        return "", mark


def _void(token: Token) -> str:
    if token.value == "br":
        return LINE_BREAK
    told = dict(token.attributes)
    alt = escape_text(told["alt"]).replace("\\[", "&#91;").replace("\\]", "&#93;")  # marked misreads those in a link
    return f"![{alt}]({destination(told['src'])})"
