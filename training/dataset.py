"""Recorded pages as rows of features, labels, weights and folds."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing import Pool
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tldextract import TLDExtract

from benchmarks.corpora import RecordedPage, Site, load
from denoise_scrapy.body.features import block_features
from denoise_scrapy.page import Page, PathTable
from denoise_scrapy.site import SiteStatistics, likest_first
from training.folds import balanced_folds
from training.labels import block_tokens, gold_share

#: Comparison pages at most: as many as the strategy uses.
PAGES = 5
#: Weight of a page by its corpus: small corpora count for more, as the study found best.
CORPUS_WEIGHTS = {
    "big9": 1.22,
    "dragnet": 0.88,
    "cleanportal": 2.3,
    "wcxb": 2.5,
    "zh": 3.0,
    "world": 2.0,
    "zh68": 2.0,
    "harvest": 2.0,
    "zhportals": 0.5,
    "daniel": 0.7,
}
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
        lengths: Number of tokens of each block, shape (blocks,).
        paths: Path key of each block, shape (blocks,).
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
    lengths: npt.NDArray[np.int64]
    paths: npt.NDArray[np.uint64]
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
                counts, paths = page.facts.tokens, page.facts.path_keys
                yield Example(corpus, fold, features, share, page, statistics, counts, paths, words, recorded.gold, k)
            page.drop_columns()


def read_corpora(folders: Sequence[Path]) -> tuple[dict[str, list[Site]], dict[str, int]]:
    """The corpora in some folders, and the fold of each publisher."""
    corpora = {name: sites for folder in folders for name, sites in load(folder) if name != "portal"}
    count = Counter((name, site_publisher(site)) for name, sites in corpora.items() for site in sites for _ in site)
    return corpora, balanced_folds(count)


def read_examples(
    corpora: Mapping[str, list[Site]], folds: Mapping[str, int], ks: tuple[int, ...], jobs: int
) -> list[Example]:
    """All pages of some corpora as examples, made by several processes; arguments as `read_corpora` gives them."""
    with Pool(jobs) as pool:
        return [e for some in pool.imap(partial(_read, folds=folds, ks=ks), corpora.items()) for e in some]


def _read(corpus: tuple[str, list[Site]], folds: Mapping[str, int], ks: tuple[int, ...]) -> list[Example]:
    return list(examples(*corpus, folds, ks))
