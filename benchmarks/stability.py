"""Dependence of a body on the pages it was compared with: `python -m benchmarks.stability --corpora DIR [DIR …]`.

Some pages of every site with ten or more are extracted without comparison pages, and with five random sets of 5 and of
20 others of the site, as crawls of other days would have them. Bodies are compared two by two.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from itertools import combinations
from random import Random
from statistics import mean

from benchmarks.ways import body, parsed
from denoise_scrapy.body import DEFAULT_STRATEGY, find_strategy
from evaluation import figures
from evaluation.corpora import Site, add_folders_argument, portal, recorded
from example_project.scoring import f1

#: Sets of comparison pages a page, their sizes, and pages of a site that are measured.
SETS, SIZES, PAGES_A_SITE = 5, (5, 20), 10
#: A site has so many pages at least.
LEAST_PAGES = 10
#: Bodies whose F1 is below this differ.
ALIKE = 0.98
#: Of these pages the default compares with the likest.
MOST = find_strategy(DEFAULT_STRATEGY).comparison_pages


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.stability", description=__doc__)
    add_folders_argument(ap)
    rows: list[list[str]] = []
    for name, sites in [("portal", [portal()]), *recorded(ap.parse_args().corpora)]:
        if large := [site for site in sites if len(site) >= LEAST_PAGES]:
            rows.append([name, *measure(large)])
            print(rows[-1], flush=True)
    sizes = [column for size in SIZES for column in (f"sets of {size}", "differ")]
    print(figures.table(["corpus", "pages", *sizes, "none and 5", "differ", "headline lost"], rows))


def measure(sites: Iterable[Site]) -> list[str]:
    """Return the number of pages, mean F1 and share of differing pairs of each kind, and share of lost headlines."""
    alike: dict[str, list[float]] = {"5": [], "20": [], "none": []}
    lost = list[float]()
    for site in sites:
        rng, pages = Random(f"stability {site[0].site}"), parsed(site)
        for i in rng.sample(range(len(site)), min(PAGES_A_SITE, len(site))):
            others = [*pages[:i], *pages[i + 1 :]]
            alone = body([pages[i]], 0, 0).text
            sets = {
                size: [body([pages[i], *rng.sample(others, min(size, len(others)))], 0, MOST).text for _ in range(SETS)]
                for size in SIZES
            }
            for size, bodies in sets.items():
                alike[f"{size}"] += (f1(a, b) for a, b in combinations(bodies, 2))
            alike["none"] += (f1(alone, one) for one in sets[SIZES[0]])
            every = [alone, *(one for bodies in sets.values() for one in bodies)]
            first = [text.partition("\n")[0] for text in every]
            common = max(first, key=first.count)
            lost.append(mean(common not in text for text in every))
    cells = [cell for values in alike.values() for cell in (f"{mean(values):.4f}", f"{_differ(values):.1%}")]
    return [str(len(lost)), *cells, f"{mean(lost):.1%}"]


def _differ(values: Iterable[float]) -> float:
    return mean(value < ALIKE for value in values)


if __name__ == "__main__":
    main()
