"""The passages of a crawl's items, each with its page, its text, what is compared, its claim in the index and its end.

They start when an item leaves the spider, and are taken along through the pipelines.

When it starts, it is decided whose text the item gets:

| the item | its text |
| --- | --- |
| is the only one of its response, and names no page or this one | the page's |
| is one of several of its response, but the only one that names this page | the page's |
| is one of several that name this page, a part of it, or none | none |
| names another page that the spider has already fetched | that page's |
| names any other page | none |
| comes from no callback (`start`, errbacks, signals), and names no page | none |
| has HTML in the field DENOISE_HTML_FIELD | that HTML's, whatever else it names |

An item names the page whose URL is in its URL field, as requested or declared, or within the page's own. A page fetched
only for comparison is never an item's page.
"""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.utils.datatypes import LocalCache
from scrapy.utils.defer import ensure_awaitable
from scrapy.utils.python import global_object_name

from denoise_scrapy.crawl.base import LARGE, Crawl
from denoise_scrapy.crawl.pages import OK, CrawledPage, has_no_markup, is_html
from denoise_scrapy.crawl.reading import CrawledPages
from denoise_scrapy.dedup import RULES
from denoise_scrapy.dedup.variants import ReadText, read_text, site_of
from denoise_scrapy.extractor import Extracted
from denoise_scrapy.fields import OF_BODY, chunk_rows_of
from denoise_scrapy.items import (
    all_values,
    copied,
    field_lines,
    html_in,
    is_markup,
    own_values,
    url_in,
    values_of,
)
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.site import page_identity, site_key
from denoise_scrapy.site.urls import address_of_field, canonical, is_shortened, spelling

# URLs that a page declares as its own, and how many are read; usually it declares one, in one or two places.
DECLARATIONS, MOST_DECLARED = "link[rel~=canonical]::attr(href), meta[property='og:url']::attr(content)", 4
# Maximum pages whose first address in the crawl is remembered: 20 MB. Other addresses of forgotten pages pass as the
# same item.
MOST_SPELLINGS = 100_000
AMOUNTS = "(prices and tables)"  # of the page; a pseudo-field that shows changes


class ItemText(NamedTuple):
    """The text and fields of an item that are passed to the index."""

    key: str = ""  # identifies the item
    text: str = ""  # the text to compare
    scope: str = ""  # site within which it is compared, "" for all, and the values of fields that must agree
    group: str = ""  # values of fields that must differ
    site: str = ""  # host of the item
    title: str = ""
    values: Mapping[str, object] = MappingProxyType({})  # its other fields, which distinguish similar texts
    shown: Mapping[str, object] | None = None  # all fields that show a change, besides its text; None if none matters
    source: str = ""  # what its text was extracted from, and how; "" if unknown
    chunks: Sequence[str] = ()  # ids of its chunks, if a feed lists their changes
    made: ReadText | None = None  # the text, if already read
    is_alone: bool = False  # whether it is compared only with its own earlier version

    def read(self, rule: str) -> ReadText:
        """Return the text as read by a rule, with the item's attributes."""
        read = (self.made or read_text(RULES[rule], self.text)).of_item(self.title, self.values)
        if self.shown is None:
            return read
        return read.of_version(self.text, self.title, self.shown, self.source, self.chunks)


NOTHING = ItemText()


# Reasons why an item has no text of its own: names of stats (`denoise/body/…`).
SEVERAL, ELSEWHERE, NO_PAGE, OPTED_OUT = "several", "elsewhere", "no_page", "opted_out"
# in place of the second and third: of a response that is JSON, XML or plain text, and of one whose headers say HTML
NO_HTML, NO_MARKUP = "no_html", "no_markup"


class Named(NamedTuple):
    """The page that an item names: that of its response or another; neither if it names none, or a part of it."""

    this: bool = False
    other: str = ""
    other_page: CrawledPage | None = None


