"""Recorded pages as rows of features, labels, weights and folds."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tldextract import TLDExtract

from benchmarks.corpora import RecordedPage, Site
from denoise_scrapy.body.features import block_features
from denoise_scrapy.page import Page, PathTable
from denoise_scrapy.site import SiteStatistics, likest_first
from training.labels import block_tokens, gold_share

#: Comparison pages at most: as many as the strategy uses.
PAGES = 5
_DOMAIN = TLDExtract(suffix_list_urls=())  # the list that comes with the package: no network


@dataclass
class Example:
    """A recorded page with one choice of comparison pages.

    Attributes:
        corpus: Its corpus.
        fold: Its fold; all pages of one publisher are in one.
        features: Shape (features, blocks).
        share: Share of each block that is gold, shape (blocks,).
        page: The page.
        site: Its comparison pages.
        tokens: Tokens of each block.
        gold: The gold text.
        k: Comparison pages asked for.
    """

    corpus: str
    fold: int
    features: npt.NDArray[np.float32]
    share: npt.NDArray[np.float64]
    page: Page
    site: SiteStatistics
    tokens: list[list[str]]
    gold: str
    k: int


def publisher(page: RecordedPage) -> str:
    """Who publishes the page: its domain's name, the same for bbc.com and bbc.co.uk.

    Pages without a URL go by their site's name, or by the host that most of their links lead to.
    """
    found = _DOMAIN(page.url if page.url.startswith("http") else re.sub(r"-\d+$", "", page.site))
    if found.domain and found.suffix:
        return found.domain
    if "." in page.site:
        return page.site
    hosts = Counter(_DOMAIN(url).domain for url in re.findall(r'href=["\']?(https?://[^"\'\s>]+)', page.html))
    hosts.pop("", None)
    return hosts.most_common(1)[0][0] if hosts else page.site


def site_publisher(site: Site) -> str:
    """The publisher of most of a site's pages."""
    return Counter(publisher(page) for page in site).most_common(1)[0][0]


def examples(corpus: str, sites: list[Site], folds: Mapping[str, int], ks: tuple[int, ...]) -> Iterator[Example]:
    """Each page of a corpus, once for each k in `ks`; k = -1 stands for a random one of 0, 0, 1, 2, 3."""
    for site in sites:
        table = PathTable()
        pages = [Page.parse(page.html, url=page.url, paths=table) for page in site]
        fold = folds[site_publisher(site)]
        for i, (page, recorded) in enumerate(zip(pages, site, strict=True)):
            if not len(page.blocks):
                continue
            others = likest_first(page, [*pages[:i], *pages[i + 1 :]])
            words = block_tokens(page)
            share = gold_share(words, recorded.gold)
            rng = random.Random(recorded.url + recorded.gold[:50])
            done: set[int] = set()
            for k in ks:
                wanted = rng.choice((0, 0, 1, 2, 3)) if k < 0 else k
                some = rng.sample(others, min(wanted, len(others))) if k < 0 else others[:wanted]
                statistics = SiteStatistics.of(other.facts for other in some).for_page(page)
                if k < 0 and len(statistics.pages) in done:
                    continue
                done.add(len(statistics.pages))
                features = block_features(page, statistics)
                yield Example(corpus, fold, features, share, page, statistics, words, recorded.gold, k)
            page.drop_columns()
