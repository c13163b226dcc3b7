"""Tokens of a rendering, written in reading order: containers, the paragraphs in them, the text in these."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from denoise_scrapy.body.rendering.html import BARE, IMPLIED, PARENTS, WRITTEN, Attributes, Token

#: Collapsed as in the body's text, no-break and wide spaces too: pages indent with them.
_WHITE_SPACE = re.compile(r"\s+")
#: Characters that no document may hold, and those of them that are no white space.
_FORBIDDEN_AS_IS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]+")
_FORBIDDEN = re.compile("[\x00-\x08\x0e-\x1b\x7f\ufffe\uffff]+")


@dataclass
class Container:
    """An element of the page that is written; or a heading, whose tag is written around each block in it."""

    element: int
    tag: str  # "" around all
    depth: int  # how many containers are open, this one included
    ends: tuple[str, ...] = ()  # tags to close at its end
    heading: str = ""  # tag of the blocks in it, "" for paragraphs
    leaves: list[tuple[int, int] | None] = field(default_factory=list)  # tokens of the `p` of each leaf right in it


@dataclass
class Leaf:
    """The paragraph, heading or preformatted text that is being written."""

    ends: tuple[str, ...]  # tags to close at its end
    start: int  # token of its `p`, -1 where it has none
    block: int  # block of the page, -1 for images between blocks
    element: int = -1  # of preformatted text, -1 for other leaves
    preformatted: bool = False
    written: bool = False  # something is in it
    has_text: bool = False  # more than images is in it


@dataclass
class Inline:
    """An inline element of the page around the text that comes."""

    element: int
    token: Token | None  # its start tag; None of a link that was written: it is in its first block only


def collapsed(text: str) -> tuple[str, str, str]:
    """White space before the text, the text, and white space after it; all white space is one space."""
    text = _WHITE_SPACE.sub(" ", _FORBIDDEN.sub("", text))
    shown = text.strip(" ")
    return " " * text.startswith(" "), shown, " " * (text.endswith(" ") and bool(shown))


def as_it_is(text: str) -> tuple[str, str, str]:
    """White space before the text, the text, and white space after it, as they are in preformatted text."""
    text = _FORBIDDEN_AS_IS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    inner = text.lstrip()
    shown = inner.rstrip()
    return text[: len(text) - len(inner)], shown, inner[len(shown) :]


#: Containers deeper than this are left out, not what is in them: parsers give up at 256 levels, an implied
#: item may stand at each of ours, and nobody reads deeper lists.
MAX_DEPTH = 64
#: Inline elements open at once. Each of a page's paragraphs opens all that stand around it: the bound keeps a
#: hostile page's rendering in proportion to the page. Of 73,000 texts of 192 recorded pages none stands in more.
MAX_INLINE_DEPTH = 3
#: Inline elements whose meaning adds up inside their like; others are written once.
_NESTING = frozenset(["sub", "sup", "q"])
#: The parser nests those that have no end tags.
_TERMS = frozenset(["dt", "dd"])
#: Most tokens are one of these.
_STARTS = {tag: Token("start", tag) for tag in WRITTEN}
_ENDS = {tag: Token("end", tag) for tag in WRITTEN}


class Writer:
    """Writes tokens as elements of a page start and end. Nothing is opened before something is in it."""

    def __init__(self) -> None:
        self._tokens: list[Token | None] = []
        self._containers = [Container(-1, "", 0)]
        self._leaf: Leaf | None = None
        self._inlines: list[Inline] = []
        self._opened = 0  # how many of the inline elements are open in the leaf
        self._pending = ""  # white space that is written before the next text; "\n" is a line break

    def finish(self) -> list[Token]:
        """All that was written."""
        self._close_leaf()
        return [token for token in self._tokens if token is not None]

    def open_container(self, element: int, tag: str, attributes: Attributes = ()) -> None:
        """Open a container, where it may stand here."""
        if tag in _TERMS and self._containers[-1].tag in _TERMS and not self._preformatted:
            self.end(self._containers[-1].element)
        above, parents = self._containers[-1], PARENTS.get(tag)
        if self._preformatted or above.depth >= MAX_DEPTH or (parents is not None and above.tag not in parents):
            return
        self._close_leaf()
        implied = IMPLIED.get(above.tag, ()) if parents is None else ()
        self._start(*implied)
        self._tokens.append(Token("start", tag, attributes) if attributes else _STARTS[tag])
        self._containers.append(Container(element, tag, above.depth + 1, (tag, *reversed(implied))))

    def open_heading(self, element: int, tag: str) -> None:
        """Make headings of the blocks that follow."""
        if not self._preformatted:
            above = self._containers[-1]
            self._containers.append(Container(element, above.tag, above.depth, heading=tag, leaves=above.leaves))

    def open_preformatted(self, element: int, language: str | None) -> None:
        """Open preformatted text. With a language, "" for an unknown one, it is code."""
        if self._preformatted:
            return
        self._close_leaf()
        implied = IMPLIED.get(self._containers[-1].tag, ())
        self._start(*implied, "pre")
        code = () if language is None else ("code",)
        if code:
            self._tokens.append(Token("start", "code", (("class", f"language-{language}"),) if language else ()))
        self._leaf = Leaf((*code, "pre", *reversed(implied)), -1, -1, element, preformatted=True)
        self._pending = ""

    def open_inline(self, element: int, tag: str, attributes: Attributes = ()) -> None:
        """Open an inline element around the text that follows."""
        is_open = any(inline.token and inline.token.value == tag for inline in self._inlines)
        is_open |= tag == "code" and self._leaf is not None and "code" in self._leaf.ends
        if len(self._inlines) < MAX_INLINE_DEPTH and (not is_open or tag in _NESTING):
            self._inlines.append(Inline(element, Token("start", tag, attributes)))

    def end(self, element: int) -> None:
        """Close what was opened for an element of the page, if anything was."""
        if self._inlines and self._inlines[-1].element == element:
            inline = self._inlines.pop()
            if self._opened > len(self._inlines):
                self._opened -= 1
                if inline.token:
                    self._tokens.append(Token("end", inline.token.value))
        elif self._leaf and self._leaf.element == element:
            self._close_leaf()
        elif self._containers[-1].element == element:
            self._close_leaf()
            self._close_container(self._containers.pop())

    def end_block(self) -> None:
        """A block-level element starts or ends here: a new paragraph, or a new line of preformatted text."""
        if not self._preformatted:
            self._close_leaf()
        elif "\n" not in self._pending:
            self._pending += "\n"

    def text(self, text: str, block: int) -> None:
        """Write text of a block of the page."""
        before, shown, after = (as_it_is if self._preformatted else collapsed)(text)
        self._pending = self._pending + before if self._preformatted else self._pending or before
        if shown:
            self._prepare(block).has_text = True
            self._tokens.append(Token("text", shown, block=block))
            self._pending = after

    def break_line(self) -> None:
        """Write a line break before the next text of the block, if there is any."""
        self._pending = self._pending + "\n" if self._preformatted else "\n"

    def image(self, attributes: Attributes, block: int) -> None:
        """Write an image in a block, or between blocks (-1)."""
        self._prepare(block)
        self._tokens.append(Token("void", "img", attributes, block))

    @property
    def _preformatted(self) -> bool:
        return self._leaf is not None and self._leaf.preformatted

    def _prepare(self, block: int) -> Leaf:
        """Open what has to be open before text or an image of the block."""
        if self._leaf and self._leaf.block != block and not self._leaf.preformatted:
            self._close_leaf()
        leaf = self._leaf = self._leaf or self._open_leaf(block)
        if not leaf.written:
            self._pending = self._pending.rpartition("\n")[2] if leaf.preformatted else ""
        if self._pending == "\n" and not leaf.preformatted:
            self._tokens.append(Token("void", "br"))
        elif self._pending:
            self._tokens.append(Token("text", self._pending, block=block))
        self._pending, leaf.written = "", True
        self._tokens.extend(inline.token for inline in self._inlines[self._opened :] if inline.token)
        self._opened = len(self._inlines)
        return leaf

    def _open_leaf(self, block: int) -> Leaf:
        above = self._containers[-1]
        implied = IMPLIED.get(above.tag, ())
        tag = above.heading or ("" if implied else "p")
        self._start(*implied, *([tag] if tag else []))
        ends = (*([tag] if tag else []), *reversed(implied))
        return Leaf(ends, len(self._tokens) - 1 if ends == ("p",) else -1, block)

    def _close_leaf(self) -> None:
        leaf, self._leaf = self._leaf, None
        if leaf is None:
            return
        for inline in reversed(self._inlines[: self._opened]):
            if inline.token:
                self._tokens.append(Token("end", inline.token.value))
                inline.token = None if inline.token.value == "a" else inline.token
        self._opened, self._pending = 0, ""
        self._end(*leaf.ends)
        above = self._containers[-1]
        paragraph = (leaf.start, len(self._tokens) - 1) if leaf.start >= 0 else None
        if paragraph and above.tag == "figure" and not leaf.has_text:
            self._leave_out(paragraph)
        above.leaves.append(paragraph)

    def _close_container(self, container: Container) -> None:
        if container.tag in BARE and len(container.leaves) == 1 and container.ends and container.leaves[0]:
            self._leave_out(container.leaves[0])
        self._end(*container.ends)

    def _leave_out(self, paragraph: tuple[int, int]) -> None:
        for index in paragraph:
            self._tokens[index] = None

    def _start(self, *tags: str) -> None:
        self._tokens.extend(_STARTS[tag] for tag in tags)

    def _end(self, *tags: str) -> None:
        self._tokens.extend(_ENDS[tag] for tag in tags)
