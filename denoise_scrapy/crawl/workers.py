"""Where the pages of a crawl are extracted: in its own process, or in workers, each for the pages of its sites.

Small crawls need no worker: starting one takes as long as extracting some hundred pages. It is sent each page as it
arrives, and asked for a page's text when an item needs it. If it dies of a page, it is started anew, and that page is
read as text without structure; if it dies of that too, its items have no text.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import subprocess
import zlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

from scrapy.utils.asyncio import is_asyncio_available

from denoise_scrapy import worker
from denoise_scrapy.body import STRATEGIES
from denoise_scrapy.crawl.base import LARGE, Crawl
from denoise_scrapy.crawl.pages import CrawledPage
from denoise_scrapy.extractor import RECENT_SHARE, Extracted, Extractor, Known, PageSource, Wish
from denoise_scrapy.page import PageFacts
from denoise_scrapy.site import site_key
from denoise_scrapy.storage import BackOff

# Pages of a crawl after which a worker is worth its start. (Large pages are worth it at once.)
WORTH_PAGES = 100
# Seconds that a page waits to be sent together with others, or with the request for its text.
GATHERING = 0.01
# Maximum bytes of pages that wait for a worker; then the crawl waits too.
MOST_WAITING = 8_000_000
# Maximum seconds for a start.
STARTING = 60.0
# Maximum workers that may die of a page.
MOST_DEATHS = 2

WORKER_DIED = "worker died"
SAID_DIED = "A worker died (exit status %s). Its page, %s, is read without structure. (Further: denoise/workers/died)"
SAID_NONE = "Pages are extracted in the crawl's own process, since no worker can be started now: %s"
SAID_STAYS = "Pages are extracted in the crawl's own process, since workers cannot import the strategy %s"


class _Remote(Exception):  # noqa: N818 - the cause of an error in a worker
    """The traceback of an error in a worker."""

    def __str__(self) -> str:
        return f"\n{self.args[0]}"


@dataclass(eq=False)
class _Job:
    """A call of an extractor's method in a worker."""

    name: str
    args: tuple[Any, ...]
    page: CrawledPage | None  # the page that it is about
    size: int  # bytes
    answer: asyncio.Future[Any] | None  # None if nobody waits for the result


class _Link(asyncio.Protocol):
    """The connection to a worker's process, which ends with it."""

    def __init__(self, take: Callable[[Any], None], lost: Callable[[], None]) -> None:
        self._take = take
        self.lost: Callable[[], None] | None = lost
        self._received = bytearray()

    def data_received(self, data: bytes) -> None:
        """Take messages."""
        self._received += data
        for message in worker.unpack(self._received):
            self._take(message)

    def connection_lost(self, exc: Exception | None) -> None:
        """Note that the process has ended, unless that was wanted."""
        if self.lost is not None:
            self.lost()


