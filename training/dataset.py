"""Recorded pages as rows of features, labels, weights and folds."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from tldextract import TLDExtract

from denoise_scrapy.body.model import block_features
from denoise_scrapy.body.strategies.combined import CombinedStrategy
from denoise_scrapy.core.model import Neighbours
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics, likest_first
from evaluation.corpora import RecordedPage, Site, load
from training.folds import balanced_folds
from training.labels import block_tokens, gold_share, share_by_pieces, without_doubt
from training.made import ARTICLES, KINDS, listed, made_alone, made_of, made_wall, shortened
from training.made_threads import made_threads
from training.truth import ReadPage, Truth, key_of, read_labels, truths_of

#: Comparison pages at most: as many as the strategy uses.
PAGES = CombinedStrategy.comparison_pages
#: Comparison pages that a crawl may have at first.
RANDOM_PAGES = (0, 1, 2, 3, 5)
#: Weight of a page by its corpus: small corpora, and those of many kinds of pages, count for more, as the study found
#: best.
CORPUS_WEIGHTS = {
    "big9": 1.22,
    "dragnet": 0.88,
    "cleanportal": 2.3,
    "wcxb": 3.0,
    "zh": 3.0,
    "world": 2.0,
    "zh68": 2.0,
    "single": 2.0,
    "harvest": 1.5,
    "zhportals": 0.5,
    "daniel": 0.7,
    "segments": 0.5,
}
#: Corpora whose truths count for nothing where nobody read the page: they keep comments, others do not.
READ_ONLY = ("canola", "magicforum")
#: Weight of a page that readers labelled, times that of its corpus.
READ_WEIGHT = 2.0
#: Weight of a page of another kind than an article, and of a page with foreign content towards its recorded one. With 1
#: for both, lists lose .04.
OTHER_KINDS_WEIGHT, MADE_WEIGHT = 2.0, 0.4
#: Share of sites whose pages come once more as threads of a forum: of the recorded pages one in 35 is one.
THREADS = 0.25
#: Share of pages with foreign content whose story has a list of its own: else all lists in made pages are foreign.
LISTS = 0.3
#: Share of pages that come once more as a wall, and of those that do as a story alone.
WALLS = 0.15
#: A text in a made thread of comments that is no button.
COMMENT_TOKENS = 4
#: A shortened page has so many blocks at most.
FEW_BLOCKS = 40
_DOMAIN = TLDExtract(suffix_list_urls=())  # the list that comes with the package: no network


@dataclass
class Example:
    """A recorded page with one choice of comparison pages.

    Attributes:
        corpus: Its corpus.
        publisher: Its publisher.
        fold: Its fold; all pages of one publisher are in one.
        features: Shape (features, blocks), without what words say (`training.vocabulary`).
        share: Share of each block that is gold, NaN where that is in doubt, shape (blocks,).
        page: The page.
        neighbours: What stands around each block.
        lengths: Number of tokens of each block, shape (blocks,).
        tokens: Tokens of each block.
        truths: What its body is held to, that of its corpus first.
        k: Comparison pages asked for.
        made: The kind of foreign content that was put in (`made.KINDS`), "" for a page as recorded.
        weight: How much the page counts in training.
        letters: What readers said of each block (`training.truth.PARTS`), "" or none where nobody did.
    """

    corpus: str
    publisher: str
    fold: int
    features: npt.NDArray[np.float32]
    share: npt.NDArray[np.float64]
    page: Page
    neighbours: Neighbours
    lengths: npt.NDArray[np.int64]
    tokens: list[list[str]]
    truths: tuple[Truth, ...]
    k: int
    made: str
    weight: float
    letters: Sequence[str]


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


def recorded_by_publisher(some: Iterable[Example]) -> dict[str, list[Example]]:
    """The pages among some examples, each once and without those that were made."""
    found: dict[str, list[Example]] = {}
    for one in {id(one.page): one for one in some if not one.made}.values():
        found.setdefault(one.publisher, []).append(one)
    return found


def examples(
    corpus: str, sites: list[Site], folds: Mapping[str, int], ks: tuple[int, ...], made: float = 0.0
) -> Iterator[Example]:
    """Each page of a corpus, once for each k in `ks`; k = -1 stands for a random one of `RANDOM_PAGES`.

    A share of the pages, `made`, come once more with foreign content of a random kind. It is of sites of their fold.
    """
    fold_of, labels = [folds[site_publisher(site)] for site in sites], read_labels()
    for site, fold in zip(sites, fold_of, strict=True):
        placed = corpus, site_publisher(site), fold
        pages = [Page.parse(page.html, url=page.url) for page in site]
        donors = [other for other, its in zip(sites, fold_of, strict=True) if its == fold and other is not site]
        for i, (page, recorded) in enumerate(zip(pages, site, strict=True)):
            if not len(page.blocks):
                continue
            read = labels.get(key_of(corpus, recorded))
            plain = _labelled(page, recorded, [*pages[:i], *pages[i + 1 :]], read=read)
            if corpus in READ_ONLY and read is None:
                plain = plain._replace(share=np.full(len(page.blocks), np.nan))
            truths = truths_of(corpus, recorded, page, read)
            key = recorded.url + recorded.gold[:50]
            rng = random.Random(f"made {key}")
            some = [plain]
            if rng.random() < made and recorded.gold and corpus not in READ_ONLY:
                some += [*_with_foreign(*_with_list(plain, site, i, key), i, donors, rng), *_short(plain, recorded)]
                some += [*_wall(site, i, fold, plain.others), *_alone(recorded)]
            for one in some:
                told = truths[: 1 if one.made else None]
                if one.made in ("wall", "alone"):
                    told = (Truth(one.made, (one.page.text_of(one.share > 0),)),)
                weight = CORPUS_WEIGHTS.get(corpus, 1.0)
                weight *= MADE_WEIGHT if one.made else 1.0
                weight *= 1.0 if recorded.kind in (*ARTICLES, "mixed") else OTHER_KINDS_WEIGHT
                weight *= READ_WEIGHT if read and not one.made and recorded.kind not in ARTICLES else 1.0
                yield from _for_each_k(placed, one, told, weight, ks, key=key + one.made)
        if (
            site[0].gold
            and corpus not in READ_ONLY
            and random.Random(f"threads {site[0].url} {site[0].gold[:50]}").random() < made * THREADS
        ):
            yield from _threads(placed, site, ks)


def _threads(placed: tuple[str, str, int], site: Site, ks: tuple[int, ...]) -> Iterator[Example]:
    """Threads made of a site's pages, compared with each other."""
    threads = list(made_threads(site))
    pages = [page for page, _ in threads]
    weight = CORPUS_WEIGHTS.get(placed[0], 1.0) * MADE_WEIGHT
    for i, (page, share) in enumerate(threads):
        one = _Labelled(page, block_tokens(page), share, [*pages[:i], *pages[i + 1 :]], "thread")
        gold = page.text_of(share > 0)
        yield from _for_each_k(placed, one, (Truth("made thread", (gold,)),), weight, ks, key=gold[:50])


