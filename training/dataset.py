"""Recorded and made pages as rows of features, labels, weights and folds."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
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

from denoise_scrapy.body.strategies.combined import CombinedStrategy, view_of
from denoise_scrapy.core.judge import Neighbours
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics, likest_first
from evaluation.corpora import RecordedPage, Site, recorded
from training.labels import block_tokens, gold_share, share_by_pieces, without_doubt
from training.made import ARTICLES, FOLDS, KINDS, listed, made_alone, made_note, made_of, made_wall, shortened
from training.made_threads import made_threads
from training.truth import ReadPage, Truth, key_of, read_labels, truths_of

#: Most comparison pages: as many as the strategy uses.
PAGES = CombinedStrategy.comparison_pages
#: Comparison pages that a crawl may have at first.
RANDOM_PAGES = (0, 1, 2, 3, 5)
#: Weight of a page by its corpus. Results are best if small corpora and corpora of many kinds of pages count for more.
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
    "written": 5.0,
    "reports": 8.0,
}
#: Corpora whose truths are used only for pages that somebody read: two keep comments, as others do not, and three have
#: the text of an extractor.
READ_ONLY = ("canola", "magicforum", "jocmp", "newspaper", "postlight")
#: Factor on the corpus weight for a page that readers labelled.
READ_WEIGHT = 2.0
#: Weight of a page that is not an article, and of a page with foreign content relative to the recorded page. With 1
#: for both, lists lose .04.
OTHER_KINDS_WEIGHT, MADE_WEIGHT = 2.0, 0.4
#: Share of sites whose pages are used again as forum threads: one in 35 recorded pages is a thread.
THREADS = 0.25
#: Share of pages with foreign content whose story has its own list: otherwise all lists in made pages would be foreign.
LISTS = 0.3
#: Share of pages that are used again as a wall, and share used again as a story alone.
WALLS = 0.15
#: Fewest tokens of a made comment: shorter ones are names, dates and buttons.
COMMENT_TOKENS = 4
#: Made pages used only for the trees of content: walls in the other models taught that few words alone are no content.
PAGES_ALONE = ("wall", "note", "alone")
#: Most blocks of a shortened page.
FEW_BLOCKS = 40
_DOMAIN = TLDExtract(suffix_list_urls=())  # the list that comes with the package: no network


@dataclass
class Example:
    """A page with one choice of comparison pages.

    Attributes:
        corpus: Its corpus.
        publisher: Its publisher.
        fold: Its fold; all pages of one publisher are in the same fold.
        features: Shape (features, blocks), without those of words (`training.vocabulary`).
        k: Number of comparison pages requested.
        page: The page.
        neighbours: The surroundings of each block.
        lengths: Number of tokens of each block, shape (blocks,).
        tokens: Tokens of each block.
        share: Share of each block that is gold, NaN if in doubt, shape (blocks,).
        letters: The readers' letters of each block (`training.truth.PARTS`), "" or none if nobody read it.
        made: How the page was made, "" for a recorded page.
        kind: Its kind (`denoise_scrapy.body.kind.KINDS`), "" if nobody named it.
        truths: Truths of its body, the corpus's first.
        weight: How much the page counts in training.
    """

    corpus: str
    publisher: str
    fold: int
    features: npt.NDArray[np.float32]
    k: int
    page: Page
    neighbours: Neighbours
    lengths: npt.NDArray[np.int64]
    tokens: list[list[str]]
    share: npt.NDArray[np.float64]
    letters: Sequence[str]
    made: str
    kind: str
    truths: tuple[Truth, ...]
    weight: float


class _Labelled(NamedTuple):
    """A page with the share of gold and the letters of each block, and the pages to compare it with."""

    page: Page
    share: npt.NDArray[np.float64]
    others: list[Page]
    made: str = ""
    letters: Sequence[str] = ()
    kind: str = ""


def publisher(page: RecordedPage) -> str:
    """Return the publisher of a page: its domain's name, the same for bbc.com and bbc.co.uk.

    For pages without a URL, use the site's name, or the host that most links lead to.
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
    """Return the publisher of most of a site's pages."""
    return Counter(publisher(page) for page in site).most_common(1)[0][0]


def recorded_by_publisher(some: Iterable[Example]) -> dict[str, list[Example]]:
    """Return the recorded pages among some examples, each once."""
    found: dict[str, list[Example]] = {}
    for one in {id(one.page): one for one in some if not one.made}.values():
        found.setdefault(one.publisher, []).append(one)
    return found


