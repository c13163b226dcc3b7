"""Where the pages of a crawl are extracted: in its own process, or in workers, each for the pages of its sites.

A small crawl needs no worker. One is sent each page as it arrives, and asked for a page's text when an item needs it.
If it dies of a page, it is started anew, and that page is extracted once more, as it may have been killed from outside;
then read as text without structure; if it dies of that too, its items have no text.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import subprocess
import zlib
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache
from itertools import count
from math import inf
from types import UnionType
from typing import IO, Any, get_args, get_origin, get_type_hints

from scrapy.http import Response
from scrapy.utils.asyncio import is_asyncio_available
from typing_extensions import TypeVarTuple, Unpack

from denoise_scrapy.body import STRATEGIES, Example
from denoise_scrapy.crawl.pages import CrawledPage, selector_root
from denoise_scrapy.crawl.parts import LARGE, Answer, Crawl
from denoise_scrapy.page import PageFacts
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.site import site_key
from denoise_scrapy.support.storage import BackOff
from denoise_scrapy.worker import worker
from denoise_scrapy.worker.extractor import RECENT_SHARE, Extractor, PageSource

Args = TypeVarTuple("Args")

# Pages of a crawl after which a worker is worth its start, which takes .2 s of processor time, on another core: made
# crawls of 150, 300 and 600 pages were fastest with 20 to 50. (Large pages are worth it at once.) So is a collection of
# garbage, after which modules are left out of others.
WORTH_PAGES = 30
# Tags above which a page is as large: 5,000 elements take as long.
MANY_TAGS = 10_000
# Seconds that a page waits to be sent together with others, or with the request for its text.
GATHERING = 0.01
# Maximum bytes of pages that wait for a worker; then the crawl waits too. With 8 MB, a hundred items of a made crawl
# waited at a time, and took 7 % more processor time: Scrapy has a hundred tasks for each.
MOST_WAITING = 1_000_000
# Seconds, counted by the crawl, in which a worker has jobs and finishes none: after the first it is continued, as it
# may have been stopped, and is no Python if it has not begun; after the second it is ended. A crawl that was itself
# stopped counts one, however long that was.
STOPPED, SILENT, TICK = 10, 60, 1.0
# Maximum seconds for the last answer, and for the end of a process that was killed.
FINISHING = 2.0
# Maximum workers that may die of a page, and requests for its text while workers die of others.
MOST_DEATHS, MOST_REQUESTS = 3, 20
# What becomes of a page after each death.
FATES = "is extracted once more", "is read as text without structure", "has no text"
# Processes in a row that answer nonsense, or nothing without a page at work, before the crawl does without: one
# may be bad luck, and a silent one takes a minute.
MOST_MISFITS = 2

SAID_DIED = "A worker died: it %s. %s. (Further: denoise/workers/died; docs/symptoms.md)"
SAID_NONE = "Pages are extracted in the crawl's own process, since no worker can be started now: %s"
SAID_NEVER = "Pages are extracted in the crawl's own process: %s. (docs/symptoms.md)"
SAID_STAYS = "Pages are extracted in the crawl's own process, since workers cannot import the strategy %s"
SAID_SILENT = "answered nothing for a minute (DENOISE_WORKERS = 0 does without workers)"
SAID_NONSENSE = "answered nonsense (DENOISE_WORKERS = 0 does without workers)"


class _MisfitError(Exception):
    """What a process did that no worker does, in words."""


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
    answer: asyncio.Future[Any] | None  # None if nobody waits for the result


class Worker:
    """A worker's process, started anew whenever it has died, and the jobs sent to it.

    Args:
        crawl: The crawl.
        workers: Those of the crawl, told when the process is ready, and when it has died.
        given: The first message to the process.
    """

    def __init__(self, crawl: Crawl, workers: Workers, *given: Any) -> None:
        self.is_up = False  # whether it takes jobs: its process is ready, or soon will be again
        self.tried = asyncio.Event()  # whether its start has succeeded or failed
        self._crawl = crawl
        self._workers = workers
        self._given = given
        self._numbers = count(1)
        self._waiting: deque[_Job] = deque()  # to be sent
        self._sent: dict[int, _Job] = {}  # without a result yet
        self._link: asyncio.StreamWriter | None = None  # to its process, if that is ready
        self._has_worked = False  # whether the process has returned a result, or died of a page
        self._silent = 0  # seconds without one while it has jobs
        self._is_python = False  # whether the process has begun as a worker does
        self._misfits = 0  # processes in a row that answered no page as a worker does
        self._timer: asyncio.TimerHandle | None = None
        self._life = asyncio.ensure_future(self._live())

    def send(self, name: str, *args: Any, page: CrawledPage | None = None) -> None:
        """Have a method called; its result is not needed."""
        self._add(_Job(name, args, page, None))
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(GATHERING, self._flush)

    async def call(self, name: str, *args: Any, page: CrawledPage | None = None) -> Any:
        """Return the result of a method, or raise its exception; None if the worker died, or is not up."""
        answer = asyncio.get_running_loop().create_future()
        self._add(_Job(name, args, page, answer))
        self._flush()
        return await answer

    async def room(self) -> None:
        """Wait while too many pages wait for the worker."""
        await self.tried.wait()
        if self._link is not None:
            with suppress(OSError):  # it has died
                await self._link.drain()

    def end(self) -> None:
        """End the process for good."""
        self._life.cancel()

    async def close(self) -> None:
        """Do so, and wait until it has ended."""
        self.end()
        await asyncio.wait([self._life])

    async def _live(self) -> None:
        """Keep the process running; if it does not start, or dies with nothing to do, start it after a pause.

        One that a page kills is started at once: the next such page would kill the crawl's own process.
        """
        back_off = BackOff()
        try:
            while True:
                self._has_worked = False
                try:
                    await self._run()
                except worker.NoPythonError as error:
                    self._workers.stop(str(error))
                except Exception as error:  # of the system, or the process has ended
                    self._crawl.say_once("workers", SAID_NONE, error)
                if self._has_worked:
                    back_off.worked()
                    self.tried.clear()
                else:
                    back_off.failed()
                    self.is_up = False
                    self.tried.set()
                self._forget()
                await asyncio.sleep(back_off.pause)
        finally:
            self.is_up = False
            self._forget()
            self.tried.set()

    async def _run(self) -> None:
        """Start the process, and take its results until it dies: it holds nothing that is not elsewhere."""
        ours, theirs = socket.socketpair()
        _, link = streams = await asyncio.open_connection(sock=ours)
        link.transport.set_write_buffer_limits(MOST_WAITING)
        self._is_python = False
        with closing(link), worker.file_in_memory() as at_work:
            with theirs:
                process = worker.start(program := worker.python(), theirs, at_work)
            taking, misfit = asyncio.ensure_future(self._take_from(*streams)), ""
            try:
                await self._watch(taking, process, at_work)
            except _MisfitError as error:
                misfit = str(error)
            finally:
                taking.cancel()
                is_ready, self._link = self._link is not None, None
                was_killed = (process.poll() or 0) < 0  # from outside
                process.kill()
                with suppress(subprocess.TimeoutExpired):  # it may be frozen
                    process.wait(FINISHING)
            if not (self._is_python or was_killed):
                raise worker.NoPythonError(f"{program} does not start as Python does")
            why = misfit or worker.cause_of(process.returncode)
            if not is_ready:
                raise ChildProcessError(f"it {why}")
            job = self._sent.get(worker.number_in(at_work))
        self._has_worked |= job is not None
        self._misfits += misfit == SAID_NONSENSE or bool(misfit and job is None)
        self._workers.note_death(why, None if job is None else job.page)
        if self._misfits == MOST_MISFITS:
            self._workers.stop(f"a worker {why}")

    async def _watch(self, taking: asyncio.Future[None], process: subprocess.Popen[bytes], at_work: IO[bytes]) -> None:
        """Wait until the process ends, or is no Python; raise `_MisfitError` if it is silent for too long."""
        begun = self._silent = 0
        while not (await asyncio.wait([taking], timeout=TICK))[0]:
            number = worker.number_in(at_work)
            if (begun < number and number in self._sent) or (self._link is not None and not self._sent):
                begun, self._silent = number, 0
            self._silent += 1
            if self._silent == SILENT:
                raise _MisfitError(SAID_SILENT)
            if self._silent % STOPPED == 0:
                if not self._is_python:
                    return
                process.send_signal(signal.SIGCONT)
        taking.result()

    async def _take_from(self, source: asyncio.StreamReader, link: asyncio.StreamWriter) -> None:
        """Take the first messages of the process, and the results of its jobs."""
        messages = _messages(source)
        self._is_python = await anext(messages, None) == worker.HELLO
        if not self._is_python:
            return
        link.write(worker.pack(self._given))
        can_use = await anext(messages, None)
        if can_use is None:  # it has ended
            return
        if not isinstance(can_use, bool):
            raise _MisfitError(SAID_NONSENSE)
        self._link, self.is_up = link, True
        self._workers.take_over(self, can_use=can_use)
        self.tried.set()
        self._flush()
        async for results in messages:
            self._take(results)

    def _take(self, results: Any) -> None:
        """Set the answers of jobs; raise `_MisfitError` for what is no result of one."""
        for each in results if isinstance(results, list) else [results]:
            if not self._is_result(each):
                raise _MisfitError(SAID_NONSENSE)
            number, value, said = each
            job = self._sent[number]
            self._has_worked, self._silent = True, 0
            if job.page is not None:
                self._misfits = 0
            if said:
                value.__cause__ = _Remote(said)
            if job.answer is None or job.answer.done():
                if said:
                    self._crawl.report(job.name, value)
            elif said:
                job.answer.set_exception(value)
            else:
                job.answer.set_result(value)
            del self._sent[number]  # only now: those without an answer are sent again

    def _is_result(self, given: object) -> bool:
        """Return whether an object is a result of a job that has none yet."""
        match given:
            case (int(number), value, str(said)) if number in self._sent:
                return isinstance(value, Exception if said else _kinds(self._sent[number].name))
        return False

    def _add(self, job: _Job) -> None:
        self._waiting.append(job)
        if not self.is_up:
            self._forget()

    def _flush(self) -> None:
        """Send what waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._link is None or not self._waiting:
            return
        jobs = dict(zip(self._numbers, self._waiting))  # noqa: B905 - there is no last number
        self._link.write(worker.pack([(number, job.name, job.args) for number, job in jobs.items()]))
        self._sent |= jobs
        self._waiting.clear()

    def _forget(self) -> None:
        """Give up the jobs that were sent, and if it takes none, those that wait: their results are None."""
        for jobs in (self._sent.values(), () if self.is_up else self._waiting):
            for job in jobs:
                if job.answer is not None and not job.answer.done():
                    job.answer.set_result(None)
        self._sent.clear()
        if not self.is_up:
            self._waiting.clear()


