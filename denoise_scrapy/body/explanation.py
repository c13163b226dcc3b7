"""Explain an extraction: a table with a row for each block, and an HTML file that displays it.

The page is displayed in our own rendering, never its markup; links and images appear as words. The document loads
nothing: its policy allows only our own style and script, by their hashes, and pictures embedded in the document.
"""

from __future__ import annotations

import base64
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from html import escape
from pathlib import Path
from string import Template
from typing import NamedTuple

import numpy as np

from denoise_scrapy.body.examples import Example
from denoise_scrapy.body.extraction import Block, Body, SiteModel
from denoise_scrapy.body.rendering import Token, render
from denoise_scrapy.body.strategies import DEFAULT_STRATEGY, find_strategy
from denoise_scrapy.body.strategies.combined import MOST_EXPLAINED
from denoise_scrapy.body.strategies.repetition import REPEATED_SHARE, SLOT_SHARE
from denoise_scrapy.body.taste import NO_TASTE, Taste
from denoise_scrapy.core.tokens import write
from denoise_scrapy.core.written import FORMULAS, INLINES, MARKS
from denoise_scrapy.page import Flag, Page, PageFacts
from denoise_scrapy.site import SiteStatistics, site_key
from denoise_scrapy.support.shown import MAX_CELL, counted

#: Classes of blocks. The first match applies, in the order kept, hidden, template, low.
CLASSES = ("kept", "template", "low", "hidden")


class Row(NamedTuple):
    """The outcome for a block of the body, with the counts that led to it, one per line."""

    name: str  # one of `CLASSES`
    block: Block
    words: int
    numbers: tuple[str, ...]
    preformatted: bool


#: Scores of a block that may go the other way beside other comparison pages: nine of ten that do, and 1% of all, have
#: one (`python -m benchmarks.steadiness`).
HANGING = (0.25, 0.55)


def _rows(page: Page, body: Body, site: SiteStatistics) -> Iterator[Row]:
    """Yield a row for each block of a page, given its body and the comparison pages used."""
    blocks, k, shared = page.blocks, len(site.pages), site.shared_with(page)
    kept = np.array([block.kept for block in body.blocks], bool)
    hidden, preformatted = page.unseen_blocks, blocks.has(Flag.PREFORMATTED)
    # shares above which the hand-written rule treats a text, and a slot, as template
    template = (shared.text_share >= REPEATED_SHARE) | (shared.slot_share > SLOT_SHARE)
    names = np.select([kept, hidden, template], ["kept", "hidden", "template"], "low")
    columns = (names, blocks.tokens, blocks.link_density, shared.text_share, shared.placed_share, shared.slot_share)
    values = (column.tolist() for column in (*columns, preformatted))
    said = " ".join(body.text.split())
    reasons: dict[int, dict[str, None]] = defaultdict(dict)
    for mark, reason in page.unseen_reasons().items():
        reasons[int(blocks.elements.block_after[mark])][reason] = None
    for number, (block, name, words, links, text, placed, slot, is_pre) in enumerate(
        zip(body.blocks, *values, strict=True)
    ):
        numbers = [counted(words, "word"), f"{links:.0%} of it in links"]
        if k:
            numbers.append(f"on {round(text * k)} of {k} other pages, on {round(placed * k)} in the same place")
            numbers.append(f"{slot:.0%} of what stands in such places repeats")
        if k and name != "hidden" and HANGING[0] <= block.probability <= HANGING[1]:
            numbers.append("hangs by a thread: beside other pages it may go the other way")
        if name == "low" and block.probability > 0.5 and " ".join(block.text.split()) in said:
            numbers.append("likely, but its words are kept elsewhere")
        if number in reasons:
            numbers.append(f"{'nothing shows it' if name == 'hidden' else 'struck'}: {', '.join(reasons[number])}")
        yield Row(name, block, words, tuple(numbers), is_pre)


def _escaped(text: str, most: int | None = None) -> str:
    """Escape a text for use between tags or in a double-quoted attribute, cut to `most` characters."""
    text = text if most is None or len(text) <= most else f"{text[:most]}…"
    return escape(text.encode("utf-8", "replace").decode())  # names of files have half characters


#: Steps of the bar on the left; the style sheet has a class for each.
STEPS = 20

_INLINES = frozenset(INLINES.values()) - FORMULAS.keys()


