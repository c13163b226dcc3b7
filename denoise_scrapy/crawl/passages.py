"""The passages of a crawl's items, each with its page, its text, what is compared, its claim in the index and its end.

They start when an item leaves the spider, and end with the signal of its end. Pipelines get the very object that was
yielded.

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
import time
import weakref
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.datatypes import LocalCache

from denoise_scrapy.body.fields import chunk_rows_of
from denoise_scrapy.crawl.budget import TIMEOUT
from denoise_scrapy.crawl.items import (
    PLAIN,
    all_values,
    copied,
    field_lines,
    has_field,
    has_text,
    html_in,
    is_markup,
    own_values,
    url_in,
    values_of,
)
from denoise_scrapy.crawl.pages import OK, CrawledPage, is_html
from denoise_scrapy.crawl.parts import LARGE, LONGEST_WAIT, MOST_HELD, MOST_KNOWN, MOST_OF_ALL, Crawl
from denoise_scrapy.crawl.reading import CrawledPages
from denoise_scrapy.dedup import RULES, Verdict
from denoise_scrapy.dedup.variants import ReadText, read_text, site_of
from denoise_scrapy.page.parse import media_type
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.site import page_identity, site_key
from denoise_scrapy.site.urls import address_of_field, canonical, is_shortened, spelling
from denoise_scrapy.support.shown import MAX_CELL, numbered, shown
from denoise_scrapy.worker.extractor import Extracted

# URLs that a page declares as its own, and how many are read; usually it declares one, in one or two places.
DECLARATIONS, MOST_DECLARED = "link[rel~=canonical]::attr(href), meta[property='og:url']::attr(content)", 4
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
    source: bytes = b""  # the lines that its text was made of; empty if unknown
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


# Reasons why an item has no text of its own: names of stats (`denoise/body/none/…`).
SEVERAL, ELSEWHERE, NO_PAGE, OPTED_OUT = "several", "elsewhere", "no_page", "opted_out"
# in place of the second and third: of a response that is JSON, XML or plain text, and of one whose headers say HTML
NO_HTML, NO_MARKUP = "no_html", "no_markup"
# An item whose text is empty, or no string, is not compared.
NO_TEXT = "no_text"


class Named(NamedTuple):
    """The page that an item names: that of its response or another; neither if it names none, or a part of it."""

    this: bool = False
    other: str = ""
    other_page: CrawledPage | None = None


NO_NAME = Named()


class ResponseItems:
    """The items of one response, which is not kept alive; or one item without a response."""

    def __init__(self, response: Response | None, settings: DenoiseSettings, page: CrawledPage | None = None):
        self.url = "" if response is None else response.url
        self.is_ok = response is None or response.status == OK
        self._response = None if response is None else weakref.ref(response)
        self.settings = settings if page is None else page.settings
        self.page = page
        self.is_read = page is not None  # whether these two are known, as from the first item on
        self._declared: set[str] | None = None
        self._items = self._naming_this = 0
        self.held: Passage | None = None  # of an item, until others show whether this page is about it
        self.carrying = deque[Request]()  # which wait for that to leave our pipelines
        self.sending: list[asyncio.Future[None]] = []  # of items that the callback held too long
        self.keys: Counter[str] = Counter()  # of its items, which are `numbered`

    @property
    def response(self) -> Response | None:
        """The response; None if there is none, or it was freed."""
        return None if self._response is None else self._response()

    @property
    def is_over(self) -> bool:
        """True if the response was freed."""
        return self._response is not None and self._response() is None

    def named(self, url: str, pages: CrawledPages) -> Named:
        """Return the page that an item names by a URL, if the spider has fetched it.

        It is the one that led to this response, where sessions get different pages at one URL, else the newest.
        """
        names = {self.url, spelling(self.url)} - {""} if self.page is None else self.page.names
        if not url or url in names:
            return Named(this=bool(url))
        url = self.absolute(url)
        name = spelling(url)
        if url in names or name in names:
            return Named(this=url in names or "#" not in url)
        page = pages.page_before(self.response)
        if page is None or page.names.isdisjoint({url, name}):
            page = pages.recent.get(url)
        if page is None and self.page is not None:
            is_cut = "#" not in url and any(is_shortened(name, own) for own in names)  # as tracking often is
            if is_cut or name in self._declares():
                return Named(this=True)
        return Named(other=url, other_page=page)

    def count(self, named: Named) -> None:
        """Count an item."""
        self._items += 1
        self._naming_this += named.this

    def take(self, passage: Passage) -> Iterator[Passage]:
        """Count an item that leaves the spider, hold it if this page may be about it, and yield what may pass."""
        named, held = passage.named, self.held
        self.count(named)
        if held is not None and (named.this or not held.named.this):  # it is not the only one
            yield held
        if self.page is not None and self.is_about(named):
            self.held = passage
        else:
            yield passage

    def or_no_html(self, reason: str) -> str:
        """Return why an item has no text: `reason`, unless the response is no HTML, by its class or its bytes."""
        response = self.response
        if not isinstance(response, TextResponse):
            return reason
        return NO_HTML if not is_html(response) else NO_MARKUP if media_type(response.body) else reason

    def is_about(self, named: Named) -> bool:
        """Return whether this page is about an item, judged by the items so far."""
        return self._naming_this == 1 if named.this else self._items == 1 and not named.other

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
    siblings: ResponseItems  # the items of its response
    named: Named = NO_NAME
    since: float = field(default_factory=time.monotonic)  # when it left the spider
    timer: asyncio.TimerHandle | None = None  # while it is held and its callback awaits something
    values: Mapping[Any, Any] | None = None  # its values as Scrapy's pipelines would get them, once these have begun
    passed: list[object] = field(default_factory=list)  # our pipelines that it has entered
    joined: Extracted | None = None  # the text of its article, if that has several pages
    given: set[str] = field(default_factory=set)  # its fields that we filled
    text: ItemText = NOTHING  # what is compared
    claim: int = 0  # its claim in the index, 0 for none
    old_chunks: Sequence[str] | None = ()  # ids of those that its earlier version had; None if its chunks are not new
    is_unchecked: bool = False  # whether the index could not be used for it
    verdict: Verdict | None = None  # on its text
    outcome: str = ""  # what becomes of it: "" for a new text, else a name of the stats (`denoise/dedup/passed/…`)
    is_ours: bool = False  # whether it was dropped by a pipeline of ours
    left: asyncio.Event = field(default_factory=asyncio.Event)  # set when it has left the last pipeline of ours
    over: asyncio.Event = field(default_factory=asyncio.Event)  # set when its outcome is known

    def __post_init__(self) -> None:
        self.original = self.item  # as it left the spider
        self.content = values_of(self.item)  # the values that it has now

    @property
    def is_filled(self) -> bool:
        """True if it has no page, but a text of the spider's own."""
        return self.page is None and has_text(self.content, self.settings.body_field)

    def decide(self) -> None:
        """Decide which page's text it gets, and why this is not its own, "" if it is."""
        siblings, named, reason = self.siblings, self.named, ""
        page = named.other_page if named.other else siblings.page
        if not siblings.settings.enabled:
            page, reason = None, OPTED_OUT
        elif page is None:
            reason = siblings.or_no_html(ELSEWHERE if named.other else NO_PAGE)
        elif not (named.other or siblings.is_about(named)):
            page, reason = page if siblings.settings.shared_body else None, SEVERAL
        self.page, self.reason = page, reason
        self.own_page = None if reason else page
        of = page or siblings
        self.settings, self.url, self.is_ok = of.settings, of.url, of.is_ok
        counted = page or siblings.page
        self.tally = None if counted is None else counted.tally  # of its site

    def compare(self, spellings: Spellings, *, version: bool, chunks: str) -> str:
        """Set `text` to the part of the item that is compared with others; return why it has none, else "".

        The text is what the plugin put into the body field, or the value of the field named by the settings. The key is
        the value of the key field (for a URL, the page that it names), else the item's page. With `version`, changes
        show; `chunks` is the field whose chunks are to be listed.
        """
        held, settings, fields = self.content, self.settings, self.settings.compared_fields
        name = fields.text or settings.body_field
        text = held.get(name)
        if not isinstance(text, str) or not text.strip():
            return NO_TEXT
        made = self.joined or (None if self.page is None else self.page.text)
        is_body = name == settings.body_field
        # the text of the page, possibly changed by another pipeline
        is_given = name in self.given or (made is not None and made.fields.get(name) == text)
        value = held.get(settings.dedup_key_field)
        if not (isinstance(value, str) and value.strip()) and type(value) is not int:
            value = url_in(held, settings.dedup_key_field) or self.url
        key = str(value).strip()
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
        shown = None
        if version:
            # bodies also change with the comparison pages, so they do not count as changes of the page
            shown = all_values(held, skipped.union(settings.columns[""].values()))
            if self.own_page is not None and self.own_page.text is not None and self.own_page.text.amounts:
                shown[AMOUNTS] = self.own_page.text.amounts
        values = own_values(held, skipped.union(settings.item_fields.values()))
        title = str(values.pop("title", "" if own is None else own.title))
        site = site_of(self.url or key) if self.page is None else self.page.host
        scope = site if settings.dedup_scope == "site" else ""
        self.text = ItemText(
            numbered(key, self.siblings.keys),  # items of one response are different, not updates
            text,
            scope="\n".join([scope, *field_lines(held, fields.agree)]) if fields.agree else scope,
            group="\n".join(field_lines(held, fields.differ)) if fields.differ else "",
            site=site,
            title=title,
            values={} if fields.decide else values,
            shown=shown,
            source=own.source if own is not None and is_own else b"",
            chunks=[row["id"] for row in chunk_rows_of(held.get(chunks))] if chunks else (),
            made=read,
            is_alone=settings.dedup == "off",
        )
        return ""

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


