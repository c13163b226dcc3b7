"""From a page and others of its site to one HTML file that shows what was kept, and why.

The document asks for nothing: its policy allows our own style and script, by their hashes, and pictures in the document
itself.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from string import Template

from denoise_scrapy.body.explanation.drawing import CLASSES, MAX_BLOCKS, Verdict, draw, judge, shown
from denoise_scrapy.body.extract import SiteModel
from denoise_scrapy.body.result import Body
from denoise_scrapy.body.strategies import DEFAULT_STRATEGY, find_strategy
from denoise_scrapy.body.taste import NO_TASTE, Taste
from denoise_scrapy.page import Page

#: Characters of a name, an address or a title: two lines.
NAME_LENGTH = 300
#: Comparison pages that are listed: as many as a strategy may be given.
PAGES = 64
# Least expected F1 of each word. Of 168 recorded pages 104 are sure (mean F1 .99), 45 fairly sure (.96), 19 not (.73).
SURE = ((0.95, "sure"), (0.8, "fairly sure"), (-1.0, "not sure"))


@dataclass(frozen=True, eq=False)
class Explanation:
    """What was kept of a page, and why.

    Attributes:
        page: The page.
        body: What was made of it.
        verdicts: What became of each block, in document order.
        name: What the page is called.
        comparison: What was given to compare with: its name, and "" where it was compared with, else why not.
        drawn: The page without selectors of the user's.
    """

    page: Page
    body: Body
    verdicts: tuple[Verdict, ...]
    name: str
    comparison: tuple[tuple[str, str], ...]
    drawn: Page

    @cached_property
    def counts(self) -> Mapping[str, tuple[int, int]]:
        """How many blocks and words each of `CLASSES` has."""
        blocks, words = Counter[str](), Counter[str]()
        for verdict, tokens in zip(self.verdicts, self.page.blocks.tokens.tolist(), strict=True):
            blocks[verdict.name] += 1
            words[verdict.name] += tokens
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
        title=shown(explained.page.title or explained.name or "A page", NAME_LENGTH),
        name=shown(explained.name, NAME_LENGTH),
        facts="".join(f"<div><dt>{name}</dt><dd>{shown(told)}</dd></div>" for name, told in _facts(explained.body)),
        notices="".join(f'<p class="notice">{told}</p>' for told in _notices(explained)),
        pages=_pages(explained.comparison),
        verdict=_verdict(explained),
        legend="".join(_switch(name, *explained.counts[name]) for name in CLASSES),
        blocks=draw(explained.drawn, explained.verdicts) or '<p class="none">The page has no text.</p>',
        text="".join(_paragraphs(explained.verdicts)) or '<p class="none">No text was kept.</p>',
    )


def _facts(body: Body) -> Iterator[tuple[str, str]]:
    yield "strategy", body.strategy
    yield "rests on", body.evidence
    if body.fallback:
        yield "fallback", body.fallback


def _verdict(explained: Explanation) -> str:
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
    if len(explained.verdicts) > MAX_BLOCKS:
        yield (
            f"{MAX_BLOCKS:,} of the page's {len(explained.verdicts):,} blocks are drawn, kept ones first; the counts "
            "and the text are whole."
        )


def _pages(comparison: Sequence[tuple[str, str]]) -> str:
    """The comparison pages, folded."""
    used = sum(not lack for _, lack in comparison)
    if not comparison:
        return ""
    lines = "".join(
        f"<li>{shown(name, NAME_LENGTH)}{' <em>' * bool(lack)}{shown(lack)}{'</em>' * bool(lack)}</li>"
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


def _paragraphs(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """The extracted text, a paragraph for each block."""
    for number, verdict in enumerate(verdicts):
        if verdict.block.kept:
            kind = ' class="code"' if verdict.preformatted else ""
            yield f'<p id="t{number}" dir="auto"{kind}>{shown(verdict.block.text)}</p>'


@cache
def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8").strip()


def _hash(source: str) -> str:
    """A source as a policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def explain_page(
    html: str | bytes,
    url: str | None = None,
    comparison_pages: Iterable[tuple[str, str | bytes]] = (),
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
        comparison_pages: Name or URL, and HTML, of other pages of the site.
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
    named = [(label, _parse(label, other, page)) for label, other in comparison_pages]
    model = SiteModel.fit(other for _, other in named)
    body = model.extract(page, strategy=strategy, taste=taste)
    others = model.statistics.for_page(page)
    site = others.first(chosen.comparison_pages, whole=chosen.needs_elements)
    comparison = tuple((label, _lack(other, site.pages, others.pages)) for label, other in named)
    drawn = Page.parse(html, url=url, paths=page.path_table) if page.removed_by_user else page
    return Explanation(page, body, tuple(judge(page, body, site)), url or name, comparison, drawn)


def _parse(label: str, html: str | bytes, page: Page) -> Page:
    url = label if label.lower().startswith(("http://", "https://")) else None
    return Page.parse(html, url=url, paths=page.path_table)


def _lack(page: Page, used: tuple[object, ...], others: tuple[object, ...]) -> str:
    """Why a page was not compared with, "" where it was."""
    if any(page is one for one in used):
        return ""
    if any(page is one for one in others):
        return f"left out: the strategy uses {f'the {len(used)} likest' if used else 'none'}"
    return "left out: it is the page itself or a copy of it"
