"""Blocks of a recorded page that a careful annotator kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.features import read_words
from denoise_scrapy.page import Page
from example_project.portal.model import tokens

#: Length, in tokens, of the runs looked up in the gold text: shorter ones match by chance.
GRAM = 3
#: A short block is looked up in the gold text between its neighbours, with this many tokens of each.
NEAR = 60
#: Half width, in blocks, of the window used to choose between two equal blocks.
AROUND = 5


def block_tokens(page: Page) -> list[list[str]]:
    """Return the tokens of each block, split as for the score."""
    return [tokens(page.block_text(i)) for i in range(len(page.blocks))]


def story_tokens(blocks: list[list[str]], gold: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the token count of each block, and the same with 0 for blocks not mostly gold, shape (blocks,) each."""
    lengths = np.array([len(block) for block in blocks], np.int64)
    return lengths, np.where(gold_share(blocks, gold) > 0.5, lengths, 0)


def gold_share(blocks: list[list[str]], gold: str) -> npt.NDArray[np.float64]:
    """Return the share of each block's tokens that are in the gold text in the same order, shape (blocks,).

    A token counts if one of the page's 3-grams through it is in the gold text. A block too short for that counts if it
    is a line of the gold text, or appears there between parts of the surrounding blocks.

    Example:
        >>> page = [["home"], ["it", "rained", "all", "night"], ["why"], ["it", "just", "did"], ["all", "rights"]]
        >>> gold_share(page, "It rained all night. Why? It just did.").tolist()
        [0.0, 1.0, 1.0, 1.0, 0.0]
    """
    wanted = tokens(gold)
    places: dict[tuple[str, ...], int] = {}
    for i in range(len(wanted) - GRAM, -1, -1):
        places[tuple(wanted[i : i + GRAM])] = i
    flat = [token for block in blocks for token in block]
    where = np.full(len(flat), -1)
    for i in range(len(flat) - GRAM + 1):
        place = places.get(tuple(flat[i : i + GRAM]))
        if place is not None:
            where[i : i + GRAM] = np.arange(place, place + GRAM)
    ends = np.cumsum([len(block) for block in blocks], dtype=int)
    spans = np.split(where, ends[:-1]) if blocks else []
    shares = np.array([(span >= 0).mean() if len(span) else 0.0 for span in spans])
    lines = {tuple(tokens(line)) for line in gold.splitlines()}
    for i, block in enumerate(blocks):
        if shares[i] < 1 and block and (tuple(block) in lines or _between(i, blocks, spans, shares, wanted)):
            shares[i] = 1.0
    return _each_once(blocks, shares, wanted)


def without_doubt(page: Page, share: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the share with NaN for headlines missing from the gold text: only some gold texts include them."""
    return np.where(read_words(page.tree).titles & (share <= 0.5), np.nan, share)


def share_by_pieces(blocks: list[list[str]], wanted: Sequence[str], unwanted: Sequence[str]) -> npt.NDArray[np.float64]:
    """Return 1 for the only block with a piece of the text, 0 for blocks that are mostly other pieces, else NaN.

    Example:
        >>> page = [["home"], ["it", "rained", "all", "night"], ["why"], ["share", "this"]]
        >>> share_by_pieces(page, ["rained all"], ["Share this!"]).tolist()
        [nan, 1.0, nan, 0.0]
    """
    found = np.full(len(blocks), np.nan)
    for pieces, value in ((unwanted, 0.0), (wanted, 1.0)):
        for piece in map(tokens, pieces):
            holders = [i for i, block in enumerate(blocks) if _holds(block, piece)]
            if value == 0.0:
                found[[i for i in holders if len(piece) > len(blocks[i]) / 2]] = value
            elif len(holders) == 1:
                found[holders] = value
    return found


def _sums_around(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.convolve(values, np.ones(2 * AROUND + 1))[AROUND : AROUND + len(values)]


def _holds(block: list[str], piece: list[str]) -> bool:
    n = len(piece)
    return n > 0 and any(block[i : i + n] == piece for i in range(len(block) - n + 1))


def _each_once(blocks: list[list[str]], shares: npt.NDArray[np.float64], wanted: list[str]) -> npt.NDArray[np.float64]:
    """Return the shares with each gold token used once, by the block with the most gold around it."""
    if not blocks:
        return np.zeros(0)
    length = np.array([len(block) for block in blocks], float)
    around = _sums_around(shares * length) / np.maximum(_sums_around(length), 1)
    left = Counter(wanted)
    final = np.zeros(len(blocks))
    for i in np.argsort(-around * shares, kind="stable").tolist():
        if shares[i] > 0:
            own = Counter(blocks[i])
            have = own & left
            final[i] = min(shares[i], sum(have.values()) / max(len(blocks[i]), 1))
            if final[i] > 0.5:
                left -= have
    return final


def _between(
    i: int,
    blocks: list[list[str]],
    spans: list[npt.NDArray[np.int64]],
    shares: npt.NDArray[np.float64],
    wanted: list[str],
) -> bool:
    """Return whether the gold text has a short block after the block before it, or before the block after it."""
    block = blocks[i]
    if len(block) > 2 * GRAM:
        return False

    def placed(j: int) -> bool:
        return shares[j] > 0.5 and bool((spans[j] >= 0).any())

    before = next((int(spans[j].max()) + 1 for j in range(i - 1, max(i - 6, -1), -1) if placed(j)), -1)
    nearby = range(i + 1, min(i + 6, len(blocks)))
    after = next((int(spans[j][spans[j] >= 0].min()) for j in nearby if placed(j)), -1)
    if before < 0 and after < 0:
        return False
    start = before if before >= 0 else max(after - NEAR, 0)
    end = after if after >= start else start + NEAR
    window = wanted[start:end]
    return any(window[k : k + len(block)] == block for k in range(min(len(window), NEAR) - len(block) + 1))
