"""Truths of a recorded page: the text of its corpus, the blocks that readers kept, or marked pieces.

Some pages were labelled block by block, by the guideline in `docs/main-text.md`. A line of `labels_read.jsonl` holds no
text, only a page's key, a hash of each block, and for each reader runs of blocks with the letter of their part, as in
`1-4X 5H 6-20T`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from statistics import mean
from typing import Any
from zlib import crc32

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Page
from evaluation.corpora import RecordedPage, score_of_pieces
from example_project.portal.model import tokens
from example_project.scoring import f1
from training.labels import block_tokens, gold_share

LABELS = Path(__file__).with_name("labels_read.jsonl")
#: Letters of parts: headline, standfirst, points in brief, text, caption; byline, comments, and the rest. The body
#: consists of the first five; truths differ by convention on `ASIDE`.
BODY, PARTS, ASIDE = "HSKTC", "HSKTCBMX", "HSKCBM"


@dataclass(frozen=True)
class ReadPage:
    """Labels of a page by one reader or two.

    Attributes:
        hashes: A hash of each block's text, so that labels find their blocks if pages are split differently.
        parts: A letter of `PARTS` for each block, by reader.
        kind: The kind of page (`denoise_scrapy.body.kind.KINDS`), "" if readers disagree.
    """

    hashes: tuple[int, ...]
    parts: tuple[str, ...]
    kind: str = ""

    def letters(self, page: Page) -> list[str]:
        """Return the letters of all readers for each block of the page, "" if it is split differently."""
        found = [""] * len(page.blocks)
        for run in SequenceMatcher(None, self.hashes, block_hashes(page), autojunk=False).get_matching_blocks():
            for i in range(run.size):
                found[run.b + i] = "".join(letters[run.a + i] for letters in self.parts)
        return found

    def kept(self, page: Page) -> npt.NDArray[np.float64]:
        """Return 1 for blocks that all readers keep, 0 for blocks that none keeps, NaN for others, shape (blocks,)."""
        kept = [{letter in BODY for letter in letters} for letters in self.letters(page)]
        return np.array([float(one == {True}) if len(one) == 1 else np.nan for one in kept])

    def texts(self, page: Page) -> tuple[str, ...]:
        """Return the text that each reader keeps."""
        read = [(text, letters) for text, letters in zip(page.block_texts, self.letters(page), strict=True) if letters]
        readers = range(len(self.parts))
        return tuple("\n".join(text for text, letters in read if letters[reader] in BODY) for reader in readers)


def key_of(corpus: str, page: RecordedPage) -> str:
    """Return the name of a recorded page in the labels."""
    return f"{corpus}/{hashlib.sha1(page.html.encode('utf-8', 'replace')).hexdigest()[:10]}"


def read_rows() -> Iterator[dict[str, Any]]:
    """Yield the rows of `labels_read.jsonl`."""
    yield from map(json.loads, LABELS.read_text("utf-8").splitlines())


def read_labels() -> dict[str, ReadPage]:
    """Return all labels by page."""
    return {
        row["key"]: ReadPage(
            tuple(bytes.fromhex(row["hashes"])),
            tuple(map(_letters, row["parts"])),
            row["kinds"][0] if len({*row["kinds"]}) == 1 else "",
        )
        for row in read_rows()
    }


def block_hashes(page: Page) -> tuple[int, ...]:
    """Return a hash of each block's text, of 8 bits: enough to align two splits of the same page."""
    return tuple(crc32(text.encode("utf-8", "replace")) & 0xFF for text in page.block_texts)


def _letters(runs: str) -> str:
    found = re.findall(rf"(\d+)(?:-(\d+))?([{PARTS}])", runs)
    return "".join(letter * (int(last or first) - int(first) + 1) for first, last, letter in found)


@dataclass(frozen=True)
class Truth:
    """One truth of a page: texts that people kept, or pieces that do and do not belong to the text.

    Lines `aside`, the parts on which truths differ by convention, count neither for nor against a text.
    """

    corpus: str
    texts: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    aside: frozenset[str] = frozenset()

    def score(self, text: str) -> float:
        """Return the mean token F1 of a text against the texts that people kept, or the F1 of the pieces."""
        text = "\n".join(line for line in text.split("\n") if line not in self.aside)
        if self.texts:
            return mean(f1(text, one) for one in self.texts)
        return score_of_pieces(text, self.wanted, self.unwanted)


def truths_of(corpus: str, recorded: RecordedPage, page: Page, read: ReadPage | None) -> tuple[Truth, ...]:
    """Return all truths of a page: its corpus's, its readers', and the first without the parts `ASIDE`."""
    pieces = recorded.wanted, recorded.unwanted
    found: tuple[Truth, ...] = (Truth(corpus, (recorded.gold,)) if recorded.gold else Truth(corpus, (), *pieces),)
    if read is None:
        return found
    found += (Truth("read", read.texts(page)),)
    if not recorded.gold:
        return found
    is_aside = [bool(letters) and set(letters) <= set(ASIDE) for letters in read.letters(page)]
    words = block_tokens(page)
    share = gold_share(words, recorded.gold)
    in_gold = Counter[str]()
    for i in np.flatnonzero(np.array(is_aside, bool) & (share > 0.5)).tolist():
        in_gold.update(words[i])
    rest = " ".join((Counter(tokens(recorded.gold)) - in_gold).elements())
    lines = frozenset(text for text, aside in zip(page.block_texts, is_aside, strict=True) if aside)
    return (*found, Truth(f"{corpus} parts aside", (rest,), aside=lines)) if rest else found
