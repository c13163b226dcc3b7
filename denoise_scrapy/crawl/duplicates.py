"""Whether an item repeats another, and what becomes of both.

The text of an item becomes final in the index when the item was delivered, and is else withdrawn. It is delivered when
it has left the last pipeline and one of Scrapy's feeds, if there are any, has written it. It may be dropped or fail
before, or its process may be killed: then its copies are none, and must not be dropped for it. Until that is known they
wait.
"""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections import Counter
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.extensions.feedexport import FeedExporter
from scrapy.utils.asyncio import is_asyncio_available

from denoise_scrapy.crawl.index_guard import IndexGuard, ItemText
from denoise_scrapy.dedup.variants import site_of
from denoise_scrapy.items import all_values, get_field, is_markup, own_values, url_in
from denoise_scrapy.shown import logger_of
from denoise_scrapy.site import page_identity, site_key
from denoise_scrapy.site.urls import canonical

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from denoise_scrapy.crawl.item_pages import ItemPage
    from denoise_scrapy.crawl.pages import CrawledPage
    from denoise_scrapy.crawl.state import CrawlState
    from denoise_scrapy.dedup import DuplicateIndex, Verdict
    from denoise_scrapy.dedup.index import ReadText
    from denoise_scrapy.settings import DenoiseSettings

logger = logger_of(__name__)

# Seconds that a near-duplicate waits while the item that it repeats is in the pipelines still, where it may be dropped
# or fail: what a slow pipeline takes. Then it passes.
LONGEST_WAIT = 60.0
# Seconds between two looks at what became of an item of another process; the end of one of this crawl is a signal.
LOOK_AGAIN = 0.25
# Items delivered while a feed cannot be written, which are held with their texts, some tens of KB each. Of more the
# oldest are taken back: a copy of theirs is kept as well then.
MOST_UNWRITTEN = 1000

# Pages of which it is remembered under what address the crawl met them first: 10 MB. Of one that is forgotten another
# address passes as the same item.
MOST_SPELLINGS = 100_000
# Items of which it is remembered which feeds refused them: 10 MB. A copy of one that is forgotten is dropped.
MOST_REFUSED = 100_000
# Kept items counted at a time: a megabyte of keys. When there are more, the half with the fewest copies is forgotten.
MOST_COUNTED = 10_000
# Titles of its copies that are remembered of each, so many that it is said that they may be none; characters of these.
MOST_TITLES, MOST_TITLE = 5, 100

# Logged of the first item that is not compared for the reason of a stat (`denoise/dedup/…`); others are only counted.
SAID = {
    "not_ours": "Texts that the spider itself puts into the body field are not compared; DENOISE_DEDUP_FIELDS names a "
    "field to compare whoever fills it. (Further such items: denoise/dedup/not_ours)",
    "html": "The field to compare (DENOISE_DEDUP_FIELDS) holds HTML, of which a site's pages share most: it is not "
    "compared. (Further such items: denoise/dedup/html)",
}
# Keys of DENOISE_FIELDS whose values change with the pages that a page is compared with, and show no change of it.
AMOUNTS = "(prices and tables)"  # of the page, among the fields of an item that show a change
OF_COMPARISON = ("body", "title", "html", "markdown", "confidence", "comparison", "blocks")

_current: ContextVar[Delivery | None] = ContextVar("denoise_delivery", default=None)


class Delivery:
    """An item on its way, and what of it is in the index.

    Attributes:
        text: What of the item went to the index.
        items: The item, as it is now first, and what else it was on its way; held, so that no id is given to another.
        claim: Its claim in the index, 0 for none.
        unchecked: Whether the index could not be used for it.
        over: Set when it is known what became of the item.
    """

    def __init__(self, text: ItemText, item: Any, whose: ItemPage):
        self.text = text
        self.items = [item, *(each for each in whose.items if each is not item)]
        self.claim = 0
        self.unchecked = False
        self.over = asyncio.Event()
        response = whose.response
        self._response = None if response is None else weakref.ref(response)

    def is_of(self, response: Response | None) -> bool:
        """Whether the item was made from a response; None: from none."""
        return (None if self._response is None else self._response()) is response


