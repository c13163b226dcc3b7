"""From a page and others of its site to one HTML file that shows what was kept, and why.

What is written of the page is our own rendering, never its markup; links and images are words in it. The document loads
nothing: its policy allows our own style and script, by their hashes, and pictures in the document itself.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from html import escape
from importlib.resources import files
from string import Template
from types import MappingProxyType

import numpy as np

from denoise_scrapy.body.extraction import Block, Body, SiteModel
from denoise_scrapy.body.rendering import Token, render
from denoise_scrapy.body.rendering.html import FORMULAS, INLINES, MARKS, WRITTEN
from denoise_scrapy.body.strategies import DEFAULT_STRATEGY, find_strategy
from denoise_scrapy.body.strategies.repetition import REPEATED_SHARE, SLOT_SHARE
from denoise_scrapy.body.taste import NO_TASTE, Taste
from denoise_scrapy.page import Flag, Page, PageFacts
from denoise_scrapy.site import SiteStatistics

_NO_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]")
_HALF_CHARACTERS = re.compile("[\ud800-\udfff]")


def escaped(text: str, most: int | None = None) -> str:
    """A text for between tags or for an attribute in double quotes, cut after so many characters."""
    text = printable(text)
    return escape(text if most is None or len(text) <= most else f"{text[:most]}…")


def printable(text: str) -> str:
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
class Outcome:
    """The outcome for a block.

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


def outcomes_of(page: Page, body: Body, site: SiteStatistics) -> list[Outcome]:
    """The outcome on each block of a page, by its body and the comparison pages that its strategy saw."""
    if not body.blocks:
        return []
    hidden = (page.blocks.flags & Flag.HIDDEN) != 0
    # at these shares the hand rule takes a text, and a slot, for template
    shared = site.shared_with(page)
    template = (shared.text_share >= REPEATED_SHARE) | (shared.slot_share > SLOT_SHARE)
    kept = np.array([block.kept for block in body.blocks], bool)
    names = np.select([kept, hidden, template], ["kept", "hidden", "template"], "low").tolist()
    preformatted = ((page.blocks.flags & Flag.PREFORMATTED) != 0).tolist()
    return [Outcome(*given) for given in zip(names, body.blocks, _numbers(page, site), preformatted, strict=True)]


def _numbers(page: Page, site: SiteStatistics) -> Iterator[tuple[str, ...]]:
    """Count words, links and repeats of each block."""
    blocks, k = page.blocks, len(site.pages)
    shared = site.shared_with(page)
    columns = (blocks.tokens, blocks.link_density, shared.text_share, shared.placed_share, shared.slot_share)
    hidden = ((blocks.flags & Flag.HIDDEN) != 0).tolist()
    for i, (words, links, text, placed, slot) in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        given = [f"{words:,} word{'s' * (words != 1)}", f"{links:.0%} of it in links"]
        if k:
            given.append(f"on {round(text * k)} of {k} other pages, on {round(placed * k)} in the same place")
            given.append(f"{slot:.0%} of what stands in such places repeats")
        if hidden[i]:
            given.append("hidden by the page's markup")
        yield tuple(given)


#: Characters of a block that show at once (a paragraph), and those that its focus shows (a chapter).
SHORT_TEXT, LONG_TEXT = 400, 20_000
#: A longer word is cut where a text is.
WORD_LENGTH = 30
#: Characters shown of a path, from its end, and of an address: a line or two.
PATH_LENGTH, ADDRESS_LENGTH = 160, 160
#: Addresses shown of a block of links.
ADDRESSES = 3
#: Steps of the bar at the left; the style sheet has a class for each.
STEPS = 20


class Frame:
    """The frame of a block, or of more of it; of its start tag all is known at the end only."""

    def __init__(self, number: int, outcome: Outcome, *, is_first: bool) -> None:
        self.number = number
        self._outcome = outcome
        self._is_first = is_first
        self._chars = 0
        self.addresses: list[str] = []

    def text(self, text: str) -> str:
        """Text of the block as HTML; what is too long for a glance is in elements of their own."""
        start, self._chars = self._chars, self._chars + len(text)
        now, later = max(SHORT_TEXT - start, 0), max(LONG_TEXT - start, 0)
        if len(text) > now > 0:
            now = max(text.rfind(" ", now - WORD_LENGTH, now), 0) or now  # no word is cut
        return escaped(text[:now]) + _rest(text[now:later])

    def start_tag(self) -> str:
        """The start tag."""
        outcome = self._outcome
        step = round(STEPS * outcome.block.probability)
        names = f"b {outcome.name} p{step}{' long' * (self._chars > SHORT_TEXT)}"
        if not self._is_first:
            return f'<span class="{names}">'
        path = outcome.block.path
        given = {
            "path": f"…{path[-PATH_LENGTH:]}" if len(path) > PATH_LENGTH else path,
            "why": outcome.block.reason,
            "numbers": "\n".join(outcome.numbers),
        }
        if self.addresses:
            given["to"] = "\n".join(url[:ADDRESS_LENGTH] for url in self.addresses[:ADDRESSES])
            more = len(self.addresses) - ADDRESSES
            given["to"] += f"\nand {more:,} more" if more > 0 else ""
        data = " ".join(f'data-{name}="{escaped(value)}"' for name, value in given.items())
        label = f"{outcome.name}, {round(100 * outcome.block.probability)}%"
        return f'<span class="{names}" id="b{self.number}" tabindex="0" role="group" aria-label="{label}" {data}>'

    def end(self) -> str:
        """The end tag, and what goes before it."""
        left = self._chars - LONG_TEXT
        return f"{_rest(f' … {left:,} characters more' if left > 0 else '')}</span>"