class _Labelled(NamedTuple):
    """A page with the tokens and the share of gold of each block, and the pages to compare it with."""

    page: Page
    words: list[list[str]]
    share: npt.NDArray[np.float64]
    others: list[Page]
    made: str = ""
    letters: Sequence[str] = ()


def _labelled(
    page: Page, recorded: RecordedPage, others: list[Page], made: str = "", read: ReadPage | None = None
) -> _Labelled:
    """A page labelled by what readers agree on, a story by its gold text and the headline."""
    words, letters = block_tokens(page), read.letters(page) if read else ()
    if read is not None and recorded.kind not in ARTICLES:
        share = read.kept(page)
    elif recorded.gold:
        share = without_doubt(page, gold_share(words, recorded.gold))
        share[[i for i, said in enumerate(letters) if set(said) == {"H"}]] = 1.0
    else:
        share = share_by_pieces(words, recorded.wanted, recorded.unwanted)
    return _Labelled(page, words, share, others, made, letters)


def _for_each_k(
    placed: tuple[str, str, int],
    one: _Labelled,
    truths: tuple[Truth, ...],
    weight: float,
    ks: tuple[int, ...],
    *,
    key: str,
) -> Iterator[Example]:
    """A page of a corpus, publisher and fold once for each k; `key` is the seed of its random choices."""
    corpus, publisher, fold = placed
    neighbours, lengths = Neighbours.of(one.page.tree), one.page.blocks.tokens
    for features, k in _compared(one.page, one.others, ks, random.Random(key)):
        known = (one.share, one.page, neighbours, lengths, one.words, truths, k, one.made, weight, one.letters)
        yield Example(corpus, publisher, fold, features, *known)
    one.page.drop_columns()


