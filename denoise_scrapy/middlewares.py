"""The two middlewares: one reads pages, the other starts the passage of each item."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from copy import copy
from typing import Any

from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.http import Response

from denoise_scrapy.crawl.budget import FETCH_META
from denoise_scrapy.crawl.pages import OK, redirected_from
from denoise_scrapy.crawl.passages import ResponseItems
from denoise_scrapy.crawl.state import Component


class ComparisonPagesMiddleware(Component):
    """Downloader middleware: reads and remembers each page as the spider receives it.

    It belongs next to the engine, where a response has passed all other middlewares, including those that decrypt,
    render or clean it. Responses pass unchanged.
    """

    def process_request(self, request: Request) -> None:
        """Record the URLs that the spider requests."""
        try:
            if FETCH_META not in request.meta:
                self._state.pages.note_visit(request)
        except Exception as error:
            self._crawl.report("process_request", error, request.url)

    async def process_response(self, request: Request, response: Response) -> Response:
        """Read the page of a response."""
        try:
            request = response.request or request  # may differ if a middleware sent another
            # other pages are read only when an item needs their text
            is_fetched = request.method == "GET" and response.status == OK and FETCH_META not in request.meta
            page = await self._state.pages.read(request, response) if is_fetched else None
            if page is None:
                self._note_answer(request)
            elif page.tally is not None:
                page.tally.counts.fetched += 1
        except Exception as error:
            self._crawl.report("process_response", error, response.url)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Note a request that fails."""
        try:
            self._note_answer(request)
        except Exception as error:
            self._crawl.report("process_exception", error, request.url)

    def _note_answer(self, request: Request) -> None:
        """Note a request of the spider that brings no page, which an item may wait for."""
        if self._crawl.settings.pages_field and request.method == "GET" and FETCH_META not in request.meta:
            self._state.paged.answer([request.url, *redirected_from(request)])


class ItemPageMiddleware(Component):
    """Spider middleware: decides which page's text each item gets (`denoise_scrapy.crawl.passages`).

    It belongs next to the engine (10), where it sees items as they enter the pipelines. An item that may be the only
    one of its response is held until the next one arrives or the callback ends. A request that carries an item to its
    callback is sent once this has left our pipelines, as without us it has.
    """

    def process_spider_input(self, response: Response) -> None:
        """Note a response that enters its callback."""
        self._state.passages.begin(response)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Pass on items and requests."""
        passages, error = self._state.passages, None
        siblings = passages.of_response(response)
        carrying = siblings.carrying
        try:
            async for each in result:
                for ready in await self._taken(siblings, response, each):
                    if isinstance(ready, Request) and passages.carried(ready):
                        carrying.append(ready)
                    else:
                        yield ready
                while carrying and siblings.held is None:
                    yield await passages.after_items(carrying.popleft())
        except Exception as raised:  # by the callback
            error = raised
        if siblings.held is not None:
            yield passages.decided(siblings.held)
        while carrying:
            yield await passages.after_items(carrying.popleft())
        if siblings.sending:  # from here to the pipelines: a crawl that ends waits for responses
            await asyncio.wait(siblings.sending)
        try:
            if error is not None:
                raise error
        finally:
            del error  # its traceback holds this frame, and this the response, until the next collection

    async def _taken(self, siblings: ResponseItems, response: Response, each: Any) -> list[Any]:
        """Return the objects that may pass now: requests at once, items when their pages are decided."""
        try:
            if isinstance(each, Request):
                if each is response.request:  # Scrapy fails where one is answered while items of its last answer wait
                    each = copy(each)  # its own method calls the class, whose arguments are unknown
                self._state.pages.note_visit(each, response)
                if self._crawl.settings.pages_field:
                    self._state.paged.note(response, each)
            elif ItemAdapter.is_item(each):
                return await self._state.passages.take(siblings, each)
        except Exception as error:
            self._crawl.report("process_spider_output", error, response.url)
        return [each]