def _rest(text: str) -> str:
    return f'<span class="rest">{escaped(text)}</span>' if text else ""


#: Blocks and images that are drawn at most: a browser lays out so many in a second, and nobody reads more.
MAX_BLOCKS = 5_000
#: Characters of an image's description.
IMAGE_LENGTH = 80

_INLINES = frozenset(INLINES.values()) - FORMULAS.keys()


def draw(page: Page, outcomes: Sequence[Outcome]) -> str:
    """The blocks of a page as HTML, those kept first where it has too many.

    The page is without the user's selectors: a rendering leaves out what they remove.
    """
    kept = np.array([outcome.block.kept for outcome in outcomes], bool)
    chosen = np.zeros(len(outcomes), bool)
    chosen[np.argsort(~kept, kind="stable")[:MAX_BLOCKS]] = True
    pen = _Pen(outcomes)
    for token in render(page, chosen):
        pen.write(token)
    return pen.finish()


class _Pen:
    """Writes tokens, and a frame around the text of each block, with inline elements inside of each frame."""

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        self._outcomes = outcomes
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
        elif token.value not in FORMULAS and token.value not in MARKS:  # the TeX of a formula is text as any other
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
        text = printable(token.value)
        if self._frame is None or self._frame.number != token.block:
            text = text.lstrip("\n")  # a frame begins a line itself
            if not text:
                return
            self._enter(token.block)
        self._run = 0
        self._out.append(self._in_frame().text(text))

    def _image(self, token: Token) -> None:
        given = dict(token.attributes).get("alt", "")
        if self._run and not given:
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
        self._run, self._run_place = int(not given), len(self._out)
        self._out.append(f'<span class="img">image{": " if given else ""}{escaped(given, IMAGE_LENGTH)}</span>')

    def _enter(self, block: int) -> None:
        self._leave()
        self._frame = Frame(block, self._outcomes[block], is_first=block not in self._known)
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
    given = [f' {name}="{escaped(value)}"' for name, value in token.attributes if name in WRITTEN[token.value]]
    return f"<{token.value}{''.join(given)}>"


#: Characters of a name, an address or a title: two lines.
NAME_LENGTH = 300
#: Comparison pages that are listed: as many as a strategy may be given.
PAGES = 64
# Least expected F1 of each word. Of 168 recorded pages 104 are sure (mean F1 .99), 45 fairly sure (.96), 19 not (.73).
SURE = ((0.95, "sure"), (0.8, "fairly sure"), (-1.0, "not sure"))


@dataclass(frozen=True, eq=False)
class Explanation:
    """The kept and dropped blocks of a page, with reasons.

    Attributes:
        page: The page.
        body: What was made of it.
        outcomes: What became of each block, in document order.
        name: What the page is called.
        comparison: What was given to compare with: its name, and "" where it was compared with, else why not.
        drawn: The page without selectors of the user's.
    """

    page: Page
    body: Body
    outcomes: tuple[Outcome, ...]
    name: str
    comparison: tuple[tuple[str, str], ...]
    drawn: Page

    @cached_property
    def counts(self) -> Mapping[str, tuple[int, int]]:
        """Number of blocks and words of each of `CLASSES`."""
        blocks, words = Counter[str](), Counter[str]()
        for outcome, tokens in zip(self.outcomes, self.page.blocks.tokens.tolist(), strict=True):
            blocks[outcome.name] += 1
            words[outcome.name] += tokens
        return {name: (blocks[name], words[name]) for name in CLASSES}

    @cached_property
    def html(self) -> str:
        """One file that needs nothing else. Nothing of the page runs in it, no address of the page is in reach."""
        return _document(self)


def _document(explained: Explanation) -> str:
    style, script = _asset("page.css"), _asset("page.js")
    return Template(_asset("page.html")).substitute(
        policy=f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'",
        style=style,
        script=script,
        title=escaped(explained.page.title or explained.name or "A page", NAME_LENGTH),
        name=escaped(explained.name, NAME_LENGTH),
        facts="".join(f"<div><dt>{name}</dt><dd>{escaped(given)}</dd></div>" for name, given in _facts(explained.body)),
        notices="".join(f'<p class="notice">{given}</p>' for given in _notices(explained)),
        pages=_pages(explained.comparison),
        verdict=_summary(explained),
        legend="".join(_switch(name, *explained.counts[name]) for name in CLASSES),
        blocks=draw(explained.drawn, explained.outcomes) or '<p class="none">The page has no text.</p>',
        text="".join(_paragraphs(explained.outcomes)) or '<p class="none">No text was kept.</p>',
    )


