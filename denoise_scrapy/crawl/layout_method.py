"""The page method that reads a page's layout in the browser. Imported only where scrapy-playwright is in use."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

from scrapy_playwright.page import PageMethod

from denoise_scrapy.page.markup import SKIPPED_TAGS
from denoise_scrapy.shown import logger_of

logger = logger_of(__name__)

SCRIPT = Path(__file__).with_name("layout.js").read_text(encoding="utf-8")
# What is inside of these is none of ours. Of a head it may be: where a script put a frame into it, our parser ends it.
LEAVES = sorted(SKIPPED_TAGS - {"head"})
# Larger pages get no boxes: reading these takes about half a second in the browser, in which the page stands still.
MOST_ELEMENTS = 50_000
# Ten times what so many elements take; a page whose own scripts never pause would hold us for ever.
LONGEST = 5.0


class LayoutMethod(PageMethod):  # type: ignore[misc]  # untyped
    """Page method whose result is a page's layout as text, "" where it could not be read.

    Copied or pickled, into a job directory for one, it leaves its result behind.

    Args:
        before: The page methods it was added to, None where there were none.
    """

    def __init__(self, before: Any = None):
        self.before = before
        super().__init__(read_layout)

    def __reduce__(self) -> tuple[type[LayoutMethod], tuple[()]]:
        return LayoutMethod, ()


async def read_layout(page: Any) -> str:
    """Return the layout of a Playwright page as `layout.js` tells it; never raises, as that would fail the request."""
    given = [LEAVES, MOST_ELEMENTS]
    for again in (True, False):
        try:
            return str(await asyncio.wait_for(page.evaluate(SCRIPT, given), LONGEST))
        except Exception as error:
            logger.debug("No layout of %s: %r", getattr(page, "url", page), error)
            if not again or "navigation" not in str(error):
                break
        with suppress(Exception):  # the page's script has gone to another one: scrapy-playwright waits for that too
            await page.wait_for_load_state(timeout=1000 * LONGEST)
    return ""
