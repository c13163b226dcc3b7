"""Values of items: the text compared with others, and the fields filled with body and metadata."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import asdict
from functools import partial
from hashlib import blake2b
from importlib.metadata import version
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from scrapy.http import Response

from denoise_scrapy.body import STRATEGIES, Body, SiteModel, find_strategy
from denoise_scrapy.body.extraction import TOO_LARGE
from denoise_scrapy.body.tables import amounts_of
from denoise_scrapy.crawl.base import Beside, is_large
from denoise_scrapy.crawl.item_pages import ItemPage, ItemText
from denoise_scrapy.crawl.pages import CrawledPage, PageText, held_bytes, told_encoding
from denoise_scrapy.dedup.variants import site_of
from denoise_scrapy.items import all_values, field_lines, get_field, is_markup, own_values, url_in
from denoise_scrapy.metadata import Metadata, metadata_of
from denoise_scrapy.metadata.annotations import LIBRARIES, MAX_HTML, load
from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.page.parse import to_utf8
from denoise_scrapy.settings import MARK, META_FIELDS, SEEN, VARIANT, ConfigurationError, DenoiseSettings
from denoise_scrapy.site import page_identity, site_key
from denoise_scrapy.site.health import PageReading
from denoise_scrapy.site.urls import canonical

# Maximum pages whose first address in the crawl is remembered: 10 MB. Other addresses of forgotten pages pass as the
# same item.
MOST_SPELLINGS = 100_000
# Maximum kept items whose copies are counted: a megabyte of keys. Beyond, the half with the fewest copies is forgotten.
MOST_COUNTED = 10_000
# Titles of copies remembered per item, for the warning that these may not be copies, and characters of each.
MOST_TITLES, MOST_TITLE = 5, 100

# Logged for the first item that is not compared, by the stat for the reason (`denoise/dedup/…`); others are only
# counted.
SAID = {
    "not_ours": "Texts that the spider itself puts into the body field are not compared; a field named in "
    "DENOISE_DEDUP_FIELDS always is. (Further such items: denoise/dedup/not_ours)",
    "html": "The field to compare (DENOISE_DEDUP_FIELDS) holds HTML, most of which pages of a site share: it is not "
    "compared. (Further such items: denoise/dedup/html)",
}
AMOUNTS = "(prices and tables)"  # of the page; a pseudo-field that shows changes


class Spellings:
    """Keys of pages, equal for all addresses of a page; in one crawl, further addresses get other keys, as copies.

    Example:
        >>> met = Spellings()
        >>> [met.key(f"http://a.example/7{more}") for more in ("?PHPSESSID=1f", "?PHPSESSID=2f", "/", "#!/8", "#top")]
        ['http://a.example/7', 'http://a.example/7?PHPSESSID=2f', 'http://a.example/7/', 'http://a.example/7#!/8', \
'http://a.example/7#']
    """

    def __init__(self) -> None:
        self.evicted = 0  # pages whose first address was forgotten
        self._first: dict[int, int] = {}  # hashes of first addresses by hashes of pages

    def key(self, url: str) -> str:
        """Return the key of a URL."""
        page, _, route = canonical(url).partition("#")
        end = "#" + route if route.startswith(("!", "/")) else ""  # scripts distinguish pages by it
        spelling, identity = page + end, page_identity(page) + end
        if self._first.setdefault(hash(identity), hash(spelling)) == hash(spelling):
            if len(self._first) > MOST_SPELLINGS:
                del self._first[next(iter(self._first))]
                self.evicted += 1
            return identity
        return spelling if spelling != identity else spelling + "#"


def item_text(item: Any, whose: ItemPage, spellings: Spellings) -> ItemText:
    """Return the part of an item that is compared with others: its own text, or why it has none.

    The text is what the plugin put into the body field, or the value of the field named by the settings. The key is the
    value of the key field (for a URL, the page that it names), else the item's page.
    """
    settings = whose.settings
    fields = settings.compared_fields
    field = fields.text or settings.body_field
    text = get_field(item, field)
    if not isinstance(text, str) or not text.strip():
        return ItemText(obstacle="no_text")
    key = _key(item, whose)
    gave = whose.gave(field, text)
    obstacle = _obstacle(key, text, field, whose, named=bool(fields.text))
    if obstacle:
        return ItemText(obstacle=obstacle)
    site = site_key(whose.url or key) if settings.dedup_scope == "site" else ""
    if site_key(key):
        key = spellings.key(key)
    key = whose.siblings.numbered(key)  # items of one response are different, not updates
    own = whose.own_page
    made = None if own is None else own.text
    marks = map(settings.mark_field, (MARK, VARIANT, SEEN))
    skipped = {field, settings.url_field, settings.dedup_key_field, *marks, *fields.ignored}
    values = own_values(item, {*skipped, *settings.item_fields.values()})
    title = str(values.pop("title", "" if made is None else made.title))
    # bodies also change with the comparison pages, so they do not count as changes of the page
    shown = all_values(item, skipped | {name for what, name in settings.item_fields.items() if what in OF_BODY})
    if made is not None and made.amounts:
        shown[AMOUNTS] = made.amounts
    return ItemText(
        key,
        text,
        scope="\n".join([site, *field_lines(item, fields.agree)]),
        group="\n".join(field_lines(item, fields.differ)),
        site=site_of(whose.url or key),
        title=title,
        values={} if fields.decide else values,
        fields=shown,
        source=made.source if made is not None and gave and field == settings.body_field else "",
        is_alone=settings.dedup == "off",
    )


def _obstacle(key: str, text: str, field: str, whose: ItemPage, *, named: bool) -> str:
    """Return why the text in a field is not compared; "" if it is."""
    gave = whose.gave(field, text)
    if gave and whose.reason:
        return "shared"
    if not (gave or named):
        return "not_ours"
    if not (gave and field == whose.settings.body_field) and is_markup(text):
        return "html"
    if not key:
        return "no_key"
    try:
        (key + text).encode()
    except UnicodeEncodeError:  # lone surrogates, which no store can write
        return "unwritable"
    return ""


def _key(item: Any, whose: ItemPage) -> str:
    key = get_field(item, whose.settings.dedup_key_field)
    if isinstance(key, int) and not isinstance(key, bool):
        return str(key)
    if not isinstance(key, str) or not key.strip():
        key = url_in(item, whose.settings.dedup_key_field) or whose.url
    return key.strip()


class CopyCounts:
    """Counts near-duplicates by the item they are copies of, in bounded memory.

    Example:
        >>> counts = CopyCounts()
        >>> for key, copy, title in (("a", "/1", "Fox"), ("b", "/2", "Owl"), ("a", "/3", "Elk")):
        ...     _ = counts.count(key, copy, title)
        >>> counts.most, counts.most_copies
        ('a', 2)
    """

    def __init__(self) -> None:
        self.items = 0  # items that passed or were dropped; others may be waiting
        self.dropped = self.in_a_row = 0  # dropped items, and the current unbroken run of them
        self.most, self.most_copies = "", 0  # the item with the most copies
        self.evicted = 0  # items whose number of copies was forgotten
        self._counts: Counter[str] = Counter()
        self._titles: dict[str, dict[str, str]] = {}  # by kept item: titles of its copies, each with one's key

    def decided(self, *, dropped: bool) -> None:
        """Count an item that was dropped or passes."""
        self.items += 1
        self.dropped += dropped
        self.in_a_row = self.in_a_row + 1 if dropped else 0

    def count(self, key: str, copy: str, title: str) -> list[str]:
        """Count a copy of an item; once five copies have different titles, return the keys of three."""
        self._counts[key] += 1
        titles = self._titles.setdefault(key, {})
        if title and len(titles) < MOST_TITLES:
            titles.setdefault(title[:MOST_TITLE], copy)
        if self._counts[key] > self.most_copies:
            self.most, self.most_copies = key, self._counts[key]
        if len(self._counts) > MOST_COUNTED:
            self.evicted += len(self._counts) - MOST_COUNTED // 2
            self._counts = Counter(dict(self._counts.most_common(MOST_COUNTED // 2)))
            self._titles = {key: self._titles[key] for key in self._counts}
        return list(titles.values())[:3] if len(titles) == MOST_TITLES else []


VERSION = version("denoise-scrapy")  # reading it takes .25 ms


def _chunks(body: Body, settings: DenoiseSettings) -> list[dict[str, Any]]:
    links, images = (settings.markdown.get(of, "keep") for of in ("links", "images"))
    chunks = body.chunks(settings.chunk_tokens, settings.chunk_overlap, links=links, images=images)
    return [chunk.row for chunk in chunks]


# Values that fields of DENOISE_FIELDS receive from a body.
OF_BODY: Mapping[str, Callable[[Body, DenoiseSettings], Any]] = MappingProxyType(
    {
        "body": lambda body, _: body.text,
        "html": lambda body, _: body.html,
        "markdown": lambda body, of: body.to_markdown(**of.markdown),
        "chunks": _chunks,
        "confidence": lambda body, _: round(body.confidence, 4),
        "title": lambda body, _: body.title,
        "comparison": lambda body, _: list(body.comparison),
        "blocks": lambda body, _: [asdict(block) for block in body.blocks],
    }
)


def _of_meta(meta: Metadata, what: str) -> Any:
    """Return the value that a field of `META_FIELDS` receives from a page's metadata."""
    value = asdict(meta) if what == "meta" else getattr(meta, {"author": "authors", "lang": "language"}.get(what, what))
    return list(value) if isinstance(value, tuple) else value