class DuplicateCheck:
    """Checks items against the index of a crawl, and follows those whose text is kept to their end.

    A later pipeline may replace the item by another object, which Scrapy's signal hands over when the item was
    scraped. Such an object is known by the context in which it was processed, else as the only one that its response
    has on the way.

    Attributes:
        guard: The index.
        spellings: The keys of pages.
    """

    def __init__(self, state: CrawlState):
        self._crawler = state.crawler
        self._log = state.log
        self.guard = guard = IndexGuard(state.crawler, state.settings, state.log, state.beside)
        self.spellings = Spellings()
        self._by_item: dict[int, Delivery] = {}
        self._open: dict[tuple[str, str], Delivery] = {}  # by key and scope
        self._unwritten: list[Delivery] = []  # delivered, but a feed could not be written
        self._feeds = Feeds(state.crawler)
        self._refused: dict[int, list[int]] = {}  # by a hash of key and scope: the feeds that did not take the item
        self._forgotten = 0  # of these
        self._taken_back = 0  # of these, as it could not be for so long
        watch = state.memories.watch
        watch("index", nbytes=lambda: guard.nbytes)
        watch("undelivered", evicted=lambda: guard.left_out)
        watch("spellings", evicted=lambda: self.spellings.evicted)
        watch("refused", evicted=lambda: self._forgotten)
        watch("unwritten", evicted=lambda: self._taken_back)
        connect = state.crawler.signals.connect
        # after those of Scrapy's feeds, which are connected before any pipeline is made
        connect(self._scraped, signals.item_scraped)
        connect(self._lost, signals.item_dropped)
        connect(self._lost, signals.item_error)
        connect(guard.close, signals.spider_closed)  # pipelines are not closed where another one fails

    async def check(self, item: Any, text: ItemText, whose: ItemPage) -> Verdict | None:
        """Check an item, and keep its text if it repeats none; items whose own text is of the same page are no copies.

        Returns:
            The verdict; None where the index cannot be used now.
        """
        delivery = self._begin(text, item, whose)
        try:
            verdict = await self._judge(text, whose.own_page)
        except BaseException:
            self._end(delivery)
            raise
        if verdict is None:
            delivery.unchecked = True
            self._log.count("dedup/unchecked")
        elif verdict.duplicate or is_dropped(verdict, whose.settings):
            self._end(delivery)
        else:
            delivery.claim = verdict.claim
        return verdict

    def is_wanted(self, item: Any, text: ItemText, of: str | None) -> bool:
        """Whether an item may go to a feed that has refused the one that it repeats, and so has neither of them."""
        return self._feeds.may_take(item, self._refused.get(hash((of, text.scope)), ()))

    async def finish(self) -> None:
        """Settle what is left: items whose last object is not known. Those that failed were named by their signals."""
        for delivery in list(dict.fromkeys(self._by_item.values())):
            await self._settle(delivery)
        await self.guard.write_missed()

    async def _judge(self, text: ItemText, page: CrawledPage | None) -> Verdict | None:
        """Use the index, and wait while it is not known what becomes of the item that this one repeats."""
        guard = self.guard
        read = await guard.read(text)
        if not is_asyncio_available():
            return await guard.ask(lambda index: _passing(_check(index, text, read)))
        now = asyncio.get_running_loop().time
        until = now() + LONGEST_WAIT
        while True:
            verdict = await guard.ask(lambda index: _check(index, text, read))
            if verdict is None or not verdict.pending or (page is not None and verdict.of in page.item_keys):
                return verdict
            if now() >= until:
                self._log.count("dedup/waited_in_vain")
                return await guard.ask(lambda index: _kept(index, text, read))
            self._log.count("dedup/waits")
            await self._outcome(str(verdict.of), text.scope, until - now())

    def _begin(self, text: ItemText, item: Any, whose: ItemPage) -> Delivery:
        """Follow an item whose text goes to the index."""
        delivery = Delivery(text, item, whose)
        for each in delivery.items:
            self._by_item[id(each)] = delivery
        self._open[text.key, text.scope] = delivery
        _current.set(delivery)
        return delivery

    def _end(self, delivery: Delivery) -> None:
        """Follow an item no longer, and wake those that wait for its end."""
        for item in delivery.items:
            if self._by_item.get(id(item)) is delivery:
                del self._by_item[id(item)]
        name = delivery.text.key, delivery.text.scope
        if self._open.get(name) is delivery:
            del self._open[name]
        delivery.over.set()

    def _of(self, item: Any, response: Response | None) -> Delivery | None:
        """Return the delivery of an item that has left the pipelines, None where it is not followed."""
        delivery = self._by_item.get(id(item))
        if delivery is not None:
            return delivery
        delivery = _current.get()
        if delivery is not None and not delivery.over.is_set() and delivery.is_of(response):
            return delivery
        ofs = [] if response is None else [one for one in self._open.values() if one.is_of(response)]
        return ofs[0] if len(ofs) == 1 else None

    async def _outcome(self, key: str, scope: str, seconds: float) -> None:
        """Wait until it is known what became of the item of a key, or it is time to look into the index again."""
        delivery = self._open.get((key, scope))
        with suppress(asyncio.TimeoutError):
            waiting = asyncio.sleep(LOOK_AGAIN) if delivery is None else delivery.over.wait()
            await asyncio.wait_for(waiting, seconds)

    def _scraped(self, item: Any, response: Response | None) -> Awaitable[None] | None:
        took = self._feeds.took()  # at once: before another item comes to the feeds
        delivery = self._of(item, response)
        if delivery is None:
            return None
        if took and not any(took):
            return self._withdraw(delivery)
        name = hash((delivery.text.key, delivery.text.scope))
        self._refused.pop(name, None)
        if not all(took):
            self._refused[name] = [number for number, taken in enumerate(took) if not taken]
            if len(self._refused) > MOST_REFUSED:
                del self._refused[next(iter(self._refused))]
                self._forgotten += 1
        return self._settle(delivery)

    async def _lost(self, item: Any, response: Response | None) -> None:
        delivery = self._of(item, response)
        if delivery is not None:
            await self._withdraw(delivery)

    async def _withdraw(self, delivery: Delivery) -> None:
        try:
            found = await self.guard.ask(lambda index: index.withdraw(delivery.claim))
            if found is None:
                self.guard.missed(delivery.text._replace(text=""), delivery.claim)
            elif found:
                self._log.count("dedup/withdrawn")
        except Exception as error:
            self._log.report("dedup", error)
        finally:
            self._end(delivery)

    async def _settle(self, delivery: Delivery) -> None:
        self._unwritten.append(delivery)
        try:
            self._feeds.flush()
        except OSError as error:
            self._log.count("dedup/unwritten")
            message = "A feed cannot be written; copies of its items wait until it can: %s"
            self._log.say_once("unwritten", logging.WARNING, message, error)
            while len(self._unwritten) > MOST_UNWRITTEN:
                self._taken_back += 1
                await self._withdraw(self._unwritten.pop(0))
            return
        written, self._unwritten = self._unwritten, []
        for each in written:
            await self._make_final(each)

    async def _make_final(self, delivery: Delivery) -> None:
        try:
            if delivery.unchecked or await self.guard.ask(lambda index: index.settle(delivery.claim)) is None:
                self.guard.missed(delivery.text, delivery.claim)
        except Exception as error:
            self._log.report("dedup", error)
        finally:
            self._end(delivery)


