"""The blocks of a page in its structure, each in a frame that says what became of it.

What is written is our own rendering (`rendering.render`), never the page's markup. Links and images are words in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from types import MappingProxyType

import numpy as np

from denoise_scrapy.body.hand_rule import REPEATED_SHARE, SLOT_SHARE
from denoise_scrapy.body.rendering import Token, render
from denoise_scrapy.body.rendering.html import INLINES, WRITTEN
from denoise_scrapy.body.result import Block, Body
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.site import SiteStatistics

_NO_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]")
_HALF_CHARACTERS = re.compile("[\ud800-\udfff]")


def shown(text: str, most: int | None = None) -> str:
    """A text for between tags or for an attribute in double quotes, cut after so many characters."""
    text = clean(text)
    return escape(text if most is None or len(text) <= most else f"{text[:most]}…")


def clean(text: str) -> str:
    """The text without control characters; halves of characters are replaced."""
    return _HALF_CHARACTERS.sub("\ufffd", _NO_CHARACTERS.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))


#: What a block can be, and what that means. The first that fits holds, in the order kept, hidden, template, low.
CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "kept": "in the extracted text",
        "template": "dropped: repeats on the other pages",
        "low": "dropped: its score is too low",
        "hidden": "dropped: the page hides it",
    }
)


@dataclass(frozen=True)
class Verdict:
    """What became of a block.

    Attributes:
        name: One of `CLASSES`.
        block: The block as the body has it.
        numbers: What was counted, a line each.
        preformatted: Whether its white space counts.
    """

    name: str
    block: Block
    numbers: tuple[str, ...]
    preformatted: bool = False


def judge(page: Page, body: Body, site: SiteStatistics) -> list[Verdict]:
    """The verdict on each block of a page, by its body and the comparison pages that its strategy saw."""
    if not body.blocks:
        return []
    hidden = (page.blocks.flags & Flag.HIDDEN) != 0
    # at these shares the hand rule takes a text, and a slot, for template
    shared = site.shared_with(page)
    template = (shared.text_share >= REPEATED_SHARE) | (shared.slot_share > SLOT_SHARE)
    kept = np.array([block.kept for block in body.blocks], bool)
    names = np.select([kept, hidden, template], ["kept", "hidden", "template"], "low").tolist()
    preformatted = ((page.blocks.flags & Flag.PREFORMATTED) != 0).tolist()
    return [Verdict(*told) for told in zip(names, body.blocks, _numbers(page, site), preformatted, strict=True)]


def _numbers(page: Page, site: SiteStatistics) -> Iterator[tuple[str, ...]]:
    """What was counted of each block."""
    blocks, k = page.blocks, len(site.pages)
    shared = site.shared_with(page)
    columns = (blocks.tokens, blocks.link_density, shared.text_share, shared.placed_share, shared.slot_share)
    hidden = ((blocks.flags & Flag.HIDDEN) != 0).tolist()
    for i, (words, links, text, placed, slot) in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        told = [f"{words:,} word{'s' * (words != 1)}", f"{links:.0%} of it in links"]
        if k:
            told.append(f"on {round(text * k)} of {k} other pages, on {round(placed * k)} in the same place")
            told.append(f"{slot:.0%} of what stands in such places repeats")
        if hidden[i]:
            told.append("hidden by the page's markup")
        yield tuple(told)


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
    """The frame of a block, or of more of it; of its start tag all is known at the end only."""

    def __init__(self, number: int, verdict: Verdict, *, is_first: bool) -> None:
        self.number = number
        self._verdict = verdict
        self._is_first = is_first
        self._chars = 0
        self.addresses: list[str] = []

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
        if self.addresses:
            told["to"] = "\n".join(url[:ADDRESS_LENGTH] for url in self.addresses[:ADDRESSES])
            more = len(self.addresses) - ADDRESSES
            told["to"] += f"\nand {more:,} more" if more > 0 else ""
        data = " ".join(f'data-{name}="{shown(value)}"' for name, value in told.items())
        label = f"{verdict.name}, {round(100 * verdict.block.probability)}%"
        return f'<span class="{names}" id="b{self.number}" tabindex="0" role="group" aria-label="{label}" {data}>'

    def end(self) -> str:
        """The end tag, and what goes before it."""
        left = self._chars - LONG_TEXT
        return f"{_rest(f' … {left:,} characters more' if left > 0 else '')}</span>"


def _rest(text: str) -> str:
    return f'<span class="rest">{shown(text)}</span>' if text else ""


#: Blocks and images that are drawn at most: a browser lays out so many in a second, and nobody reads more.
MAX_BLOCKS = 5_000
#: Characters of an image's description.
IMAGE_LENGTH = 80

_INLINES = frozenset(INLINES.values())


def draw(page: Page, verdicts: Sequence[Verdict]) -> str:
    """The blocks of a page as HTML; where it has too many, the kept ones go before the others.

    Args:
        page: A page of m blocks, parsed without selectors of the user's: a rendering leaves out what they remove.
        verdicts: m of them.
    """
    kept = np.array([verdict.block.kept for verdict in verdicts], bool)
    chosen = np.zeros(len(verdicts), bool)
    chosen[np.argsort(~kept, kind="stable")[:MAX_BLOCKS]] = True
    pen = _Pen(verdicts)
    for token in render(page, chosen):
        pen.write(token)
    return pen.finish()


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
        self._run = self._run_place = 0  # images without a description in a row, and where the first stands

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
        self._run = 0
        self._out.append(self._in_frame().text(text))

    def _image(self, token: Token) -> None:
        told = dict(token.attributes).get("alt", "")
        if self._run and not told:
            self._run += 1
            self._out[self._run_place] = f'<span class="img">{self._run:,} images</span>'
            return
        self._images += 1
        if self._images > MAX_BLOCKS:
            return
        if token.block >= 0 and (self._frame is None or self._frame.number != token.block):
            self._enter(token.block)
        if self._frame:
            self._in_frame()
        self._run, self._run_place = int(not told), len(self._out)
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
                self._frame.addresses.append(dict(token.attributes)["href"])
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