def balanced_folds(pages: Mapping[tuple[str, str], int]) -> dict[str, int]:
    """Return a fold for each publisher, the same for the same pages.

    Publishers with a large part of a corpus are placed first, each in the fold where its corpora have the fewest pages.

    Args:
        pages: Number of pages by (corpus, publisher).
    """
    held, size = defaultdict[str, Counter[str]](Counter), Counter[str]()
    for (corpus, publisher), count in pages.items():
        held[publisher][corpus] += count
        size[corpus] += count
    load, folds = [Counter[str]() for _ in range(FOLDS)], dict[str, int]()
    for name in sorted(held, key=lambda name: (-max(n / size[c] for c, n in held[name].items()), name)):

        def fullest(fold: int, mine: Counter[str]) -> float:
            return max((load[fold][corpus] + count) / size[corpus] for corpus, count in mine.items())

        folds[name] = min(range(FOLDS), key=lambda fold: (fullest(fold, held[name]), sum(load[fold].values())))
        load[folds[name]].update(held[name])
    return folds


def read_corpora(folders: Sequence[Path]) -> tuple[dict[str, list[Site]], dict[str, int]]:
    """Return the corpora in some folders, and the fold of each publisher."""
    corpora = dict(recorded(folders))
    count = Counter((name, site_publisher(site)) for name, sites in corpora.items() for site in sites for _ in site)
    return corpora, balanced_folds(count)


def read_examples(
    corpora: Mapping[str, list[Site]], folds: Mapping[str, int], ks: tuple[int, ...], jobs: int, made: float = 0.0
) -> list[Example]:
    """Return all pages of some corpora as examples, made by several processes; arguments as for `examples`."""
    with Pool(jobs) as pool:
        return [e for some in pool.imap(partial(_read, folds=folds, ks=ks, made=made), corpora.items()) for e in some]


def _read(corpus: tuple[str, list[Site]], folds: Mapping[str, int], ks: tuple[int, ...], made: float) -> list[Example]:
    return list(examples(*corpus, folds, ks, made))


def examples(
    corpus: str,
    sites: list[Site],
    folds: Mapping[str, int],
    ks: tuple[int, ...],
    made: float = 0.0,
    only_read: bool = False,
) -> Iterator[Example]:
    """Yield each page of a corpus, once for each k in `ks`; k = -1 stands for a random one of `RANDOM_PAGES`.

    With `only_read`, only pages that somebody read.

    A share `made` of the pages is used again with foreign content of a random kind, taken from sites of the same fold.
    """
    fold_of, labels = [folds[site_publisher(site)] for site in sites], read_labels()
    weight = CORPUS_WEIGHTS.get(corpus, 1.0)
    for site, fold in zip(sites, fold_of, strict=True):
        placed = corpus, site_publisher(site), fold
        pages = [Page.parse(page.html, url=page.url) for page in site]
        donors = [other for other, its in zip(sites, fold_of, strict=True) if its == fold and other is not site]
        for i, (page, page_of) in enumerate(zip(pages, site, strict=True)):
            read, key = labels.get(key_of(corpus, page_of)), page_of.url + page_of.gold[:50]
            if not len(page.blocks) or (only_read and read is None):
                continue
            plain = _labelled(page, page_of, [*pages[:i], *pages[i + 1 :]], read=read)
            if corpus in READ_ONLY and read is None:
                plain = plain._replace(share=np.full(len(page.blocks), np.nan))
            some, truths = [plain], truths_of(corpus, page_of, page, read)
            rng = random.Random(f"made {key}")
            if rng.random() < made and page_of.gold and corpus not in READ_ONLY:
                some += _made(plain, site, i, fold, donors, rng)
            of_kind = 1.0 if page_of.kind in (*ARTICLES, "mixed") else OTHER_KINDS_WEIGHT
            of_reading = READ_WEIGHT if read and page_of.kind not in ARTICLES else 1.0
            for one in some:
                told = _own_text(one) if one.made in PAGES_ALONE else truths[: 1 if one.made else None]
                factor = of_kind * (MADE_WEIGHT if one.made else of_reading)
                yield from _for_each_k(placed, one, told, weight * factor, ks, key + one.made)
        rng = random.Random(f"threads {site[0].url} {site[0].gold[:50]}")
        if site[0].gold and corpus not in READ_ONLY and rng.random() < made * THREADS:
            threads = list(made_threads(site))
            for i, (page, share) in enumerate(threads):
                one = _Labelled(page, share, [other for other, _ in threads[:i] + threads[i + 1 :]], "thread")
                key = page.text_of(share > 0)[:50]
                yield from _for_each_k(placed, one, _own_text(one), weight * MADE_WEIGHT, ks, key)