class ResponseItems:
    """The items of one response, which is not kept alive; or one item without a response."""

    def __init__(self, response: Response | None, settings: DenoiseSettings, page: CrawledPage | None):
        self.url = "" if response is None else response.url
        self.is_ok = response is None or response.status == OK
        self._response = None if response is None else weakref.ref(response)
        self.settings = settings
        self.page = page
        self._names = {self.url, spelling(self.url)} - {""} if page is None else page.names
        self._declared: set[str] | None = None
        self._items = self._naming_this = 0
        self.held: tuple[Any, Named] | None = None  # an item, until others tell whether this page is about it
        self._keys: Counter[str] = Counter()

    @property
    def response(self) -> Response | None:
        """The response; None if there is none, or it was freed."""
        return None if self._response is None else self._response()

    @property
    def is_over(self) -> bool:
        """True if the response was freed."""
        return self._response is not None and self._response() is None

    def named(self, item: Any, url_field: str, pages: CrawledPages) -> Named:
        """Return the page that an item names, if the spider has fetched it.

        It is the one that led to this response, where sessions get different pages at one URL, else the newest.
        """
        url = url_in(item, url_field)
        if not url or url in self._names:
            return Named(this=bool(url))
        url = self.absolute(url)
        name = spelling(url)
        if url in self._names or name in self._names:
            return Named(this=url in self._names or "#" not in url)
        page = pages.page_before(self.response)
        if page is None or page.names.isdisjoint({url, name}):
            page = pages.recent.get(url)
        if page is None and self.page is not None:
            is_cut = "#" not in url and any(is_shortened(name, own) for own in self._names)  # as tracking often is
            if is_cut or name in self._declares():
                return Named(this=True)
        return Named(other=url, other_page=page)

    def count(self, named: Named) -> None:
        """Count an item."""
        self._items += 1
        self._naming_this += named.this

    def take(self, item: Any, named: Named) -> list[Passage]:
        """Count an item that leaves the spider, hold it if this page may be about it, and return what may pass."""
        self.count(named)
        # the held item is not the only one
        ready = self.rest() if self.held is not None and (named.this or not self.held[1].this) else []
        if self.page is not None and self._is_about(named):
            self.held = item, named
        else:
            ready.append(self.passage(item, named))
        return ready

    def rest(self) -> list[Passage]:
        """Return the passage of the held item, if any."""
        held, self.held = self.held, None
        return [self.passage(*held)] if held else []

    def passage(self, item: Any, named: Named) -> Passage:
        """Decide which page's text an item gets."""
        settings, page, reason = self.settings, None, ""
        if not settings.enabled:
            reason = OPTED_OUT
        elif named.other:
            page = named.other_page
            reason = "" if page is not None else self._or_no_html(ELSEWHERE)
        elif self.page is None:
            reason = self._or_no_html(NO_PAGE)
        elif self._is_about(named):
            page = self.page
        else:
            page, reason = self.page if settings.shared_body else None, SEVERAL
        return Passage(item, item, self, settings if page is None else page.settings, page, reason, named.other)

    def _or_no_html(self, reason: str) -> str:
        """Return why an item has no text: `reason`, unless the response is no HTML, by its class or its bytes."""
        response = self.response
        if not isinstance(response, TextResponse):
            return reason
        return NO_HTML if not is_html(response) else NO_MARKUP if has_no_markup(response) else reason

    def _is_about(self, named: Named) -> bool:
        """Return whether this page is about an item, judged by the items so far."""
        return self._naming_this == 1 if named.this else self._items == 1 and not named.other

    def numbered(self, key: str) -> str:
        """Return `key`, with "#2", "#3" … added for further items of this response with the same key."""
        self._keys[key] += 1
        number = self._keys[key]
        return key if number == 1 else f"{key}#{number}"

    def absolute(self, url: str) -> str:
        """Return a URL resolved against this page; unchanged if it is not a URL."""
        response = self.response
        try:
            return url if "://" in url or response is None else response.urljoin(url)
        except ValueError:
            return url

    def _declares(self) -> set[str]:
        """Return the spellings of the URLs that the page declares (`canonical`, `og:url`), or was fetched for."""
        response = self.response
        if self._declared is None and isinstance(response, TextResponse):
            # declarations stand at the start; and a class of the project may have no selector, or take other arguments
            if len(response.body) > LARGE or type(response) is not HtmlResponse:
                response = HtmlResponse(response.url, body=response.body[:LARGE], encoding=response.encoding)
            links = response.css(DECLARATIONS).getall()[:MOST_DECLARED]
            self._declared = {spelling(self.absolute(link)) for link in (*links, *addresses_within(response.url))}
        return self._declared or set()


def addresses_within(url: str) -> list[str]:
    """Return the URLs of other sites in a URL, which may be that of a service that fetches pages, or of an archive.

    Example:
        >>> addresses_within("https://proxy.example/v1?key=7&url=https%3A%2F%2Fa.example%2F7%3Fid%3D1&country=fr")
        ['https://a.example/7?id=1']
        >>> addresses_within("https://archive.example/web/20260131/http://a.example/7?id=1")
        ['http://a.example/7?id=1']
    """
    values = [value for _, value in parse_qsl(urlsplit(url).query)]
    site, begin = site_key(url), url.find("/http", len("https://"))
    return [one for one in (*values, url[begin + 1 :] if begin > 0 else "") if site_key(one) not in {"", site}]


