"""The queue that our scheduler gives scrapy-redis: a request stays in Redis until the engine is through with it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from scrapy_redis.queue import Base

from denoise_scrapy.crawl.duplicates.feed_flush import flush_feeds
from denoise_scrapy.several.leases import Leases
from denoise_scrapy.several.outages import Outages
from denoise_scrapy.shown import logger_of
from denoise_scrapy.stats import PREFIX

if TYPE_CHECKING:
    from scrapy import Request, Spider

logger = logger_of(__name__)

TAKEN_META = "denoise_taken"
"""Marks requests that came out of the frontier, and so their copies: retries and redirects."""


class LeasingQueue(Base):  # type: ignore[misc]
    """A priority queue, first in first out among equals; what is taken from it is lent.

    A request is done when the engine has it in progress no more: then its items have left the pipelines, and what its
    page asks for is in the queue. That is told with whatever is asked of the server next, another request as a rule.
    Feeds are flushed before.

    While the server cannot be reached nothing is taken and nothing is done; what is added waits here.
    """

    def __init__(self, server: Any, spider: Spider, key: str, serializer: Any = None):
        super().__init__(server, spider, key, serializer)
        self._leases: Leases | None = None
        self._held: dict[bytes, Request | None] = {}
        self._unsent: deque[tuple[bytes, float, str]] = deque()
        self._outages = Outages()

    def join(self, dupefilter: str, delete: str) -> None:
        """Begin, as an owner of what will be taken; see `Leases`.

        Raises:
            RuntimeError: This version of Scrapy does not tell which requests are in progress.

        """
        self._in_progress()
        self._leases = Leases(self.server, self.key, dupefilter)
        others = self._leases.join(delete)
        logger.info("The frontier %s: %d others are at work", self.key, others, extra={"spider": self.spider})

    def push(self, request: Request, fingerprint: str = "") -> bool:
        """Add a request; False if its fingerprint, where it has one, was seen before."""
        self._unsent.append((self._encode_request(request), float(-request.priority), fingerprint))
        return self._outages.ask(self._send, True)

    def pop(self, timeout: float = 0) -> Request | None:
        """Take the request with the highest priority, and tell which ones are done; None if there is none for now."""
        return self._outages.ask(self._take, None)

    def __len__(self) -> int:
        """How many requests wait or are in progress with any crawler: a crawl is over when there are none."""
        if self._leases is None:
            return int(self.server.zcard(self.key))
        return self._outages.ask(self._left, 1)

    def tell(self) -> None:
        """Tell which requests are done, if any are."""
        self._outages.ask(lambda: self._left() if self._done() else 0, 0)

    def beat(self) -> None:
        """Say that this crawler lives, and put back what a dead one held."""
        self._outages.ask(self._beat, None)

    def leave(self, *, clear: bool) -> None:
        """End: what is still in progress waits again; `clear` deletes the frontier if nobody else is at work."""
        self._send()
        self._ours.count(self._done())
        self._ours.leave(clear=clear)

    @property
    def _ours(self) -> Leases:
        if self._leases is None:
            raise RuntimeError("LeasingQueue needs SCHEDULER = 'denoise_scrapy.several.scheduler.Scheduler'")
        return self._leases

    def _send(self) -> bool:
        """Send what waits to be added; tell whether the last of it was new."""
        new = True
        while self._unsent:
            new = self._ours.push(*self._unsent[0])
            self._unsent.popleft()
        return new

    def _take(self) -> Request | None:
        self._send()
        done = self._done()
        lease, gone = self._ours.pop(done)
        self._forget(done, gone)
        if lease is None:
            return None
        request = self._held[lease.number] = self._read(lease.data)
        return request

    def _read(self, data: bytes) -> Request | None:
        """Read a request; one of another version of the spider may not be readable, and is done then."""
        try:
            request: Request = self._decode_request(data)
        except Exception as error:
            self._count("unreadable", 1)
            logger.error("A request of the frontier cannot be read, and is left out: %s", error, exc_info=True)
            return None
        request.meta[TAKEN_META] = True
        return request

    def _left(self) -> int:
        self._send()
        done = self._done()
        left, gone = self._ours.count(done)
        self._forget(done, gone)
        return left

    def _beat(self) -> None:
        self._send()
        put_back = self._ours.beat(self._held)
        if put_back.dead:
            self._count("taken_back", put_back.dead)
            logger.warning(
                "Another crawler has died: %d requests that it had in progress wait again",
                put_back.dead,
                extra={"spider": self.spider},
            )

    def _done(self) -> list[bytes]:
        in_progress = self._in_progress()
        done = [number for number, request in self._held.items() if request not in in_progress]
        if done:
            try:
                flush_feeds(self.spider.crawler)
            except OSError:  # a full disk: the items are not safe yet; who writes them says so
                return []
        return done

    def _forget(self, done: list[bytes], gone: int) -> None:
        for number in done:
            del self._held[number]
        if gone:
            self._count("overtaken", gone)

    def _in_progress(self) -> set[Request | None]:
        slot = getattr(self.spider.crawler.engine, "_slot", None)
        found: set[Request | None] | None = getattr(slot, "inprogress", None)
        if found is None:
            raise RuntimeError(
                "this version of Scrapy does not tell which requests are in progress: several crawlers "
                "would lose some; use one that is tested, 2.14 to 2.19"
            )
        return found

    def _count(self, name: str, by: int) -> None:
        self.spider.crawler.stats.inc_value(f"{PREFIX}several/{name}", by)
