"""How the cost of a body grows with the page: `python -m benchmarks.growth --corpora DIR [--quick]`.

The body of one page, repeated within one page, up to 17,000 elements; each size in a loop. Multiples of lxml's plain
parse of the same page. Goal: at 17,000 elements at most 1.5 times the multiple at 1,800.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from functools import partial
from time import process_time

from benchmarks import report, sample
from benchmarks.clock import Spread, as_bytes, in_new_thread, make_body, parse_seconds
from benchmarks.corpora import RecordedPage, Site
from benchmarks.markdown import table
from benchmarks.sample import SampledSite
from denoise_scrapy.page import Page

SIZES = (350, 940, 1800, 3600, 8600, 17_000)
#: Sizes that the goal compares, and the goal.
SMALL, LARGE, GOAL = 1800, 17_000, 1.5
PAGES, REPETITIONS = 8, 3
QUICK_PAGES = 2
#: Comparison pages.
USUAL = 5
NAMES = "big9,dragnet,wcxb,zh"


def main() -> None:
    """Measure, print, put into the report."""
    ap = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    args = sample.arguments(ap, NAMES)
    wanted = QUICK_PAGES if args.quick else PAGES
    rows = list(measure(sample.sites(args), wanted))
    print(growth_table(rows), flush=True)
    report.merge("growth", rows, quick=args.quick)


def measure(known: Iterable[SampledSite], pages: int) -> Iterator[report.Row]:
    """Multiples of the parse at each size, and the ratio of the goal."""
    chosen = sample.pages_of_size(known, SIZES[0], pages)
    found = {s: [in_new_thread(partial(multiple, *page, s)) for page in chosen] for s in SIZES}
    for size, values in found.items():
        yield {"elements": size, "k": USUAL, **Spread.of(values).row()}
    ratios = [large / small for small, large in zip(found[SMALL], found[LARGE], strict=True)]
    yield {"elements": "ratio", "k": USUAL, **Spread.of(ratios).row()}


def multiple(site: Site, number: int, size: int) -> float:
    """A body in multiples of the parse, of a page that is multiplied to about so many elements."""
    page = enlarged(site[number], size)
    body = as_bytes(page)
    facts = [Page.parse(p.html, url=p.url).facts for i, p in enumerate(site) if i != number][:USUAL]
    best, one = 1e9, 1e9
    make_body(page, facts)
    for _ in range(REPETITIONS):
        one = min(one, parse_seconds(body))
        start = process_time()
        make_body(page, facts)
        best = min(best, process_time() - start)
    return best / one


def enlarged(page: RecordedPage, size: int) -> RecordedPage:
    """A page's body repeated until it has about so many elements."""
    return sample.multiplied([page], size / max(sample.count_elements(page), 1))


def growth_table(rows: Iterable[report.Row]) -> str:
    """A row a size."""
    known = {row["elements"]: row for row in rows}
    lines = [[f"{size:,}", str(Spread.read(known[size]))] for size in SIZES]
    ratio = [f"{LARGE:,} / {SMALL:,}", str(Spread.read(known["ratio"]))]
    return table([f"elements ({rows_pages(known.values())} pages)", "P"], [*lines, ratio])


def rows_pages(rows: Iterable[report.Row]) -> int:
    """Pages behind the first of some rows."""
    return int(next(iter(rows))["pages"])


if __name__ == "__main__":
    main()
