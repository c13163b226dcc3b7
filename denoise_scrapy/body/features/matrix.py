"""The matrix of all features of a page's blocks. `source/features.c` has the twin in C."""

from __future__ import annotations

from itertools import accumulate, pairwise
from math import log1p, nan

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.features import blocks, goods, records, sections, surroundings
from denoise_scrapy.body.features import site as of_site
from denoise_scrapy.body.features.announcements import META_BIT
from denoise_scrapy.body.features.declared import DECLARED_NAMES, SPREAD_NAMES, declares, spread
from denoise_scrapy.body.features.lexical import NAMES as WORD_NAMES
from denoise_scrapy.body.features.lexical import fill_words
from denoise_scrapy.body.features.natively import fill_natively, settings
from denoise_scrapy.body.features.words import Words, read_words
from denoise_scrapy.body.hand_rule import FlaggedBlocks, HandRule
from denoise_scrapy.body.strategies.repetition import find_titles
from denoise_scrapy.body.sums import CHARS, COPIES, HEADINGS, LINKS, META, OWN, PRICES, PROSE, TOKENS, Sums
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics
from denoise_scrapy.site.clusters import best_block

Rows = npt.NDArray[np.float32]

#: The same for all blocks of a page: counts, what it declares to be, where its text stands.
PAGE_NAMES = (
    *("page_tokens", "page_blocks", "page_ld", "page_prose", "page_longest", "page_headings", "page_pictures"),
    *("page_prices", "page_records", "hand_tokens", "same_as_all", "k", "alone", *DECLARED_NAMES, *SPREAD_NAMES),
)
#: Names by family, in the order of the matrix.
FAMILIES: dict[str, tuple[str, ...]] = {
    "own": blocks.OWN_NAMES,
    "flags": blocks.FLAG_NAMES,
    "words": WORD_NAMES,
    "subtrees": surroundings.SUBTREE_NAMES,
    "windows": surroundings.WINDOW_NAMES,
    "near": surroundings.NEAR_NAMES,
    "paths": surroundings.PATH_NAMES,
    "place": surroundings.PLACE_NAMES,
    "records": records.NAMES,
    "goods": goods.NAMES,
    "sections": sections.NAMES,
    "site": of_site.NAMES,
    "rule": ("hand_kept", "hand_points", "in_best_h", "times_on_page"),
    "page": PAGE_NAMES,
}
#: Names of the rows.
NAMES = tuple(name for names in FAMILIES.values() for name in names)
_EDGES = tuple(accumulate(map(len, FAMILIES.values()), initial=0))
_ROWS = {name: slice(*edges) for name, edges in zip(FAMILIES, pairwise(_EDGES), strict=True)}
_PAGES = 5  # more of them say no more
_HEADING = blocks.FLAG_NAMES.index("own_heading")


def block_features(page: Page, site: SiteStatistics) -> Rows:
    """All features of a page's m blocks, shape (features, m), rows as in `NAMES`.

    Args:
        page: A page with at least one block.
        site: Its comparison pages, without the page itself and its copies; maybe none.

    Example:
        >>> features = block_features(Page.parse("<p>One two three.</p>"), SiteStatistics())
        >>> features.shape == (len(NAMES), 1), float(features[NAMES.index("tag_p"), 0])
        (True, 1.0)
    """
    matrix, words = np.empty((len(NAMES), len(page.blocks)), np.float32), read_words(page)
    fill_words(matrix[_ROWS["words"]], page.blocks.tokens, words)
    if not fill_natively(matrix, page, site, words.bits, settings(_EDGES, _PAGES)):
        _fill(matrix, page, site, words)
    return matrix


def _fill(matrix: Rows, page: Page, site: SiteStatistics, words: Words) -> None:
    """Fill in all families but the words'."""
    of = {name: matrix[rows] for name, rows in _ROWS.items()}
    flags = of["flags"]
    blocks.fill_flags(flags, page)
    flagged = FlaggedBlocks(page, flags[blocks.INSIDE])
    blocks.fill_parts(flags, flagged.covered, max(flagged.total, 1))
    titles, shared, pages = find_titles(page), site.shared_with(page), len(site.pages)
    marks = {HEADINGS: flags[_HEADING] > 0, META: (words.bits & META_BIT) != 0, PRICES: goods.find_prices(page, words)}
    if pages:
        marks[COPIES] = np.rint(shared.text_share * pages) * page.blocks.tokens
    rule = HandRule(page, site, titles, flagged, lambda own: Sums(page, {**marks, OWN: own}))
    _fill_rule(of["rule"], rule, shared.times_on_page)
    _fill_around(of, rule, titles)
    of_site.fill_site(of["site"], rule.sums, shared, pages)
    pictures = goods.count_pictures(page)
    listed = records.fill_records(of["records"], rule.sums, pictures)
    goods.fill_goods(of["goods"], rule.sums, pictures)
    values = _of_page(rule, flagged, int(pictures.max()), listed, pages)
    of["page"][:] = np.array(values, np.float32)[:, None]


def _fill_rule(out: Rows, rule: HandRule, times_on_page: npt.NDArray[np.int64] | npt.NDArray[np.float64]) -> None:
    """What the hand rule says; Wang, Chen and Dai (2018): the block with the highest H; the page's repetitions."""
    page = rule.sums.page
    out[0], out[1] = rule.kept, rule.points
    best, _ = best_block(page)
    out[2] = page.blocks.inside(best) if best >= 0 else False
    np.log1p(times_on_page, out=out[3])


def _fill_around(of: dict[str, Rows], rule: HandRule, titles: npt.NDArray[np.bool_]) -> None:
    """The block itself and what stands around it."""
    sums = rule.sums
    blocks.fill_own(of["own"], sums)
    surroundings.fill_subtrees(of["subtrees"], sums)
    surroundings.fill_windows(of["windows"], sums)
    surroundings.fill_near(of["near"], sums)
    surroundings.fill_paths(of["paths"], sums)
    surroundings.fill_place(of["place"], sums, rule.in_containers[1], titles)
    sections.fill_sections(of["sections"], sums)


def _of_page(rule: HandRule, flagged: FlaggedBlocks, pictures: int, listed: float, pages: int) -> list[float]:
    """The values of `PAGE_NAMES`."""
    sums = rule.sums
    totals, whole = sums.totals.tolist(), sums.whole
    return [
        log1p(whole),
        log1p(sums.rows.shape[1]),
        totals[LINKS] / max(totals[CHARS], 1),
        totals[PROSE] / whole,
        log1p(sums.rows[PROSE].max()),
        log1p(totals[HEADINGS]),
        log1p(pictures),
        log1p(totals[PRICES]),
        listed,
        log1p(rule.kept @ sums.rows[TOKENS]),
        totals[COPIES] / (pages * whole) if pages else nan,
        min(pages, _PAGES),
        not pages,
        *declares(sums.page),
        *spread(flagged.covered, whole),
    ]
