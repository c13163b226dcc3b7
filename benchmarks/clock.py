"""How cost is measured: processor time in multiples of lxml's plain parse of the same page.

On a machine that does other work, ratios of times taken in turn can be told and milliseconds cannot.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import process_time
from typing import Any, NamedTuple, TypeVar

import numpy as np
from lxml import etree

from benchmarks.corpora import RecordedPage
from denoise_scrapy.body import SiteModel
from denoise_scrapy.page import Page, PageFacts

#: Comparison pages that are measured.
COMPARED = (0, 1, 3, 5, 9)

T = TypeVar("T")


class Spread(NamedTuple):
    """Median of a figure, its 10th and 90th percentile, and the number of pages (or sites) behind it."""

    median: float
    low: float
    high: float
    pages: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """The spread of some values, at least one.

        >>> Spread.of(range(11))
        Spread(median=5.0, low=1.0, high=9.0, pages=11)
        """
        known = np.fromiter(values, float)
        low, median, high = np.percentile(known, [10, 50, 90]).tolist()
        return cls(median, low, high, len(known))

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Spread:
        """The spread of a report's row."""
        return cls(*(row[name] for name in cls._fields))

    def row(self) -> dict[str, float]:
        """As a part of a report's row."""
        return {name: round(value, 4) for name, value in self._asdict().items()}

    def __str__(self) -> str:
        return f"{self.median:.2f} ({self.low:.2f}–{self.high:.2f})"


def as_bytes(page: RecordedPage) -> bytes:
    """What lxml is given of a page."""
    return page.html.encode("utf-8", "replace")


def parse_seconds(body: bytes, repetitions: int = 1) -> float:
    """Best time of lxml's plain parse: one P."""
    best = np.inf
    for _ in range(repetitions):
        start = process_time()
        etree.fromstring(body, etree.HTMLParser(encoding="utf-8"))
        best = min(best, process_time() - start)
    return max(best, 1e-6)


def in_new_thread(run: Callable[[], T]) -> T:
    """Run a function in a thread of its own.

    In one thread the plain parse of the same pages took 15 to 30% longer after 500 to 1,600 others, in a new thread as
    long as at first, with a single malloc arena too: presumably by lxml's dictionary of names, which all parsers of a
    thread share and which only grows. Our multiples would be lower the later they are measured.
    """
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()


def make_body(recorded: RecordedPage, others: Sequence[PageFacts]) -> Page:
    """What is measured: HTML to text by the default strategy, compared with other pages of its site."""
    page = Page.parse(recorded.html, url=recorded.url)
    SiteModel.fit(others).extract(page)
    return page


def forget_caches() -> None:
    """Empty the bounded caches of the package, as they are where a crawl starts. What was loaded stays loaded."""
    for cached in bounded_caches():
        cached.cache_clear()


def bounded_caches() -> Iterator[Any]:
    """The functions of the package with a cache of limited size: what they remember depends on the pages."""
    for name, module in list(sys.modules.items()):
        if name.startswith("denoise_scrapy"):
            for value in list(vars(module).values()):
                told = getattr(value, "cache_parameters", None)
                if told is not None and told()["maxsize"] is not None:
                    yield value
