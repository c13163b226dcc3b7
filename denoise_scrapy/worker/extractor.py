"""Extracting the pages of a crawl: each is read as it arrives, and extracted when an item needs its text.

An `Extractor` knows nothing of Scrapy and calls no store, so it runs in the crawl's process or in a worker's.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from denoise_scrapy import __version__, metadata
from denoise_scrapy.body import Body, Example, SiteModel, find_strategy
from denoise_scrapy.body.example_files import examples_of
from denoise_scrapy.body.examples import MOST_EXAMPLES, lesson_of
from denoise_scrapy.body.extraction import PAGES_A_SITE, SET_ASIDE, TOO_LARGE, with_source
from denoise_scrapy.body.fields import META, NEWS, held_bytes, values_of
from denoise_scrapy.body.kind import NONE
from denoise_scrapy.body.tables import amounts_of
from denoise_scrapy.dedup import RULES, source_of
from denoise_scrapy.dedup.variants import ReadText, read_text
from denoise_scrapy.metadata.annotations import MAX_HTML
from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.page.boxes import boxes_on
from denoise_scrapy.page.columns import HALF
from denoise_scrapy.page.parse import decode_html
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.site import PageMemory, site_key
from denoise_scrapy.site.crawl_history import PageReading, fills_a_site, plain_hash
from denoise_scrapy.site.drift import MOST_LINE, PARTS, places_of_parts
from denoise_scrapy.site.facts_store import newest_of_each
from denoise_scrapy.site.memory import SAME_TEMPLATE
from denoise_scrapy.site.urls import OF_FIELD, likest_links, without_field

# Share of the memory for pages that items may still need; the rest is for comparison pages.
RECENT_SHARE = 1 / 5


#: `Extracted.taught` of a page of such a template.
TAUGHT = "examples/taught"
#: `Extracted.fallback` of a page that is read as text without structure.
WORKER_DIED = "worker died"


class PageSource(NamedTuple):
    """A page as it arrived."""

    number: int  # identifies it; 0 for one that only others are compared with
    url: str
    html: bytes
    encoding: str | None = None  # from the server or the spider
    layout: str | None = None  # of a rendered page, for `boxes_on`; "" if it is missing
    is_comparable: bool = True  # whether others may be compared with it
    settings: DenoiseSettings | None = None  # None: those of the crawl
    as_text: bool = False  # whether to read its text without structure, as workers died of it


class Wish(NamedTuple):
    """The wishes for a page's extraction, besides the values of its items."""

    mates: int = 0  # extract it only if so many known pages share its template
    reading: bool = False  # whether its site's health needs its figures
    version: bool = False  # whether a later crawl may ask what has changed
    body_below: float = 0.0  # confidence below which its body is needed too


class Known(NamedTuple):
    """The known pages that a page can be compared with."""

    mates: int  # number with its template, of those that it would be compared with
    pages: int


class Extracted(NamedTuple):
    """The values for the items of a page, and findings about it."""

    fields: dict[str, Any]  # by item field
    fallback: str  # `Body.fallback`
    evidence: str  # `Body.evidence`
    confidence: float  # of the body, also where a fallback gave another text
    size: int  # characters of the text
    plain: int  # hash of the text without digits
    lacks_styles: bool = False  # `Page.lacks_styles`
    taught: str = ""  # name of the stat for whether there is an example like it
    is_empty: bool = False  # whether it is a wall, an error page, or its body is no better than all of its text
    read: ReadText | None = None  # the text as read for the index
    title: str = ""  # the page's own, for the index
    source: bytes = b""  # the lines of the page and of its body (`source_of`)
    amounts: str = ""  # prices and tables
    nbytes: int = 0  # approximate bytes in memory
    reading: PageReading | None = None
    error: Exception | None = None  # from reading metadata
    body: Body | None = None  # if wished

    def measured(self) -> Extracted:
        """Return this with its size."""
        return self._replace(nbytes=held_bytes([self.title, self.source, self.amounts, self.fields]))