@dataclass(eq=False)
class Passage:
    """An item's way through the crawl."""

    item: Any  # as it is now
    original: Any  # as it left the spider
    siblings: ResponseItems  # the items of its response
    settings: DenoiseSettings
    page: CrawledPage | None  # the page whose text it gets
    reason: str  # why it has no text of its own; "" if it has
    named: str = ""  # another page that it names
    joined: Extracted | None = None  # the text of its article, if that has several pages
    given: set[str] = field(default_factory=set)  # its fields that we filled
    text: ItemText = NOTHING  # what is compared
    claim: int = 0  # its claim in the index, 0 for none
    old_chunks: Sequence[str] | None = ()  # ids of those that its earlier version had; None if its chunks are not new
    is_unchecked: bool = False  # whether the index could not be used for it
    over: asyncio.Event = field(default_factory=asyncio.Event)  # set when its outcome is known

    def __post_init__(self) -> None:
        self.own_page = None if self.reason else self.page  # the page whose text is the item's own
        self.url = self.siblings.url if self.page is None else self.page.url
        self.is_ok = (self.page or self.siblings).is_ok
        of = self.page or self.siblings.page
        self.tally = None if of is None else of.tally  # the counts of its site

    def compare(self, spellings: Spellings, *, version: bool, chunks: str = "") -> str:
        """Set `text` to the part of the item that is compared with others; return why it has none, else "".

        The text is what the plugin put into the body field, or the value of the field named by the settings. The key is
        the value of the key field (for a URL, the page that it names), else the item's page. With `version`, changes
        show; `chunks` is the field whose chunks are to be listed.
        """
        held, settings, fields = values_of(self.item), self.settings, self.settings.compared_fields
        name = fields.text or settings.body_field
        text = held.get(name)
        if not isinstance(text, str) or not text.strip():
            return "no_text"
        made, is_body = self.joined or (None if self.page is None else self.page.text), name == settings.body_field
        # the text of the page, possibly changed by another pipeline
        is_given = name in self.given or (made is not None and made.fields.get(name) == text)
        key = self._key(held.get(settings.dedup_key_field))
        obstacle = self._obstacle(key, text, is_given=is_given, is_body=is_body)
        if obstacle:
            return obstacle
        if site_key(key):
            key = spellings.key(key)
        own = None if self.own_page is None else made
        is_own = own is not None and is_given and is_body
        read = own.read if own is not None and is_own and text == own.fields[name] else None
        if self.page is not None and self.page.text is not None and read is not None:
            self.page.text = self.page.text._replace(read=None)  # it is as large as the text, and needed once
        skipped = {name, *settings.skipped_fields}
        values = own_values(held, skipped.union(settings.item_fields.values()))
        title = str(values.pop("title", "" if own is None else own.title))
        site = site_of(self.url or key) if self.page is None else self.page.host
        scope = site if settings.dedup_scope == "site" else ""
        self.text = ItemText(
            self.siblings.numbered(key),  # items of one response are different, not updates
            text,
            scope="\n".join([scope, *field_lines(held, fields.agree)]) if fields.agree else scope,
            group="\n".join(field_lines(held, fields.differ)) if fields.differ else "",
            site=site,
            title=title,
            values={} if fields.decide else values,
            shown=self._shown(held, skipped) if version else None,
            source=own.source if own is not None and is_own else "",
            chunks=[row["id"] for row in chunk_rows_of(held.get(chunks))] if chunks else (),
            made=read,
            is_alone=settings.dedup == "off",
        )
        return ""

    def _shown(self, held: Mapping[Any, Any], skipped: set[str]) -> dict[str, object]:
        """Return the fields that show a change."""
        # bodies also change with the comparison pages, so they do not count as changes of the page
        of_body = {name for what, name in self.settings.item_fields.items() if what in OF_BODY}
        shown = all_values(held, skipped | of_body)
        if self.own_page is not None and self.own_page.text is not None and self.own_page.text.amounts:
            shown[AMOUNTS] = self.own_page.text.amounts
        return shown

    def _obstacle(self, key: str, text: str, *, is_given: bool, is_body: bool) -> str:
        """Return why a text is not compared; "" if it is."""
        if is_given and self.reason:
            return "shared"
        if not (is_given or self.settings.compared_fields.text):
            return "not_ours"
        if not (is_given and is_body) and is_markup(text):
            return "html"
        if not key:
            return "no_key"
        try:
            (key + text).encode()
        except UnicodeEncodeError:  # lone surrogates, which no store can write
            return "unwritable"
        return ""

    def _key(self, value: Any) -> str:
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str) or not value.strip():
            value = url_in(self.item, self.settings.dedup_key_field) or self.url
        return str(value).strip()


