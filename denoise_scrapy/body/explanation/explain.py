"""From a page and others of its site to a file that shows what was kept, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from denoise_scrapy.body.explanation.document import Facts, write_document
from denoise_scrapy.body.explanation.drawing import draw
from denoise_scrapy.body.explanation.verdicts import CLASSES, Verdict, judge
from denoise_scrapy.body.model import SiteModel
from denoise_scrapy.body.result import Body
from denoise_scrapy.body.strategies import DEFAULT_STRATEGY
from denoise_scrapy.body.strategies.finding import find_strategy
from denoise_scrapy.body.taste import NO_TASTE, Taste
from denoise_scrapy.page import Page


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
        facts = Facts(self.name, self.page.title, self.body, self.verdicts, self.counts, self.comparison)
        return write_document(facts, draw(self.drawn, self.verdicts))


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
        strategy: A name in `STRATEGIES`.
        taste: What belongs to a body in the user's eyes.
        keep: CSS selectors or XPaths of what is content whatever a strategy says.
        remove: The same of what is none.

    Raises:
        ValueError: There is no such strategy, or a selector is invalid.

    Example:
        >>> explanation = explain_page("<nav><a href=/>Home</a></nav><p>It rained all night.</p>")
        >>> explanation.counts["kept"], explanation.html[:15]
        ((1, 4), '<!doctype html>')
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
