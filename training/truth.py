"""What the body of a recorded page is held to: a text, what two readers kept, or pieces that were marked."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from statistics import mean

import numpy as np

from denoise_scrapy.page import Page
from evaluation.corpora import RecordedPage
from example_project.portal.model import tokens
from example_project.scoring import f1
from training.labels import block_tokens, gold_share
from training.reading import ReadPage

#: Letters of the parts on which truths differ by convention.
ASIDE = "HSKCBM"


@dataclass(frozen=True)
class Truth:
    """One truth of a page.

    Attributes:
        corpus: The name that its score goes by.
        texts: What people kept.
        wanted: Pieces that belong to the text; they count where there are no `texts`.
        unwanted: Pieces that do not.
        aside: Lines that count neither for nor against a text: parts on which truths differ by convention.
    """

    corpus: str
    texts: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()
    aside: frozenset[str] = frozenset()

    def score(self, text: str) -> float:
        """Mean token F1 of a text and those that people kept, or F1 of the pieces.

        Example:
            >>> Truth("news", ("It rained.",)).score("It rained.")
            1.0
            >>> Truth("web", (), wanted=("rained", "all night"), unwanted=("Share",)).score("It rained. Share")
            0.5
        """
        text = "\n".join(line for line in text.split("\n") if line not in self.aside)
        if self.texts:
            return mean(f1(text, one) for one in self.texts)
        held = f" {' '.join(tokens(text))} "
        right, wrong = (
            sum(f" {' '.join(tokens(one))} " in held for one in some) for some in (self.wanted, self.unwanted)
        )
        return 2 * right / max(right + wrong + len(self.wanted), 1) if self.wanted else float(not wrong)


def truths_of(corpus: str, recorded: RecordedPage, page: Page, read: ReadPage | None) -> tuple[Truth, ...]:
    """All truths of a page: that of its corpus, and where it was read, what readers said, and the first without parts.

    That one has "parts aside" in its name: headline, standfirst, captions, bylines and comments, as readers saw them,
    count on neither side.
    """
    pieces = recorded.wanted, recorded.unwanted
    found: tuple[Truth, ...] = (Truth(corpus, (recorded.gold,)) if recorded.gold else Truth(corpus, (), *pieces),)
    if read is None:
        return found
    found += (Truth("read", read.texts(page)),)
    if not recorded.gold:
        return found
    is_aside = [bool(said) and set(said) <= set(ASIDE) for said in read.letters(page)]
    words = block_tokens(page)
    share = gold_share(words, recorded.gold)
    in_gold = Counter[str]()
    for i in np.flatnonzero(np.array(is_aside, bool) & (share > 0.5)).tolist():
        in_gold.update(words[i])
    rest = " ".join((Counter(tokens(recorded.gold)) - in_gold).elements())
    lines = frozenset(text for text, aside in zip(page.block_texts, is_aside, strict=True) if aside)
    return (*found, Truth(f"{corpus} parts aside", (rest,), aside=lines)) if rest else found
