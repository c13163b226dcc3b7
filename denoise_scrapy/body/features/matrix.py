"""The matrix of all features of a page's blocks. `source/features.c` has the twin in C."""

from __future__ import annotations

from functools import cache
from itertools import accumulate, pairwise
from math import log1p, nan

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.features import around, hand_rule
from denoise_scrapy.body.features.hand_rule import FlaggedBlocks, HandRule
from denoise_scrapy.body.features.sums import (
    CHARS,
    COPIES,
    HEADINGS,
    LINKS,
    META,
    OWN,
    PRICES,
    PROSE,
    TOKENS,
    WHOLES,
    Sums,
)
from denoise_scrapy.body.features.words import (
    FAR,
    META_BIT,
    PRICE_BIT,
    PRICE_TOKENS,
    WORD_NAMES,
    Words,
    fill_words,
    read_words,
)
from denoise_scrapy.body.title import find_titles
from denoise_scrapy.native import library
from denoise_scrapy.native.blocks import INPUTS, Settings, Told, fill_features
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.marked_text import CJK, COMMA, UPPER
from denoise_scrapy.page.paths import name_code
from denoise_scrapy.site import SiteStatistics, clusters
from denoise_scrapy.site.clusters import BLOCK_NODES, best_block

Rows = npt.NDArray[np.float32]

#: Tags of a block's own element that are told apart.
TAGS = "p li td th h1 h2 h3 h4 div span pre dt dd figcaption blockquote label button section article".split()
_TAG_CODES = np.array([name_code(tag) for tag in TAGS], np.uint32)[:, None]

_COUNTED = ("commas", "stops", "digits", "capitals", "cjk")  # the order of the classes of characters
OWN_NAMES = (
    *("tokens", "chars", "ld", "word_length", *_COUNTED, "ends_in_stop", "depth"),
    *(f"tag_{tag}" for tag in TAGS),
)

_BITS = np.array(list(Flag), np.int32)[:, None]
_FLAGS = [str(flag.name).lower() for flag in Flag]
#: Flags that are words of class and id.
_WORDS = [flag > Flag.CONTROL for flag in Flag].index(True)
#: What the blocks themselves are, what they are in, and the same where it covers at most half of the page. That last is
#: asked of words only: where they cover the page, they frame nothing.
FLAG_NAMES = (
    *(f"own_{flag}" for flag in _FLAGS),
    *(f"in_{flag}" for flag in _FLAGS),
    *(f"in_{flag}_part" for flag in _FLAGS[_WORDS:]),
)
#: Rows of what the blocks are in.
INSIDE = slice(len(_FLAGS), 2 * len(_FLAGS))


def fill_own(out: Rows, sums: Sums) -> None:
    """Fill in what the blocks themselves hold, rows as in `OWN_NAMES`."""
    page = sums.page
    blocks, lengths = page.blocks, np.maximum(sums.rows[WHOLES], 1)  # tokens, characters
    out[0] = sums.log_tokens
    out[1] = np.log1p(sums.rows[CHARS])
    np.divide(sums.rows[LINKS : CHARS + 1 : CHARS - LINKS], lengths[::-1], out=out[2:4])
    np.divide(blocks.counts.T[COMMA : UPPER + 1], lengths[1], out=out[4:8])
    np.divide(blocks.counts[:, CJK], lengths[1], out=out[8])
    out[9] = blocks.ends_in_stop
    out[10] = page.elements.depth.take(blocks.element)
    np.equal(page.elements.column("tag").take(blocks.element), _TAG_CODES, out=out[11:])


def fill_flags(out: Rows, page: Page) -> None:
    """Fill in what the blocks are and are in, the first two thirds of `FLAG_NAMES`."""
    flags = np.empty((2, 1, len(page.blocks)), np.int32)
    flags[0], flags[1] = page.blocks.own_flags, page.blocks.flags
    np.not_equal(flags & _BITS, 0, out=out[: INSIDE.stop].reshape(2, len(_BITS), -1))


