"""How much a body depends on the pages it was compared with: `python -m benchmarks.stability --corpora DIR`.

Each of a few pages of every site with ten pages or more gets a body without comparison pages, and with five random sets
of 5 and of 20 others of the site, as crawls of other days would have given them. Bodies are compared two by two.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from random import Random
from statistics import mean
from typing import NamedTuple

from benchmarks.corpora import Site, load
from benchmarks.markdown import table
from denoise_scrapy.body import DEFAULT_STRATEGY, SiteModel, find_strategy
from denoise_scrapy.page import Page
from denoise_scrapy.site import likest_first
from example_project.scoring import f1

#: Sets of comparison pages a page, their sizes, and pages of a site that are measured.
SETS, SIZES, PAGES_A_SITE = 5, (5, 20), 10
#: A site has so many pages at least.
LEAST_PAGES = 10
#: Bodies whose F1 is below this differ.
ALIKE = 0.98


class Differences(NamedTuple):
    """Bodies of a page: F1 of each two of them, by what they were compared with, and which have lost the headline."""

    pairs: dict[str, list[float]]
    headline_lost: list[bool]


def main() -> None:
    """Run it."""
    ap = argparse.ArgumentParser(prog="python -m benchmarks.stability", description=__doc__)
    ap.add_argument("--corpora", type=Path, nargs="+", required=True, help="folders of *.jsonl.gz")
    args = ap.parse_args()
    rows: list[list[str]] = []
    for folder in args.corpora:
        for name, sites in load(folder):
            if name == "portal" and rows:
                continue
            if found := list(measured(site for site in sites if len(site) >= LEAST_PAGES)):
                rows.append(row(name, found))
                print(rows[-1], flush=True)
    sizes = [column for size in SIZES for column in (f"sets of {size}", "differ")]
    print(table(["corpus", "pages", *sizes, "none and 5", "differ", "headline lost"], rows))


def measured(sites: Iterable[Site]) -> Iterator[Differences]:
    """Some pages of each site."""
    for site in sites:
        rng = Random(f"stability {site[0].site}")
        pages = [Page.parse(page.html, url=page.url) for page in site]
        for i in rng.sample(range(len(site)), min(PAGES_A_SITE, len(site))):
            yield differences(pages[i], [*pages[:i], *pages[i + 1 :]], rng)


def differences(page: Page, others: list[Page], rng: Random) -> Differences:
    """How the bodies of a page differ that were compared with random others."""
    alone = body(page, [])
    bodies = {size: [body(page, rng.sample(others, min(size, len(others)))) for _ in range(SETS)] for size in SIZES}
    pairs = {f"{size}": [f1(a, b) for a, b in combinations(some, 2)] for size, some in bodies.items()}
    pairs["none"] = [f1(alone, one) for one in bodies[SIZES[0]]]
    every = [alone, *(one for some in bodies.values() for one in some)]
    first = [text.partition("\n")[0] for text in every]
    common = max(first, key=first.count)
    return Differences(pairs, [common not in text for text in every])


def body(page: Page, others: list[Page]) -> str:
    """A page's body, compared with the likest of some others, as a crawl's memory gives them."""
    likest = likest_first(page, others)[: find_strategy(DEFAULT_STRATEGY).comparison_pages]
    return SiteModel.fit(likest).extract(page).text


def row(corpus: str, found: list[Differences]) -> list[str]:
    """Mean F1 and share of pairs that differ, as cells of a table."""
    cells = [corpus, str(len(found))]
    for kind in (*map(str, SIZES), "none"):
        values = [value for one in found for value in one.pairs[kind]]
        cells += [f"{mean(values):.4f}", f"{mean(value < ALIKE for value in values):.1%}"]
    return [*cells, f"{mean(lost for one in found for lost in one.headline_lost):.1%}"]


if __name__ == "__main__":
    main()
