"""Which pages are measured: sites with enough pages, pages of a size, pages made larger."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple, TypeVar
from urllib.parse import urlsplit

from benchmarks.corpora import RecordedPage, Site, add_corpora_argument, load
from denoise_scrapy.page import Page

#: Pages of a site that are measured in turn, and how few still make a site.
SITE_PAGES, FEW_PAGES = 10, 8
#: Bounds of the classes of size that costs are told for, in elements; smaller pages have a class of their own.
BUCKETS = (300, 700, 1500, 3000)
BUCKET_NAMES = ("< 300", "300–700", "700–1,500", "1,500–3,000", "> 3,000")
#: A page counts as of a size when its elements are no further from it than this share.
NEAR = 0.4

T = TypeVar("T")

_BODY = re.compile(r"<body\b[^>]*>(.*?)(?:</body>|\Z)", re.DOTALL | re.IGNORECASE)


class SampledSite(NamedTuple):
    """Pages of one site, and the corpus they are of."""

    corpus: str
    number: int
    pages: Site


def arguments(parser: ArgumentParser, names: str = "") -> Namespace:
    """Declare what all benchmarks of cost take, and parse it."""
    add_corpora_argument(parser)
    parser.add_argument("--names", default=names, help="corpora to take pages of, comma-separated; all where empty")
    parser.add_argument("--quick", action="store_true", help="fewer pages and repetitions: rough figures")
    return parser.parse_args()


def sites(args: Namespace) -> list[SampledSite]:
    """All sites of the corpora asked for; the example portal's where no corpora are given."""
    names = tuple(filter(None, args.names.split(","))) if args.corpora else ()
    return [
        SampledSite(corpus, number, site)
        for corpus, found in load(args.corpora, names)
        for number, site in enumerate(sections(found[0]) if corpus == "portal" else found)
    ]


def sections(portal: Site) -> list[Site]:
    """The portal's sections: each is a site with a template of its own."""
    found: dict[str, Site] = defaultdict(list)
    for page in portal:
        found[urlsplit(page.url).path.split("/")[1]].append(page)
    return list(found.values())


def large_sites(known: Iterable[SampledSite]) -> list[SampledSite]:
    """Sites with enough pages to be crawled in turn, cut to as many."""
    return [site._replace(pages=site.pages[:SITE_PAGES]) for site in known if len(site.pages) >= FEW_PAGES]


def bucket(elements: int) -> str:
    """The class of size of a page.

    >>> [bucket(n) for n in (40, 300, 699, 3000, 34_000)]
    ['< 300', '300–700', '300–700', '> 3,000', '> 3,000']
    """
    return BUCKET_NAMES[sum(elements >= bound for bound in BUCKETS)]


def pages_of_size(known: Iterable[SampledSite], size: int, wanted: int) -> list[tuple[Site, int]]:
    """Sites, and the number of the page to measure: one a site, of about so many elements.

    Where too few are recorded, pages are made of the bodies of a site's pages, and stand first in their site.

    Args:
        known: Sites to take pages of.
        size: Elements.
        wanted: How many; they are taken evenly over the sites.
    """
    recorded, made = [], []
    for site in (s.pages[:SITE_PAGES] for s in known):
        counts = [count_elements(page) for page in site]
        fitting = [i for i, n in enumerate(counts) if abs(n - size) < NEAR * size]
        if fitting:
            recorded.append((site, fitting[0]))
        elif sum(counts) > size / 20:
            made.append((site, size / sum(counts)))
    chosen = evenly(recorded, wanted)
    return chosen + [([multiplied(s, times), *s], 0) for s, times in evenly(made, wanted - len(chosen))]


@cache
def count_elements(page: RecordedPage) -> int:
    """Elements of a page, without those that are never read."""
    return len(Page.parse(page.html).elements)


def evenly(items: Sequence[T], wanted: int) -> list[T]:
    """So many of the items, evenly spaced; all where there are no more.

    >>> evenly("abcdef", 3)
    ['a', 'c', 'e']
    """
    count = min(max(wanted, 0), len(items))
    return [items[i * len(items) // count] for i in range(count)]


def multiplied(site: Site, times: float) -> RecordedPage:
    """The bodies of a site's pages one after the other, so many times, as one page."""
    bodies = [found.group(1) if (found := _BODY.search(page.html)) else page.html for page in site]
    count = max(round(times * len(bodies)), 1)
    inner = "\n".join(f"<div>{bodies[i % len(bodies)]}</div>" for i in range(count))
    return RecordedPage("http://multiplied.example/", f"<html><body>{inner}</body></html>", "")