class _Pen:
    """Writes tokens, with a frame around the text of each block, and inline elements inside each frame."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._out: list[str] = []
        self._wanted: list[Token] = []  # inline elements around the next text …
        self._opened: list[str] = []  # … and those of them already written
        self._block = -1  # block of the open frame
        self._place = 0  # its start tag, which is complete only at its end
        self._known: set[int] = set()
        self._images = 0

    def draw(self, tokens: Iterable[Token]) -> str:
        """Return the tokens as HTML."""
        for token in tokens:
            if token.kind == "text":
                self._text(token)
            elif token.value == "img":
                self._image(token)
            elif token.value == "br":
                self._out.append("<br>" if self._block >= 0 else "")
            elif token.value in _INLINES:
                self._inline(token)
            elif token.value not in FORMULAS and token.value not in MARKS:  # the TeX of a formula is ordinary text
                self._leave()
                self._out.append(f"</{token.value}>" if token.kind == "end" else write(token))
        self._leave()
        return "".join(self._out)

    def _inline(self, token: Token) -> None:
        if token.kind == "start":
            self._wanted.append(token)
            return
        if len(self._opened) == len(self._wanted):
            self._out.append(self._opened.pop())
        self._wanted.pop()

    def _text(self, token: Token) -> None:
        text = token.value
        if self._block != token.block:
            text = text.lstrip("\n")  # a frame itself begins a line
            if not text:
                return
            self._enter(token.block)
        self._open_inlines()
        drawn, reason = _escaped(text), dict(token.attributes).get("unseen", "")
        self._out.append(f'<s title="{_escaped(reason)}">{drawn}</s>' if reason else drawn)

    def _image(self, token: Token) -> None:
        given = dict(token.attributes).get("alt", "")
        self._images += 1
        if self._images > MOST_EXPLAINED:
            return
        if token.block >= 0 and self._block != token.block:
            self._enter(token.block)
        if self._block >= 0:
            self._open_inlines()
        self._out.append(f'<span class="img">image{": " if given else ""}{_escaped(given, MAX_CELL)}</span>')

    def _enter(self, block: int) -> None:
        self._leave()
        self._block, self._place = block, len(self._out)
        self._out.append("")

    def _open_inlines(self) -> None:
        """Open all inline elements inside the frame."""
        for token in self._wanted[len(self._opened) :]:
            is_link = token.value == "a"
            self._out.append('<span class="a">' if is_link else f"<{token.value}>")
            self._opened.append("</span>" if is_link else f"</{token.value}>")

    def _leave(self) -> None:
        self._out += self._opened[::-1]
        self._opened.clear()
        if self._block >= 0:
            self._out[self._place] = self._start_tag()
            self._out.append("</span>")
            self._known.add(self._block)
        self._block = -1

    def _start_tag(self) -> str:
        """Return the start tag of the frame; if it continues a block, only with its style."""
        row = self._rows[self._block]
        score, path = row.block.probability, row.block.path
        names = f"b {row.name} p{round(STEPS * score)}"
        if self._block in self._known:
            return f'<span class="{names}" data-of="b{self._block}">'
        given = {
            "path": f"…{path[-MAX_CELL:]}" if len(path) > MAX_CELL else path,
            "why": row.block.reason,
            "numbers": "\n".join(row.numbers),
        }
        data = " ".join(f'data-{name}="{_escaped(value)}"' for name, value in given.items())
        label = f"{row.name}, {round(100 * score)}%"
        return f'<span class="{names}" id="b{self._block}" tabindex="0" role="group" aria-label="{label}" {data}>'


# Minimum expected F1 for each word. Of 168 recorded pages 104 are sure (mean F1 .99), 45 fairly sure (.96), 19 not
# (.73).
STYLES_LEFT_OUT = "Its styles take too long to read, so text that these hide may be kept"
SURE = ((0.9, "sure"), (0.7, "fairly sure"), (-1.0, "not sure"))


@dataclass(frozen=True, eq=False)
class Explanation:
    """The kept and dropped blocks of a page, with reasons.

    Attributes:
        body: The extracted body.
        rows: The outcome for each block, in document order.
        name: Name of the page.
        comparison: Name of each comparison page given, and "" if it was used, else the reason why not.
        drawn: The page without the user's selectors.
    """

    body: Body
    rows: tuple[Row, ...]
    name: str
    comparison: tuple[tuple[str, str], ...]
    drawn: Page

    @cached_property
    def counts(self) -> Mapping[str, tuple[int, int]]:
        """Number of blocks and words in each of `CLASSES`."""
        words = {name: [row.words for row in self.rows if row.name == name] for name in CLASSES}
        return {name: (len(some), sum(some)) for name, some in words.items()}

    @property
    def used(self) -> int:
        """Number of comparison pages that were used."""
        return sum(not lack for _, lack in self.comparison)

    @cached_property
    def html(self) -> str:
        """A self-contained file. No script of the page runs in it, and none of its URLs can be followed."""
        style, script = asset("page.css"), asset("page.js")
        policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:"
        return Template(asset("page.html")).substitute(
            policy=f"{policy}; base-uri 'none'; form-action 'none'",
            style=style,
            script=script,
            title=_escaped(self.drawn.title or self.name or "A page", MAX_CELL),
            name=_escaped(self.name, MAX_CELL),
            strategy=_escaped(self.body.strategy),
            evidence=self.body.evidence,
            fallback=f"<div><dt>fallback</dt><dd>{self.body.fallback}</dd></div>" if self.body.fallback else "",
            notices=self._notice(),
            pages=self._pages(),
            verdict=self._summary(),
            **{
                name: f"{counted(blocks, 'block')}, {counted(words, 'word')}"
                for name, (blocks, words) in self.counts.items()
            },
            blocks=self.blocks or '<p class="none">The page has no text.</p>',
            text="".join(self._paragraphs()) or '<p class="none">No text was kept.</p>',
        )

    def _summary(self) -> str:
        """Return one sentence: what was kept, how sure that is, and what the page was compared with."""
        kept, words = self.counts["kept"]
        blocks, of_words = (sum(counts) for counts in zip(*self.counts.values(), strict=True))
        confidence, compared = self.body.confidence, len(self.body.comparison)
        sure = f"{next(word for least, word in SURE if confidence >= least)} ({confidence:.2f})"
        others = f"compared with {counted(compared, 'page')}" if compared else "no page to compare with"
        left_out = f" {STYLES_LEFT_OUT}." * self.drawn.lacks_styles
        return f"Kept {kept:,} of {blocks:,} blocks, {words:,} of {of_words:,} words: {sure}; {others}.{left_out}"

    def _notice(self) -> str:
        if len(self.rows) <= MOST_EXPLAINED:
            return ""
        drawn = f"{MOST_EXPLAINED:,} of the page's {len(self.rows):,} blocks are drawn, kept ones first"
        return f'<p class="notice">{drawn}; the counts and the text are whole.</p>'

    def _pages(self) -> str:
        """Return the comparison pages, folded."""
        if not self.comparison:
            return ""
        items = (
            f"<li>{_escaped(name, MAX_CELL)}{f' <em>{_escaped(lack)}</em>' if lack else ''}</li>"
            for name, lack in self.comparison[:MOST_EXPLAINED]
        )
        summary = f"Compared with {counted(self.used, 'page')}"
        return f'<details class="pages" open><summary>{summary}</summary><ol>{"".join(items)}</ol></details>'

    @property
    def blocks(self) -> str:
        """The page's blocks as HTML in our own rendering, the kept ones if there are too many."""
        kept = np.array([row.block.kept for row in self.rows], bool)
        chosen = np.zeros(len(kept), bool)
        chosen[np.argsort(~kept, kind="stable")[:MOST_EXPLAINED]] = True
        return _Pen(self.rows).draw(render(self.drawn, chosen))

    def _paragraphs(self) -> Iterator[str]:
        """Yield the extracted text, one paragraph per block."""
        for number, row in enumerate(self.rows):
            if row.block.kept:
                kind = ' class="code"' if row.preformatted else ""
                yield f'<p id="t{number}" dir="auto"{kind}>{_escaped(row.block.text)}</p>'