class Feeds:
    """The feeds of a crawl, which Scrapy writes. They may refuse items (`item_filter`, `item_classes`)."""

    def __init__(self, crawler: Crawler):
        self._crawler = crawler
        self._counts: list[tuple[int, int]] = []

    @property
    def _slots(self) -> list[Any]:
        return list(getattr(self._crawler.get_extension(FeedExporter), "slots", ()))

    def took(self) -> list[bool]:
        """Return for each feed whether it took the item that was scraped last; to be called after each item.

        Their counts say so. A filter that is asked once more may answer otherwise, as one that lets a hundred pass.
        """
        counts = [(slot.batch_id, slot.itemcount) for slot in self._slots]
        before, self._counts = self._counts or [(1, 0)] * len(counts), counts
        return [one != other for one, other in zip(counts, before, strict=True)]

    def may_take(self, item: Any, numbers: Sequence[int]) -> bool:
        """Return whether some of the feeds would take an item as it is now; also where a filter cannot say."""
        slots = self._slots
        try:
            return any(slots[number].filter.accepts(item) for number in numbers)
        except Exception as error:  # a later pipeline may set what it looks at
            logger.debug("A feed's filter cannot say whether it takes an item yet: %r", error)
            return True

    def flush(self) -> None:
        """Hand what the feeds have buffered to the operating system, which keeps it if the process is killed.

        A feed that is compressed, or stored at its end only, is lost with its process whatever is done here.

        Raises:
            OSError: A file cannot be written.
        """
        for slot in self._slots:
            if not getattr(slot.file, "closed", True) and "postprocessing" not in slot.feed_options:
                slot.file.flush()


