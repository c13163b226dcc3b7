"""Substitution in long texts, piece by piece, so that other threads run meanwhile."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

#: Characters that are looked through at once: a call of C for 10 MB takes .2 s, in which no other thread runs.
AT_ONCE = 1 << 18
_EDGE = re.compile(r"\s(?=\S)")


def substituted(pattern: re.Pattern[str], by: str | Callable[[re.Match[str]], str], text: str) -> str:
    """The same as `pattern.sub(by, text)`, of a pattern to which the end of a text is as good as white space."""
    if len(text) <= AT_ONCE:
        return pattern.sub(by, text)
    return "".join([pattern.sub(by, piece) for piece in _pieces(text)])


def _pieces(text: str) -> Iterator[str]:
    """Pieces of a text, each but the last with white space at its end."""
    start = 0
    while found := _EDGE.search(text, start + AT_ONCE):
        yield text[start : found.end()]
        start = found.end()
    yield text[start:]