class Spellings:
    """Keys of pages, equal for all addresses of a page; in one crawl, further addresses get other keys, as copies.

    Example:
        >>> met = Spellings()
        >>> [met.key(f"http://a.example/7{more}") for more in ("?PHPSESSID=1f", "?PHPSESSID=2f", "/", "#!/8", "#top")]
        ['http://a.example/7', 'http://a.example/7?PHPSESSID=2f', 'http://a.example/7/', 'http://a.example/7#!/8', \
'http://a.example/7#']
    """

    def __init__(self) -> None:
        # hashes of first addresses by hashes of pages; other addresses of forgotten ones pass as the same item
        self._first: LocalCache[int, int] = LocalCache(MOST_OF_ALL)

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
    "each of them. (Further such items: denoise/body/none/several)",
    ELSEWHERE: "An item from %s names a page that the spider has not fetched, %r, and gets no text: follow that link, "
    "and yield the item from its callback. (Further such items: denoise/body/none/elsewhere)",
    NO_HTML: "%s is no HTML, so its items get no text. If they hold HTML, name the field in DENOISE_HTML_FIELD (now "
    "%r); else follow the link to their page, and yield them from its callback. (Further such items: "
    "denoise/body/none/no_html)",
}
# Requests of `scrapy parse`, which hands items to the pipelines itself, have this in their meta.
PARSE_META = "_callback"
# The passage of the item that a task is processing: Scrapy awaits all pipelines of an item, and sends the signal of its
# end, in one. Contexts may outlive the crawl, so they have references only.
_CURRENT: ContextVar[weakref.ref[Passage] | None] = ContextVar("denoise_passage", default=None)