def fill_parts(out: Rows, covered: npt.NDArray[np.float64], whole: int) -> None:
    """Fill in the rest, with the tokens that each flag covers, shape (flags,), and those of the page."""
    np.multiply(out[INSIDE][_WORDS:], (covered[_WORDS:] <= whole / 2)[:, None], out=out[INSIDE.stop :])


#: A page that declares one of these is a thread: what people answer is its content.
FORUM_TYPES = frozenset(["qapage", "question", "discussionforumposting"])
#: What pages declare that they are (schema.org, Open Graph), by what it means for their text.
DECLARED = {
    "article": frozenset(["article", "newsarticle", "blogposting", "reportagenewsarticle", "report", "og:article"]),
    "forum": FORUM_TYPES,
    "product": frozenset(["product", "productgroup", "offer", "aggregateoffer", "og:product", "og:product.item"]),
    "list": frozenset(["itemlist", "collectionpage", "searchresultspage", "offercatalog"]),
    "manual": frozenset(["techarticle", "apireference", "howto", "faqpage"]),
    "website": frozenset(["og:website"]),
}
#: Where text may stand: the shares of the page's text in these tell kinds of pages apart.
SPREAD = (Flag.ARTICLE, Flag.COMMENT_WORD, Flag.LIST_ITEM, Flag.TABLE_CELL, Flag.HEADING, Flag.CONTENT_WORD)


DECLARED_NAMES = tuple(f"page_declares_{name}" for name in DECLARED)
SPREAD_NAMES = tuple(f"page_in_{str(flag.name).lower()}" for flag in SPREAD)
SPREAD_ROWS = [list(Flag).index(flag) for flag in SPREAD]


def declares(page: Page) -> list[bool]:
    """What the page declares to be, in the order of `DECLARED_NAMES`."""
    if not page.declared_types:
        return [False] * len(DECLARED)
    return [not types.isdisjoint(page.declared_types) for types in DECLARED.values()]


def spread(covered: npt.NDArray[np.float64], whole: int) -> list[float]:
    """Shares of the page's text, in the order of `SPREAD_NAMES`, from the tokens that each flag covers, (flags,)."""
    shares = covered.take(SPREAD_ROWS) / whole
    return list(shares.tolist())


#: The same for all blocks of a page: counts, what it declares to be, where its text stands.
PAGE_NAMES = (
    *("page_tokens", "page_blocks", "page_ld", "page_prose", "page_longest", "page_headings", "page_pictures"),
    *("page_prices", "page_records", "hand_tokens", "same_as_all", "k", "alone", *DECLARED_NAMES, *SPREAD_NAMES),
)
#: Names by family, in the order of the matrix.
FAMILIES: dict[str, tuple[str, ...]] = {
    "own": OWN_NAMES,
    "flags": FLAG_NAMES,
    "words": WORD_NAMES,
    "subtrees": around.SUBTREE_NAMES,
    "windows": around.WINDOW_NAMES,
    "near": around.NEAR_NAMES,
    "paths": around.PATH_NAMES,
    "place": around.PLACE_NAMES,
    "records": around.RECORD_NAMES,
    "goods": around.GOODS_NAMES,
    "sections": around.SECTION_NAMES,
    "site": around.SITE_NAMES,
    "rule": ("hand_kept", "hand_points", "in_best_h", "times_on_page"),
    "page": PAGE_NAMES,
}
#: Names of the rows.
NAMES = tuple(name for names in FAMILIES.values() for name in names)
_EDGES = tuple(accumulate(map(len, FAMILIES.values()), initial=0))
_ROWS = {name: slice(*edges) for name, edges in zip(FAMILIES, pairwise(_EDGES), strict=True)}
_PAGES = 5  # more of them say no more
_HEADING = FLAG_NAMES.index("own_heading")


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
    if not _fill_natively(matrix, page, site, words):
        _fill(matrix, page, site, words)
    return matrix


