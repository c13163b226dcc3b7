"""Features of records: lists of sibling subtrees of one shape, as comments, products and search results are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.features.surroundings import Feature, share
from denoise_scrapy.page import Page

#: Siblings of one tag and class make a list of records from this many on, with so many elements each on average.
RECORDS, ELEMENTS, TOKENS = 3, 3, 2
#: Levels above a block in which records are looked for.
LEVELS = 8
MEASURES = ("count", "share", "mean", "ld", "prose", "position", "relative")


def record_features(page: Page, prose: npt.NDArray[np.float64]) -> Iterator[Feature]:
    """Of the list of records with the most text, and of the innermost one, that hold each block; 0 where none does."""
    elements, blocks = page.elements, page.blocks
    n = len(elements)
    table = _measures(page, prose)
    outer, inner = np.full(len(blocks), n), np.full(len(blocks), n)  # n stands for "none"
    above = blocks.element
    for _ in range(LEVELS):
        is_record = table[0, above] > 0
        inner = np.where(is_record & (inner == n), above, inner)
        outer = np.where(is_record & (table[1, above] > table[1, outer]), above, outer)
        above = elements.parent_or_self[above]
    for which, chosen in (("outer", outer), ("inner", inner)):
        for name, values in zip(MEASURES, table, strict=True):
            yield f"record_{which}_{name}", values[chosen]
    yield "page_records", np.full(len(blocks), table[1].max(initial=0))


def _measures(page: Page, prose: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The measures of the list that each element is a record of, and zeros as last column, shape (7, n + 1)."""
    elements, blocks = page.elements, page.blocks
    n = len(elements)
    sums = blocks.subtree_sums
    tokens, links, chars, paragraphs = sums(blocks.tokens), sums(blocks.link_chars), sums(blocks.chars), sums(prose)
    size = elements.end - np.arange(n)
    kind = np.asarray(elements.column("token"), np.uint64) + (elements.parent + 1).astype(np.uint64) * np.uint64(
        0x9E3779B97F4A7C15
    )
    _, first, group = np.unique(kind, return_index=True, return_inverse=True)

    def total(values: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
        return np.asarray(np.bincount(group, np.asarray(values, float)), float)

    count, text = total(np.ones(n)), total(tokens)
    listed = (count >= RECORDS) & (total(size) >= ELEMENTS * count) & (text >= TOKENS * count)
    mean = text / np.maximum(count, 1)
    order = np.argsort(group, kind="stable")
    rank = np.empty(n)
    rank[order] = np.arange(n) - np.searchsorted(group[order], np.arange(len(first)))[group[order]]
    values = [
        np.log1p(count)[group],
        share(text, max(float(blocks.tokens.sum()), 1.0))[group],
        np.log1p(mean)[group],
        share(total(links), total(chars))[group],
        share(total(paragraphs), text)[group],
        rank / np.maximum(count[group], 1),
        np.log1p(tokens) - np.log1p(mean)[group],
    ]
    return np.pad(np.array(values) * listed[group], ((0, 0), (0, 1)))