def _with_list(plain: _Labelled, site: Site, i: int, key: str) -> tuple[_Labelled, Site]:
    """The page, some with a part of their story as a list, and the site with it."""
    recorded = site[i]
    html = listed(recorded) if random.Random(f"list {key}").random() < LISTS else None
    if html is None:
        return plain, site
    page = Page.parse(html, url=recorded.url)
    changed = [*site[:i], replace(recorded, html=html), *site[i + 1 :]]
    return _labelled(page, recorded, plain.others), changed


def _with_foreign(plain: _Labelled, site: Site, i: int, donors: list[Site], rng: random.Random) -> Iterator[_Labelled]:
    """The page with foreign content: its own blocks are labelled as they were, all others as not kept."""
    for made in islice(made_of(site, i, donors, rng.sample(KINDS, len(KINDS))), 1):
        share = np.zeros(len(made.foreign))
        share[~made.foreign] = plain.share
        numbers = [j for j in range(len(site)) if j != i]
        others = [other for j, other in zip(numbers, plain.others, strict=True) if j not in made.donors]
        tokens = block_tokens(made.page)
        said = [
            "M" if made.kind == "comments" and is_foreign and len(words) >= COMMENT_TOKENS else ""
            for is_foreign, words in zip(made.foreign.tolist(), tokens, strict=True)
        ]
        yield _Labelled(made.page, tokens, share, others, made.kind, said)


def _short(plain: _Labelled, recorded: RecordedPage) -> Iterator[_Labelled]:
    """The page with few of its blocks."""
    html = shortened(recorded)
    page = Page.parse(html or "", url=recorded.url)
    if 0 < len(page.blocks) <= FEW_BLOCKS:
        yield _labelled(page, recorded, plain.others, "short")


def _wall(site: Site, i: int, fold: int, others: list[Page]) -> Iterator[_Labelled]:
    """Some pages of a site as walls, of which nothing is content."""
    rng = random.Random(f"wall {site[i].url} {site[i].gold[:50]}")
    made = made_wall(site, i, fold, rng) if rng.random() < WALLS else []
    for page in made[:1]:
        if m := len(page.blocks):
            yield _Labelled(page, block_tokens(page), np.zeros(m), made[1:] or others, "wall")


def _alone(recorded: RecordedPage) -> Iterator[_Labelled]:
    """Some stories without anything around: all is content but bylines and comments."""
    rng = random.Random(f"alone {recorded.url} {recorded.gold[:50]}")
    made = made_alone(recorded, rng) if rng.random() < WALLS else None
    if made is not None and len(made[0].blocks):
        page, letters = made
        share = np.array([float(letter not in "BM") for letter in letters])
        tokens = block_tokens(page)
        said = [
            "" if part == "M" and len(words) < COMMENT_TOKENS else part
            for part, words in zip(letters, tokens, strict=True)
        ]
        yield _Labelled(page, tokens, share, [], "alone", said)


def _compared(
    page: Page, others: list[Page], ks: tuple[int, ...], rng: random.Random
) -> Iterator[tuple[npt.NDArray[np.float32], int]]:
    """Features and k for each k; what -1 draws comes once."""
    others = likest_first(page, others)
    done: set[int] = set()
    for k in ks:
        wanted = rng.choice(RANDOM_PAGES) if k < 0 else k
        some = rng.sample(others, min(wanted, len(others))) if k < 0 else others[:wanted]
        statistics = SiteStatistics.of(other.facts for other in some).for_page(page)
        if k < 0 and len(statistics.pages) in done:
            continue
        done.add(len(statistics.pages))
        yield block_features(page, statistics), k


def read_corpora(folders: Sequence[Path]) -> tuple[dict[str, list[Site]], dict[str, int]]:
    """The corpora in some folders, and the fold of each publisher."""
    corpora = {name: sites for folder in folders for name, sites in load(folder) if name != "portal"}
    count = Counter((name, site_publisher(site)) for name, sites in corpora.items() for site in sites for _ in site)
    return corpora, balanced_folds(count)


def read_examples(
    corpora: Mapping[str, list[Site]], folds: Mapping[str, int], ks: tuple[int, ...], jobs: int, made: float = 0.0
) -> list[Example]:
    """All pages of some corpora as examples, made by several processes; arguments as `read_corpora` gives them.

    `made` is the share of pages that come once more with foreign content.
    """
    with Pool(jobs) as pool:
        return [e for some in pool.imap(partial(_read, folds=folds, ks=ks, made=made), corpora.items()) for e in some]


def _read(corpus: tuple[str, list[Site]], folds: Mapping[str, int], ks: tuple[int, ...], made: float) -> list[Example]:
    return list(examples(*corpus, folds, ks, made))