# Seconds in which an item enters our pipelines, also in a busy crawl, if nothing drops or keeps it before.
ENTERS_WITHIN = 1.0


class Passages:
    """Starts passages, finds and ends them.

    Scrapy gives pipelines and signals the item alone. So a passage is found by this object; where a pipeline of the
    project has replaced it, it is that of the current task, else of the response in the signal.
    """

    def __init__(self, crawl: Crawl, pages: CrawledPages):
        self._crawl = crawl
        self._pages = pages
        self.refused = Refused(crawl)
        self._open: dict[int, list[Passage]] = {}  # by the id of an item, as it left the spider or is now
        self._responses: WeakKeyDictionary[Response, ResponseItems] = WeakKeyDictionary()
        self._parsed: Callable[[], Response | None] = lambda: None  # the response that `scrapy parse` parses

    def begin(self, response: Response) -> None:
        """Note a response that enters its callback, perhaps again, as if a middleware keeps responses."""
        if (known := self._responses.get(response)) is not None and known.held is None:
            del self._responses[response]
        if response.request is not None and PARSE_META in response.request.meta:
            self._parsed = weakref.ref(response)

    def of_response(self, response: Response) -> ResponseItems:
        """Return the items of a response."""
        if response not in self._responses:
            page = self._pages.crawled.get(response)
            self._responses[response] = ResponseItems(response, self._crawl.settings, page)
        return self._responses[response]

    async def take(self, siblings: ResponseItems, item: Any) -> list[Any]:
        """Take an item that leaves the spider; return the items of its response that may pass now."""
        passage = await self._begun(siblings, item)
        self._add(item, passage)
        ready = [*map(self.decided, siblings.take(passage))]
        if siblings.held is passage and is_asyncio_available():
            # while its callback awaits something, Scrapy's pipelines would process the item
            asyncio.get_running_loop().call_soon(self._note_values, passage)
        return ready

    async def of(self, item: Any, pipeline: object) -> Passage:
        """Return the passage of an item that enters a pipeline of ours; a new one for an item from no callback."""
        passage = self.find(item, pipeline)
        if passage is None:
            passage = await self._late(item)
            self._add(item, passage)
        if passage.item is not item:
            self.replace(passage, item)
        passage.passed.append(pipeline)
        passage.values = {**passage.content}
        _CURRENT.set(weakref.ref(passage))
        return passage

    def find(self, item: Any, pipeline: object = None) -> Passage | None:
        """Return the passage of an item; None if there is none.

        Args:
            item: The item.
            pipeline: The pipeline of ours that it enters, None after all of them.
        """
        same, reference = self._open.get(id(item), ()), _CURRENT.get()
        current = None if reference is None else reference()
        if current is not None and (pipeline in current.passed or current not in self._open.get(id(current.item), ())):
            current = None  # it is another item's, which has ended, or has led to this one
        if current is not None and (current in same or not same):
            return current
        for passage in same:
            if pipeline not in passage.passed:
                return passage
        return None

    def go_on(self, passage: Passage) -> None:
        """Go on after waiting: with a copy that has the noted values, if the spider has changed the item since."""
        values, passage.values = passage.values, None
        now = {**passage.content}
        if values is None or ([*now] == [*values] and [*map(id, now.values())] == [*map(id, values.values())]):
            return
        made = copied(passage.item)
        if made is passage.item:  # its class permits no copy
            return
        try:
            held = made if isinstance(made, dict) else ItemAdapter(made)
            for name in [name for name in held if name not in values]:
                del held[name]
            held.update(values)
        except Exception:  # raised by a validator of its class
            return
        self.replace(passage, made)

    def replace(self, passage: Passage, item: Any) -> None:
        """Go on with another object, which is found from now on."""
        if passage.item is not passage.original:
            self._remove(passage.item, passage)
        passage.item, passage.content = item, values_of(item)
        if item is not passage.original:
            self._add(item, passage)

    def end(self, item: Any, response: Response | None, error: BaseException | None = None) -> Passage | None:
        """Return the passage of an item whose end is signalled, None if there is none; it is no longer found then.

        Args:
            item: The item, as pipelines have left it, or as it entered them.
            response: The response that led to it.
            error: The reason why it is lost; None if it is not.
        """
        passage = self.find(item)
        if passage is None and response is not None:
            siblings = self._responses.get(response)
            opened = chain.from_iterable(self._open.values())
            passage = next((one for one in opened if one.siblings is siblings and one.passed), None)
        if passage is not None:
            self._remove(passage.original, passage)
            if passage.item is not passage.original:
                self._remove(passage.item, passage)
            passage.left.set()
            if passage.given and not passage.is_ours:
                self.refused.note(passage.given, error)
        return passage

    def carried(self, request: Request) -> list[Passage]:
        """Return the passages of the items that a request carries to its callback."""
        if not self._open:
            return []
        return [passage for each in objects_in(request) for passage in self._open.get(id(each), ())]

    async def after_items(self, request: Request) -> Request:
        """Return a request once the items that it carries have left our pipelines.

        Those that do not enter these soon were dropped or replaced by another component, or are kept by it.
        """
        carried = self.carried(request) if is_asyncio_available() else []
        waiting = {asyncio.ensure_future(each.left.wait()): each for each in carried}
        if waiting:
            waited = time.monotonic() - max(each.since for each in carried)
            await asyncio.wait(waiting, timeout=max(ENTERS_WITHIN - waited, 0))
            entered = [task for task, each in waiting.items() if each.passed]
            if entered:
                await asyncio.wait(entered, timeout=LONGEST_WAIT)
            for task in waiting:
                task.cancel()
        return request

    def clear(self) -> None:
        """Forget all passages, at the end of the crawl."""
        self._open.clear()

    def _add(self, item: Any, passage: Passage) -> None:
        self._open.setdefault(id(item), []).append(passage)
        number, [oldest, *_] = next(iter(self._open.items()))
        # another component may have dropped or replaced it before the pipelines
        is_over = oldest is not passage and not oldest.passed and oldest.siblings.is_over
        if is_over or len(self._open) > MOST_KNOWN:
            for each in self._open.pop(number):
                each.left.set()

    def _remove(self, item: Any, passage: Passage) -> None:
        found = self._open.get(id(item), [])
        if passage in found:
            found.remove(passage)
        if not found:
            self._open.pop(id(item), None)

    async def _late(self, item: Any) -> Passage:
        response = self._parsed()
        siblings = ResponseItems(None, self._crawl.settings) if response is None else self.of_response(response)
        try:
            passage = await self._begun(siblings, item)
        except Exception as error:
            self._crawl.report("passage", error, siblings.url)
            passage = Passage(item, siblings)
        siblings.count(passage.named)
        if response is not None:
            await asyncio.sleep(0)  # all items of a response are parsed at once: count them first
        self.decided(passage)
        return passage

    async def _begun(self, siblings: ResponseItems, item: Any) -> Passage:
        """Return a new passage of an item, with the page that it names, or that its field holds."""
        if not siblings.is_read:
            await self._read(siblings)
        if siblings.settings.html_field and (passage := await self._of_field(siblings, item)):
            return passage
        passage = Passage(item, siblings)
        named = siblings.named(url_in(passage.content, self._crawl.settings.url_field), self._pages)
        if not named.this or any(map(partial(has_field, item), siblings.settings.item_fields.values())):
            passage.named = named  # else it can have no text, and takes it from no other
        return passage

    async def _of_field(self, siblings: ResponseItems, item: Any) -> Passage | None:
        """Return the passage of an item whose field holds HTML, None if it holds none."""
        settings, response = siblings.settings, siblings.response
        html = html_in(item, settings.html_field) if settings.enabled else ""
        if not html or response is None or response.request is None:
            return None
        url = siblings.absolute(url_in(values_of(item), self._crawl.settings.url_field)) or response.url
        address = numbered(address_of_field(url, settings.html_field), siblings.keys)
        page = await self._pages.read_field(address, html, response.request, response, settings)
        if page is None:
            return None
        return Passage(item, siblings, Named(other=address, other_page=page))

    async def _read(self, siblings: ResponseItems) -> None:
        """Read the page of a response."""
        response, pages = siblings.response, self._pages
        if response is None:
            return
        page, settings = None, self._crawl.settings
        if response.request is not None:
            page, settings = await pages.read(response.request, response), pages.settings_for(response.request)
        if page is None and settings.enabled:  # the response is a placeholder: a page object has fetched the page
            page = pages.recent.get(response.url)
        siblings.page, siblings.settings, siblings.is_read = page, settings, True

    def _note_values(self, passage: Passage) -> None:
        """Note the values of an item that is still held, and do not hold it forever."""
        if passage.siblings.held is passage:
            passage.values = {**passage.content}
            passage.timer = asyncio.get_running_loop().call_later(TIMEOUT, self._pass_on, passage)

    def _pass_on(self, passage: Passage) -> None:
        """Send an item on whose callback still awaits something, perhaps what pipelines or requests do with it."""
        passage.siblings.sending.append(asyncio.ensure_future(self._send(self.decided(passage), passage.siblings)))

    async def _send(self, item: Any, siblings: ResponseItems) -> None:
        """Send an item to the pipelines, then the requests that wait for it."""
        engine: Any = self._crawl.crawler.engine
        try:
            await engine.scraper.start_itemproc_async(item, response=siblings.response)
            while siblings.carrying:
                engine.crawl(siblings.carrying.popleft())
        except Exception as error:
            self._crawl.report("passage", error, siblings.url)

    def decided(self, passage: Passage) -> Any:
        """Decide which text the item of a passage gets, and return it; log the first of each reason why it has none."""
        if passage.siblings.held is passage:
            passage.siblings.held = None
        passage.decide()
        passage.since = time.monotonic()
        if passage.timer is not None:
            passage.timer.cancel()
        if passage.values is not None:  # its callback has waited
            self.go_on(passage)
        if passage.item is not passage.original:
            self._remove(passage.original, passage)
            passage.original = passage.item
        reason = passage.reason
        is_new = reason in _SAID and reason not in self._crawl.said
        if passage.page is None and is_new and not passage.is_filled:
            other = passage.settings.html_field if reason == NO_HTML else passage.named.other
            about = [passage.url or "start()", other][: _SAID[reason].count("%")]
            self._crawl.say_once(reason, _SAID[reason], *about, level=logging.INFO)
        return passage.item


