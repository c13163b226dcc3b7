"""What moved on sites that were redesigned: `python -m benchmarks.drift --corpora DIR... [--write]`.

Redesigns: sites recorded in several epochs, as `SITE-05` and `SITE-13`, are crawled in an earlier one and then in a
later one. A report is right if the body's new place, or its old one if that is not said to have moved, holds the text
as well as the best element of the page does, by the F1 of the words in it, but for a tenth. Unchanged: sites with
enough pages are crawled once, and then `CRAWLS` times more, each time pages at random; of a site with more than twice
`LEAST`, others than at first.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

from denoise_scrapy.body import Block, SiteModel
from denoise_scrapy.metadata import metadata_of
from denoise_scrapy.page import Page
from denoise_scrapy.site.crawl_history import ENOUGH, PageReading, SiteCrawl, SiteTally, alarms
from denoise_scrapy.site.drift import BODY, MOVED, is_same, places_of_parts
from denoise_scrapy.worker.extractor import parts_of
from evaluation import figures
from evaluation.corpora import RecordedPage, add_folders_argument, recorded
from example_project.scoring import f1

#: Crawls of an unchanged site, pages of each crawl, and pages that a site needs.
CRAWLS, PAGES, LEAST = 20, 20, ENOUGH
_EPOCH = re.compile(r"(.+)-(\d\d)")


class Read(NamedTuple):
    """A page with its text, figures of its body, and its blocks."""

    source: RecordedPage
    reading: PageReading
    blocks: Sequence[Block]


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.drift", description=__doc__)
    add_folders_argument(ap)
    ap.add_argument("--write", action="store_true", help="write the figures into the documentation")
    ap.add_argument("--show", action="store_true", help="print each report")
    args = ap.parse_args()
    counts, epochs = Counter[str](), defaultdict[str, list[tuple[str, list[Read]]]](list)
    for _, sites in recorded(args.corpora):
        for site in sites:
            pages = [page for page in site if page.gold]
            if len(pages) < LEAST:
                continue
            read = _extracted(pages[: 4 * PAGES])
            counts["sites"] += 1
            for said in _unchanged(read):
                counts["crawls"] += 1
                counts["false"] += bool(said)
                if said and args.show:
                    print(site[0].site, said)
            if match := _EPOCH.fullmatch(site[0].site):
                epochs[match[1]].append((match[2], read))
    for name, found in epochs.items():
        for (before, old), (after, new) in combinations(sorted(found, key=lambda one: one[0]), 2):
            said = [one for one in alarms(_crawl(new), [_crawl(old)]) if MOVED in one]
            place = next((one.split("`")[3] for one in said if one.startswith(f"{BODY}{MOVED}")), "")
            stays = next(iter(_crawl(old).places[BODY]))
            counts["redesigns"] += 1
            counts["reported"] += bool(said)
            counts["body"] += bool(place)
            counts["right"] += _is_right(place or stays, new)
            if args.show:
                print(name, before, after, *said, sep="\n  ")
    names = ("redesigns", "reported", "body", "right", "sites", "crawls", "false")
    head = ["redesigns", "reported", "body moved", "right place", "unchanged sites", "crawls", "false reports"]
    table = figures.table(head, [[f"{counts[name]:,}" for name in names]])
    print(table)
    if args.write:
        figures.write("drift", table, Path("docs/health.md"))


def _extracted(pages: Sequence[RecordedPage]) -> list[Read]:
    parsed = [Page.parse(page.html, url=page.url) for page in pages]
    found = []
    for source, page in zip(pages, parsed, strict=True):
        body = SiteModel([other.facts for other in parsed if other is not page][:PAGES]).extract(page)
        meta = metadata_of(source.html, page.url, body.text, body.title, body.make_unseen())
        places = places_of_parts(page, body.kept, parts_of(page, body, meta))
        reading = PageReading.of(body.text, body.confidence, "", page.facts, places)
        found.append(Read(source, reading, body.blocks))
    return found


def _crawl(read: Sequence[Read]) -> SiteCrawl:
    tally = SiteTally(began=0.0)
    for source, reading, _ in read:
        tally.counts.fetched += 1
        tally.counts.items += 1
        tally.add(source.url, reading.text, reading, is_empty=not reading.length)
    return tally.crawl()


def _unchanged(read: Sequence[Read]) -> list[list[str]]:
    """Return the reports of each crawl of a site after the first."""
    rng = Random(7)
    mixed = rng.sample(read, len(read))
    first = mixed[: max(LEAST, min(PAGES, len(read) // 2))]
    others = mixed[len(first) :] if len(read) >= 2 * LEAST else mixed
    earlier = [_crawl(first)]
    crawls = (rng.sample(others, min(PAGES, max(LEAST, len(others) * 4 // 5))) for _ in range(CRAWLS))
    return [[one for one in alarms(_crawl(pages), earlier) if MOVED in one] for pages in crawls]


def _is_right(place: str, read: Sequence[Read]) -> bool:
    """Return whether a place holds the texts of pages about as well as their best element does."""
    found = []
    for source, _, blocks in read:
        paths = {
            "/".join(path[:end]) for path in (one.path.split("/") for one in blocks) for end in range(1, len(path))
        }
        best = max((_held(blocks, path, source.gold) for path in paths), default=0.0)
        inside = [path for path in paths if _ends(path, place)]
        found.append(max((_held(blocks, path, source.gold) for path in inside), default=0.0) >= 0.9 * best)
    return median(found) == 1


def _held(blocks: Sequence[Block], path: str, gold: str) -> float:
    return f1("\n".join(one.text for one in blocks if f"{one.path}/".startswith(f"{path}/")), gold)


def _ends(path: str, place: str) -> bool:
    steps = place.split(" > ")
    return len(steps) <= path.count("/") + 1 and all(
        one == step or is_same(one, step) for one, step in zip(path.split("/")[-len(steps) :], steps, strict=True)
    )


if __name__ == "__main__":
    main()
