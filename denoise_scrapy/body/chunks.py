"""Chunks of a body for a language model: of bounded size, with the headings above them, cut between sentences."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from denoise_scrapy.core.characters import letters
from denoise_scrapy.core.units import packed

_WIDE = re.compile(r"[\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff]")

# Markup in a line we wrote, where everything else is escaped.
_INLINE = re.compile(
    r"(?<!`)(?P<ticks>`+)(?!`)(?P<pad> ?)(?P<code>.{1,500}?)(?P=pad)(?<!`)(?P=ticks)(?!`)"
    r"|\\(?P<sign>[!-/:-@\[-`{-~])|(?P<entity>&#?\w+;)"
    r"|!\[[^\[\]]*\]\([^()\s]*\)|\[|\]\([^()\s]*\)|<[^<>]*>|\*+|~~"
)


@dataclass(frozen=True)
class Chunk:
    """A piece of a body. `str(chunk)` is the input for a model: the headings above, then the text.

    Attributes:
        text: Markdown of the chunk.
        headings: The headings above the chunk as plain text, outermost first.
        tokens: Tokens of `str(chunk)`.
        position: Its index among the chunks of its page, from 0.
        id: A UUID made from the page's URL and `str(chunk)`: an unchanged chunk keeps it in the next crawl.
        title: Title of its page.
        url: URL of its page.
        anchor: The place of its innermost heading, if a link of the page leads there, as permalinks and tables of
            contents do, else "": `f"{url}#{anchor}"` is its address.
        above: Markdown of `headings`.
    """

    text: str
    headings: tuple[str, ...]
    tokens: int
    position: int = 0
    id: str = ""
    title: str = ""
    url: str = ""
    anchor: str = ""
    above: str = field(default="", repr=False)

    def __str__(self) -> str:
        return f"{self.above}\n\n{self.text}" if self.above else self.text

    @property
    def row(self) -> dict[str, Any]:
        """Return the values for a feed, a table or a vector index."""
        values = {name: value for name, value in vars(self).items() if name != "above"}
        return values | {"headings": list(self.headings)}


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens in `text`, erring on the high side.

    Four ASCII characters count as a token, as do two of other alphabets or one ideograph. Tokenizers differ by a third,
    so use your own count if the limit is hard.

    Example:
        >>> estimate_tokens("The storm came at night."), estimate_tokens("暴风雨")
        (6, 3)
    """
    if text.isascii():
        return -(-len(text) // 4)
    plain, wide = len(text.encode("ascii", "ignore")), len(_WIDE.findall(text))
    return -(-(plain + 2 * (len(text) - plain - wide) + 4 * wide) // 4)


def chunk_markdown(
    markdown: str,
    max_tokens: int,
    overlap: int = 0,
    count: Callable[[str], int] | None = None,
    *,
    url: str = "",
    title: str = "",
    anchors: Sequence[tuple[str, str]] = (),
) -> list[Chunk]:
    r"""Cut Markdown that we wrote into chunks for a language model, as `Body.chunks` does.

    The head of a table is repeated in each chunk with its rows. Text that does not fit is cut: an item between its
    blocks and sentences, code between functions and other unindented statements. A sentence, row or function longer
    than `max_tokens`, or a table whose head takes more than half of it, is a chunk of its own; of more than `LONGEST`
    tokens, it is cut between lines or words. A term stays with its definition. Headings above a chunk take at most half
    of it; beyond that the outer ones are left out. `anchors` has the letters of headings and their places on the page,
    in its order.

    Example:
        >>> text = "# *Storm*\n\nIt rained. Rivers rose.\n\n## Roads\n\n- The A1 is closed.\n- The A2 is open."
        >>> chunk = chunk_markdown(text, 12)[1]
        >>> chunk.headings, chunk.text, chunk.position
        (('Storm', 'Roads'), '- The A1 is closed.', 1)
    """
    if not (isinstance(max_tokens, Real) and isinstance(overlap, Real) and 0 <= overlap < max_tokens >= 1):
        raise ValueError(f"max_tokens must be >= 1 and overlap less than it, got {max_tokens!r} and {overlap!r}")
    count = count or estimate_tokens
    chunks: list[Chunk] = []
    same: Counter[str] = Counter()
    place_of = _Places(anchors)
    url = url.partition("#")[0]  # of the page, whatever place of it was asked for
    for above, text in packed(markdown, count, max_tokens, overlap):
        said = "\n\n".join((*above, text))
        same[said] += 1
        name = uuid5(NAMESPACE_URL, "\n".join((url, str(same[said]), said)).encode("utf-8", "replace").decode())
        headings = tuple(map(_plain, above))
        anchor, written = place_of(headings), "\n\n".join(above)
        chunks.append(Chunk(text, headings, count(said), len(chunks), str(name), title, url, anchor, written))
    return chunks


class _Places:
    """Finds the place of the innermost of some headings, for chunks in the order of the page."""

    def __init__(self, anchors: Sequence[tuple[str, str]]) -> None:
        self._anchors, self._at, self._is_known = anchors, -1, False
        self._last: tuple[str, ...] = ()
        self._places = defaultdict[str, list[int]](list)  # by the letters of a heading
        for place, (heading, _) in enumerate(anchors):
            self._places[heading].append(place)

    def __call__(self, headings: tuple[str, ...]) -> str:
        if headings != self._last:
            said, self._last = letters(headings[-1]) if headings else "", headings
            found = self._places[said]
            self._is_known = bool(found)
            if found:  # of headings that say the same, the next
                self._at = found[bisect_right(found, self._at) % len(found)]
        return self._anchors[self._at][1] if self._is_known else ""


def _plain(heading: str) -> str:
    """Return the text of a heading, without its markup."""

    def shown(found: re.Match[str]) -> str:
        return found["code"] or found["sign"] or html.unescape(found["entity"] or "")

    return " ".join(_INLINE.sub(shown, heading.lstrip("#")).split())