async def _messages(source: asyncio.StreamReader) -> AsyncIterator[Any]:
    """Yield the messages of a process until it ends."""
    received = bytearray()
    with suppress(OSError):
        while part := await source.read(1 << 20):
            received += part
            try:
                messages = worker.unpack(received)
            except Exception as error:  # whatever unpickling raises
                raise _MisfitError(SAID_NONSENSE) from error
            for message in messages:
                yield message


@cache
def _kinds(name: str) -> tuple[type, ...]:
    """Return the types that a method's result may have."""
    hint = get_type_hints(getattr(Extractor, name))["return"]
    return tuple(get_origin(kind) or kind for kind in (get_args(hint) if isinstance(hint, UnionType) else [hint]))


class Workers:
    """The extractors of a crawl: its own, and those of its workers."""

    def __init__(self, crawl: Crawl) -> None:
        self.on_death: Callable[[], object] = lambda: None  # called when a worker has died, with the facts of its sites
        self._crawl = crawl
        self._bytes = int(crawl.settings.memory_bytes * (1 - RECENT_SHARE))  # the rest is for finding pages by URL
        self._own = Extractor(crawl.settings, self._bytes)
        self._workers: list[Worker] = []
        self._wanted, self._worth = _wanted(crawl.settings.workers)
        self._travels = dict.fromkeys(STRATEGIES, True)
        self._pages = 0
        self._taught: list[Example] = []

    async def read(self, source: PageSource, page: CrawledPage | None, response: Response | None) -> int:
        """Read a page of the crawl, here by its response's selector; return how many of its elements have a box."""
        await self._prepare(source)
        at = self._at(source.url, source.settings)
        if at is None:
            return self._own.read(source, selector_root(response, source.encoding))
        await at.room()
        if source.layout:
            return await at.call("read", source, page=page) or 0
        at.send("read", source, page=page)
        return 0

    async def newest(self, urls: dict[str, set[str]]) -> dict[str, list[PageFacts]]:
        """Return the facts to save of some pages, given by site."""
        found = self._own.newest(urls)
        for each in self._workers:
            found |= await each.call("newest", urls) or {}
        return found

    def remember(self, pages: list[PageFacts]) -> None:
        """Remember pages of a site from an earlier crawl."""
        at = self._at(pages[0].url)
        if at is None:
            self._own.remember(pages)
        else:
            at.send("remember", pages)

    def teach(self, example: Example) -> None:
        """Take an example for the pages of its site that come."""
        self._taught.append(example)
        self._own.teach([example])
        for each in self._workers:
            each.send("teach", [example])

    async def close(self) -> None:
        """Set the stats of what was held, and end the workers."""
        sizes = Counter(self._own.sizes())
        for each in self._workers:
            with suppress(Exception):  # one that is silent, or lies, keeps no crawl from its end
                sizes.update(await asyncio.wait_for(each.call("sizes"), FINISHING) or {})
            await each.close()
        for name, size in sizes.items():
            self._crawl.set(name, size)
        self._own = Extractor(self._crawl.settings, 0)

    def _at(self, url: str, settings: DenoiseSettings | None = None) -> Worker | None:
        """Return the worker for a site, None for the crawl's own process."""
        strategy = (settings or self._crawl.settings).strategy
        if not (self._workers and self._travels.get(strategy, False)):
            return None
        chosen = self._workers[zlib.crc32(site_key(url).encode()) % len(self._workers)]
        return chosen if chosen.is_up else None

    async def ask(
        self, method: Callable[[Extractor, int, Unpack[Args]], Answer | None], page: CrawledPage, *args: Unpack[Args]
    ) -> Answer | None:
        """Return what an extractor's method returns for a page; None if the page is lost.

        It is read again if the extractor has forgotten it, or is new.
        """
        for _ in range(MOST_REQUESTS):
            if page.deaths == MOST_DEATHS:
                break
            at = self._at(page.url, page.settings)
            if at is None:
                found = method(self._own, page.number, *args)
            else:
                found = await at.call(method.__name__, page.number, *args, page=page)
            if found is not None or page.source is None:
                return found
            # what killed a worker would kill the crawl's own process
            source = page.source._replace(as_text=page.deaths > (at is not None))
            if at is None:
                self._own.read(source)
            else:
                at.send("read", source, page=page)
        return None

    async def _prepare(self, source: PageSource) -> None:
        """Start workers for a crawl that is worth it."""
        self._pages += 1
        if self._pages == WORTH_PAGES:
            self._crawl.set_aside()
        strategy = (source.settings or self._crawl.settings).strategy
        if strategy not in self._travels and self._workers and source.settings is not None:
            self._note_travels(strategy, await self._workers[0].call("can_use", strategy))
        is_tried = self._workers and all(each.tried.is_set() for each in self._workers)
        if is_tried or not self._wanted:
            return
        is_large = len(source.html) > LARGE or source.html.count(b"<") > MANY_TAGS
        at_once = self._crawl.settings.workers is not None or is_large
        if not self._workers and (at_once or self._pages > self._worth):
            share = self._bytes // self._wanted
            given = self._crawl.settings, share, worker.MAX_SECONDS, worker.MAX_BYTES + share
            self._workers = [Worker(self._crawl, self, *given) for _ in range(self._wanted)]
        for each in self._workers if at_once else ():
            await each.tried.wait()

    def take_over(self, by: Worker, *, can_use: bool) -> None:
        """Tell a new worker what is known of its sites, if it can import the strategy of the crawl.

        Pages that items may still need are read again.
        """
        strategy = self._crawl.settings.strategy
        self._note_travels(strategy, can_use)
        if not can_use:
            self._wanted = 0
            by.end()
            return
        self._crawl.count("workers/started")
        by.send("teach", self._taught)
        by.send("remember", self._own.handed_over(lambda url: self._at(url) is by))

    def _note_travels(self, strategy: str, can_use: bool | None) -> None:
        if can_use is not None:
            self._travels[strategy] = can_use
        if can_use is False:
            self._crawl.say_once(f"strategy/{strategy}", SAID_STAYS, strategy)

    def note_death(self, why: str, page: CrawledPage | None) -> None:
        """Note why a worker has died, and the page that it was working on, if any."""
        self._crawl.count("workers/died")
        self.on_death()
        fate, so_far = "No page was the cause", ""
        if page is not None:
            so_far = FATES[page.deaths]
            fate = f"Its page, {page.url}, {so_far}"
            page.deaths += 1
        self._crawl.say_once(f"died/{why}/{so_far}", SAID_DIED, why, fate)

    def stop(self, why: str) -> None:
        """End the workers for good, and extract further pages in the crawl's own process."""
        self._wanted = 0
        for each in self._workers:
            each.end()
        is_asked = self._crawl.settings.workers is not None
        self._crawl.say_once("stopped", SAID_NEVER, why, level=logging.WARNING if is_asked else logging.INFO)


def _wanted(asked: int | None) -> tuple[int, float]:
    """Return the number of workers that a crawl may start, and after how many pages."""
    if not is_asyncio_available() or os.name != "posix":
        return 0, 0
    if asked is not None:
        return asked, 0
    cores = getattr(os, "sched_getaffinity", None)  # not on all systems
    return 1, WORTH_PAGES if (len(cores(0)) if cores else os.cpu_count() or 1) > 1 else inf
