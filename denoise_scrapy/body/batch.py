"""Bodies of many pages in one call: each is compared with pages of its site that come before and after it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from functools import partial

from denoise_scrapy.body.model import SiteModel
from denoise_scrapy.body.result import Body
from denoise_scrapy.body.strategies import DEFAULT_STRATEGY
from denoise_scrapy.body.strategies.finding import find_strategy
from denoise_scrapy.body.taste import NO_TASTE, Taste
from denoise_scrapy.page import Page
from denoise_scrapy.site import PageMemory, site_key

#: Pages that are parsed before the first body is told, so that a site's first pages have others to be compared with.
AHEAD = 16
#: What is remembered of the pages that came: bytes, and pages a site. A page of usual size takes some 50 KB, its facts
#: a tenth of that.
MEMORY_BYTES, PAGES_A_SITE = 64_000_000, 32


def extract_pages(
    pages: Iterable[tuple[str, str | bytes]],
    *,
    comparison_pages: int = 5,
    strategy: str = DEFAULT_STRATEGY,
    taste: Taste = NO_TASTE,
    keep: str | Iterable[str] = (),
    remove: str | Iterable[str] = (),
) -> Iterator[tuple[str, Body]]:
    """The bodies of many pages, in their order, in bounded memory.

    Pages of a site share a path table, and each is compared with others of it: so pages of one site should stand
    together, and those of one template near each other. Faster than `extract` a page, and better.

    Args:
        pages: URL and HTML of each page. Scheme, host and port of the URL tell its site.
        comparison_pages: How many others of its site a page is compared with, at most.
        strategy: A name in `STRATEGIES`.
        taste: What belongs to a body in the user's eyes.
        keep: CSS selectors or XPaths of what is content whatever a strategy says.
        remove: The same of what is none.

    Returns:
        URL and body of each page. Pages are read some way ahead.

    Raises:
        TypeError: A page is neither str nor bytes.
        ValueError: There is no such strategy, or a selector is invalid.

    Example:
        >>> frame = "<div>Site menu</div><p>{}</p><div>All rights reserved</div>"
        >>> stories = ["The bridge was closed because of the flood.", "A lynx was seen near the station at dawn."]
        >>> pages = [(f"http://a.example/{n}", frame.format(story)) for n, story in enumerate(stories)]
        >>> [body.text for _, body in extract_pages(pages)] == stories
        True
    """
    needs_elements = find_strategy(strategy).needs_elements
    keep, remove = ([name] if isinstance(name, str) else list(name) for name in (keep, remove))
    memory = PageMemory(MEMORY_BYTES, PAGES_A_SITE)

    def tell(page: Page) -> tuple[str, Body]:
        others = memory.comparison_pages(page, comparison_pages, whole=needs_elements)
        body = SiteModel.fit(others).extract(page, strategy=strategy, taste=taste)
        page.drop_columns()  # it is remembered; what of the body is asked for later makes them again
        return page.url, body

    parse = partial(Page.parse, keep=keep, remove=remove)
    waiting: deque[Page] = deque()
    for url, html in pages:
        page = parse(html, url=url, paths=memory.path_table(site_key(url)))
        memory.remember(page)
        waiting.append(page)
        if len(waiting) > AHEAD:
            yield tell(waiting.popleft())
    yield from map(tell, waiting)
