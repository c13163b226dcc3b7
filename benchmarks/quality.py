"""How good the bodies are: token F1 of each strategy on each corpus, and what a body costs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from statistics import mean, median, pstdev

from lxml import etree

from benchmarks.corpora import RecordedPage, Site
from denoise_scrapy.body import SiteModel
from denoise_scrapy.page import Page
from denoise_scrapy.site import likest_first
from example_project.scoring import f1

#: Below this F1 a page counts as failed.
FAILED = 0.5


@dataclass(frozen=True)
class Row:
    """One strategy on one corpus.

    Attributes:
        pages: Pages measured.
        f1: Mean token F1.
        error: Standard error of that mean.
        empty: Pages without a body.
        failed: Share of pages with an F1 below .5.
        ms: Median CPU milliseconds a page: parse, comparison, choice and text.
        parses: The same in multiples of lxml's plain parse of the page (median of ratios).
    """

    corpus: str
    strategy: str
    comparison_pages: int
    pages: int
    f1: float
    error: float
    empty: int
    failed: float
    ms: float
    parses: float

    def as_dict(self) -> dict[str, object]:
        """The row for a report."""
        return {k: round(v, 4) if isinstance(v, float) else v for k, v in asdict(self).items()}


@dataclass(frozen=True)
class _Result:
    f1: float
    empty: bool
    seconds: float
    parse_seconds: float


def measure(corpus: str, sites: Iterable[Site], strategy: str, k: int) -> Row:
    """Extract every page with up to `k` others of its site as comparison pages, and score it."""
    return _row(corpus, strategy, k, [r for site in sites for r in _extract_site(site, strategy, k)])


def measure_peer(corpus: str, sites: Iterable[Site], name: str, extract: Callable[[str], str]) -> Row:
    """The same for an extractor that reads one page alone."""
    results = []
    for page in (page for site in sites for page in site):
        start = time.process_time()
        text = extract(page.html)
        seconds = time.process_time() - start
        results.append(_Result(f1(text, page.gold), not text.strip(), seconds, _parse_seconds(page)))
    return _row(corpus, name, 0, results)


def measure_site_peer(corpus: str, sites: Iterable[Site], name: str, extract: Callable[[Site], list[str]]) -> Row:
    """The same for an extractor that reads all pages of a site together; its time is shared out evenly."""
    results = []
    for site in sites:
        start = time.process_time()
        texts = extract(site)
        seconds = (time.process_time() - start) / len(site)
        for page, text in zip(site, texts, strict=True):
            results.append(_Result(f1(text, page.gold), not text.strip(), seconds, _parse_seconds(page)))
    return _row(corpus, name, 0, results)


def _extract_site(site: Site, strategy: str, k: int) -> Iterator[_Result]:
    """Each page of a site by a strategy, compared with the likest others."""
    others = [Page.parse(page.html, url=page.url) for page in site]
    for i, recorded in enumerate(site):
        rest = likest_first(others[i], [*others[:i], *others[i + 1 :]])  # as a crawl's memory gives them
        model = SiteModel.fit(rest[:k])
        start = time.process_time()
        page = Page.parse(recorded.html, url=recorded.url)
        text = model.extract(page, strategy=strategy).text
        seconds = time.process_time() - start
        yield _Result(f1(text, recorded.gold), not text.strip(), seconds, _parse_seconds(recorded))


def _parse_seconds(page: RecordedPage) -> float:
    body = page.html.encode("utf-8", "replace")
    start = time.process_time()
    etree.fromstring(body, etree.HTMLParser(encoding="utf-8"))
    return max(time.process_time() - start, 1e-6)


def _row(corpus: str, strategy: str, k: int, results: list[_Result]) -> Row:
    scores = [result.f1 for result in results]
    return Row(
        corpus=corpus,
        strategy=strategy,
        comparison_pages=k,
        pages=len(results),
        f1=mean(scores),
        error=pstdev(scores) / len(scores) ** 0.5,
        empty=sum(result.empty for result in results),
        failed=mean(score < FAILED for score in scores),
        ms=1e3 * median(result.seconds for result in results),
        parses=median(result.seconds / result.parse_seconds for result in results),
    )
