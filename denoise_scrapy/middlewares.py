"""The two middlewares: one reads the pages, the other decides which page's text an item has."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy import Request

from denoise_scrapy.crawl.comparison_request import FETCH_META, WAY_META, way_of_fetching
from denoise_scrapy.crawl.pages import OK
from denoise_scrapy.crawl.state import Component

if TYPE_CHECKING:
    from scrapy.http import Response


class ComparisonPagesMiddleware(Component):
    """Downloader middleware: reads and remembers each page; answers requests from fetched pages.

    Its place is between Scrapy's retry and user agent middlewares (545), where a response is
    decoded, redirected and final. A response always passes unchanged. A browser that renders a
    request gets a page method that reads the layout.
    """

    def process_request(self, request: Request) -> Response | None:
        """Answer the spider's request with a page that was fetched for comparison, if it was."""
        try:
            response = self._answer(request)
            if response is None and request.meta.get("playwright"):
                self._state.geometry.ask(request, self._state.pages.settings_for(request))
            return response
        except Exception as error:
            self._log.report("process_request", error)
            return None

    def process_response(self, request: Request, response: Response) -> Response:
        """Read the page of a response."""
        try:
            self._state.geometry.take(request)
            # Others are read only when an item asks for its text.
            if request.method == "GET" and response.status == OK and FETCH_META not in request.meta:
                self._state.pages.read(request, response)
        except Exception as error:
            self._log.report("process_response", error)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Give a request that failed back to the spider as it was."""
        try:
            self._state.geometry.take(request)
        except Exception as error:
            self._log.report("process_exception", error)

    def _answer(self, request: Request) -> Response | None:
        state = self._state
        if FETCH_META in request.meta:
            request.meta[WAY_META] = way_of_fetching(request)
            return None
        state.pages.note_visit(request)
        if not len(state.reuse.fetched) or not state.pages.settings_for(request).enabled:
            return None
        fingerprint = state.crawler.request_fingerprinter.fingerprint(request)
        response = state.reuse.pop(fingerprint, request)
        if response is not None:
            self._log.count("comparison/reused")
        return response


class ItemPageMiddleware(Component):
    """Spider middleware: decides whose text each item has (`denoise_scrapy.crawl.item_pages`).

    Its place is next to the engine (10), where it sees items as they enter the pipelines. An item that may be the only
    one of its response is held until the next one comes, or the callback ends.
    """

    def process_spider_input(self, response: Response) -> None:
        """Note which callback runs."""
        self._state.items.begin(response)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Pass items and requests on."""
        try:
            async for each in result:
                for ready in self._taken(response, each):
                    yield ready
        except Exception:  # of the callback
            for held in self._state.items.rest(response):
                yield held
            raise
        for held in self._state.items.rest(response):
            yield held

    def _taken(self, response: Response, each: Any) -> list[Any]:
        """Return what may go on now: a request at once, an item when its page is known."""
        try:
            if isinstance(each, Request) and response.request is not None:
                self._state.pages.note_request(response.request, each)
            elif ItemAdapter.is_item(each):
                return self._state.items.take(response, each)
        except Exception as error:
            self._log.report("process_spider_output", error)
        return [each]