def check_libraries(settings: DenoiseSettings) -> None:
    """Raise `ConfigurationError` for a field whose library is missing."""
    for what, field in settings.item_fields.items():
        if what in META_FIELDS:
            try:
                for library in LIBRARIES:
                    load(library)
            except ImportError as error:
                raise ConfigurationError(f"DENOISE_FIELDS[{what!r}] = {field!r}: {error}") from error


async def made_text(crawled: CrawledPage, pages: Sequence[Page | PageFacts], beside: Beside) -> Made:
    """Extract a page of the crawl, compared with others of its site."""
    settings = crawled.settings
    whole = find_strategy(settings.strategy).needs_elements
    # copies: threads reading the same page each need their own columns
    others = [copy(one) if whole else one.facts for one in pages]
    work = partial(_made, crawled.page, others, settings, crawled.response())
    # a small page compared with large ones counts as large too: with 100,000 blocks this takes .1 s
    size = max([crawled.size, *(one.facts.nbytes for one in pages)])
    if settings.strategy not in STRATEGIES or not settings.item_fields.keys().isdisjoint(META_FIELDS):
        # users' strategies and the libraries for metadata are never called by two threads at once
        return await beside.alone(work, "others")
    return await (beside.alone(work) if is_large(size) else beside.in_turn(work, size))


