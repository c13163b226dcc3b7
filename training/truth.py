"""What the body of a recorded page is held to: a text, what two readers kept, or pieces that were marked."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean

from benchmarks.corpora import RecordedPage
from denoise_scrapy.page import Page
from example_project.portal.model import tokens
from example_project.scoring import f1
from training.reading import ReadPage


@dataclass(frozen=True)
class Truth:
    """One truth of a page.

    Attributes:
        corpus: The name that its score goes by.
        texts: What people kept.
        wanted: Pieces that belong to the text; they count where there are no `texts`.
        unwanted: Pieces that do not.
    """

    corpus: str
    texts: tuple[str, ...] = ()
    wanted: tuple[str, ...] = ()
    unwanted: tuple[str, ...] = ()

    def score(self, text: str) -> float:
        """Mean token F1 of a text and those that people kept, or F1 of the pieces.

        Example:
            >>> Truth("news", ("It rained.",)).score("It rained.")
            1.0
            >>> Truth("web", (), wanted=("rained", "all night"), unwanted=("Share",)).score("It rained. Share")
            0.5
        """
        if self.texts:
            return mean(f1(text, one) for one in self.texts)
        held = f" {' '.join(tokens(text))} "
        right, wrong = (
            sum(f" {' '.join(tokens(one))} " in held for one in some) for some in (self.wanted, self.unwanted)
        )
        return 2 * right / max(right + wrong + len(self.wanted), 1) if self.wanted else float(not wrong)


def truths_of(corpus: str, recorded: RecordedPage, page: Page, read: ReadPage | None) -> tuple[Truth, ...]:
    """All truths of a page: that of its corpus, and what two readers said, where they did."""
    pieces = recorded.wanted, recorded.unwanted
    found = (Truth(corpus, (recorded.gold,)) if recorded.gold else Truth(corpus, (), *pieces),)
    return found if read is None else (*found, Truth("read", read.texts(page)))
