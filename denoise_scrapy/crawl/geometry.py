"""The layout of rendered pages: read in the browser and matched with the elements of our own parse.

It is read by a page method of scrapy-playwright, the last one of a request, which returns all boxes, and the page's
tags without text, each with its number; our parser repairs these as it repairs the page. The page itself is not
modified, so Scrapy's response, the HTTP cache and pages kept open are unaffected.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from scrapy import Request
from scrapy.http import Response

from denoise_scrapy.core.markup import SKIPPED_TAGS
from denoise_scrapy.core.tree import tree_of
from denoise_scrapy.crawl.base import Crawl
from denoise_scrapy.page import Page
from denoise_scrapy.page.columns import Boxes
from denoise_scrapy.page.parse import root_of, to_utf8
from denoise_scrapy.settings import ConfigurationError, DenoiseSettings
from denoise_scrapy.shown import logger_of

logger = logger_of(__name__)

METHODS_META = "playwright_page_methods"
# The key of our method if page methods are given as a dict.
METHOD_KEY = "denoise_layout"
# Values per element from `layout.js`: x, y, width, height and font size in tenths of pixels, flags.
COLUMNS = 6
# The attribute with a tag's number there. A page's own attributes of this name occur only in `noscript` and similar.
NUMBER = "n"
TENTHS = np.float32(10)
HIDDEN, PINNED = 1, 2
SCRIPT = Path(__file__).with_name("layout.js").read_text(encoding="utf-8")
# Elements whose content is ignored. Not the head: our parser closes it early if a script put a frame into it.
LEAVES = sorted(SKIPPED_TAGS - {"head"})
# Larger pages get no boxes: reading so many takes about half a second, during which the browser's page is blocked.
MOST_ELEMENTS = 50_000
# Maximum seconds, ten times the usual maximum: a page whose scripts never pause would block us forever.
LONGEST = 5.0
MISSING_LAYOUT = (
    "%s was rendered, but its layout is unknown, and its text is extracted without it. Further such pages are counted "
    "as denoise/geometry/missing and denoise/geometry/mismatch"
)
_MISSING = "needs scrapy-playwright, which is not installed: pip install denoise-scrapy[playwright]"


async def read_layout(page: Any) -> str:
    """Return the layout of a Playwright page, from `layout.js`; never raises, as that would fail the request."""
    given = [LEAVES, MOST_ELEMENTS]
    for again in (True, False):
        try:
            return str(await asyncio.wait_for(page.evaluate(SCRIPT, given), LONGEST))
        except Exception as error:
            logger.debug("No layout of %s: %r", getattr(page, "url", page), error)
            if not again or "navigation" not in str(error):
                break
        with suppress(Exception):  # a script has navigated to another page: scrapy-playwright waits for it as well
            await page.wait_for_load_state(timeout=1000 * LONGEST)
    return ""


LayoutMethod: Any = None
with suppress(ImportError):  # scrapy-playwright is optional
    from scrapy_playwright.page import PageMethod

    class LayoutMethod(PageMethod):  # type: ignore[misc,no-redef]  # untyped
        """A page method whose result is a page's layout, "" if it could not be read; copies have no result."""

        def __init__(self, before: Any = None):
            self.before = before
            super().__init__(read_layout)

        def __reduce__(self) -> tuple[Any, tuple[()]]:
            return LayoutMethod, ()


def _boxes(size: str, values: str) -> Boxes:
    page_width, page_height, viewport_width, viewport_height = map(float, size.split(","))
    columns = np.fromiter(map(int, values.split(",")), np.int64).reshape(-1, COLUMNS).T
    x, y, width, height, font_size = columns[:-1].astype(np.float32) / TENTHS
    hidden, pinned = columns[-1] & HIDDEN != 0, columns[-1] & PINNED != 0
    page = page_width, page_height
    return Boxes(x, y, width, height, *page, ~hidden, font_size, pinned, viewport_width, viewport_height)


