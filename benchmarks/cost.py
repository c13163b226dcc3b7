"""Processor time of a body in P, lxml's plain parse of the same page: `python -m benchmarks.cost [--write | --gate]`.

Sites come in turn, each in a thread of its own, and each page of a site once: a loop over one page flatters, since its
texts and the processor's caches are warm. Each page is compared with five others of its site. Measured are

- pages by size, the first page of each site, and whole sites of up to ten pages;
- the worst page of all, goal 50 P (`--gate` measures this alone, and fails above it);
- growth: the multiple at 17,000 elements by that at 1,800, goal 1.5;
- other extractors, page by page in turn with ours.
"""

from __future__ import annotations

import argparse
import platform
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from statistics import median
from typing import NamedTuple

from benchmarks.measuring import forget_caches, in_new_thread, parse_seconds, seconds, spread
from benchmarks.ways import COMPARED, parsed, peers
from denoise_scrapy.body import SiteModel
from denoise_scrapy.page import Page, PageFacts
from evaluation import figures
from evaluation.corpora import RecordedPage, Site, add_corpora_argument, evenly, load, sections

#: Repetitions; the best time of a page counts.
PASSES = 3
#: Most and fewest pages of a site that are measured in turn.
SITE_PAGES, FEW_PAGES = 10, 8
#: Bounds of the size classes, in elements, and their names.
BUCKETS = (300, 700, 1500, 3000)
BUCKET_NAMES = ("< 300", "300–700", "700–1,500", "1,500–3,000", "> 3,000")
#: Most multiples of its own parse that a page's body may take, and how often a page above that is measured again:
#: ratios of times vary by a tenth, or more under load. The worst page of 1,800 takes less than half of the limit.
LIMIT, RETRIES = 50.0, 3
#: Page sizes compared for growth, its goal, and the number of pages and repetitions.
SMALL, LARGE, GOAL = 1800, 17_000, 1.5
GROWN_PAGES, GROWN_PASSES = 8, 3
#: Pages of a corpus that all extractors read.
PEERS_PAGES = 200
#: Distributions whose versions count.
PACKAGES = ("lxml", "numpy", "scrapy", "trafilatura", "readability-lxml", "resiliparse")
_BODY = re.compile(r"<body\b[^>]*>(.*?)(?:</body>|\Z)", re.DOTALL | re.IGNORECASE)


class SampledSite(NamedTuple):
    """Pages of a site, their corpus, and the number of the site in it."""

    corpus: str
    number: int
    pages: Site


class Turn(NamedTuple):
    """A measured page: numbers of its site and page, its elements, best seconds of parse and body."""

    corpus: str
    site: int
    page: int
    elements: int
    parse: float
    body: float

    @property
    def parses(self) -> float:
        """The body in multiples of the parse."""
        return self.body / self.parse


def main() -> int:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.cost", description=__doc__)
    add_corpora_argument(ap)
    ap.add_argument("--gate", action="store_true", help=f"fail where a page takes more than {LIMIT:g} parses")
    ap.add_argument("--write", action="store_true", help="write the figures into the documentation")
    args = ap.parse_args()
    sites = [
        SampledSite(corpus, number, site)
        for corpus, found in load(args.corpora, args.names if args.corpora else ())
        for number, site in enumerate(sections(found[0]) if corpus == "portal" else found)
    ]
    worst = worst_page(sites)
    line = f"{worst.parses:.0f} P ({worst.corpus}, site {worst.site}, page {worst.page})"
    print(f"The worst page takes {line}; the limit is {LIMIT:g}.", flush=True)
    if args.gate:
        return int(worst.parses > LIMIT)
    recorded = [site for site in sites if site.corpus != "portal" or not args.corpora]
    crawled = [site._replace(pages=site.pages[:SITE_PAGES]) for site in recorded if len(site.pages) >= FEW_PAGES]
    growth = median(in_new_thread(partial(growth_of, site.pages)) for site in evenly(crawled, GROWN_PAGES))
    parts = [
        f"Measured with {environment()}.",
        "Pages of a site in turn, each once (number of pages in brackets):",
        turns_table(in_turn(crawled, PASSES)),
        f"The worst recorded page: {worst.parses:.0f} P; the goal is {LIMIT:g}. A page of {LARGE:,} elements takes "
        f"{growth:.2f} times as many multiples as one of {SMALL:,}; the goal is {GOAL}.",
        "Other extractors, the same pages page by page in turn:",
        peers_table(sites),
    ]
    text = "\n\n".join(parts)
    print(text)
    if args.write:
        figures.write("cost", text)
    return 0


def environment() -> str:
    """Return the versions that affect cost."""
    found = [f"{package} {version(package)}" for package in PACKAGES if find_spec(package.partition("-")[0])]
    return ", ".join([f"python {platform.python_version()}", *found])


def make_body(recorded: RecordedPage, others: Iterable[PageFacts]) -> Page:
    """Extract a page with the default strategy, from HTML to text: the measured work."""
    page = Page.parse(recorded.html, url=recorded.url)
    SiteModel(others).extract(page)
    return page


def facts_of(sites: Iterable[SampledSite]) -> list[list[PageFacts]]:
    """Return the facts of the first pages of each site, one more than a page is compared with."""
    return [[page.facts for page in parsed(site.pages[: COMPARED + 1])] for site in sites]


