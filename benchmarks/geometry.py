"""What geometry gives each strategy: `python -m benchmarks.geometry RENDERED [--write]`.

RENDERED is a folder that `python -m training.render` wrote: pages as a browser made them, with the place of each
element. Each page is extracted twice with the same comparison pages, once without any boxes. The default's models
have seen most of these pages; figures with publishers left out are those of `python -m training.layout`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean, pstdev
from typing import NamedTuple

from benchmarks import figures
from benchmarks.markdown import table
from denoise_scrapy.body import SiteModel
from denoise_scrapy.crawl.geometry import boxes_on
from denoise_scrapy.page import Page
from denoise_scrapy.site import likest_first
from example_project.scoring import f1

K = 5  # comparison pages, as many as the default uses

#: Strategies that use boxes for more than what is hidden.
BOXED = ("combined", "lcs", "style-tree", "framework")
FEWEST = 40  # pages of a corpus that the documentation shows: the error of fewer is too large


class RenderedPage(NamedTuple):
    """A page, the text a person would keep, and its layout as the browser told it."""

    url: str
    html: str
    gold: str
    layout: str
    site: str = ""


def main() -> int:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.geometry", description=__doc__)
    ap.add_argument("rendered", type=Path, help="a folder of rendered *.jsonl.gz")
    ap.add_argument("--strategies", default=",".join(BOXED), help="comma-separated")
    ap.add_argument("--write", action="store_true", help="write the table into the documentation")
    args = ap.parse_args()
    strategies, rows = args.strategies.split(","), list[list[str]]()
    for path in sorted(args.rendered.glob("*.jsonl.gz")):
        sites = read(path)
        cells = [_cell([pair for site in sites for pair in compare(site, strategy)]) for strategy in strategies]
        rows.append([path.name.partition(".")[0], str(sum(map(len, sites))), *cells])
        print(" | ".join(rows[-1]), flush=True)
    if args.write:
        corpora, numbers, *gains = map(list, zip(*(row for row in rows if int(row[1]) >= FEWEST), strict=True))
        columns = [f"{corpus} ({number})" for corpus, number in zip(corpora, numbers, strict=True)]
        lines = [[name, *of_strategy] for name, of_strategy in zip(strategies, gains, strict=True)]
        figures.write("geometry", table(["strategy (pages)", *columns], lines))
    return 0


def read(path: Path) -> list[list[RenderedPage]]:
    """The pages of a rendered corpus, by site."""
    sites: dict[str, list[RenderedPage]] = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            told = json.loads(line)
            sites[told["site"]].append(
                RenderedPage(told["url"], told["html"], told["gold"], told["layout"], told["site"])
            )
    return list(sites.values())


def compare(site: Sequence[RenderedPage], strategy: str) -> Iterator[tuple[float, float]]:
    """F1 of each page of a site, without boxes and with."""
    without, boxed = (_pages(site, boxes=boxes) for boxes in (False, True))
    for i, recorded in enumerate(site):
        if boxed[i].boxes is not None:
            plain, seen = (_f1(pages, i, strategy, recorded.gold) for pages in (without, boxed))
            yield plain, seen


def _pages(site: Sequence[RenderedPage], *, boxes: bool) -> list[Page]:
    pages = [Page.parse(recorded.html, url=recorded.url) for recorded in site]
    for page, recorded in zip(pages, site, strict=True):
        page.boxes = boxes_on(page, recorded.layout) if boxes else None
    return pages


def _f1(pages: list[Page], i: int, strategy: str, gold: str) -> float:
    others = likest_first(pages[i], [*pages[:i], *pages[i + 1 :]])
    return f1(SiteModel.fit(others[:K]).extract(pages[i], strategy=strategy).text, gold)


def _cell(pairs: Sequence[tuple[float, float]]) -> str:
    gains = [after - before for before, after in pairs]
    error = pstdev(gains) / len(gains) ** 0.5
    return f"{mean(gains):+.3f} ±{error:.3f}"


if __name__ == "__main__":
    sys.exit(main())