class Geometry:
    """Obtains the layout of rendered pages."""

    def __init__(self, crawl: Crawl):
        if LayoutMethod is None and crawl.settings.enabled and crawl.settings.geometry == "require":
            raise ConfigurationError(f"DENOISE_GEOMETRY = 'require' {_MISSING}")
        self._crawl = crawl
        self._layouts: WeakKeyDictionary[Request, str] = WeakKeyDictionary()

    def ask(self, request: Request, settings: DenoiseSettings) -> None:
        """Add our page method to a request for a rendered page."""
        if not settings.enabled or settings.geometry == "off" or not request.meta.get("playwright"):
            return
        if LayoutMethod is None:
            self._crawl.say_once("playwright", logging.WARNING, f"To render %s {_MISSING}", request.url)
            return
        if not _waits_for_load(request):
            return
        self.take(request)
        self._layouts.pop(request, None)  # from an earlier attempt
        given = request.meta.get(METHODS_META)
        ours = LayoutMethod(given)
        request.meta[METHODS_META] = {**given, METHOD_KEY: ours} if isinstance(given, dict) else [*(given or ()), ours]

    def take(self, request: Request) -> None:
        """Keep the layout for as long as the request lives, and restore the request's meta."""
        methods = request.meta.get(METHODS_META)
        given = list(methods.values() if isinstance(methods, dict) else methods or ())
        ours = next((one for one in given if LayoutMethod is not None and isinstance(one, LayoutMethod)), None)
        if ours is None:
            return
        if isinstance(ours.result, str) and ours.result:
            self._layouts[request] = ours.result
        rest: Any = [one for one in given if one is not ours]
        if isinstance(methods, dict):
            rest = {key: one for key, one in methods.items() if one is not ours}
        before = ours.before
        if rest == (before if isinstance(before, dict) else list(before or ())):
            rest = before  # the spider's own object, unless methods were added
        request.meta[METHODS_META] = rest
        if rest is None:
            del request.meta[METHODS_META]

    def layout_of(self, request: Request, response: Response, settings: DenoiseSettings) -> str | None:
        """Return the layout of a rendered page, for `boxes_on`, "" if it is missing; None if it is not used."""
        if settings.geometry == "off" or not request.meta.get("playwright"):
            return None
        layout = self._layouts.pop(request, "")
        # browsers wrap JSON, XML and PDF in their own pages
        return layout if b"html" in (response.headers.get("Content-Type") or b"").lower() else ""

    def note(self, page: Page, layout: str | None, response: Response, settings: DenoiseSettings) -> None:
        """Count whether a page received its layout."""
        if layout is None:
            return
        if page.boxes is not None:
            self._crawl.count("geometry/attached")
            self._crawl.count("geometry/elements", int(np.count_nonzero(~np.isnan(page.boxes.x))))
            return
        self._crawl.count("geometry/mismatch" if layout else "geometry/missing")
        if settings.geometry == "require":
            self._crawl.say_once("geometry", logging.WARNING, MISSING_LAYOUT, response.url)


def _waits_for_load(request: Request) -> bool:
    """Return whether the request waits for the complete page anyway: scrapy-playwright does after any page method."""
    options = request.meta.get("playwright_page_goto_kwargs") or {}
    return options.get("wait_until") in {None, "load", "networkidle"} or bool(request.meta.get(METHODS_META))


def boxes_on(page: Page, layout: str) -> Boxes | None:
    """Return the boxes of a page's elements in order, from the output of `layout.js`; None if they do not match."""
    try:
        size, values, tags = layout.split("\n", 2)
        boxes, root = _boxes(size, values), root_of(to_utf8(tags))
        tree = None if root is None else tree_of(root, keep_nodes=True)
        if root is None or tree is None or tree.tags() != page.tree.tags():
            return None
        numbers = [-1] * len(tree.element_rows)
        elements = [element for top in (root, *root.itersiblings()) for element in top.iter()]
        for element, number in zip(elements, tree.numbers_of(elements), strict=True):
            if number >= 0:
                numbers[number] = int(element.get(NUMBER) or -1)
        found = np.array(numbers, np.intp)
    except (ValueError, OverflowError):  # scripts of the page have overridden the browser's functions
        return None
    known = found[found != -1]
    fits = not len(known) or (known.min() >= 0 and known.max() < len(boxes) and np.bincount(known).max() == 1)
    return boxes.taken(found) if fits else None