@cache
def asset(name: str) -> str:
    """Return one of the files of which the HTML file is made."""
    return Path(__file__).with_name("explained").joinpath(name).read_text("utf-8").strip()


def _hash(source: str) -> str:
    """Return the hash of a source for the policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def explain_page(  # noqa: PLR0913 - those of `extract`
    html: str | bytes,
    url: str | None = None,
    comparison_pages: Iterable[tuple[str, str | bytes | PageFacts]] = (),
    *,
    name: str = "",
    strategy: str = DEFAULT_STRATEGY,
    taste: Taste = NO_TASTE,
    keep: str | Iterable[str] = (),
    remove: str | Iterable[str] = (),
    examples: Iterable[Example] = (),
) -> Explanation:
    """Extract a body and explain each decision.

    Args:
        html: The page.
        url: URL of the page.
        comparison_pages: Name or URL, and HTML, of other pages of the site; or facts, as in site memories.
        name: Name of the page if it has no URL.
        strategy: A name in `STRATEGIES`, or the path of a class.
        taste: The user's choices for the body.
        keep: CSS selectors or XPaths of content to keep, whatever the strategy decides.
        remove: CSS selectors or XPaths of content to remove.
        examples: Pages of the site with their right texts.

    Raises:
        ValueError: There is no such strategy, or a selector is invalid.

    Example:
        >>> explain_page("<nav><a href=/>Home</a></nav><p>It rained all night.</p>").counts["kept"]
        (1, 4)
    """
    chosen = find_strategy(strategy)
    page = Page.parse(html, url=url, keep=keep, remove=remove)
    page = page.with_unseen() if taste.hidden == "keep" else page
    named = [
        (one, other if isinstance(other, PageFacts) else Page.parse(other, url=one if site_key(one) else None))
        for one, other in comparison_pages
    ]
    model = SiteModel((other for _, other in named), examples)
    body = model.extract(page, strategy=strategy, taste=taste)
    others = model.statistics.for_page(page).pages
    site = model.statistics.for_page(page, chosen.comparison_pages, whole=chosen.needs_elements)
    comparison = tuple((label, _lack(other, site.pages, others)) for label, other in named)
    return Explanation(body, tuple(_rows(page, body, site)), url or name, comparison, page.unselected())


def _lack(page: Page | PageFacts, used: tuple[object, ...], others: tuple[object, ...]) -> str:
    """Return why a page was not used for comparison, "" if it was."""
    if any(page is one for one in used):
        return ""
    if any(page is one for one in others):
        return f"left out: the strategy uses {f'the {len(used)} likest' if used else 'none'}"
    if isinstance(page, Page) and page.media_type:
        return f"left out: it is no page, but {page.media_type}"
    return "left out: it is the page itself or a copy of it"
