"""The layout of rendered pages, read in the browser (`page.boxes` reads the result).

It is read by a page method of scrapy-playwright, the last one of a request. The page itself is not modified, so
Scrapy's response, the HTTP cache and pages kept open are unaffected.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.http import Response

from denoise_scrapy.core.markup import SKIPPED_TAGS
from denoise_scrapy.core.tree import MAX_ELEMENTS
from denoise_scrapy.crawl.parts import Crawl
from denoise_scrapy.settings import ConfigurationError, DenoiseSettings
from denoise_scrapy.support.shown import logger_of

logger = logger_of(__name__)

METHODS_META = "playwright_page_methods"
SCRIPT = Path(__file__).with_name("layout.js").read_text(encoding="utf-8")
# Elements whose content is ignored. Not the head: our parser closes it early if a script put a frame into it.
LEAVES = sorted(SKIPPED_TAGS - {"head"})
# Maximum seconds, ten times the usual maximum: a page whose scripts never pause would block us forever.
LONGEST = 5.0
MISSING_LAYOUT = (
    "%s was rendered, but its layout is unknown, and its text is extracted without it. Further such pages are counted "
    "as denoise/geometry/missing"
)
_MISSING = "needs scrapy-playwright, which is not installed: pip install denoise-scrapy[playwright]"


async def read_layout(page: Any) -> str:
    """Return the layout of a Playwright page, from `layout.js`; never raises, as that would fail the request."""
    given = [LEAVES, MAX_ELEMENTS]  # larger pages are read without structure
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

        def __reduce__(self) -> tuple[Any, tuple[Any]]:
            return LayoutMethod, (self.before,)


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
            self._crawl.say_once("playwright", f"To render %s {_MISSING}", request.url)
            return
        goto = request.meta.get("playwright_page_goto_kwargs") or {}
        if goto.get("wait_until") not in {None, "load", "networkidle"} and not request.meta.get(METHODS_META):
            return  # it does not wait for the complete page, as scrapy-playwright does after any page method
        self.take(request)
        self._layouts.pop(request, None)  # from an earlier attempt
        given = request.meta.get(METHODS_META)
        methods = given.values() if isinstance(given, dict) else given or ()
        request.meta[METHODS_META] = [*methods, LayoutMethod(given)]

    def take(self, request: Request) -> None:
        """Keep the layout for as long as the request lives, and restore the request's meta."""
        methods = request.meta.get(METHODS_META)
        ours: Any = methods[-1] if methods and isinstance(methods, list) else None
        if type(ours) is not LayoutMethod:
            return
        if ours.result:
            self._layouts[request] = ours.result
        request.meta[METHODS_META] = ours.before
        if ours.before is None:
            del request.meta[METHODS_META]

    def layout_of(self, request: Request, response: Response, settings: DenoiseSettings) -> str | None:
        """Return the layout of a rendered page, "" if it is missing; None if it is not used."""
        if settings.geometry == "off" or not request.meta.get("playwright"):
            return None
        layout = self._layouts.pop(request, "")
        # browsers wrap JSON, XML and PDF in their own pages
        return layout if b"html" in (response.headers.get("Content-Type") or b"").lower() else ""

    def note(self, boxes: int, url: str, settings: DenoiseSettings) -> None:
        """Count whether a rendered page received its layout, given how many of its elements have a box."""
        self._crawl.count("geometry/attached" if boxes else "geometry/missing")
        if not boxes and settings.geometry == "require":
            self._crawl.say_once("geometry", MISSING_LAYOUT, url)