def is_dropped(verdict: Verdict, settings: DenoiseSettings) -> bool:
    """Return whether an item is dropped as one that was delivered before and has not changed."""
    return settings.seen == "drop-unchanged" and verdict.since is not None and not verdict.updated


def _check(index: DuplicateIndex, text: ItemText, read: ReadText | None) -> Verdict:
    way = index.add if text.is_alone else index.check_and_add
    return way(text.key, read or text.read(index), **text.names, claim=True)


def _kept(index: DuplicateIndex, text: ItemText, read: ReadText | None) -> Verdict:
    """Keep a text whatever it is like."""
    return index.add(text.key, read or text.read(index), **text.names)


def _passing(verdict: Verdict) -> Verdict:
    """A verdict after which the item passes, if it repeats an item that may be lost yet."""
    return replace(verdict, duplicate=False, of=None) if verdict.pending else verdict


class Spellings:
    """Keys of pages: what tells a page from others, whatever its address is this time.

    Another address at which a crawl meets the same page again is a key of its own, as it is a copy and no update.

    Attributes:
        evicted: Pages of which it was forgotten how they were met first.

    Example:
        >>> met = Spellings()
        >>> [met.key(f"http://a.example/7{more}") for more in ("?PHPSESSID=1f", "?PHPSESSID=2f", "/", "#!/8", "#top")]
        ['http://a.example/7', 'http://a.example/7?PHPSESSID=2f', 'http://a.example/7/', 'http://a.example/7#!/8', \
'http://a.example/7#']
    """

    def __init__(self) -> None:
        self.evicted = 0
        self._first: dict[int, int] = {}  # hashes: of a page, of its address

    def key(self, url: str) -> str:
        """Return the key of a URL."""
        page, _, route = canonical(url, keep_fragment=True).partition("#")
        end = "#" + route if route.startswith(("!", "/")) else ""  # by which scripts tell pages apart
        spelling, identity = page + end, page_identity(page) + end
        if self._first.setdefault(hash(identity), hash(spelling)) == hash(spelling):
            if len(self._first) > MOST_SPELLINGS:
                del self._first[next(iter(self._first))]
                self.evicted += 1
            return identity
        return spelling if spelling != identity else spelling + "#"