class Spellings:
    """Keys of pages, equal for all addresses of a page; in one crawl, further addresses get other keys, as copies.

    Example:
        >>> met = Spellings()
        >>> [met.key(f"http://a.example/7{more}") for more in ("?PHPSESSID=1f", "?PHPSESSID=2f", "/", "#!/8", "#top")]
        ['http://a.example/7', 'http://a.example/7?PHPSESSID=2f', 'http://a.example/7/', 'http://a.example/7#!/8', \
'http://a.example/7#']
    """

    def __init__(self) -> None:
        # hashes of first addresses by hashes of pages
        self._first: LocalCache[int, int] = LocalCache(MOST_SPELLINGS)

    @staticmethod
    def of(url: str) -> tuple[str, str]:
        """Return the spelling of a page's URL, and the page's identity, which is the key of its first address."""
        page, _, route = canonical(url).partition("#")
        end = "#" + route if route.startswith(("!", "/")) else ""  # scripts distinguish pages by it
        return page + end, page_identity(page) + end

    def key(self, url: str) -> str:
        """Return the key of a URL."""
        spelling, identity = self.of(url)
        if self._first.setdefault(hash(identity), hash(spelling)) == hash(spelling):
            return identity
        return spelling if spelling != identity else spelling + "#"


# Logged for the first such item; others are only counted.
_SAID = {
    SEVERAL: "%s yields several items, so its text is not given to any of them. DENOISE_SHARED_BODY = True gives it to "
    "each of them. (Further such items: denoise/body/several)",
    ELSEWHERE: "An item from %s names a page that the spider has not fetched, %r, and gets no text: follow that link, "
    "and yield the item from its callback. (Further such items: denoise/body/elsewhere)",
    NO_HTML: "%s is no HTML, so its items get no text. If they hold HTML, name the field in DENOISE_HTML_FIELD (now "
    "%r); else follow the link to their page, and yield them from its callback. (Further such items: "
    "denoise/body/no_html)",
}
# Maximum passages that wait to be found: hundreds at a time, unless other components drop items before the pipelines.
MOST_HANDED_ON = 10_000
# Requests of `scrapy parse`, which hands items to the pipelines itself, have this in their meta.
PARSE_META = "_callback"


