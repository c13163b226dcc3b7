"""The cost and quality of extractors that read one page alone: `python -m benchmarks.peers --corpora DIR [--quick]`.

The same pages go through us and each peer that is installed (`pip install denoise-scrapy[bench]`), in turn page by
page. We are measured as in a crawl: sites in turn, caches empty at first, up to five comparison pages.
Goal: a quarter of trafilatura's time or less, on every corpus.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from statistics import mean
from time import process_time
from typing import NamedTuple

from lxml import html as lxml_html

from benchmarks import report, sample
from benchmarks.clock import Spread, as_bytes, forget_caches, in_new_thread, parse_seconds
from benchmarks.corpora import RecordedPage
from benchmarks.markdown import table
from benchmarks.sample import SampledSite
from benchmarks.turns import USUAL, facts_of
from denoise_scrapy.body import SiteModel
from denoise_scrapy.page import Page, PageFacts
from example_project.scoring import f1

#: Pages of a corpus; repetitions.
PAGES, PASSES = 200, 1
QUICK_PAGES = 12

#: Our name among the extractors.
OURS = "combined"

Extractor = Callable[[RecordedPage], str]


class Reading(NamedTuple):
    """One page read by one extractor: seconds, seconds of lxml's parse, F1."""

    seconds: float
    parse: float
    f1: float


def peers() -> dict[str, Callable[[str], str]]:
    """The installed peers by name."""
    candidates = {"trafilatura": _trafilatura, "readability": _readability, "resiliparse": _resiliparse}
    return {name: extract for name, extract in candidates.items() if find_spec(name)}


def _trafilatura(page: str) -> str:
    return import_module("trafilatura").extract(page, include_comments=False) or ""


def _readability(page: str) -> str:
    readability = import_module("readability")
    try:
        summary = readability.Document(page).summary(html_partial=True)
        return " ".join(lxml_html.fromstring(summary).itertext()) if summary.strip() else ""
    except Exception:  # it raises on pages that it cannot read
        return ""


def _resiliparse(page: str) -> str:
    clean = page.encode("utf-8", "replace").decode("utf-8")  # it refuses lone surrogates
    return str(import_module("resiliparse.extract.html2text").extract_plain_text(clean, main_content=True))


def main() -> None:
    """Measure, print, put into the report."""
    ap = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    args = sample.arguments(ap)
    by_corpus, rows = defaultdict[str, list[SampledSite]](list), list[report.Row]()
    for site in sample.sites(args):
        by_corpus[site.corpus].append(site)
    for corpus, sites in by_corpus.items():
        chosen = few_sites(sites, QUICK_PAGES if args.quick else PAGES)
        rows += summary(corpus, measure(chosen, PASSES))
    print(peers_table(rows), flush=True)
    report.merge("peers", rows, quick=args.quick)


def few_sites(sites: Sequence[SampledSite], pages: int) -> list[SampledSite]:
    """Sites, evenly taken, with about so many pages in all; ten of each at most."""
    cut = [site._replace(pages=site.pages[: sample.SITE_PAGES]) for site in sites]
    each = sum(len(site.pages) for site in cut) / len(cut)
    return sample.evenly(cut, max(round(pages / each), 1))


def measure(sites: Sequence[SampledSite], passes: int) -> dict[str, list[Reading]]:
    """Read all pages with all extractors, in turn; the best times count."""
    best, facts = dict[tuple[str, int, int], Reading](), facts_of(sites)
    for _ in range(passes):
        forget_caches()
        for i, site in enumerate(sites):
            extractors: dict[str, Extractor] = {OURS: partial(_read_in_turn, facts[i])}
            extractors.update({name: partial(_read_alone, extract) for name, extract in peers().items()})
            for name, j, reading in in_new_thread(partial(_read_site, site, extractors)):
                known = best.get((name, i, j), reading)
                fastest = min(known.seconds, reading.seconds), min(known.parse, reading.parse)
                best[name, i, j] = Reading(*fastest, reading.f1)
    found = defaultdict[str, list[Reading]](list)
    for name, i, j in sorted(best, key=lambda key: key[0] != OURS):
        found[name].append(best[name, i, j])
    return dict(found)


def _read_site(site: SampledSite, extractors: Mapping[str, Extractor]) -> list[tuple[str, int, Reading]]:
    return [(name, j, told) for j, page in enumerate(site.pages) for name, told in _read(page, extractors)]


def _read(page: RecordedPage, extractors: Mapping[str, Extractor]) -> Iterator[tuple[str, Reading]]:
    """One page by each extractor."""
    parse = parse_seconds(as_bytes(page))
    for name, extract in extractors.items():
        start = process_time()
        text = extract(page)
        seconds = process_time() - start
        yield name, Reading(seconds, parse, f1(text, page.gold))


def _read_alone(extract: Callable[[str], str], page: RecordedPage) -> str:
    return extract(page.html)


def _read_in_turn(facts: Sequence[PageFacts], page: RecordedPage) -> str:
    """The default strategy as in a crawl of one site."""
    others = [fact for fact in facts[: USUAL + 1] if fact.url != page.url][:USUAL]
    return SiteModel.fit(others).extract(Page.parse(page.html, url=page.url)).text


def summary(corpus: str, found: dict[str, list[Reading]]) -> Iterator[report.Row]:
    """A row an extractor: multiples of the parse, F1, milliseconds in all, and ours as parts of theirs."""
    ours = found[OURS]
    for name, readings in found.items():
        times = Spread.of(theirs.seconds / own.seconds for own, theirs in zip(ours, readings, strict=True)).row()
        totals = sum(theirs.seconds for theirs in readings) / sum(own.seconds for own in ours)
        row = {"corpus": corpus, "extractor": name, **Spread.of(r.seconds / r.parse for r in readings).row()}
        total = sum(r.seconds for r in readings) / sum(r.parse for r in readings)
        yield {**row, "total parses": total, "f1": mean(r.f1 for r in readings), "times": times, "total times": totals}


def peers_table(rows: Iterable[report.Row]) -> str:
    """Median multiples of the parse, a row a corpus."""
    known = {(row["corpus"], row["extractor"]): row for row in rows}
    corpora = {row["corpus"]: row["pages"] for row in known.values()}
    names = list(dict.fromkeys(name for _, name in known))
    lines = [
        [f"{corpus} ({pages})", *(f"{known[corpus, name]['median']:.1f}" for name in names)]
        for corpus, pages in corpora.items()
    ]
    return table(["multiples of P", *names], lines)


if __name__ == "__main__":
    main()
