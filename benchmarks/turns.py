"""What a body costs in a crawl: `python -m benchmarks.turns --corpora DIR [--quick]`.

Sites come in turn, each in a thread of its own, and each page of a site once: a loop over one page flatters, since
its texts and the processor's caches are warm. The whole is repeated, all caches
emptied before, and of a page the best time counts. Multiples of lxml's plain parse of the same page, timed just before.

- Pages after the first of their site, by size.
- The first page of each site, goal 6 P; and whole sites of up to ten pages.
- The worst of all pages, goal 50 P: `worst` in the report, with corpus, site and number of the page.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from time import process_time
from typing import NamedTuple

from benchmarks import report, sample
from benchmarks.clock import COMPARED, Spread, as_bytes, forget_caches, in_new_thread, make_body, parse_seconds
from benchmarks.markdown import table
from benchmarks.sample import SampledSite
from denoise_scrapy.page import Page, PageFacts

#: Repetitions of the whole.
PASSES = 3
#: Sites in a quick run; worst pages that are told.
QUICK_SITES, WORST = 12, 5
#: Comparison pages where only one number is measured: as many as the default strategy uses.
USUAL = 5
Facts = Sequence[Sequence[PageFacts]]

FIRST, LATER, SITE = "first page", "later page", "whole site"


class Turn(NamedTuple):
    """One page in its turn.

    Attributes:
        corpus: Corpus of the page.
        site: Number of its site in the corpus.
        page: Number of the page in its site.
        elements: Elements of the page.
        parse: Best time of lxml's parse, in seconds.
        body: Best time of the body.
    """

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


def main() -> None:
    """Measure, print, put into the report."""
    ap = argparse.ArgumentParser(prog="python -m benchmarks.turns", description=__doc__)
    args = sample.arguments(ap)
    known = [site for site in sample.sites(args) if site.corpus != "portal" or not args.corpora]
    crawled, rows, worst = sample.large_sites(known), list[report.Row](), list[report.Row]()
    if args.quick:
        crawled, known = sample.evenly(crawled, QUICK_SITES), sample.evenly(known, 5 * QUICK_SITES)
    facts = facts_of(crawled), facts_of(known)
    for k in (USUAL,) if args.quick else COMPARED:
        rows += summary(in_turn(crawled, facts[0], k, PASSES), k)
    worst += worst_rows(in_turn(known, facts[1], USUAL, PASSES - 1))
    print(turns_table(rows), worst_table(worst), sep="\n\n", flush=True)
    report.merge("turns", rows, quick=args.quick)
    report.merge("worst", worst, quick=args.quick)


def facts_of(sites: Iterable[SampledSite]) -> Facts:
    """What each page is compared by."""
    return [[Page.parse(page.html, url=page.url).facts for page in site.pages] for site in sites]


def in_turn(sites: Sequence[SampledSite], facts: Facts, k: int, passes: int) -> list[Turn]:
    """Make the bodies of all pages, in turn; each page is compared with k others of its site at most."""
    best: dict[tuple[int, int], Turn] = {}
    for _ in range(passes):
        forget_caches()
        for key, turn in _one_pass(sites, facts, k):
            known = best.get(key, turn)
            best[key] = turn._replace(parse=min(turn.parse, known.parse), body=min(turn.body, known.body))
    return list(best.values())


def _one_pass(sites: Sequence[SampledSite], facts: Facts, k: int) -> Iterator[tuple[tuple[int, int], Turn]]:
    for i, (site, known) in enumerate(zip(sites, facts, strict=True)):
        for turn in in_new_thread(partial(_one_site, site, known, k)):
            yield (i, turn.page), turn


def _one_site(site: SampledSite, facts: Sequence[PageFacts], k: int) -> list[Turn]:
    turns = list[Turn]()
    for number, recorded in enumerate(site.pages):
        others = [fact for n, fact in enumerate(facts[: k + 1]) if n != number][:k]
        one = parse_seconds(as_bytes(recorded))
        start = process_time()
        page = make_body(recorded, others)
        seconds = process_time() - start
        turns.append(Turn(site.corpus, site.number, number, len(page.elements), one, seconds))
    return turns


def summary(turns: Sequence[Turn], k: int) -> list[report.Row]:
    """Spreads by size, of first pages, and over sites."""
    groups, sites = defaultdict[tuple[str, str], list[float]](list), defaultdict[tuple[str, int], list[Turn]](list)
    for turn in turns:
        groups[FIRST if turn.page == 0 else LATER, sample.bucket(turn.elements)].append(turn.parses)
        sites[turn.corpus, turn.site].append(turn)
    totals = [sum(t.body for t in of_site) / sum(t.parse for t in of_site) for of_site in sites.values()]
    ordered = sorted(groups, key=lambda key: (key[0] != FIRST, sample.BUCKET_NAMES.index(key[1])))
    found = {**{key: groups[key] for key in ordered}, (FIRST, "all"): [t.parses for t in turns if t.page == 0]}
    spreads = {**found, (SITE, "all"): totals}
    return [
        {"what": what, "elements": size, "k": k, **Spread.of(values).row()} for (what, size), values in spreads.items()
    ]


def worst_rows(turns: Iterable[Turn]) -> list[report.Row]:
    """The pages of the highest multiples."""
    first = sorted(turns, key=lambda turn: -turn.parses)[:WORST]
    return [{**turn._asdict(), "parses": round(turn.parses, 2)} for turn in first]


def turns_table(rows: Iterable[report.Row], compared: Sequence[int] = COMPARED) -> str:
    """Medians, and from the 10th to the 90th percentile, by size."""
    known = {(row["k"], row["what"], row["elements"]): row for row in rows if row["k"] in compared}
    columns = list(dict.fromkeys(k for k, *_ in known))
    lines = []
    for what, size in dict.fromkeys(key[1:] for key in known):
        cells = [known.get((k, what, size)) for k in columns]
        pages = max(row["pages"] for row in cells if row)
        lines.append([f"{what}, {size} ({pages})", *(str(Spread.read(row)) if row else "" for row in cells)])
    return table(["elements (number)", *(f"k = {k}" for k in columns)], lines)


def k_table(rows: Iterable[report.Row]) -> str:
    """Whole sites by the number of comparison pages."""
    known = {row["k"]: row for row in rows if row["what"] == SITE}
    return table([SITE, *(f"k = {k}" for k in known)], [["P", *(str(Spread.read(row)) for row in known.values())]])


def worst_table(rows: Iterable[report.Row]) -> str:
    """The worst pages."""
    head = ["page", "elements", "P", "parse in ms"]
    return table(head, [[_name(row), f"{row['elements']:,}", f"{row['parses']:.1f}", _ms(row)] for row in rows])


def _name(row: report.Row) -> str:
    return f"{row['corpus']}, site {row['site']}, page {row['page']}"


def _ms(row: report.Row) -> str:
    return f"{1e3 * row['parse']:.2f}"


if __name__ == "__main__":
    main()