# Filled items lost in later pipelines, before any passes these, after which it is said that they may refuse the fields.
# An item that is unwanted for other reasons is seldom the first of its crawl, and these are hardly all.
FIRST_LOST = 5
LOST = (
    "No item with our field %s has passed the later pipelines: %s failed or were dropped, the last by %s. If a table "
    "or a schema lacks the field, add it there, or name another in DENOISE_FIELDS: 'Tables and schemas' "
    "in docs/existing-project.md. (All such items: denoise/body/lost_later)"
)


class Refused:
    """Counts items that later pipelines lose after we have set fields; a warning says if it is all of them."""

    def __init__(self, crawl: Crawl):
        self._crawl = crawl
        self._lost = 0
        self._last = "", ""  # fields, and the error

    def note(self, given: set[str], error: BaseException | None) -> None:
        """Note an item's end: by an error, or None if it has passed."""
        if error is None:
            self._lost = -1
            return
        self._crawl.count("body/lost_later")
        if self._lost >= 0:
            self._lost += 1
            self._last = ", ".join(map(repr, sorted(given))), shown(f"{type(error).__name__}: {error}", MAX_CELL)
        if self._lost == FIRST_LOST:
            self.warn()

    def warn(self) -> None:
        """Warn, if no item has passed."""
        if self._lost > 0:
            fields, error = self._last
            self._crawl.say_once("lost_later", LOST, fields, self._lost, error)


def objects_in(request: Request) -> Iterator[object]:
    """Yield the objects that a request carries to its callback: arguments, meta, and what these contain.

    Example:
        >>> item, other = {"n": 1}, {"n": 2}
        >>> asked = Request("http://a.example/", cb_kwargs={"item": item}, meta={"more": {"of": [other]}})
        >>> [each for each in objects_in(asked) if isinstance(each, dict) and "n" in each]
        [{'n': 1}, {'n': 2}]
    """
    given: deque[object] = deque([request.cb_kwargs, request.meta])
    for callback in (request.callback, request.errback):
        if isinstance(callback, partial):
            given += callback.args, callback.keywords
        for cell in getattr(callback, "__closure__", None) or ():
            with suppress(ValueError):  # its name has no value yet
                given.append(cell.cell_contents)
    for _ in range(MOST_HELD):
        if not given:
            break
        each = given.popleft()
        if isinstance(each, PLAIN):
            continue
        yield each
        with suppress(Exception):  # raised by a class of the project
            mapping = each if isinstance(each, Mapping) else values_of(each)
            inner = each if isinstance(each, (list, tuple, set)) else mapping.values()
            given += islice(inner, max(MOST_HELD - len(given), 0))