def item_text(item: Any, whose: ItemPage, spellings: Spellings) -> ItemText:
    """Return what of an item is compared with others: its own text, which may be none.

    It is the text that we have put into the body field, or that of a field which the settings name; never HTML.

    The key is the item's key field, of a URL the page that it names, or else the page that the item was made from.
    Further items of one response with the same key get "#2", "#3" … added: they are different items, not updates.
    """
    settings = whose.settings
    fields = settings.compared_fields
    field = fields.text or settings.body_field
    text = get_field(item, field)
    if not isinstance(text, str) or not text.strip():
        return ItemText(obstacle="no_text")
    key = _key(item, whose)
    gave = whose.gave(field, text)
    obstacle = _obstacle(ItemText(key, text), field, whose, named=bool(fields.text))
    if obstacle:
        return ItemText(obstacle=obstacle)
    site = site_key(whose.url or key) if settings.dedup_scope == "site" else ""
    if site_key(key):
        key = spellings.key(key)
    if whose.siblings is not None:
        key = whose.siblings.numbered(key)
    own = whose.own_page
    made = None if own is None else own.text
    skipped = {field, settings.url_field, settings.dedup_key_field, settings.mark_field, *fields.ignored}
    skipped |= {settings.variant_field, settings.seen_field}
    values = own_values(item, {*skipped, *settings.item_fields.values()})
    title = str(values.pop("title", "" if made is None else made.title))
    made_so = {name for what, name in settings.item_fields.items() if what in OF_COMPARISON}
    shown = all_values(item, skipped | made_so)
    if made is not None and made.amounts:
        shown[AMOUNTS] = made.amounts
    return ItemText(
        key,
        text,
        fields.scope(item, site),
        fields.group(item),
        site=site_of(whose.url or key),
        title=title,
        values={} if fields.decide else values,
        fields=shown,
        source=made.source if made is not None and gave and field == settings.body_field else "",
        is_alone=settings.dedup == "off",
    )


def _obstacle(found: ItemText, field: str, whose: ItemPage, *, named: bool) -> str:
    """Why the text in a field is not compared, "" if it is."""
    gave = whose.gave(field, found.text)
    if gave and whose.reason:
        return "shared"
    if not (gave or named):
        return "not_ours"
    if not (gave and field == whose.settings.body_field) and is_markup(found.text):
        return "html"
    if not found.key:
        return "no_key"
    return "" if found.writable else "unwritable"


def _key(item: Any, whose: ItemPage) -> str:
    key = get_field(item, whose.settings.dedup_key_field)
    if isinstance(key, int) and not isinstance(key, bool):
        return str(key)
    if not isinstance(key, str) or not key.strip():
        key = url_in(item, whose.settings.dedup_key_field) or whose.url
    return key.strip()


class CopyCounts:
    """Counts near-duplicates by the item they are copies of, in bounded memory.

    Attributes:
        items: Items of which it is known whether they repeat another; others may be waiting.
        dropped: Those of them that were dropped.
        in_a_row: How many of these without another between.
        most: Key of the item with the most copies, "" before the first.
        most_copies: How many it has.
        titles: Different titles of the copies of the item counted last, five at the most.
        examples: Keys of three of these copies, as far as there are so many.
        evicted: Items of which it was forgotten how many copies they have.

    Example:
        >>> counts = CopyCounts()
        >>> for key, copy, title in (("a", "/1", "Fox"), ("b", "/2", "Owl"), ("a", "/3", "Elk")):
        ...     counts.count(key, copy, title)
        >>> counts.most, counts.most_copies, counts.titles, counts.examples
        ('a', 2, 2, ['/1', '/3'])
    """

    def __init__(self) -> None:
        self.items = self.dropped = self.in_a_row = 0
        self.most = ""
        self.most_copies = 0
        self.evicted = self.titles = 0
        self.examples: list[str] = []
        self._counts: Counter[str] = Counter()
        self._titles: dict[str, dict[str, str]] = {}  # by kept item: titles of its copies, each with one's key

    def decided(self, *, dropped: bool) -> None:
        """Count an item that was dropped or passes."""
        self.items += 1
        self.dropped += dropped
        self.in_a_row = self.in_a_row + 1 if dropped else 0

    def count(self, key: str | None, copy: str = "", title: str = "") -> None:
        """Count a copy of an item."""
        if key is None:
            return
        self._counts[key] += 1
        titles = self._titles.setdefault(key, {})
        if title and len(titles) < MOST_TITLES:
            titles.setdefault(title[:MOST_TITLE], copy)
        self.titles, self.examples = len(titles), list(titles.values())[:3]
        if self._counts[key] > self.most_copies:
            self.most, self.most_copies = key, self._counts[key]
        if len(self._counts) > MOST_COUNTED:
            self.evicted += len(self._counts) - MOST_COUNTED // 2
            self._counts = Counter(dict(self._counts.most_common(MOST_COUNTED // 2)))
            self._titles = {key: titles for key, titles in self._titles.items() if key in self._counts}