@dataclass
class _Page:
    """A page that items may still need; after its extraction only its facts are kept."""

    page: Page | PageFacts
    settings: DenoiseSettings
    source: PageSource | None  # if more is asked of it than its body
    as_text: bool = False
    nbytes: int = 0  # approximate, set when it is kept


class Extractor:
    """The pages of a crawl's sites.

    Args:
        settings: Those of the crawl.
        memory_bytes: Maximum bytes of pages.

    Example:
        >>> extractor = Extractor(DenoiseSettings(dedup="off"), 1_000_000)
        >>> for number in (1, 2):
        ...     html = f"<body><div>Site menu</div><p>Story {number} of the day.</p></body>".encode()
        ...     boxes = extractor.read(PageSource(number, f"http://a.example/{number}", html))
        >>> extractor.extract(2, Wish()).fields
        {'body': 'Story 2 of the day.'}
    """

    def __init__(self, settings: DenoiseSettings, memory_bytes: int) -> None:
        self._settings = settings
        self._most = int(memory_bytes * RECENT_SHARE)
        self._memory = PageMemory(memory_bytes - self._most, PAGES_A_SITE)
        self._pages: OrderedDict[int, _Page] = OrderedDict()
        self._nbytes = self._evicted = 0
        self._taught: dict[str, dict[str, Example]] = {}  # during the crawl, by site and address
        self._refused = set[Example]()  # examples whose text is not on their page
        self._keeps_elements = False  # whether a page was to be compared by a strategy that needs them

    def read(self, source: PageSource, root: Any = None) -> int:
        """Read a page, or lxml's tree of it; return how many of its elements have a box."""
        settings = source.settings or self._settings
        if source.as_text:
            page = Page.without_structure(source.html, url=source.url, encoding=source.encoding)
        else:
            # selectors are for pages of items
            keep, remove = (settings.keep, settings.remove) if source.number else ((), ())
            page = Page.parse(
                source.html, url=source.url, encoding=source.encoding, keep=keep, remove=remove, root=root
            )
            if source.layout:
                page.boxes = boxes_on(page, source.layout)
        self._keeps_elements |= find_strategy(settings.strategy).needs_elements
        if source.is_comparable and not page.media_type:
            self._memory.remember(page if self._keeps_elements else page.facts)
        if source.number:
            is_taught = any(one.fields for one in examples_of(settings.examples, page.url))
            is_asked = settings.columns[META] or settings.columns[NEWS] or is_taught
            self._keep(source.number, _Page(page, settings, source if is_asked else None, source.as_text))
        return 0 if page.boxes is None else int(np.count_nonzero(~np.isnan(page.boxes.x)))

    def remember(self, pages: Sequence[PageFacts]) -> None:
        """Remember pages, known from an earlier crawl or another extractor, unless a newer one has the URL."""
        for facts in pages:
            if facts.url not in self._memory:
                self._memory.remember(facts)

    def teach(self, examples: Sequence[Example]) -> None:
        """Take examples for the pages of their sites that come."""
        for example in examples:
            self._taught.setdefault(site_key(example.url), {})[example.url] = example

    def known(self, number: int) -> Known | None:
        """Return what a page can be compared with; None if it is no longer here, as for the methods below."""
        kept = self._pages.get(number)
        return None if kept is None else self._known(kept)[0]

    def links(self, number: int) -> list[str] | None:
        """Return the links of a page to others of its site that are not remembered, the most similar first."""
        kept = self._pages.get(number)
        if kept is None or isinstance(kept.page, PageFacts):
            return None
        return [link for link in likest_links(kept.page) if link not in self._memory]

    def extract(self, number: int, wish: Wish) -> Extracted | Known | None:
        """Extract a page; return only what is known if that is less than wished."""
        kept = self._pages.get(number)
        if kept is None or isinstance(kept.page, PageFacts):
            return None
        page, settings, source, item_fields = kept.page, kept.settings, kept.source, kept.settings.item_fields
        known, others = self._known(kept)
        if known.mates < wish.mates:
            return known
        examples = self._examples(page.url, settings) if self._taught or settings.examples else []
        body = SiteModel(others, examples).extract(page, strategy=settings.strategy, taste=settings.taste)
        is_large = body.fallback == TOO_LARGE
        if kept.as_text:
            body = replace(body, fallback=WORKER_DIED)
        if OF_FIELD in page.url:
            body = replace(body, url=without_field(page.url), comparison=tuple(map(without_field, body.comparison)))
        if source is not None and not is_large and len(source.html) <= MAX_HTML:
            body = with_source(body, partial(decode_html, source.html, source.encoding), examples)
        meta, error = None, None
        if settings.columns[META]:
            try:
                meta = body.meta
            except Exception as failed:  # then it is the title alone
                meta, error = metadata.Metadata(title=body.title), sendable(failed)
                vars(body)["meta"] = meta
        rule, is_versioned = RULES[settings.dedup_rule], wish.version and settings.needs_index
        is_compared = settings.needs_index and settings.compared_fields.text in {"", settings.body_field}
        reading = None
        if wish.reading:
            kind = body.kind if "kind" in item_fields else ""  # naming it takes a tenth of the body's time
            has_blocks = len(body.kept) == len(page.blocks.rows)
            places = places_of_parts(page, body.kept, parts_of(page, body, meta)) if has_blocks else {}
            reading = PageReading.of(body.text, body.confidence, kind, page.facts, places)
        extracted = Extracted(
            fields=values_of(item_fields, body, settings),
            fallback=body.fallback,
            evidence=body.evidence,
            confidence=body.confidence,
            size=len(body.text),
            plain=plain_hash(body.text) if reading is None else reading.text,
            lacks_styles=page.lacks_styles,
            taught=_taught(body) if examples else "examples/none" if settings.examples else "",
            is_empty=is_versioned and (kept.as_text or (body.confidence < HALF and body.kind == NONE)),
            read=read_text(rule, body.text) if is_compared and body.text and rule.has_runs else None,
            title=body.title if settings.needs_index else "",
            source=_source(page, body, settings) if is_versioned else b"",
            amounts=amounts_of(page) if is_versioned and not is_large else "",
            reading=reading,
            error=error,
            body=replace(body, make_source=str) if body.confidence < wish.body_below else None,  # to be sent
        )
        page.drop_columns()
        self._keep(number, _Page(page.facts, settings, None))
        return extracted.measured()

    def is_no_content(self, number: int) -> bool | None:
        """Return whether a page's text, shared with another page, is from a wall (`crawl_history.fills_a_site`)."""
        kept = self._pages.get(number)
        if kept is None:
            return None
        facts = kept.page.facts
        return bool(fills_a_site(facts, [other.facts for other in self._memory.pages(site_key(facts.url))]))

    def newest(self, urls: Mapping[str, Collection[str]]) -> dict[str, list[PageFacts]]:
        """Return the facts to save of some pages, given by site: of the newest of each template."""
        found = {
            site: [facts for facts in newest_of_each(self._memory.pages(site)) if facts.url in some]
            for site, some in urls.items()
        }
        return {site: facts for site, facts in found.items() if facts}

    def handed_over(self, is_theirs: Callable[[str], bool]) -> list[PageFacts]:
        """Forget the pages with some URLs, and return their facts, for another extractor."""
        facts = [page.facts for page in self._memory if is_theirs(page.url)]
        for each in facts:
            self._memory.forget(each.url)
        for number, kept in [*self._pages.items()]:
            if is_theirs(kept.page.url):
                self._nbytes -= self._pages.pop(number).nbytes
        return facts

    def can_use(self, strategy: str) -> bool:
        """Return whether a strategy can be imported here."""
        try:
            find_strategy(strategy)
        except Exception:  # whatever its module raises here
            return False
        return True

    def sizes(self) -> dict[str, int]:
        """Return the stats of the approximate bytes held, and of the pages removed for others."""
        return {
            "memory/bytes/pages": self._memory.nbytes,
            "memory/bytes/waiting": self._nbytes,
            "memory/evicted/pages": self._memory.evicted,
            "memory/evicted/waiting": self._evicted,
            "examples/refused": len(self._refused),
        }

    def _keep(self, number: int, page: _Page) -> None:
        """Keep a page as the newest, and forget the oldest others if there are too many."""
        before = self._pages.pop(number, None)
        page.nbytes = page.page.nbytes + (0 if page.source is None else len(page.source.html))
        self._nbytes += page.nbytes - (0 if before is None else before.nbytes)
        self._pages[number] = page
        while self._nbytes > self._most and len(self._pages) > 1:
            self._nbytes -= self._pages.popitem(last=False)[1].nbytes
            self._evicted += 1

    def _examples(self, url: str, settings: DenoiseSettings) -> list[Example]:
        """Return the examples of a page's site, the newest first."""
        taught, stored = self._taught.get(site_key(url), {}), examples_of(settings.examples, url)
        examples = [*reversed(taught.values()), *(one for one in stored if one.url not in taught)][:MOST_EXAMPLES]
        self._refused.update(one for one in examples if (one.text or one.keep) and not lesson_of(one).widths)
        return examples

    def _known(self, kept: _Page) -> tuple[Known, list[Page | PageFacts]]:
        """Return the pages to compare a page with, the most similar first."""
        settings = kept.settings
        k = settings.comparison_pages
        whole = find_strategy(settings.strategy).needs_elements
        likest = self._memory.likest(kept.page, k, whole=whole) if k else []
        others, mates = list[Page | PageFacts](), 0
        for likeness, other in likest:
            mates += likeness > SAME_TEMPLATE and len(others) < settings.most_compared
            others.append(other if whole or isinstance(other, PageFacts) else other.facts)
        return Known(mates, len(likest)), others


