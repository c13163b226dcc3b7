"""Whether an item repeats another, and what becomes of both.

The text of an item becomes final in the index when the item was delivered, and is else withdrawn. It is delivered when
it has left the last pipeline and one of Scrapy's feeds, if there are any, has written it. It may be dropped or fail
before, or its process may be killed: then its copies are none, and must not be dropped for it. Until that is known they
wait.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.extensions.feedexport import FeedExporter
from scrapy.utils.asyncio import is_asyncio_available

from denoise_scrapy.crawl.index_guard import IndexGuard, ItemText
from denoise_scrapy.crawl.item_pages import Delivery
from denoise_scrapy.dedup.variants import site_of
from denoise_scrapy.items import all_values, get_field, is_markup, own_values, url_in
from denoise_scrapy.shown import logger_of
from denoise_scrapy.site import page_identity, site_key
from denoise_scrapy.site.urls import canonical

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

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


class DuplicateCheck:
    """Checks items against the index of a crawl, and follows those whose text is kept to their end.

    Attributes:
        guard: The index.
        spellings: The keys of pages.
    """

    def __init__(self, state: CrawlState):
        self._crawler = state.crawler
        self._log = state.log
        self.guard = guard = IndexGuard(state.crawler, state.settings, state.log, state.beside)
        self.spellings = Spellings()
        self._open: dict[Delivery, None] = {}
        self._unwritten: list[Delivery] = []  # delivered, but a feed could not be written
        self._feeds = Feeds(state.crawler)
        self._refused: dict[int, list[int]] = {}  # by a hash of key and scope: the feeds that did not take the item
        self._forgotten = 0  # of these
        self._taken_back = 0  # of these, as it could not be for so long
        watch = state.report.watch
        watch("index", nbytes=lambda: guard.nbytes)
        watch("undelivered", evicted=lambda: guard.left_out)
        watch("spellings", evicted=lambda: self.spellings.evicted)
        watch("refused", evicted=lambda: self._forgotten)
        watch("unwritten", evicted=lambda: self._taken_back)
        state.scraped, state.lost = self.scraped, self.lost
        # pipelines are not closed where another one fails
        state.crawler.signals.connect(guard.close, signals.spider_closed)

    async def check(self, text: ItemText, whose: ItemPage) -> Verdict | None:
        """Check the text of an item, and keep it if it repeats none; items of one page are no copies of each other.

        Returns:
            The verdict; None where the index cannot be used now.
        """
        delivery = whose.delivery = Delivery(text)
        self._open[delivery] = None
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
        for delivery in list(self._open):
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

    def _end(self, delivery: Delivery) -> None:
        """Follow an item no longer, and wake those that wait for its end."""
        self._open.pop(delivery, None)
        delivery.over.set()

    async def _outcome(self, key: str, scope: str, seconds: float) -> None:
        """Wait until it is known what became of the item of a key, or it is time to look into the index again."""
        same = (one for one in reversed(self._open) if (one.text.key, one.text.scope) == (key, scope))
        delivery = next(same, None)
        with suppress(asyncio.TimeoutError):
            waiting = asyncio.sleep(LOOK_AGAIN) if delivery is None else delivery.over.wait()
            await asyncio.wait_for(waiting, seconds)

    def scraped(self, whose: ItemPage | None) -> Awaitable[None] | None:
        """Note that an item was scraped; whose it was may be unknown. To be called at once, after Scrapy's feeds."""
        took = self._feeds.took()  # before another item comes to the feeds
        delivery = _open_of(whose)
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

    def lost(self, whose: ItemPage | None) -> Awaitable[None] | None:
        """Note that an item was dropped, or failed."""
        delivery = _open_of(whose)
        return None if delivery is None else self._withdraw(delivery)

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


def _open_of(whose: ItemPage | None) -> Delivery | None:
    delivery = None if whose is None else whose.delivery
    return None if delivery is None or delivery.over.is_set() else delivery


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
