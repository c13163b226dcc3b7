"""The blocks of a page in its structure, each in a frame that says what became of it.

What is written is our own rendering (`rendering.render`), never the page's markup. Links and images are words in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from denoise_scrapy.body.explanation.frames import Frame
from denoise_scrapy.body.explanation.safe_text import clean, shown
from denoise_scrapy.body.explanation.verdicts import Verdict
from denoise_scrapy.body.rendering import Token, render
from denoise_scrapy.body.rendering.tags import INLINES, WRITTEN
from denoise_scrapy.page import Page

#: Blocks and images that are drawn at most: a browser lays out so many in a second, and nobody reads more.
MAX_BLOCKS = 5_000
#: Characters of an image's description.
IMAGE_LENGTH = 80

_INLINES = frozenset(INLINES.values())


class Drawing(NamedTuple):
    """The blocks of a page.

    Attributes:
        html: Them, as a fragment of HTML.
        blocks: How many were drawn.
    """

    html: str
    blocks: int


def draw(page: Page, verdicts: Sequence[Verdict]) -> Drawing:
    """Draw the blocks of a page; where it has too many, the kept ones go before the others.

    Args:
        page: A page of m blocks, parsed without selectors of the user's: a rendering leaves out what they remove.
        verdicts: m of them.

    Example:
        >>> from denoise_scrapy.body.result import Block
        >>> verdict = Verdict("low", Block("body/p", "One.", 0.25, False, "links (-1.0)"), ())
        >>> print(draw(Page.parse("<p onclick=x()>One."), [verdict]).html)
        <p><span class="b low p5" id="b0" tabindex="0" role="group" aria-label="low, 25%"
        data-path="body/p" data-why="links (-1.0)" data-numbers="">One.</span></p>
    """
    kept = np.array([verdict.block.kept for verdict in verdicts], bool)
    chosen = np.zeros(len(verdicts), bool)
    chosen[np.argsort(~kept, kind="stable")[:MAX_BLOCKS]] = True
    pen = _Pen(verdicts)
    for token in render(page, chosen):
        pen.write(token)
    return Drawing(pen.finish(), int(chosen.sum()))


class _Pen:
    """Writes tokens, and a frame around the text of each block.

    Inline elements are written inside of the frame: those that the page has around several blocks, once in each.
    """

    def __init__(self, verdicts: Sequence[Verdict]) -> None:
        self._verdicts = verdicts
        self._out: list[str] = []
        self._wanted: list[Token] = []  # inline elements around what comes …
        self._opened: list[str] = []  # … and those of them that are written already
        self._frame: Frame | None = None
        self._place = 0  # of the frame's start tag, which is known at its end
        self._known: set[int] = set()
        self._images = 0

    def finish(self) -> str:
        """All that was written."""
        self._leave()
        return "".join(self._out)

    def write(self, token: Token) -> None:
        """Write a token."""
        if token.kind == "text":
            self._text(token)
        elif token.value == "img":
            self._image(token)
        elif token.value == "br":
            self._out.append("<br>" if self._frame else "")
        elif token.value in _INLINES:
            self._inline(token)
        else:
            self._leave()
            self._out.append(f"</{token.value}>" if token.kind == "end" else _start(token))

    def _inline(self, token: Token) -> None:
        if token.kind == "start":
            self._wanted.append(token)
            return
        if len(self._opened) == len(self._wanted):
            self._out.append(self._opened.pop())
        self._wanted.pop()

    def _text(self, token: Token) -> None:
        text = clean(token.value)
        if self._frame is None or self._frame.number != token.block:
            text = text.lstrip("\n")  # a frame begins a line itself
            if not text:
                return
            self._enter(token.block)
        self._out.append(self._in_frame().text(text))

    def _image(self, token: Token) -> None:
        self._images += 1
        if self._images > MAX_BLOCKS:
            return
        if token.block >= 0 and (self._frame is None or self._frame.number != token.block):
            self._enter(token.block)
        if self._frame:
            self._in_frame()
        told = dict(token.attributes).get("alt", "")
        self._out.append(f'<span class="img">image{": " if told else ""}{shown(told, IMAGE_LENGTH)}</span>')

    def _enter(self, block: int) -> None:
        self._leave()
        self._frame = Frame(block, self._verdicts[block], is_first=block not in self._known)
        self._place = len(self._out)
        self._known.add(block)
        self._out.append("")

    def _in_frame(self) -> Frame:
        """The frame, with all inline elements open in it."""
        assert self._frame is not None
        for token in self._wanted[len(self._opened) :]:
            is_link = token.value == "a"
            if is_link:
                self._frame.add_address(dict(token.attributes).get("href", ""))
            self._out.append('<span class="a">' if is_link else f"<{token.value}>")
            self._opened.append("</span>" if is_link else f"</{token.value}>")
        return self._frame

    def _leave(self) -> None:
        while self._opened:
            self._out.append(self._opened.pop())
        if self._frame:
            self._out[self._place] = self._frame.start_tag()
            self._out.append(self._frame.end())
        self._frame = None


def _start(token: Token) -> str:
    told = [f' {name}="{shown(value)}"' for name, value in token.attributes if name in WRITTEN[token.value]]
    return f"<{token.value}{''.join(told)}>"
