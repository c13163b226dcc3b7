"""Asking a function of the project for the text of pages whose body is in doubt (DENOISE_FALLBACK)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable
from concurrent.futures import Future
from functools import partial
from inspect import isawaitable, iscoroutinefunction
from typing import Any, NamedTuple

from scrapy.utils.asyncio import is_asyncio_available

from denoise_scrapy.body import Body
from denoise_scrapy.body.extraction import CALLABLE, with_text
from denoise_scrapy.body.fields import OF_BODY, fields_of
from denoise_scrapy.crawl.extractor import Extracted
from denoise_scrapy.crawl.pages import CrawledPage
from denoise_scrapy.crawl.parts import Crawl, beside
from denoise_scrapy.dedup.versions import whole_source
from denoise_scrapy.page.parse import decode_html
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.site import site_key
from denoise_scrapy.site.urls import without_field
from denoise_scrapy.support.adapters import find_function

# Calls at once. A function that is not async takes a thread each, and a server of models answers few at a time.
MOST_CALLS = 8
# Calls that took too long after which it is called no more: the thread of each may run to the end of the process.
MOST_LATE = 20
FAILED = "DENOISE_FALLBACK failed for %s, whose item keeps its body: %r. (Further such pages: denoise/fallback/failed)"
LATE = (
    "DENOISE_FALLBACK took more than %g seconds for %s, whose item keeps its body; DENOISE_FALLBACK_WAIT allows more. "
    "(Further such pages: denoise/fallback/slow)"
)
GIVEN_UP = "DENOISE_FALLBACK took too long for %s pages, and is called no more"
NOT_ASKED = "DENOISE_FALLBACK is not called, since the reactor is not an asyncio one"


class FallbackPage(NamedTuple):
    """A page as the function gets it: its address and its HTML, decoded."""

    url: str
    html: str


class Fallback:
    """Asks the function, and puts what it returns in the place of a body.

    It is called with the `Body` in doubt, a `FallbackPage` and the site, as `https://news.example`, and returns the
    text or None. An async function runs on the reactor, another one in a thread.
    """

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl
        self._function: Any = find_function(crawl.settings.fallback)
        self._calls = asyncio.Semaphore(MOST_CALLS)
        self._late = 0

    async def revised(self, page: CrawledPage, found: Extracted, body: Body) -> Extracted:
        """Return what was extracted, with the function's text if it is asked and has one."""
        source = page.source
        if source is None:
            return found
        if not is_asyncio_available():
            self._crawl.say_once("fallback/reactor", NOT_ASKED)
            return found
        html = await beside(partial(decode_html, source.html, source.encoding))
        url = without_field(page.url)
        text = await self._asked(body, FallbackPage(url, html), _site_of(url))
        if not text:
            return found
        self._crawl.count("fallback/used")
        return await beside(partial(_revised, found, body, text, page.settings, self._crawl.settings.fallback))

    async def _asked(self, body: Body, page: FallbackPage, site: str) -> str:
        """Return the function's text, "" for none; whatever it does, this ends in time and raises nothing."""
        async with self._calls:
            if self._late >= MOST_LATE:
                return ""
            self._crawl.count("fallback/asked")
            call = asyncio.ensure_future(self._called(body, page, site))
            seconds = self._crawl.settings.fallback_wait
            done, _ = await asyncio.wait([call], timeout=seconds)
        if not done:
            call.cancel()
            call.add_done_callback(_forgotten)
            self._late += 1
            self._crawl.count("fallback/slow")
            self._crawl.say_once("fallback/slow", LATE, seconds, page.url)
            if self._late == MOST_LATE:
                self._crawl.say_once("fallback/given_up", GIVEN_UP, MOST_LATE)
            return ""
        try:
            answer = call.result()
            if not (answer is None or isinstance(answer, str)):
                raise TypeError(f"it returned {type(answer).__name__}, not str or None")
        except (Exception, asyncio.CancelledError) as error:
            self._crawl.count("fallback/failed")
            self._crawl.say_once("fallback/failed", FAILED, page.url, error)
            return ""
        text = (answer or "")[: self._crawl.settings.max_page_bytes].strip()
        self._crawl.count(not text and "fallback/none")
        return text

    async def _called(self, *given: object) -> Any:
        call = getattr(self._function, "__call__", None)  # noqa: B004 - an object may have an async one
        try:
            if iscoroutinefunction(self._function) or iscoroutinefunction(call):
                return await self._function(*given)
            answer = await _in_thread(partial(self._function, *given))
            return await answer if isawaitable(answer) else answer
        except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:  # these would leave the task, and end the loop
            raise RuntimeError(f"{type(error).__name__}: {error}") from error


def _site_of(url: str) -> str:
    """Return the site of a page as the function gets it.

    Example:
        >>> _site_of("https://a.example/7"), _site_of("http://a.example:8080/7")
        ('https://a.example', 'http://a.example:8080')
    """
    site = site_key(url)
    return site.removesuffix(":443" if site.startswith("https:") else ":80")


def _in_thread(work: partial[Any]) -> Awaitable[Any]:
    """Do some work in a thread of its own, which does not keep the process from ending, as one of a pool would."""
    answer: Future[Any] = Future()
    answer.set_running_or_notify_cancel()  # from now on nobody cancels it

    def run() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:  # SystemExit, say, and StopIteration, which no future takes
            is_plain = isinstance(error, Exception) and not isinstance(error, StopIteration)
            answer.set_exception(error if is_plain else RuntimeError(f"{type(error).__name__}: {error}"))

    threading.Thread(target=run, name="denoise-fallback", daemon=True).start()
    return asyncio.wrap_future(answer)


def _forgotten(call: asyncio.Future[Any]) -> None:
    """Read the error of a call that nobody waits for, which asyncio would log."""
    if not call.cancelled():
        call.exception()


def _revised(found: Extracted, body: Body, text: str, settings: DenoiseSettings, path: str) -> Extracted:
    told = with_text(body, text, CALLABLE)
    revised = found._replace(
        fields=found.fields | fields_of(settings.item_fields, OF_BODY, told, settings),
        fallback=CALLABLE,
        body=told,
        size=len(text),
        read=None,
        source=whole_source(found.source, path),
    )
    return revised.measured()
