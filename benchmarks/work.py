"""The gate of cost: `python -m benchmarks.work [--gate | --set-baseline]`.

Time on a busy machine tells little; counted work is the same in every run. It is counted on pages of the example
portal, which are in the repository, each after others of its section:

- calls: of functions in Python, and of those in C that Python calls by name;
- instructions: of bytecode, where each operator on arrays is one: what is left in Python of a body's fixed cost;
- kilobytes: the most that is allocated at a time, numpy's arrays included, lxml's trees and the core's columns not;
- columns: bytes of the core's columns, for each byte of a page.

How work grows is told by a page that is repeated within itself: work on 8 times the page / 8 times the work. The
compiled core is not counted. For it two ratios of times are held too, with a wide margin: a body in multiples of
lxml's plain parse, and how that multiple grows up to 17,000 elements.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from statistics import mean, median
from typing import NamedTuple

from benchmarks import ceilings, growth, report, sample, turns
from benchmarks.clock import as_bytes, forget_caches
from benchmarks.corpora import RecordedPage, Site, portal
from benchmarks.counting import Counts, count
from denoise_scrapy.body import DEFAULT_STRATEGY, STRATEGIES, SiteModel
from denoise_scrapy.page import Page, PageFacts

#: Pages of each section that are counted, after as many others as the default strategy compares with.
PAGES, OTHERS = 2, 5
#: A page of the portal, repeated so many times: some 800 and 6,400 elements.
SMALL, LARGE = 8, 64
#: What a figure may grow to. Allocations vary by a thousandth between runs, times by a tenth, or by more under load.
COUNT, BYTES, TIME, TIME_GROWTH = 1.1, 1.25, 1.35, 1.6
#: Kilobytes that are always allowed: garbage of the interpreter's own is some 10 more or less.
FEW_KILOBYTES = 100
#: Growth that is always allowed: less of it tells of a fixed cost, which may well become less.
LINEAR = 1.0
#: Times above their ceiling are taken again so often, and the least counts: other work can only make them longer.
RETRIES = 2


class Work(NamedTuple):
    """One figure: its name in the baseline, its value, and the factor that it, or a goal above it, may grow by."""

    name: str
    value: float
    margin: float
    goal: float = 0

    @property
    def ceiling(self) -> float:
        """What it may grow to from now on."""
        return max(self.value, self.goal) * self.margin


def main() -> int:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.work", description=__doc__)
    ap.add_argument("--gate", action="store_true", help="fail where a figure is above its ceiling in baseline.json")
    ap.add_argument("--set-baseline", action="store_true", help="write the ceilings")
    args = ap.parse_args()
    found = {work.name: work for work in _shown(measure())}
    if args.set_baseline:
        ceilings.write({work.name: work.ceiling for work in found.values()}, pages())
    wrong = failures(found) if args.gate else {}
    for _ in range(RETRIES):
        if any(name.startswith("time") for name in wrong):
            found |= {w.name: min(w, found[w.name]) for w in _shown(timed())}
            wrong = failures(found)
    report.merge("work", [work._asdict() for work in found.values()])
    lines = list(wrong.values()) or [f"{len(found)} figures" + (", none above its ceiling" if args.gate else "")]
    print("\n".join(lines))
    return bool(wrong)


def failures(found: Mapping[str, Work]) -> dict[str, str]:
    """What is above its ceiling, or has none: a sentence for each name."""
    return ceilings.failures({name: work.value for name, work in found.items()}, pages())


def _shown(works: Iterable[Work]) -> Iterator[Work]:
    for work in works:
        print(f"{work.name:42s} {work.value:10.5g}", flush=True)
        yield work


def pages() -> Site:
    """The pages that the ceilings hold for."""
    return portal()


@cache
def sections() -> list[Site]:
    """The portal's sections that have pages enough."""
    return [site for site in sample.sections(portal()) if len(site) >= OTHERS + PAGES]


def measure() -> Iterator[Work]:
    """All figures."""
    for strategy in STRATEGIES:
        yield from fixed(strategy, PAGES if strategy == DEFAULT_STRATEGY else 1)
    yield from grown()
    yield from timed()
    read = [(len(as_bytes(page)), Page.parse(page.html).tree.nbytes) for site in sections() for page in site]
    yield Work("columns", sum(columns for _, columns in read) / sum(size for size, _ in read), BYTES)


def fixed(strategy: str, wanted: int) -> Iterator[Work]:
    """Work of a body, mean over pages of all sections."""
    found = [counts for site in sections() for counts in _count_site(site, strategy, wanted)]
    yield Work(f"{strategy} calls", mean(c.calls for c in found), COUNT)
    yield Work(f"{strategy} instructions", mean(c.instructions for c in found), COUNT)
    yield Work(f"{strategy} kilobytes", mean(c.kilobytes for c in found), BYTES, FEW_KILOBYTES)


def grown() -> Iterator[Work]:
    """Work on eight times a page / eight times the work on the page."""
    small, large = (_count_twice(sample.multiplied(sections()[0][:1], times)) for times in (SMALL, LARGE))
    share = SMALL / LARGE
    yield Work("growth instructions", large.instructions / small.instructions * share, COUNT, LINEAR)
    yield Work("growth kilobytes", large.kilobytes / small.kilobytes * share, BYTES, LINEAR)


def timed() -> Iterator[Work]:
    """Ratios of times."""
    sites = [sample.SampledSite("portal", n, site[: sample.SITE_PAGES]) for n, site in enumerate(sections())]
    found = turns.in_turn(sites, turns.facts_of(sites), OTHERS, turns.PASSES)
    yield Work("time parses", median(turn.parses for turn in found), TIME)
    site = sections()[0][: OTHERS + 1]
    large, small = (growth.multiple(site, 0, size) for size in (growth.LARGE, growth.SMALL))
    yield Work("time growth", large / small, TIME_GROWTH, growth.GOAL)


def _count_site(site: Site, strategy: str, wanted: int) -> Iterator[Counts]:
    forget_caches()
    facts = list[PageFacts | Page]()
    for number, recorded in enumerate(site[: OTHERS + wanted]):
        if number < OTHERS:
            facts.append(_body(recorded, facts, strategy))
        else:
            yield count(lambda: _body(recorded, facts, strategy))  # noqa: B023 - called at once


def _count_twice(recorded: RecordedPage) -> Counts:
    """Work on a page that was met before."""
    _body(recorded, (), DEFAULT_STRATEGY)
    return count(lambda: _body(recorded, (), DEFAULT_STRATEGY))


def _body(recorded: RecordedPage, others: Sequence[Page | PageFacts], strategy: str) -> Page:
    page = Page.parse(recorded.html, url=recorded.url)
    SiteModel.fit(others).extract(page, strategy=strategy)
    return page


if __name__ == "__main__":
    sys.exit(main())