def _labelled(
    page: Page, recorded: RecordedPage, others: list[Page], made: str = "", read: ReadPage | None = None
) -> _Labelled:
    """Label a page by the blocks that readers agree on, else by its gold text."""
    words, letters = block_tokens(page), read.letters(page) if read else ()
    if read is not None:
        share = read.kept(page)
    elif recorded.gold:
        share = without_doubt(page, gold_share(words, recorded.gold))
    else:
        share = share_by_pieces(words, recorded.wanted, recorded.unwanted)
    return _Labelled(page, share, others, made, letters, read.kind if read else "")


def _own_text(one: _Labelled) -> tuple[Truth, ...]:
    return (Truth(one.made, (one.page.text_of(one.share > 0),)),)


def _made(
    plain: _Labelled, site: Site, i: int, fold: int, donors: list[Site], rng: random.Random
) -> Iterator[_Labelled]:
    """Yield a page with foreign content, shortened, as a wall and as a story alone, as far as possible."""
    page_of = site[i]
    key, other_key = page_of.url + page_of.gold[:50], f"{page_of.url} {page_of.gold[:50]}"
    own, its_site = plain, site
    if random.Random(f"list {key}").random() < LISTS and (html := listed(page_of)) is not None:
        own = _labelled(Page.parse(html, url=page_of.url), page_of, plain.others)
        its_site = [*site[:i], replace(page_of, html=html), *site[i + 1 :]]
    for made in islice(made_of(its_site, i, donors, rng.sample(KINDS, len(KINDS))), 1):
        share = np.zeros(len(made.foreign))
        share[~made.foreign] = own.share
        numbers = [j for j in range(len(site)) if j != i]
        others = [other for j, other in zip(numbers, plain.others, strict=True) if j not in made.donors]
        letters = ["M" if made.kind == "comments" and is_foreign else "" for is_foreign in made.foreign]
        yield _Labelled(made.page, share, others, made.kind, letters)
    short = Page.parse(shortened(page_of) or "", url=page_of.url)
    if 0 < len(short.blocks) <= FEW_BLOCKS:
        yield _labelled(short, page_of, plain.others, "short")
    rng = random.Random(f"wall {other_key}")
    walls = made_wall(site, i, fold, rng) if rng.random() < WALLS else []
    if walls and len(walls[0].blocks):
        yield _Labelled(walls[0], np.zeros(len(walls[0].blocks)), walls[1:] or plain.others, "wall", kind="none")
    rng = random.Random(f"note {other_key}")
    notes = made_note(site, i, fold, rng) if rng.random() < WALLS else []
    if notes and len(notes[0].blocks):
        told = set(notes[0].block_texts) - set(plain.page.block_texts)
        share = np.array([float(text in told) for text in notes[0].block_texts])
        yield _Labelled(notes[0], share, notes[1:] or plain.others, "note")
    rng = random.Random(f"alone {other_key}")
    alone = made_alone(page_of, rng) if rng.random() < WALLS else None
    if alone is not None and len(alone[0].blocks):
        page, letters = alone
        yield _Labelled(page, np.array([float(letter not in "BM") for letter in letters]), [], "alone", letters)


def _for_each_k(
    placed: tuple[str, str, int], one: _Labelled, truths: tuple[Truth, ...], weight: float, ks: Sequence[int], key: str
) -> Iterator[Example]:
    """Yield a page once for each k; a random k only if its number of pages is new; `key` is a seed."""
    (corpus, publisher, fold), page, rng, done = placed, one.page, random.Random(key), set[int]()
    others = likest_first(page, one.others)
    neighbours, tokens, letters = Neighbours.of(page.tree), block_tokens(page), one.letters
    if one.made:
        few = [len(words) < COMMENT_TOKENS for words in tokens]
        letters = ["" if letter == "M" and is_few else letter for letter, is_few in zip(letters, few, strict=False)]
    known = (page, neighbours, page.blocks.tokens, tokens, one.share, letters, one.made, one.kind, truths, weight)
    for k in ks:
        wanted = rng.choice(RANDOM_PAGES) if k < 0 else k
        some = rng.sample(others, min(wanted, len(others))) if k < 0 else others[:wanted]
        statistics = SiteStatistics(other.facts for other in some).for_page(page)
        if k >= 0 or len(statistics.pages) not in done:
            yield Example(corpus, publisher, fold, view_of(page, statistics).features, k, *known)
        done.add(len(statistics.pages))
    page.drop_columns()
