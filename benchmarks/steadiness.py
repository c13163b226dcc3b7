"""How steady bodies are beside other comparison pages: `python -m benchmarks.steadiness --corpora DIR... [--write]`.

Each page of the sites with enough pages is compared with `SETS` random sets of others, of `FEW` and of `MANY` pages.
Counted are pairs of bodies of one page that differ in a line, that have a token F1 below .98, and that count as changed
(`denoise_scrapy.dedup.source_of`), though the page is the same. Of the blocks that come and go, it says how many have a
score near the limit (`body.explanation.HANGING`). `--write` puts the table into the documentation.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from denoise_scrapy.body import Body, SiteModel
from denoise_scrapy.body.explanation import HANGING
from denoise_scrapy.dedup import source_of
from denoise_scrapy.dedup.versions import Version
from denoise_scrapy.page import Page
from evaluation import figures
from evaluation.corpora import Site, add_folders_argument, evenly, recorded

#: Sets of comparison pages for each page, and pages in a set: those of a small crawl, and of a large one.
SETS, FEW, MANY = 5, 8, 20
#: Fewest pages of a site, so that sets differ; most pages of it that are known, and that are judged.
LEAST, MOST, JUDGED = 10, 60, 12
#: Token F1 below which two bodies are told apart by a reader.
ALIKE = 0.98


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.steadiness", description=__doc__)
    add_folders_argument(ap)
    ap.add_argument("--write", action="store_true", help="write the table into the documentation")
    args = ap.parse_args()
    rows, moved = [], Counter[str]()
    for name, sites in recorded(args.corpora):
        found = [counts_of([site for site in sites if len(site) >= LEAST], size, moved) for size in (FEW, MANY)]
        if found[0]["pages"]:
            told = [cell for counts in found for cell in _cells(counts)]
            rows.append([name, f"{found[0]['pages']}", *told])
    head = ["corpus", "pages"]
    for size in (FEW, MANY):
        head += [f"sets of {size}: a line differs", f"F1 < {ALIKE:g}", "changed"]
    table = figures.table(head, rows)
    print(table)
    print(f"{moved['hanging']} of {moved['moved']} blocks that come and go score {HANGING[0]:g} to {HANGING[1]:g} once")
    if args.write:
        figures.write("steadiness", table)


def counts_of(sites: Sequence[Site], size: int, moved: Counter[str]) -> Counter[str]:
    """Compare the bodies of pages beside sets of other pages of their sites."""
    counts = Counter[str]()
    for site in sites:
        pages = [Page.parse(page.html, url=page.url) for page in site[:MOST]]
        if len(pages) <= size and size > FEW:  # all sets would be the same
            continue
        facts, rng = [page.facts for page in pages], random.Random(1)
        for at in evenly(range(len(pages)), JUDGED):
            others = [one for number, one in enumerate(facts) if number != at]
            sets = (rng.sample(others, min(size, len(others))) for _ in range(SETS))
            bodies = [SiteModel(some).extract(pages[at]) for some in sets]
            counts["pages"] += 1
            for one, other in combinations(zip(bodies, _versions(pages[at], bodies), strict=True), 2):
                counts["pairs"] += 1
                counts["differ"] += one[0].text != other[0].text
                counts["unlike"] += _f1(one[0].text, other[0].text) < ALIKE
                counts["changed"] += bool(other[1].changes(one[1], ()))
            scores = np.array([body.probability for body in bodies])
            kept = np.array([[block.kept for block in body.blocks] for body in bodies])
            come_and_go = kept.any(axis=0) & ~kept.all(axis=0)
            near = ((scores >= HANGING[0]) & (scores <= HANGING[1])).any(axis=0)
            moved["moved"] += int(come_and_go.sum())
            moved["hanging"] += int((come_and_go & near).sum())
    return counts


def _versions(page: Page, bodies: Sequence[Body]) -> Iterator[Version]:
    whole = page.text_of(np.ones(len(page.blocks), np.bool_))
    for body in bodies:
        yield Version.of(body.text, {}, source_of(whole, body.text))


def _f1(one: str, other: str) -> float:
    mine, theirs = Counter(one.split()), Counter(other.split())
    both = 2 * (mine & theirs).total()
    return both / max(mine.total() + theirs.total(), 1) if both or mine or theirs else 1.0


def _cells(counts: Counter[str]) -> list[str]:
    pairs = counts["pairs"]
    return [f"{counts[name] / pairs:.1%}" if pairs else "–" for name in ("differ", "unlike", "changed")]


if __name__ == "__main__":
    main()