def _facts(body: Body) -> Iterator[tuple[str, str]]:
    yield "strategy", body.strategy
    yield "rests on", body.evidence
    if body.fallback:
        yield "fallback", body.fallback


def _summary(explained: Explanation) -> str:
    """One sentence: what was kept, how sure that is, and what the page was compared with."""
    kept, words = explained.counts["kept"]
    blocks, of_words = (sum(counts) for counts in zip(*explained.counts.values(), strict=True))
    confidence = explained.body.confidence
    sure = next(word for least, word in SURE if confidence >= least)
    compared = len(explained.body.comparison)
    others = f"compared with {compared} page{'s' * (compared != 1)}" if compared else "no page to compare with"
    return f"Kept {kept:,} of {blocks:,} blocks, {words:,} of {of_words:,} words: {sure} ({confidence:.2f}); {others}."


def _notices(explained: Explanation) -> Iterator[str]:
    if not explained.body.comparison:
        yield "The page was judged alone: without a comparison page nothing is known to be template."
    if len(explained.outcomes) > MAX_BLOCKS:
        yield (
            f"{MAX_BLOCKS:,} of the page's {len(explained.outcomes):,} blocks are drawn, kept ones first; the counts "
            "and the text are whole."
        )


def _pages(comparison: Sequence[tuple[str, str]]) -> str:
    """The comparison pages, folded."""
    used = sum(not lack for _, lack in comparison)
    if not comparison:
        return ""
    lines = "".join(
        f"<li>{escaped(name, NAME_LENGTH)}{' <em>' * bool(lack)}{escaped(lack)}{'</em>' * bool(lack)}</li>"
        for name, lack in comparison[:PAGES]
    )
    summary = f"Compared with {used} page{'s' * (used != 1)}"
    return f'<details class="pages" open><summary>{summary}</summary><ol>{lines}</ol></details>'


def _switch(name: str, blocks: int, words: int) -> str:
    return (
        f'<label class="switch {name}"><input type="checkbox" id="show-{name}" checked autocomplete="off">'
        f"<span><b>{name}</b> {blocks:,} block{'s' * (blocks != 1)}, {words:,} word{'s' * (words != 1)}"
        f"<small>{CLASSES[name]}</small></span></label>"
    )


def _paragraphs(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The extracted text, a paragraph for each block."""
    for number, outcome in enumerate(outcomes):
        if outcome.block.kept:
            kind = ' class="code"' if outcome.preformatted else ""
            yield f'<p id="t{number}" dir="auto"{kind}>{escaped(outcome.block.text)}</p>'


@cache
def _asset(name: str) -> str:
    return (files(__package__) / "explained" / name).read_text("utf-8").strip()


def _hash(source: str) -> str:
    """A source as a policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def explain_page(
    html: str | bytes,
    url: str | None = None,
    comparison_pages: Iterable[tuple[str, str | bytes | PageFacts]] = (),
    *,
    name: str = "",
    strategy: str = DEFAULT_STRATEGY,
    taste: Taste = NO_TASTE,
    keep: str | Iterable[str] = (),
    remove: str | Iterable[str] = (),
) -> Explanation:
    """Extract a body, and say why.

    Args:
        html: The page.
        url: Where it came from.
        comparison_pages: Name or URL, and HTML, of other pages of the site; or facts, as site memories keep them.
        name: What to call the page where it has no URL.
        strategy: A name in `STRATEGIES`, or the path of a class.
        taste: What belongs to a body in the user's eyes.
        keep: CSS selectors or XPaths of what is content whatever a strategy says.
        remove: The same of what is none.

    Raises:
        ValueError: There is no such strategy, or a selector is invalid.

    Example:
        >>> explain_page("<nav><a href=/>Home</a></nav><p>It rained all night.</p>").counts["kept"]
        (1, 4)
    """
    chosen = find_strategy(strategy)
    page = Page.parse(html, url=url, keep=keep, remove=remove)
    named = [(label, _parse(label, other)) for label, other in comparison_pages]
    model = SiteModel.fit(other for _, other in named)
    body = model.extract(page, strategy=strategy, taste=taste)
    others = model.statistics.for_page(page)
    site = others.first(chosen.comparison_pages, whole=chosen.needs_elements)
    comparison = tuple((label, _lack(other, site.pages, others.pages)) for label, other in named)
    return Explanation(page, body, tuple(outcomes_of(page, body, site)), url or name, comparison, page.unselected())


def _parse(label: str, page: str | bytes | PageFacts) -> Page | PageFacts:
    if isinstance(page, PageFacts):
        return page
    return Page.parse(page, url=label if label.lower().startswith(("http://", "https://")) else None)


def _lack(page: Page | PageFacts, used: tuple[object, ...], others: tuple[object, ...]) -> str:
    """Why a page was not compared with, "" where it was."""
    if any(page is one for one in used):
        return ""
    if any(page is one for one in others):
        return f"left out: the strategy uses {f'the {len(used)} likest' if used else 'none'}"
    return "left out: it is the page itself or a copy of it"
