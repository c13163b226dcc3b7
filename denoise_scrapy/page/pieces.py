"""A page as a file that the parser reads piece by piece, so that it can be stopped."""

from __future__ import annotations

import re
from typing import Protocol

from denoise_scrapy.page.unread import next_markup
from denoise_scrapy.page.work import BYTES_A_STEP, CLIMBS_A_STEP

#: Bytes of a piece. What is done within one is not counted: at the worst 4,000 open elements and as many end tags that
#: end none of them, 20 ms. Bodies of no more are handed over as a whole.
PIECE = 32_768
#: Levels from which on it is counted what the parser climbs: recorded pages have 55 at most.
DEEP = 100
#: Tags for which it may climb to the top.
_CLIMBING = re.compile(rb"</|<(?:html|head|body)", re.IGNORECASE)


class Progress(Protocol):
    """How far a reader is."""

    @property
    def started(self) -> int:
        """Elements that have started so far."""
        ...

    @property
    def depth(self) -> int:
        """How many of them are open."""
        ...


class Pieces:
    """The page as a file; what is left of it when its budget is spent is not handed out.

    Args:
        body: The page.
        limit: Steps that reading may take, 0 for any number.
        progress: How far the reader of what is handed out is.

    Attributes:
        end: Position after the last byte that is handed out.
    """

    def __init__(self, body: bytes, limit: int, progress: Progress) -> None:
        self.body = body
        self.end = len(body)
        self._limit = limit
        self._progress = progress
        self._position = 0
        self._climbs = 0

    def read(self, _: int = -1) -> bytes:
        """The next piece: more than is asked for, which the parser is ready for."""
        start = self._position
        if start >= self.end:
            return b""
        piece = self.body[start : start + PIECE]
        depth = self._progress.depth
        if depth > DEEP:
            self._climbs += depth * len(_CLIMBING.findall(piece))
        if self._limit and self._steps(start) > self._limit:
            self.end = next_markup(self.body, start)
            piece = self.body[start : self.end]
        self._position = start + len(piece)
        return piece

    @property
    def spent(self) -> int:
        """Steps that reading took."""
        return self._steps(len(self.body))

    def _steps(self, size: int) -> int:
        return self._progress.started + size // BYTES_A_STEP + self._climbs // CLIMBS_A_STEP