class Made(NamedTuple):
    """The text of a page, and findings about it."""

    text: PageText  # for its items
    reading: PageReading
    lack: str  # name of the stat for the reason why its HTML gave no metadata; "" if there is none
    error: Exception | None  # from extracting metadata


def _made(page: Page, others: Sequence[Page | PageFacts], settings: DenoiseSettings, response: Response | None) -> Made:
    """Extract a page and compute the other values of its items, independently of the crawl."""
    body = SiteModel(others).extract(page, strategy=settings.strategy, taste=settings.taste)
    fields, lack, error = settings.item_fields, "", None
    values = {field: OF_BODY[what](body, settings) for what, field in fields.items() if what in OF_BODY}
    wanted = {what: field for what, field in fields.items() if what in META_FIELDS}
    if wanted:
        if response is None:
            lack = "meta/no_html"
        elif body.fallback == TOO_LARGE or len(response.body) > MAX_HTML:
            lack, response = "meta/too_large", None
        meta = Metadata(title=body.title)  # used if extracting metadata fails
        try:
            meta = metadata_of(html_of(response), page.url if response else None, body.text, body.title)
        except Exception as failed:
            error = failed
        values |= {field: _of_meta(meta, what) for what, field in wanted.items()}
    title = source = amounts = ""
    if settings.needs_index:
        title, source = body.title, _source(page, settings)
        amounts = "" if body.fallback == TOO_LARGE else amounts_of(page)
    page.drop_columns()
    nbytes = sum(map(held_bytes, (title, source, amounts, *values.values())))
    text = PageText(values, not body.text, body.fallback, body.evidence, title, source, amounts, nbytes)
    return Made(text, PageReading.of(body.text, body.confidence, page.facts), lack, error)


def _source(page: Page, settings: DenoiseSettings) -> str:
    """Return a hash of a page's whole text, and its extraction settings: if equal, no text has changed."""
    text = page.text_of(np.ones(len(page.blocks), np.bool_)).encode("utf-8", "surrogatepass")
    way = (VERSION, settings.strategy, settings.taste, settings.keep, settings.remove, settings.geometry)
    return f"{blake2b(text, digest_size=16).hexdigest()} {way}"


def html_of(response: Response | None) -> str:
    """Return the HTML of a page; unlike `response.text`, fast whatever charset the server names (`utf8`)."""
    return "" if response is None else to_utf8(response.body, told_encoding(response)).decode("utf-8", "replace")