def others_of(number: int, facts: Sequence[PageFacts]) -> list[PageFacts]:
    """Return the facts that a page of a site is compared with."""
    return [fact for n, fact in enumerate(facts) if n != number][:COMPARED]


def in_turn(sites: Sequence[SampledSite], passes: int) -> list[Turn]:
    """Extract all pages in turn, with empty caches at the start of each pass."""
    best, facts = dict[tuple[int, int], Turn](), facts_of(sites)
    for site in sites[:1]:
        make_body(site.pages[0], ())  # the first body of a process loads models
    for _ in range(passes):
        forget_caches()
        for i, (site, known) in enumerate(zip(sites, facts, strict=True)):
            for turn in in_new_thread(partial(_one_site, site, known)):
                before = best.get((i, turn.page), turn)
                faster = turn._replace(parse=min(turn.parse, before.parse), body=min(turn.body, before.body))
                best[i, turn.page] = faster
    return list(best.values())


def _one_site(site: SampledSite, facts: Sequence[PageFacts]) -> list[Turn]:
    turns = list[Turn]()
    for number, recorded in enumerate(site.pages):
        parse, pages = parse_seconds(recorded), list[Page]()
        body = seconds(lambda: pages.append(make_body(recorded, others_of(number, facts))))  # noqa: B023 - called at once
        turns.append(Turn(site.corpus, site.number, number, len(pages[0].elements), parse, body))
    return turns


def turns_table(turns: Iterable[Turn]) -> str:
    """Return medians, and 10th to 90th percentiles, by size, for first pages and for whole sites."""
    later, first = defaultdict[int, list[float]](list), list[float]()
    of_sites = defaultdict[tuple[str, int], list[Turn]](list)
    for turn in turns:
        (first if turn.page == 0 else later[sum(turn.elements >= bound for bound in BUCKETS)]).append(turn.parses)
        of_sites[turn.corpus, turn.site].append(turn)
    totals = [sum(turn.body for turn in site) / sum(turn.parse for turn in site) for site in of_sites.values()]
    groups = {f"later page, {BUCKET_NAMES[place]}": later[place] for place in sorted(later)}
    groups |= {"first page, all": first, "whole site, all": totals}
    rows = [[f"{name} ({len(values)})", spread(values)] for name, values in groups.items()]
    return figures.table(["elements (number)", f"k = {COMPARED}"], rows)


def worst_page(sites: Sequence[SampledSite]) -> Turn:
    """Return the page that takes the most parses; pages above the limit are measured again, and the least counts."""
    best = {turn[:3]: turn for turn in in_turn(sites, 1)}
    for _ in range(RETRIES):
        slow = {turn[:2] for turn in best.values() if turn.parses > LIMIT}
        for turn in in_turn([site for site in sites if site[:2] in slow], 1):
            best[turn[:3]] = min(best[turn[:3]], turn, key=lambda one: one.parses)
    return max(best.values(), key=lambda turn: turn.parses)


def growth_of(site: Site) -> float:
    """Return the multiple of a site's first page at `LARGE` elements by that at `SMALL`."""
    return _multiple(site, LARGE) / _multiple(site, SMALL)


def _multiple(site: Site, size: int) -> float:
    """Return the multiple of a site's first page, repeated within itself to about so many elements."""
    page = repeated(site[0], size / max(len(Page.parse(site[0].html).elements), 1))
    facts = [other.facts for other in parsed(site[1 : COMPARED + 1])]
    make_body(page, facts)
    times = [(parse_seconds(page), seconds(lambda: make_body(page, facts))) for _ in range(GROWN_PASSES)]
    return min(body for _, body in times) / min(parse for parse, _ in times)


def repeated(page: RecordedPage, times: float) -> RecordedPage:
    """Return a page with its body repeated a number of times."""
    found = _BODY.search(page.html)
    inner = "\n".join([f"<div>{found[1] if found else page.html}</div>"] * max(round(times), 1))
    return RecordedPage("http://multiplied.example/", f"<html><body>{inner}</body></html>", "")


def peers_table(sites: Iterable[SampledSite]) -> str:
    """Return the median multiples of all extractors that read a single page, and ours, one row per corpus."""
    names, rows = ["combined", *peers()], list[list[str]]()
    by_corpus = defaultdict[str, list[SampledSite]](list)
    for site in sites:
        by_corpus[site.corpus].append(site._replace(pages=site.pages[:SITE_PAGES]))
    for corpus, found in by_corpus.items():
        each = sum(len(site.pages) for site in found) / len(found)
        chosen = evenly(found, max(round(PEERS_PAGES / each), 1))
        facts, read = facts_of(chosen), list[list[float]]()
        forget_caches()
        for site, known in zip(chosen, facts, strict=True):
            read += in_new_thread(partial(list, _read(site.pages, known)))
        medians = [f"{median(column):.1f}" for column in zip(*read, strict=True)]
        rows.append([f"{corpus} ({len(read)})", *medians])
    return figures.table(["multiples of P", *names], rows)


def _read(pages: Site, facts: Sequence[PageFacts]) -> Iterator[list[float]]:
    """Yield the multiples of each page, ours first."""
    for number, page in enumerate(pages):
        parse, others = parse_seconds(page), others_of(number, facts)
        ours = seconds(lambda: make_body(page, others))  # noqa: B023 - called at once
        theirs = (seconds(partial(extract, page.html)) for extract in peers().values())
        yield [one / parse for one in (ours, *theirs)]


if __name__ == "__main__":
    sys.exit(main())
