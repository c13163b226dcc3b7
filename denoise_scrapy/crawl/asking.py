"""Calling functions of the project about pages: DENOISE_FALLBACK, DENOISE_TEACHER."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from inspect import isawaitable
from typing import Any, NamedTuple, TypeVar

from scrapy.utils.asyncio import is_asyncio_available

from denoise_scrapy.body import Body
from denoise_scrapy.crawl.parts import LONGEST_WAIT, Crawl, beside
from denoise_scrapy.page.parse import decode_html
from denoise_scrapy.site.urls import without_field
from denoise_scrapy.support.adapters import find_function
from denoise_scrapy.worker.extractor import PageSource

Answer = TypeVar("Answer")

# Calls at once. A function that is not async takes a thread each, and a server of models answers few at a time.
MOST_CALLS = 8
# Calls that took too long after which it is called no more: the thread of each may run to the end of the process.
MOST_LATE = 20
FAILED = "DENOISE_%s failed for %s, whose item keeps its body: %r. (Further such pages: denoise/%s/failed)"
LATE = "DENOISE_%s took more than %g seconds for %s, whose item keeps its body. (Further such pages: denoise/%s/slow)"
GIVEN_UP = "DENOISE_%s took too long for %s pages, and is called no more"
NOT_ASKED = "DENOISE_%s is not called, since the reactor is not an asyncio one"


class AskedPage(NamedTuple):
    """A page as a function gets it: its address and its HTML, decoded; the text of its body, and its confidence."""

    url: str
    html: str
    text: str
    confidence: float


async def asked_page(source: PageSource, body: Body) -> AskedPage:
    """Return a page for a function."""
    html = await beside(partial(decode_html, source.html, source.encoding))
    return AskedPage(without_field(source.url), html, body.text, body.confidence)


class Asked:
    """A function of the project. An async one runs on the reactor, another one in a thread.

    Args:
        crawl: The crawl.
        name: Name of the setting with its import path, and of its stats.
    """

    def __init__(self, crawl: Crawl, name: str) -> None:
        self._crawl = crawl
        self._name = name
        self._function: Any = find_function(getattr(crawl.settings, name))
        self._calls = asyncio.Semaphore(MOST_CALLS)
        self._late = 0

    @property
    def may_ask(self) -> bool:
        """Whether it can be called."""
        if not is_asyncio_available():
            self._crawl.say_once(f"{self._name}/reactor", NOT_ASKED, self._name.upper())
            return False
        return self._late < MOST_LATE

    async def ask(self, read: Callable[[Any], Answer], url: str, *given: object) -> Answer | None:
        """Return what a function makes of its answer, which may raise `TypeError`, or None.

        Whatever it does, this ends in time and raises nothing.
        """
        name, setting = self._name, self._name.upper()
        async with self._calls:
            if not self.may_ask:
                return None
            self._crawl.count(f"{name}/asked")
            call = asyncio.ensure_future(self._called(*given))
            done, _ = await asyncio.wait([call], timeout=LONGEST_WAIT)
        if not done:
            call.cancel()
            # nobody waits for its error, which asyncio would log unless it is read
            call.add_done_callback(lambda late: late.cancelled() or late.exception())
            self._late += 1
            self._crawl.count(f"{name}/slow")
            self._crawl.say_once(f"{name}/slow", LATE, setting, LONGEST_WAIT, url, name)
            if self._late == MOST_LATE:
                self._crawl.say_once(f"{name}/given_up", GIVEN_UP, setting, MOST_LATE)
            return None
        try:
            return read(call.result())
        except (Exception, asyncio.CancelledError) as error:
            self._crawl.count(f"{name}/failed")
            self._crawl.say_once(f"{name}/failed", FAILED, setting, url, error, name)
            return None

    async def _called(self, *given: object) -> Any:
        answer: Future[Any] = Future()
        answer.set_running_or_notify_cancel()  # from now on nobody cancels it

        def run() -> None:
            try:
                answer.set_result(self._function(*given))
            except StopIteration as error:  # which no future takes
                answer.set_exception(RuntimeError(f"StopIteration: {error}"))
            except BaseException as error:
                answer.set_exception(error)

        # a thread of its own does not keep the process from ending, as one of a pool would
        threading.Thread(target=run, name="denoise-asked", daemon=True).start()
        try:
            found = await asyncio.wrap_future(answer)
            return await found if isawaitable(found) else found
        except BaseException as error:
            if isinstance(error, (Exception, asyncio.CancelledError)):
                raise
            # others are caught nowhere, and SystemExit would end the loop
            raise RuntimeError(f"{type(error).__name__}: {error}") from error