def sendable(error: Exception) -> Exception:
    """Return an error that another process can read: one of Python's own, with plain arguments."""
    is_plain = type(error).__module__ == "builtins" and all(isinstance(arg, (str, int)) for arg in error.args)
    if is_plain and not isinstance(error, StopIteration):  # that ends what waits for a result
        return error
    return RuntimeError(f"{type(error).__name__}: {error}")


#: Dates have a digit, of whatever script.
_DIGIT = re.compile(r"\d")


def parts_of(page: Page, body: Body, meta: metadata.Metadata | None) -> dict[str, str]:
    """Return the texts of a page that are its title, author and date, those that are known."""
    said = {"title": body.title} | {name: one.text for name, one in body.taught.items() if name in PARTS}
    if meta is not None:
        from denoise_scrapy.metadata.dates import date_in  # noqa: PLC0415 - for crawls that ask for metadata

        short = np.flatnonzero(page.blocks.chars <= MOST_LINE).tolist() if meta.published else ()
        lines = (text for text in map(page.block_text, short) if _DIGIT.search(text))
        dated = (line for line in lines if date_in(line, meta.language)[:10] == meta.published[:10] != "")
        said = {"author": next(iter(meta.authors), ""), "date": next(dated, "")} | said
    return said


def _taught(body: Body) -> str:
    """Return the stat of whether most words of a page are in places that an example of its site knows."""
    if body.example == SET_ASIDE:
        return "examples/set_aside"
    # with most of its words in places that an example knows, the page is of a template with an example
    return TAUGHT if (body.example_likeness or 0) > HALF else "examples/unlike"


def _source(page: Page, body: Body, settings: DenoiseSettings) -> bytes:
    """Return the lines of a page, those of its body, and the title, which may be of the page's head."""
    way = (__version__, settings.strategy, settings.taste, settings.keep, settings.remove, settings.geometry)
    whole = page.text_of(np.ones(len(page.blocks), np.bool_))
    return source_of(whole, f"{body.text}\n<title>{page.title}", way)
