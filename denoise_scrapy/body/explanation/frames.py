"""The frame around a block's text: its class, the bar of its score, and what is told of it when it is looked at."""

from __future__ import annotations

from denoise_scrapy.body.explanation.safe_text import shown
from denoise_scrapy.body.explanation.verdicts import Verdict

#: Characters of a block that show at once (a paragraph), and those that its focus shows (a chapter).
SHORT_TEXT, LONG_TEXT = 400, 20_000
#: A longer word is cut where a text is.
WORD_LENGTH = 30
#: Characters that are told of a path, from its end, and of an address: what fits into a line or two.
PATH_LENGTH, ADDRESS_LENGTH = 160, 160
#: Addresses that a block of links tells.
ADDRESSES = 3
#: Steps of the bar at the left; the style sheet has a class for each.
STEPS = 20


class Frame:
    """The frame of a block; of its start tag all is known at the end only.

    Args:
        number: The block.
        verdict: What became of it.
        is_first: Whether no other frame holds text of the block.
    """

    def __init__(self, number: int, verdict: Verdict, *, is_first: bool) -> None:
        self.number = number
        self._verdict = verdict
        self._is_first = is_first
        self._chars = 0
        self._addresses: list[str] = []

    def add_address(self, url: str) -> None:
        """Take in where a link leads."""
        if url:
            self._addresses.append(url)

    def text(self, text: str) -> str:
        """Text of the block as HTML; what is too long for a glance is in elements of their own."""
        start, self._chars = self._chars, self._chars + len(text)
        now, later = max(SHORT_TEXT - start, 0), max(LONG_TEXT - start, 0)
        if len(text) > now > 0:
            now = max(text.rfind(" ", now - WORD_LENGTH, now), 0) or now  # no word is cut
        return shown(text[:now]) + _rest(text[now:later])

    def start_tag(self) -> str:
        """The start tag."""
        verdict = self._verdict
        step = round(STEPS * verdict.block.probability)
        names = f"b {verdict.name} p{step}{' long' * (self._chars > SHORT_TEXT)}"
        if not self._is_first:
            return f'<span class="{names}">'
        path = verdict.block.path
        told = {
            "path": f"…{path[-PATH_LENGTH:]}" if len(path) > PATH_LENGTH else path,
            "why": verdict.block.reason,
            "numbers": "\n".join(verdict.numbers),
        }
        if self._addresses:
            told["to"] = "\n".join(url[:ADDRESS_LENGTH] for url in self._addresses[:ADDRESSES])
            more = len(self._addresses) - ADDRESSES
            told["to"] += f"\nand {more:,} more" if more > 0 else ""
        data = " ".join(f'data-{name}="{shown(value)}"' for name, value in told.items())
        label = f"{verdict.name}, {verdict.percent}%"
        return f'<span class="{names}" id="b{self.number}" tabindex="0" role="group" aria-label="{label}" {data}>'

    def end(self) -> str:
        """The end tag, and what goes before it."""
        left = self._chars - LONG_TEXT
        return f"{_rest(f' … {left:,} characters more' if left > 0 else '')}</span>"


def _rest(text: str) -> str:
    return f'<span class="rest">{shown(text)}</span>' if text else ""