class Worker:
    """A worker's process, and the jobs sent to it; started anew when it has died.

    Args:
        crawl: The crawl.
        died: Called with the exit status and the page, if any, that the worker died of.
        limits: Limits of the process.
        given: Arguments of its `Extractor`.
    """

    def __init__(
        self, crawl: Crawl, died: Callable[[int, CrawledPage | None], None], limits: worker.Limits, *given: Any
    ) -> None:
        self._crawl = crawl
        self._died = died
        self._given = limits, given
        self._numbers = count(1)
        self._waiting: deque[_Job] = deque()  # to be sent
        self._sent: dict[int, _Job] = {}  # without a result yet, oldest first
        self._backlog = 0  # bytes of both
        self._room = asyncio.Event()
        self._ready: asyncio.Future[None] | None = None
        self._link: _Link | None = None
        self._transport: asyncio.WriteTransport | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._status = 0
        self._timer: asyncio.TimerHandle | None = None
        self._restart: asyncio.Task[bool] | None = None
        self._back_off = BackOff()
        self.is_up = False  # whether it takes jobs: it is ready or being started
        self._is_ready = False

    async def start(self) -> bool:
        """Start the process; return whether it is ready. Another attempt is due when `may_start`."""
        self.is_up = True
        try:
            await asyncio.wait_for(self._started(), STARTING)
        except (OSError, asyncio.TimeoutError, EOFError) as error:
            self._stop()
            self.is_up = False
            self._back_off.failed()
            self._forget(self._waiting)
            self._crawl.say_once("workers", logging.WARNING, SAID_NONE, error)
            return False
        self._back_off.worked()
        return True

    @property
    def may_start(self) -> bool:
        """True if it has failed to start, and it is time for another attempt."""
        return not self.is_up and self._back_off.ready

    async def _started(self) -> None:
        loop = asyncio.get_running_loop()
        self._ready = loop.create_future()
        self._link = link = _Link(self._take, self._lost)
        ours, theirs = socket.socketpair()
        self._process = worker.start(theirs)
        self._transport, _ = await loop.create_connection(lambda: link, sock=ours)
        self._transport.write(worker.pack(self._given))
        await self._ready
        if self._transport.is_closing():
            raise EOFError("its process has ended")
        self._is_ready = True
        self._flush()
        self._watch()

    def _watch(self, before: int = 0) -> None:
        """Kill the process if it has been at the same job for too long, as it should not be by its own limit."""
        if self._process is None:
            return
        oldest = next(iter(self._sent), 0)
        if oldest and oldest == before:
            self._process.kill()
        else:
            asyncio.get_running_loop().call_later(2 * self._given[0].seconds, self._watch, oldest)

    def send(self, name: str, *args: Any, page: CrawledPage | None = None, size: int = 0) -> None:
        """Have a method called; its result is not needed."""
        self._add(_Job(name, args, page, size, None))
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(GATHERING, self._flush)

    async def call(self, name: str, *args: Any, page: CrawledPage | None = None) -> Any:
        """Return the result of a method, or raise its exception; None if the worker died."""
        answer = asyncio.get_running_loop().create_future()
        self._add(_Job(name, args, page, 0, answer))
        self._flush()
        return await answer

    async def room(self) -> None:
        """Wait while too many pages wait for the worker."""
        while self._backlog > MOST_WAITING:
            self._room.clear()
            await self._room.wait()

    def close(self) -> None:
        """End the process."""
        self.is_up = False
        if self._restart is not None:
            self._restart.cancel()
        if self._timer is not None:
            self._timer.cancel()
        self._stop()
        self._waiting.extend(self._sent.values())
        self._forget(self._waiting)

    def _add(self, job: _Job) -> None:
        self._waiting.append(job)
        self._backlog += job.size
        if not self.is_up:
            self._forget(self._waiting)

    def _flush(self) -> None:
        """Send what waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._transport is None or not self._is_ready or not self._waiting:
            return
        jobs = []
        while self._waiting:
            number, job = next(self._numbers), self._waiting.popleft()
            self._sent[number] = job
            jobs.append((number, job.name, job.args))
        self._transport.write(worker.pack(jobs))

    def _take(self, results: list[tuple[int, Any, str]]) -> None:
        """Take results; the first message has none."""
        if self._ready is not None and not self._ready.done():
            self._ready.set_result(None)
        for number, value, said in results:
            job = self._sent.pop(number)
            self._backlog -= job.size
            if said:
                value.__cause__ = _Remote(said)
            if job.answer is None or job.answer.done():
                if said:
                    self._crawl.report(job.name, value)
            elif said:
                job.answer.set_exception(value)
            else:
                job.answer.set_result(value)
        if self._backlog <= MOST_WAITING:
            self._room.set()

    def _lost(self) -> None:
        """Start anew after the process has died."""
        if not self._is_ready:
            if self._ready is not None and not self._ready.done():
                self._ready.set_exception(EOFError("its process has ended"))
            return
        first = next(iter(self._sent.values()), None)
        self._stop()
        self._died(self._status, None if first is None else first.page)
        self._forget(deque(self._sent.values()))
        self._sent.clear()
        self._restart = asyncio.ensure_future(self.start())

    def _stop(self) -> None:
        """End the process now: it holds nothing that is not elsewhere."""
        if self._link is not None:
            self._link.lost = None
        if self._transport is not None:
            self._transport.abort()
        if self._process is not None:
            self._process.kill()
            self._status = self._process.wait()
        self._link = self._transport = self._process = None
        self._is_ready = False

    def _forget(self, jobs: deque[_Job]) -> None:
        """Give up jobs: their results are None."""
        while jobs:
            job = jobs.popleft()
            self._backlog -= job.size
            if job.answer is not None and not job.answer.done():
                job.answer.set_result(None)
        self._room.set()


class Workers:
    """The extractors of a crawl: its own, and those of its workers."""

    limits = worker.Limits()

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl
        self._bytes = int(crawl.settings.memory_bytes * (1 - RECENT_SHARE))  # the rest is for finding pages by URL
        self._own = Extractor(crawl.settings, self._bytes)
        self._workers: list[Worker] = []
        self._wanted = _wanted(crawl.settings.workers)
        self._starting: asyncio.Task[None] | None = None
        self._travels = dict.fromkeys(STRATEGIES, True)
        self._pages = 0
        self.sizes = dict.fromkeys(self._own.sizes(), 0)  # set at the end

    async def read(self, source: PageSource, page: CrawledPage | None, root: Callable[[], Any]) -> int:
        """Read a page of the crawl; return how many of its elements have a box."""
        await self._prepare(source)
        at = self._at(source.url, source.settings)
        if at is None:
            return self._own.read(source, root())
        await at.room()
        if source.layout:
            return await at.call("read", source, page=page) or 0
        at.send("read", source, page=page, size=len(source.html))
        return 0

    async def extract(self, page: CrawledPage, wish: Wish) -> Extracted | Known | None:
        """Extract a page, or return what is known if it is less than wished; None if its text is lost."""
        found: Extracted | Known | None = await self._ask(page, "extract", wish)
        if isinstance(found, Extracted) and page.deaths:
            return found._replace(fallback=WORKER_DIED)
        return found

    async def known(self, page: CrawledPage) -> Known:
        """Return what a page can be compared with."""
        return await self._ask(page, "known") or Known(0, 0)

    async def links(self, page: CrawledPage) -> list[str]:
        """Return the links of a page to others of its site that are not remembered, the most similar first."""
        return await self._ask(page, "links") or []

    async def is_no_content(self, page: CrawledPage) -> bool:
        """Return whether a page's text, shared with another page, is from a wall."""
        return bool(await self._ask(page, "is_no_content"))

    async def newest(self, urls: dict[str, set[str]]) -> dict[str, list[PageFacts]]:
        """Return the facts to save of some pages, given by site."""
        found = self._own.newest(urls)
        for each in self._workers:
            found |= await each.call("newest", urls) or {}
        return found

    async def remember(self, site: str, pages: list[PageFacts]) -> None:
        """Remember pages of a site from an earlier crawl."""
        at = self._at(site)
        if at is None:
            self._own.remember(pages)
        else:
            at.send("remember", pages)

    def size(self, name: str) -> int:
        """Return a size or number of `Extractor.sizes`, as it was at the end."""
        return self.sizes.get(name, 0)

    async def close(self) -> None:
        """Sum up what was held, and end the workers."""
        if self._starting is not None:
            self._starting.cancel()
        for sizes in [self._own.sizes(), *[await each.call("sizes") or {} for each in self._workers]]:
            for name, size in sizes.items():
                self.sizes[name] += size
        self._crawl.set("pages/evicted", self.sizes.pop("pages/evicted"))
        for each in self._workers:
            each.close()
        self._own = Extractor(self._crawl.settings, 0)

    def _at(self, url: str, settings: Any = None) -> Worker | None:
        """Return the worker for a site, None for the crawl's own process."""
        if not self._workers or (settings is not None and not self._travels.get(settings.strategy, False)):
            return None
        chosen = self._workers[zlib.crc32(site_key(url).encode()) % len(self._workers)]
        return chosen if chosen.is_up else None

    async def _ask(self, page: CrawledPage, name: str, *args: Any) -> Any:
        """Call a method for a page; read the page again if the extractor has forgotten it, or is new."""
        for _ in range(MOST_DEATHS + 1):
            if page.deaths == MOST_DEATHS:
                break
            at = self._at(page.url, page.settings)
            if at is None:
                found = getattr(self._own, name)(page.number, *args)
            else:
                found = await at.call(name, page.number, *args, page=page)
            if found is not None or page.source is None:
                return found
            source = page.source._replace(as_text=page.deaths > 0)
            if at is None:
                self._own.read(source)
            else:
                at.send("read", source, page=page, size=len(source.html))
        return None

    async def _prepare(self, source: PageSource) -> None:
        """Start workers for a crawl that is worth it."""
        self._pages += 1
        if source.settings is not None and source.settings.strategy not in self._travels and self._workers:
            name = source.settings.strategy
            self._travels[name] = bool(await self._workers[0].call("can_use", name))
            if not self._travels[name]:
                self._crawl.say_once("strategy", logging.WARNING, SAID_STAYS, name)
        for each in self._workers:
            if each.may_start:
                self._starting = asyncio.ensure_future(self._start_again(each))
        if not self._wanted or self._workers:
            return
        at_once = len(source.html) > LARGE or self._crawl.settings.workers is not None
        if self._starting is None and (at_once or self._pages > WORTH_PAGES):
            self._starting = asyncio.ensure_future(self._start())
        if self._starting is not None and at_once:
            await asyncio.shield(self._starting)

    async def _start(self) -> None:
        """Start the workers."""
        settings = self._crawl.settings
        given = settings, self._bytes // self._wanted
        workers = [Worker(self._crawl, self._note_death, self.limits, *given) for _ in range(self._wanted)]
        ready = await asyncio.gather(*(each.start() for each in workers))
        if any(ready) and await workers[ready.index(True)].call("can_use", settings.strategy) is False:
            self._wanted = 0
            self._crawl.say_once("workers", logging.WARNING, SAID_STAYS, settings.strategy)
            for each in workers:
                each.close()
            return
        self._travels[settings.strategy] = True
        self._workers = workers
        for each, is_ready in zip(workers, ready, strict=True):
            self._hand_over(each, is_ready=is_ready)

    async def _start_again(self, of: Worker) -> None:
        self._hand_over(of, is_ready=await of.start())

    def _hand_over(self, to: Worker, *, is_ready: bool) -> None:
        """Tell a new worker what is known of its sites; pages that items may still need are read again."""
        if is_ready:
            self._crawl.count("workers/started")
            to.send("remember", [facts for facts in self._own.facts() if self._at(facts.url) is to])
            self._own.release_pages()

    def _note_death(self, status: int, page: CrawledPage | None) -> None:
        self._crawl.count("workers/died")
        if page is not None:
            page.deaths += 1
            self._crawl.say_once("died", logging.WARNING, SAID_DIED, status, page.url)


def _wanted(asked: int | None) -> int:
    """Return the number of workers that a crawl may start."""
    if not (is_asyncio_available() and worker.can_start()):
        return 0
    if asked is not None:
        return asked
    cores = getattr(os, "sched_getaffinity", None)  # not on all systems
    return int((len(cores(0)) if cores else os.cpu_count() or 1) > 1)
