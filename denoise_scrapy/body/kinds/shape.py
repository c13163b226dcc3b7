"""What the shape of a page says about its kind: its elements, and how its text is spread over them.

Everything is counted from columns that the features of blocks need as well, by path where that is enough: a page has
many elements and few paths. Prices, lists of records and lines of meta data were tried and add nothing to these.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.kinds.lists import CLASS_WORDS
from denoise_scrapy.body.kinds.words import Value, class_bits
from denoise_scrapy.page import Flag, Page
from denoise_scrapy.page.marked_text import COMMA, DIGIT, OTHER, STOP, UPPER
from denoise_scrapy.page.paths import name_code

#: Elements that are counted.
TAGS = (
    "form input button label img article section h1 h2 h3 h4 table tr th ul ol li dl dt pre code figure select "
    "textarea video iframe time blockquote nav aside p a span hr em kbd summary details svg picture"
).split()
#: Blocks of fewer tokens are labels, of more than the second number whole paragraphs.
SHORT, LONG = 5, 40
#: Blocks of more links are links.
LINKED = 0.6


def count(values: npt.ArrayLike) -> float:
    """How many are not zero, as a logarithm."""
    return math.log1p(np.count_nonzero(values))


def shape_features(page: Page) -> Iterator[Value]:
    """All of them."""
    yield from _element_features(page)
    yield from _text_features(page)
    yield from _block_features(page)


def _element_features(page: Page) -> Iterator[Value]:
    """Counts of tags and of class words, and the share of text below class words."""
    elements, blocks, table = page.elements, page.blocks, page.path_table
    times = np.bincount(elements.paths, minlength=len(table))
    paths = np.flatnonzero(times)
    times = times[paths]
    codes, inverse = np.unique(table.columns["tag"][paths], return_inverse=True)
    tags = dict(zip(codes.tolist(), np.bincount(inverse, times).tolist(), strict=True))
    for tag, code in _tag_codes():
        yield f"tag_{tag}", math.log1p(tags.get(code, 0))
    yield "elements", math.log1p(len(elements))
    own = np.array([class_bits(table.step(path)) for path in paths.tolist()], np.int64)
    inherited = _with_ancestors(own, np.searchsorted(paths, table.columns["parent"][paths]))
    tokens = np.bincount(elements.paths[blocks.element], blocks.tokens, len(table))[paths]
    bits = 1 << np.arange(len(CLASS_WORDS))[:, None]
    held, below = ((own & bits) != 0) @ times, ((inherited & bits) != 0) @ tokens / max(tokens.sum(), 1)
    for name, many, share in zip(CLASS_WORDS, held.tolist(), below.tolist(), strict=True):
        yield f"class_{name}", math.log1p(many)
        yield f"in_class_{name}", share


@cache
def _tag_codes() -> tuple[tuple[str, int], ...]:
    return tuple((tag, name_code(tag)) for tag in TAGS)


def _with_ancestors(bits: npt.NDArray[np.int64], parent: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The bits of each path and of all above it.

    Args:
        bits: Bits of each path, shape (paths,).
        parent: Index of its parent among them, shape (paths,); a root's is any root.

    Example:
        >>> _with_ancestors(np.array([1, 0, 0, 2]), np.array([0, 0, 1, 2])).tolist()
        [1, 1, 1, 3]
    """
    while True:  # doubles the distance: log2(depth) rounds
        bits = bits | bits[parent]
        further = parent[parent]
        if np.array_equal(further, parent):
            return bits
        parent = further


def _text_features(page: Page) -> Iterator[Value]:
    """Amount, punctuation and links of all text; prose."""
    blocks = page.blocks
    total, chars = max(float(blocks.tokens.sum()), 1.0), max(float(blocks.chars.sum()), 1.0)
    yield "tokens", math.log1p(total)
    yield "blocks", math.log1p(len(blocks))
    yield "mean", math.log1p(total / max(len(blocks), 1))
    yield "ld", float(blocks.link_chars.sum()) / chars
    yield "word_length", chars / total
    shares = blocks.counts.sum(axis=0) / chars
    for name, kind in (("stops", STOP), ("commas", COMMA), ("digits", DIGIT), ("capitals", UPPER), ("signs", OTHER)):
        yield name, float(shares[kind])
    prose = blocks.paragraph_tokens
    yield "prose", float(prose.sum()) / total
    yield "paragraphs", count(prose)
    yield "paragraph_share", np.count_nonzero(prose) / max(len(blocks), 1)
    yield "longest", math.log1p(prose.max(initial=0))
    yield "paragraph_mean", math.log1p(prose.sum() / max(int(np.count_nonzero(prose)), 1))


def _block_features(page: Page) -> Iterator[Value]:
    """Shares of the text by what its blocks are."""
    blocks = page.blocks
    tokens = blocks.tokens
    total = float(max(tokens.sum(), 1))
    flags = np.array(list(Flag.__members__.values()), np.int64)
    inside = tokens @ ((blocks.flags[:, None] & flags) != 0)
    for name, text in zip(Flag.__members__, inside.tolist(), strict=True):
        yield f"in_{name.lower()}", text / total
    linked, long, short = blocks.link_density > LINKED, tokens >= LONG, tokens < SHORT
    heading = (blocks.flags & Flag.HEADING) != 0
    for name, some in (("linked", linked), ("long", long), ("short", short), ("titles", linked & ~short)):
        yield f"{name}_text", float(some @ tokens / total)
        yield f"{name}_share", np.count_nonzero(some) / max(len(some), 1)
    yield "long_count", count(long)
    yield "title_count", count(linked & ~short)
    yield "headings", count(heading)
    yield "heading_links", np.count_nonzero(heading & linked) / max(int(np.count_nonzero(heading)), 1)
    yield "tokens_a_heading", math.log1p(total / (1 + int(np.count_nonzero(heading))))
    share = tokens / total
    yield "entropy", float(-(share * np.log(np.maximum(share, 1e-9))).sum())
    yield "largest", float(share.max(initial=0))
