"""Where elements lie on a rendered page: asked of the browser, joined to the elements of our own parse.

The browser is asked by a page method of scrapy-playwright, the last one of a request. It gives all boxes, and the
page's tags without text, each with its number, which our parser repairs as it does the page. Nothing is written to the
page: neither the body that Scrapy gets, nor what the HTTP cache stores, nor a page kept open knows of it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from scrapy import Request

from denoise_scrapy.page.geometry import Boxes
from denoise_scrapy.page.layout import boxes_by_number
from denoise_scrapy.setting_values import ConfigurationError

try:
    from denoise_scrapy.crawl.layout_method import LayoutMethod
except ImportError:  # without scrapy-playwright no page is rendered by it
    LayoutMethod = None  # type: ignore[assignment,misc]

if TYPE_CHECKING:
    from scrapy.http import Response

    from denoise_scrapy.crawl.state import CrawlState
    from denoise_scrapy.page import Page
    from denoise_scrapy.settings import DenoiseSettings

METHODS_META = "playwright_page_methods"
# Our method's key where they are given as a dict.
METHOD_KEY = "denoise_layout"
# What `layout.js` tells of an element: x, y, width, height, font size in tenths of pixels, flags.
COLUMNS = 6
# The attribute that numbers the tags there. A page's own of that name would stand inside `noscript` and the like only.
NUMBER = "n"
TENTHS = np.float32(10)
HIDDEN, PINNED = 1, 2
_MISSING = "needs scrapy-playwright, which is not installed: pip install denoise-scrapy[playwright]"


def _boxes(size: str, values: str) -> Boxes:
    """Read the boxes by number."""
    page_width, page_height, viewport_width, viewport_height = map(float, size.split(","))
    columns = np.fromiter(map(int, values.split(",")), np.int64).reshape(-1, COLUMNS).T
    x, y, width, height, font_size = columns[:-1].astype(np.float32) / TENTHS
    hidden, pinned = columns[-1] & HIDDEN != 0, columns[-1] & PINNED != 0
    page = page_width, page_height
    return Boxes(x, y, width, height, *page, ~hidden, font_size, pinned, viewport_width, viewport_height)


class Geometry:
    """Gives rendered pages their boxes, where there are any.

    Args:
        state: The crawl.

    Raises:
        ConfigurationError: Boxes are required, and scrapy-playwright is not installed.
    """

    def __init__(self, state: CrawlState):
        if LayoutMethod is None and state.settings.enabled and state.settings.geometry == "require":
            raise ConfigurationError(f"DENOISE_GEOMETRY = 'require' {_MISSING}")
        self._state = state
        self._layouts: WeakKeyDictionary[Request, str] = WeakKeyDictionary()

    def ask(self, request: Request, settings: DenoiseSettings) -> None:
        """Have the browser that renders `request`, if one does, tell where its elements lie."""
        if not settings.enabled or settings.geometry == "off" or not request.meta.get("playwright"):
            return
        if LayoutMethod is None:
            self._state.say_once("playwright", logging.WARNING, f"To render %s {_MISSING}", request.url)
            return
        if not _waits_for_load(request):
            return
        self.take(request)
        self._layouts.pop(request, None)  # of an attempt before
        given = request.meta.get(METHODS_META)
        ours = LayoutMethod(given)
        request.meta[METHODS_META] = {**given, METHOD_KEY: ours} if isinstance(given, dict) else [*(given or ()), ours]

    def take(self, request: Request) -> None:
        """Keep what the browser told for as long as the request lives; its meta is as it was before `ask`."""
        for method in _ours(request):
            _remove(method, request)
            if isinstance(method.result, str) and method.result:
                self._layouts[request] = method.result

    def attach(self, page: Page, request: Request, response: Response, settings: DenoiseSettings) -> None:
        """Give a page its boxes, if it was rendered; counts what comes of it."""
        if settings.geometry == "off" or not request.meta.get("playwright"):
            return
        layout = self._layouts.pop(request, None)
        if layout is None or not _says_html(response):
            self._state.count("geometry/missing")
        else:
            page.boxes = boxes_on(page, layout)
            self._state.count("geometry/attached" if page.boxes is not None else "geometry/mismatch")
        if page.boxes is not None:
            self._state.count("geometry/elements", int(np.count_nonzero(~np.isnan(page.boxes.x))))
        elif settings.geometry == "require":
            self._say_missing(response)

    def _say_missing(self, response: Response) -> None:
        self._state.say_once(
            "geometry",
            logging.WARNING,
            "%s was rendered, but where its elements lie is not known; its text is made without. Further such pages "
            "are counted under denoise/geometry/missing and denoise/geometry/mismatch",
            response.url,
        )


def _waits_for_load(request: Request) -> bool:
    """Whether a rendered page is loaded to its end anyway: scrapy-playwright waits for that after any method."""
    options = request.meta.get("playwright_page_goto_kwargs") or {}
    return options.get("wait_until") in {None, "load", "networkidle"} or bool(request.meta.get(METHODS_META))


def boxes_on(page: Page, layout: str) -> Boxes | None:
    """Return the boxes of a page's elements, as `layout.js` told them; None where it told of another page."""
    try:
        size, values, tags = layout.split("\n", 2)
        return boxes_by_number(page, tags, NUMBER, _boxes(size, values))
    except (ValueError, OverflowError):  # scripts of the page meddled with the browser's own functions
        return None


def _ours(request: Request) -> list[LayoutMethod]:
    """Our own ones of a request's page methods."""
    methods = request.meta.get(METHODS_META)
    given = methods.values() if isinstance(methods, dict) else methods or ()
    return [method for method in given if LayoutMethod is not None and isinstance(method, LayoutMethod)]


def _remove(method: LayoutMethod, request: Request) -> None:
    """Take our method out of a request's meta; where nobody added others, the spider's own object returns."""
    meta, methods, before = request.meta, request.meta[METHODS_META], method.before
    if isinstance(methods, dict):
        rest: Any = {key: other for key, other in methods.items() if other is not method}
        same = rest == before
    else:
        rest = [other for other in methods if other is not method]
        same = rest == list(before or ())
    if before is None and not rest:
        del meta[METHODS_META]
    else:
        meta[METHODS_META] = before if same else rest


def _says_html(response: Response) -> bool:
    """Whether the server sent HTML; of JSON, XML and PDF browsers make pages of their own."""
    return b"html" in (response.headers.get("Content-Type") or b"").lower()
