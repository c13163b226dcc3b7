"""What a body costs, stage by stage: `python -m benchmarks.stages --corpora DIR [--quick]`.

Multiples of lxml's plain parse of the same page, of pages of three sizes. A page comes after four others of its site,
as in a crawl: path table and caches know those, and never the page itself. The best of some repetitions counts.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from benchmarks import report, sample
from benchmarks.clock import COMPARED, Spread, as_bytes, forget_caches, in_new_thread, make_body, parse_seconds, ways
from benchmarks.corpora import RecordedPage, Site
from benchmarks.markdown import table
from benchmarks.tracing import OUTSIDE, STAGES, Tracer
from denoise_scrapy.page import Page, PageFacts, PathTable

#: Elements of a page, with the number of pages and of repetitions: large ones are made, and vary little.
SIZES = {500: (24, 3), 2000: (24, 2), 10_000: (8, 2)}
QUICK = {500: (8, 2), 2000: (4, 1)}
QUICK_COMPARED = (0, 5)  # also what is printed: the report has all
#: Pages of the site that come before: from then on a page costs about the same.
BEFORE = 4
#: Corpora with sites of several pages.
NAMES = "big9,dragnet,wcxb,zh,docs"
BODY = "a body, HTML to text"

Times = dict[str, float]


def main() -> None:
    """Measure, print, put into the report."""
    ap = argparse.ArgumentParser(prog="python -m benchmarks.stages", description=__doc__)
    args = sample.arguments(ap, NAMES)
    known, rows = sample.sites(args), []
    for size, (wanted, repetitions) in (QUICK if args.quick else SIZES).items():
        pages = [Target.of(*page) for page in sample.pages_of_size(known, size, wanted)]
        for way, k in ((way, k) for way in ways() for k in (QUICK_COMPARED if args.quick else COMPARED)):
            found = [in_new_thread(partial(measure, page, k, way, repetitions)) for page in pages]
            rows += [
                {"elements": size, "way": way, "k": k, "stage": stage, **spread.row()}
                for stage, spread in spreads(found)
            ]
        if pages:
            print(f"\n{stage_table([row for row in rows if row['elements'] == size])}", flush=True)
    report.merge("stages", rows, quick=args.quick)


class Target(NamedTuple):
    """A page to measure, others of its site, and the facts of these."""

    page: RecordedPage
    others: Site
    facts: list[PageFacts]

    @classmethod
    def of(cls, site: Site, number: int) -> Target:
        """That page of a site; the facts are read with a path table that is not measured with."""
        others, paths = [page for i, page in enumerate(site) if i != number], PathTable()
        return cls(site[number], others, [Page.parse(p.html, url=p.url, paths=paths).facts for p in others])


def measure(target: Target, k: int, way: str, repetitions: int) -> Times:
    """Multiples of lxml's parse by stage, for one page of a site with k comparison pages."""
    body, facts = as_bytes(target.page), target.facts[:k]
    best, one, tracer = dict[str, float](), 1e9, Tracer()
    with ways()[way]():
        for _ in range(repetitions):
            forget_caches()
            paths = PathTable()
            for other in target.others[:BEFORE]:
                make_body(other, facts, paths)
            one = min(one, parse_seconds(body))
            with tracer.seams():
                tracer.take()
                make_body(target.page, facts, paths)
                times = tracer.take()
            if not best or sum(times.values()) < sum(best.values()):
                best = times
    if tracer.missing:
        print(f"no such stage any more: {', '.join(sorted(set(tracer.missing)))}")
    return {stage: seconds / one for stage, seconds in best.items()} | {BODY: sum(best.values()) / one}


def spreads(found: Sequence[Times]) -> Iterator[tuple[str, Spread]]:
    """Spread of each stage over pages, in the order of work."""
    for stage in in_order(stage for times in found for stage in times):
        yield stage, Spread.of(times.get(stage, 0.0) for times in found)


def in_order(seen: Iterable[str]) -> list[str]:
    """Stages that were seen, each once, in about the order of work."""
    known = set(seen)
    return [stage for stage in [*STAGES, OUTSIDE, BODY] if stage in known]


def stage_table(rows: Iterable[report.Row], compared: Sequence[int] = QUICK_COMPARED) -> str:
    """Medians, and from the 10th to the 90th percentile, as a Markdown table: rows of one size."""
    known = {(row["stage"], row["way"], row["k"]): row for row in rows}
    columns = [(way, k) for way, k in dict.fromkeys(key[1:] for key in known) if k in compared]
    size, pages = next((row["elements"], row["pages"]) for row in known.values())
    head = [f"{size:,} elements ({pages} pages)", *(f"{way}, k = {k}" for way, k in columns)]
    empty = {"median": 0.0, "low": 0.0, "high": 0.0, "pages": 0}
    lines = []
    for stage in in_order(key[0] for key in known):
        cells = [Spread.read(known.get((stage, *column), empty)) for column in columns]
        lines.append([f"**{stage}**" if stage == BODY else stage, *(str(cell) if cell.high else "" for cell in cells)])
    return table(head, lines)


if __name__ == "__main__":
    main()