@cache
def _settings() -> Settings:
    """The constants of all families, for C."""
    return Settings.of(
        {
            "rows": len(NAMES),
            "start": _EDGES[:-1],
            "tags": [name_code(tag) for tag in TAGS],
            "levels": [name_code(tag) for tag in around.HEADING_LEVELS],
            "nodes": [name_code(tag) for tag in sorted(BLOCK_NODES)],
            "link": name_code("a"),
            "image": name_code("img"),
            "spread": SPREAD_ROWS,
            "points": [hand_rule.FLAG_POINTS.get(flag, 0) for flag in Flag],
            "far": FAR,
            "price_tokens": PRICE_TOKENS,
            "records": around.RECORDS,
            "record_elements": around.ELEMENTS,
            "record_tokens": around.TOKENS_EACH,
            "most_pages": _PAGES,
            "alpha": clusters.ALPHA,
            "prose_points": hand_rule.PROSE_POINTS,
            "block_points": hand_rule.BLOCK_POINTS,
            "outside_points": hand_rule.OUTSIDE_POINTS,
            "teaser_points": hand_rule.TEASER_POINTS,
            "title_points": hand_rule.TITLE_POINTS,
            "slot_points": hand_rule.SLOT_POINTS,
            "linked": hand_rule.LINK_DENSITY,
            "repeated": hand_rule.REPEATED_SHARE,
            "template_slot": hand_rule.SLOT_SHARE,
            "framed": hand_rule.FRAME_SHARE,
            "hidden": hand_rule.HIDDEN_SHARE,
            "teasers": hand_rule.TEASER_LINK_DENSITY,
            "sparse_tokens": hand_rule.SPARSE_TOKENS,
            "sparse": hand_rule.SPARSE_SHARE,
        }
    )


def _fill_natively(matrix: Rows, page: Page, site: SiteStatistics, words: Words) -> bool:
    """Fill in all families but the words' in C; False where numpy must."""
    lib, columns = library(), page.blocks.native
    if lib is None or columns is None:
        return False
    shared, pages = site.shared_with(page), len(site.pages)
    given = np.empty((len(INPUTS), matrix.shape[1]))
    given[0], given[1], given[2] = find_titles(page), words.bits, shared.times_on_page
    if pages:
        given[3], given[4], given[5] = shared.text_share, shared.placed_share, shared.slot_share
        given[6], given[7] = shared.path_share, shared.slot_tokens
    declared = sum(1 << number for number, is_so in enumerate(declares(page)) if is_so)
    fill_features(lib, columns, _settings(), Told(given, page.blocks.slots, pages, declared), matrix)
    return True


def _fill(matrix: Rows, page: Page, site: SiteStatistics, words: Words) -> None:
    """Fill in all families but the words'."""
    of = {name: matrix[rows] for name, rows in _ROWS.items()}
    flags = of["flags"]
    fill_flags(flags, page)
    flagged = FlaggedBlocks(page, flags[INSIDE])
    fill_parts(flags, flagged.covered, max(flagged.total, 1))
    titles, shared, pages = find_titles(page), site.shared_with(page), len(site.pages)
    marks = {HEADINGS: flags[_HEADING] > 0, META: (words.bits & META_BIT) != 0, PRICES: (words.bits & PRICE_BIT) != 0}
    if pages:
        marks[COPIES] = np.rint(shared.text_share * pages) * page.blocks.tokens
    rule = HandRule(page, site, titles, flagged, lambda own: Sums(page, {**marks, OWN: own}))
    _fill_rule(of["rule"], rule, shared.times_on_page)
    _fill_around(of, rule, titles)
    around.fill_site(of["site"], rule.sums, shared, pages)
    pictures = around.count_pictures(page)
    listed = around.fill_records(of["records"], rule.sums, pictures)
    around.fill_goods(of["goods"], rule.sums, pictures)
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
    fill_own(of["own"], sums)
    around.fill_subtrees(of["subtrees"], sums)
    around.fill_windows(of["windows"], sums)
    around.fill_near(of["near"], sums)
    around.fill_paths(of["paths"], sums)
    around.fill_place(of["place"], sums, rule.in_containers[1], titles)
    around.fill_sections(of["sections"], sums)


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
