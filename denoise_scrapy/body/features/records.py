"""Features of records: lists of sibling subtrees of one shape, as comments, products and search results are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from denoise_scrapy.body.features.surroundings import Feature, Features, share
from denoise_scrapy.page import Flag, Page

#: Siblings of one tag and class make a list of records from this many on, with so many elements each on average.
RECORDS, ELEMENTS, TOKENS = 3, 3, 2
MEASURES = ("count", "share", "mean", "ld", "prose", "position", "relative")
#: Shares of the records of a list that hold such a thing.
HELD = ("meta", "price", "heading", "picture")
_OUTER, _INNER = (tuple(f"record_{which}_{name}" for name in (*MEASURES, *HELD)) for which in ("outer", "inner"))


def record_features(
    page: Page,
    prose: npt.NDArray[np.float64],
    marked: Mapping[str, npt.NDArray[np.generic]],
    pictures: npt.NDArray[np.int64],
) -> Iterator[Feature | Features]:
    """Of the list of records with the most text, and of the innermost one, that hold each block; 0 where none does.

    Args:
        page: The page of n elements and m blocks.
        prose: Tokens of each block that count as prose, shape (m,).
        marked: Blocks that are lines of meta data ("meta"), prices ("price"), shape (m,).
        pictures: Pictures in each element's subtree, shape (n,).
    """
    blocks, n = page.blocks, len(page.elements)
    headings = (blocks.own_flags & Flag.HEADING) != 0
    held = [blocks.subtree_sums(mark) for mark in (marked["meta"], marked["price"], headings)]
    held.append(pictures.astype(float))
    table = _measures(page, prose, held)
    above, index = blocks.above, np.arange(len(blocks))
    is_record = table[0].take(above) > 0
    with_text = np.where(is_record, table[1].take(above), 0)
    for names, level in ((_OUTER, with_text.argmax(axis=0)), (_INNER, is_record.argmax(axis=0))):
        chosen = np.where(is_record[level, index], above[level, index], n)  # n stands for "none"
        yield names, table.take(chosen, axis=1)
    yield "page_records", np.full(len(blocks), table[1].max(initial=0))


def _measures(
    page: Page, prose: npt.NDArray[np.float64], held: Sequence[npt.NDArray[np.float64]]
) -> npt.NDArray[np.float64]:
    """The measures of the list that each element is a record of, and zeros as last column, shape (measures, n + 1)."""
    elements, blocks = page.elements, page.blocks
    n = len(elements)
    tokens, paragraphs = blocks.token_sums, blocks.subtree_sums(prose)
    size = elements.end - np.arange(n)
    kind = np.asarray(elements.column("token"), np.uint64) + (elements.parent + 1).astype(np.uint64) * np.uint64(
        0x9E3779B97F4A7C15
    )
    group, rank = _groups(kind)

    def total(values: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
        return np.asarray(np.bincount(group, np.asarray(values, float)), float)

    count, text = total(np.ones(n)), total(tokens)
    listed = (count >= RECORDS) & (total(size) >= ELEMENTS * count) & (text >= TOKENS * count)
    mean = text / np.maximum(count, 1)
    values = [
        np.log1p(count)[group],
        share(text, max(float(blocks.tokens.sum()), 1.0))[group],
        np.log1p(mean)[group],
        share(total(blocks.link_char_sums), total(blocks.char_sums))[group],
        share(total(paragraphs), text)[group],
        rank / np.maximum(count[group], 1),
        np.log1p(tokens) - np.log1p(mean)[group],
        *(share(total(sums > 0), count)[group] for sums in held),
    ]
    table = np.zeros((len(values), n + 1))
    np.multiply(values, listed[group], out=table[:, :n])
    return table


def _groups(kind: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Number of each element's kind, and how many of its kind come before it, shape (n,) each."""
    n = len(kind)
    order = kind.argsort(kind="stable")
    sorted_kind = kind[order]
    begins = np.ones(n, bool)
    np.not_equal(sorted_kind[1:], sorted_kind[:-1], out=begins[1:])
    number, first = begins.cumsum() - 1, np.flatnonzero(begins)
    group, rank = np.empty(n, np.int64), np.empty(n, np.int64)
    group[order], rank[order] = number, np.arange(n) - first[number]
    return group, rank
