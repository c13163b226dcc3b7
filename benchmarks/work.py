"""The gate of cost: `python -m benchmarks.work [--gate | --set-baseline]`.

Counted work is the same in every run, as times are not. It is counted on pages of the example portal, each compared
with others of its section:

- calls: of functions in Python, and of functions in C that Python calls by name;
- instructions: of bytecode, where each array operation is one: the part of a body's fixed cost that is in Python;
- kilobytes: the peak of allocated memory with numpy's arrays, without lxml's trees and the core's columns;
- columns: bytes of the core's columns per byte of the page;
- way: calls, files, changes of file and messages of an item in a crawl, without and with a worker (`benchmarks.way`).

Growth is measured on a page repeated within itself: work on 8 times the page / 8 times the work. The compiled core is
not counted. Two ratios of times cover it, with a wide margin: a body in multiples of lxml's plain parse, and the
growth of that multiple up to 17,000 elements.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from statistics import mean, median

from benchmarks import cost
from benchmarks.measuring import Counts, count, forget_caches
from benchmarks.way import way
from denoise_scrapy.body import DEFAULT_STRATEGY, STRATEGIES, SiteModel
from denoise_scrapy.page import Page, PageFacts
from evaluation import baseline
from evaluation.baseline import Figure
from evaluation.corpora import RecordedPage, Site, corpus_hash, portal, sections

#: Pages of each section that are counted, compared with as many others as the default strategy uses.
PAGES, OTHERS = 2, 5
#: Repetitions of a portal page: some 800 and 6,400 elements.
SMALL, LARGE = 8, 64
#: Most growth of figures. Allocations vary by a thousandth between runs, times by a tenth, or by more under load.
COUNT, BYTES, TIME, TIME_GROWTH = 1.1, 1.25, 1.35, 1.6
#: Kilobytes that are always allowed: the interpreter's own garbage varies by some 10.
FEW_KILOBYTES = 100
#: Growth that is always allowed: less than this is due to a fixed cost, which may well shrink.
LINEAR = 1.0
#: Repeated measurements of times above their ceiling; the least counts, since other work can only make them longer.
RETRIES = 2


def main() -> int:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.work", description=__doc__)
    baseline.add_gate_arguments(ap)
    args = ap.parse_args()
    found = {one.name: one for one in measure()}
    for _ in range(RETRIES if args.gate else 0):
        if any(name.startswith("work time") for name in baseline.failures(found.values())):
            found |= {one.name: min(one, found[one.name]) for one in timed()}
    return baseline.held(list(found.values()), args)


@cache
def pages() -> tuple[str, list[Site]]:
    """Return the hash of the portal's pages, and its sections with enough pages."""
    return corpus_hash([portal()]), [site for site in sections(portal()) if len(site) >= OTHERS + PAGES]


def figure(name: str, value: float, margin: float, goal: float = 0) -> Figure:
    """Print and return a figure that may grow by a factor, or to the same factor of a goal above it."""
    print(f"work {name:37s} {value:10.5g}", flush=True)
    bound = float(f"{max(value, goal) * margin:.4g}")
    return Figure(f"work {name}", value, pages()[0], bound, "ceiling", baseline.versions())


def measure() -> Iterator[Figure]:
    """Yield all figures."""
    for strategy in STRATEGIES:
        yield from fixed(strategy, PAGES if strategy == DEFAULT_STRATEGY else 1)
    yield from grown()
    yield from timed()
    read = [(len(page.html.encode("utf-8", "replace")), Page.parse(page.html)) for site in pages()[1] for page in site]
    for workers in (0, 1):
        for name, value in way(workers)._asdict().items():
            yield figure(f"way {name}, {workers} workers", value, COUNT)
    yield figure("columns", sum(page.tree.nbytes for _, page in read) / sum(size for size, _ in read), BYTES)


def fixed(strategy: str, wanted: int) -> Iterator[Figure]:
    """Yield the work of a body, mean over pages of all sections."""
    found = [counts for site in pages()[1] for counts in _count_site(site, strategy, wanted)]
    yield figure(f"{strategy} calls", mean(c.calls for c in found), COUNT)
    yield figure(f"{strategy} instructions", mean(c.instructions for c in found), COUNT)
    yield figure(f"{strategy} kilobytes", mean(c.kilobytes for c in found), BYTES, FEW_KILOBYTES)


def grown() -> Iterator[Figure]:
    """Yield the growth of work with the page."""
    small, large = (_count_twice(cost.repeated(pages()[1][0][0], times)) for times in (SMALL, LARGE))
    share = SMALL / LARGE
    yield figure("growth instructions", large.instructions / small.instructions * share, COUNT, LINEAR)
    yield figure("growth kilobytes", large.kilobytes / small.kilobytes * share, BYTES, LINEAR)


def timed() -> Iterator[Figure]:
    """Yield the ratios of times."""
    sites = [cost.SampledSite("portal", n, site[: cost.SITE_PAGES]) for n, site in enumerate(pages()[1])]
    yield figure("time parses", median(turn.parses for turn in cost.in_turn(sites, cost.PASSES)), TIME)
    yield figure("time growth", cost.growth_of(pages()[1][0]), TIME_GROWTH, cost.GOAL)


def _count_site(site: Site, strategy: str, wanted: int) -> Iterator[Counts]:
    forget_caches()
    facts = list[PageFacts | Page]()
    for number, recorded in enumerate(site[: OTHERS + wanted]):
        if number < OTHERS:
            facts.append(_body(recorded, facts, strategy))
        else:
            yield count(lambda: _body(recorded, facts, strategy))  # noqa: B023 - called at once


def _count_twice(recorded: RecordedPage) -> Counts:
    """Count the work on a page that was processed before."""
    _body(recorded, (), DEFAULT_STRATEGY)
    return count(lambda: _body(recorded, (), DEFAULT_STRATEGY))


def _body(recorded: RecordedPage, others: Sequence[Page | PageFacts], strategy: str) -> Page:
    page = Page.parse(recorded.html, url=recorded.url)
    SiteModel(others).extract(page, strategy=strategy)
    return page


if __name__ == "__main__":
    sys.exit(main())