class Passages:
    """Starts passages, and finds them.

    Scrapy gives pipelines and signals the item alone. So a passage is found by its item in what was handed on: by the
    spider, to a pipeline, and to the signal of the item's end.
    """

    def __init__(self, crawl: Crawl, pages: CrawledPages):
        self._crawl = crawl
        self._pages = pages
        self._handed_on: deque[Passage] = deque(maxlen=MOST_HANDED_ON)
        self._responses: WeakKeyDictionary[Response, ResponseItems] = WeakKeyDictionary()
        self._parsed: Callable[[], Response | None] = lambda: None  # the response that `scrapy parse` parses

    def begin(self, response: Response) -> None:
        """Note a response that enters its callback, perhaps again, as if a middleware keeps responses."""
        if (known := self._responses.get(response)) is not None and known.held is None:
            del self._responses[response]
        if response.request is not None and PARSE_META in response.request.meta:
            self._parsed = weakref.ref(response)

    async def take(self, response: Response, item: Any) -> list[Any]:
        """Take an item that leaves the spider; return copies of the response's items that may now pass."""
        siblings = self._responses.get(response) or await self._siblings(response)
        item = copied(item)  # the spider's own object may be stored elsewhere, or yielded again
        if siblings.settings.html_field and (passage := await self._of_field(siblings, item)):
            return self._started([passage])
        named = siblings.named(item, self._crawl.settings.url_field, self._pages)
        return self._started(siblings.take(item, named))

    def rest(self, response: Response) -> list[Any]:
        """Return the held item, if any, after the callback has ended."""
        siblings = self._responses.get(response)
        return [] if siblings is None else self._started(siblings.rest())

    def hand_on(self, passage: Passage) -> None:
        """Leave a passage to be found by its item."""
        while self._handed_on and self._handed_on[0].siblings.is_over:  # its item was dropped before the pipelines
            self._handed_on.popleft()
        self._handed_on.append(passage)

    def taken(self, item: Any) -> Passage | None:
        """Return the passage that was handed on with an item, None if there is none; it is no longer found then."""
        found = self.find(item)
        if found is not None:
            self._handed_on.remove(found)
        return found

    def find(self, item: Any) -> Passage | None:
        """Return the passage that was handed on with an item, None if there is none."""
        for found in self._handed_on:  # of some hundred at most, called for each item several times
            if found.item is item or found.original is item:
                return found
        return None

    def follow(self) -> None:
        """Have passages follow items that pipelines replace, if the manager of these is of a usual kind."""
        engine: Any = self._crawl.crawler.engine
        manager = engine.scraper.itemproc
        methods = getattr(manager, "methods", {}).get("process_item", ())
        for number, method in enumerate(methods):
            if not str(getattr(method, "__module__", "")).startswith("denoise_scrapy."):  # ours hand them on
                methods[number] = followed = self._followed(method)
                if method in getattr(manager, "_mw_methods_requiring_spider", ()):  # an old signature
                    manager._mw_methods_requiring_spider.add(followed)

    def _followed(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        async def process_item(item: Any, *spider: Any) -> Any:
            passage = await self.of(item)
            self.hand_on(passage)
            item = await ensure_awaitable(method(item, *spider), _warn=global_object_name(method))
            # otherwise it is another item of the crawl, that was held back; None, of a forgotten `return`, is no item
            if item is None or self.find(item) in {None, passage}:
                passage.item = item
            return item

        return process_item

    async def of(self, item: Any) -> Passage:
        """Return the passage of an item that enters a pipeline; a new one for an item from no callback."""
        return self.taken(item) or await self._late(item)

    async def _late(self, item: Any) -> Passage:
        response, named = self._parsed(), Named()
        siblings = ResponseItems(None, self._crawl.settings, None)
        try:
            if response is not None:
                siblings = self._responses.get(response) or await self._siblings(response)
            if ItemAdapter.is_item(item):
                if siblings.settings.html_field and (passage := await self._of_field(siblings, item)):
                    return passage
                named = siblings.named(item, self._crawl.settings.url_field, self._pages)
        except Exception as error:
            self._crawl.report("passage", error, siblings.url)
        siblings.count(named)
        if response is not None:
            await asyncio.sleep(0)  # all items of a response are parsed at once: count them first
        return self._noted(siblings.passage(item, named))

    async def _of_field(self, siblings: ResponseItems, item: Any) -> Passage | None:
        """Return the passage of an item whose field holds HTML, None if it holds none."""
        settings, response = siblings.settings, siblings.response
        html = html_in(item, settings.html_field) if settings.enabled else ""
        if not html or response is None or response.request is None:
            return None
        url = siblings.absolute(url_in(item, self._crawl.settings.url_field)) or response.url
        address = siblings.numbered(address_of_field(url, settings.html_field))
        page = await self._pages.read_field(address, html, response.request, response, settings)
        if page is None:
            return None
        siblings.count(Named())
        return Passage(item, item, siblings, page.settings, page, "")

    async def _siblings(self, response: Response) -> ResponseItems:
        request, pages = response.request, self._pages
        page, settings = pages.crawled.get(response), self._crawl.settings
        if page is None and request is not None:
            page, settings = await pages.read(request, response), pages.settings_for(request)
        elif page is not None:
            settings = page.settings
        if page is None and settings.enabled:  # the response is a placeholder: a page object has fetched the page
            page = pages.recent.get(response.url)
        return self._responses.setdefault(response, ResponseItems(response, settings, page))

    def _started(self, passages: Iterable[Passage]) -> list[Any]:
        """Hand on passages, and return their items."""
        ready = []
        for passage in passages:
            self.hand_on(self._noted(passage))
            ready.append(passage.item)
        return ready

    def _noted(self, passage: Passage) -> Passage:
        """Log why an item has no text, for the first of each reason."""
        reason = passage.reason
        if passage.page is None and reason in _SAID and reason not in self._crawl.said:
            other = passage.settings.html_field if reason == NO_HTML else passage.named
            about = [passage.url or "start()", other][: _SAID[reason].count("%")]
            self._crawl.say_once(reason, _SAID[reason], *about, level=logging.INFO)
        return passage
