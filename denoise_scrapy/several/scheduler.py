"""scrapy-redis' scheduler, over a frontier that loses nothing when one of its crawlers is killed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.utils.asyncio import call_later, create_looping_call
from scrapy.utils.misc import load_object
from scrapy_redis import scheduler
from scrapy_redis.dupefilter import RFPDupeFilter

from denoise_scrapy.crawl.refusal import refusing_to_start
from denoise_scrapy.setting_values import ConfigurationError
from denoise_scrapy.several.queue import TAKEN_META, LeasingQueue

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from typing_extensions import Self

LOOK_AGAIN = 0.25
"""Seconds until a crawler without work looks whether others have found some; Scrapy by itself looks every 5."""

BEAT_SECONDS = 2.0
"""Between two signs of life, which also look for the dead: some may be late in the 15 after which silence is death."""

TELL_SECONDS = 0.02
"""From an item's end until it is told that its request is done, if it is: the engine needs some turns of its loop. An
item is delivered twice if a kill comes in between."""

MOST_KNOWN = 200_000
"""Fingerprints that are remembered here too, some 30 MB: most links of a page are menus, and to ask the server about
each would cost more than all else that a page needs of it."""

NEEDED = (
    ("DUPEFILTER_CLASS", RFPDupeFilter, "scrapy_redis.dupefilter.RFPDupeFilter"),
    ("SCHEDULER_QUEUE_CLASS", LeasingQueue, "denoise_scrapy.several.queue.LeasingQueue, the default"),
)


class Scheduler(scheduler.Scheduler):  # type: ignore[misc]
    """`SCHEDULER = "denoise_scrapy.several.scheduler.Scheduler"`; its settings are those of scrapy-redis.

    What differs from theirs:

    - A request stays in Redis until it is done; others do it if its crawler dies.
    - The crawl is over when nothing waits and nobody has anything in progress; then all crawlers end.
    - A request is noted as seen and added in one step, so that no kill comes between.
    - Each crawler runs `start()`; of each request one is done, also where it says `dont_filter`, as Scrapy's own do.
    - The last crawler that ends deletes the frontier, unless SCHEDULER_PERSIST is True; SCHEDULER_FLUSH_ON_START is for
      the first that begins.
    - Of the dupefilter, its key and its fingerprints are used.
    """

    def __init__(self, server: Any, **options: Any):
        super().__init__(server, **{"queue_cls": LeasingQueue, **options})
        self._tick = create_looping_call(self._on_tick)
        self._starving = False
        self._beaten = 0.0
        self._telling = False
        self._known: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make one for a crawl.

        Raises:
            ConfigurationError: The dupefilter or the queue is none that several crawlers can share.

        """
        for name, kind, valid in NEEDED:
            given = crawler.settings.get(name)
            if given is not None and not issubclass(load_object(given), kind):
                with refusing_to_start(crawler):
                    raise ConfigurationError(f"{name} = {given!r} cannot be shared by several crawlers: set {valid}")
        made: Self = super().from_crawler(crawler)
        return made

    def open(self, spider: Spider) -> None:
        """Join the others."""
        self.spider = spider
        self.df: RFPDupeFilter = load_object(self.dupefilter_cls).from_spider(spider)
        key = self.queue_key % {"spider": spider.name}
        self.queue = load_object(self.queue_cls)(self.server, spider, key, self.serializer)
        self.queue.join(self.df.key, "all" if self.flush_on_start else "" if self.persist else "done")
        self._tick.start(LOOK_AGAIN, now=False)
        for left in (signals.item_scraped, signals.item_dropped, signals.item_error):
            spider.crawler.signals.connect(self._item_left, left)

    def close(self, reason: str) -> None:
        """Leave the others; what is still in progress here waits again."""
        if self._tick.running:
            self._tick.stop()
        self.queue.leave(clear=not self.persist)

    def enqueue_request(self, request: Request) -> bool:
        """Add a request to the frontier; False if it was seen before."""
        fingerprint = self._fingerprint(request)
        if fingerprint in self._known or not self.queue.push(request, fingerprint):
            self._know(fingerprint)
            self.df.log(request, self.spider)
            return False
        self._know(fingerprint)
        self._count("enqueued")
        return True

    def next_request(self) -> Request | None:
        """Take a request; None if there is none for now."""
        request: Request | None = self.queue.pop()
        self._starving = request is None
        if request is not None:
            self._count("dequeued")
        return request

    def _fingerprint(self, request: Request) -> str:
        """What must not have been seen of a request; "" for nothing."""
        if not request.dont_filter:
            return str(self.df.request_fingerprint(request))
        if request.meta.get("is_start_request") and TAKEN_META not in request.meta:
            return f"start:{self.df.request_fingerprint(request)}"
        return ""

    def _know(self, fingerprint: str) -> None:
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        if fingerprint:
            self._known.add(fingerprint)

    def _on_tick(self) -> None:
        now = time.monotonic()
        if now >= self._beaten + BEAT_SECONDS:
            self._beaten = now
            self.queue.beat()
        slot = getattr(self.spider.crawler.engine, "_slot", None)
        if self._starving and slot is not None:
            slot.nextcall.schedule()

    def _item_left(self) -> None:
        if not self._telling:
            self._telling = True
            call_later(TELL_SECONDS, self._tell)

    def _tell(self) -> None:
        self._telling = False
        if self._tick.running:
            self.queue.tell()

    def _count(self, what: str) -> None:
        if self.stats:
            self.stats.inc_value(f"scheduler/{what}/redis")
