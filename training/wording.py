"""Fitting the odds of wordings (`denoise_scrapy/core/wording.pyx`): walls against pieces of stories and short texts.

`python -m training.wording --corpora DIR [DIR ...]` fits them alone, in a minute, into blocks.npz.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from denoise_scrapy.body.strategies.combined import block_model
from denoise_scrapy.core.wording import letter_sequences
from denoise_scrapy.metadata import language_of
from evaluation.corpora import add_folders_argument
from training.dataset import Example, read_corpora, site_publisher
from training.made import CONTENT, FOLDS, TEXTS
from training.model_file import save_model
from training.truth import Truth

MODEL = Path("denoise_scrapy/body/models/blocks.npz")

#: Bits of the numbers of sequences; inverse strength of regularisation: 3 and 30 find as many walls.
BITS, INVERSE = 14, 10.0
STEPS = 300
#: Lines of a piece of a story: as few as a wall has.
LINES = (1, 2, 3, 5)
#: Most pieces; more bring nothing.
MOST_PIECES = 10_000
#: Weights of a piece of a story: at most, in a language with few; and in one that no wall is in.
MOST_WEIGHT, LEAST_WEIGHT = 30.0, 0.1
Values = npt.NDArray[np.float32]
#: Weights of a model that was fitted on no such texts.
NO_WORDING = np.zeros(3, np.float32)


class ShortText(NamedTuple):
    """A short text, its fold and language, and whether it is content."""

    fold: int
    language: str
    is_content: bool
    text: str


class Story(NamedTuple):
    """The fold and the truth of a recorded page."""

    fold: int
    truth: Truth


def stories_of(examples: Iterable[Example]) -> list[Story]:
    """Return the stories of recorded pages among examples, each once."""
    found = {example.page.url or id(example.page): example for example in examples if not example.made}
    return [Story(example.fold, example.truths[0]) for example in found.values()]


def short_texts(stories: Sequence[Story], seed: int) -> list[ShortText]:
    """Return written walls and short texts of all folds of the stories, whole and in part, and pieces of stories."""
    rng = random.Random(seed)
    folds = {story.fold for story in stories}
    some = rng.sample(stories, min(len(stories), MOST_PIECES))
    found = ((story.fold, piece) for story in some for piece in _pieces(story.truth, rng))
    pieces = [ShortText(fold, language_of(piece) or "", True, piece) for fold, piece in found]
    return [text for text in _written() if text.fold in folds] + pieces


def _written() -> Iterator[ShortText]:
    walls = {language: list(kinds.values()) for language, kinds in TEXTS.items()}
    for is_content, written in ((False, walls), (True, {language: [texts] for language, texts in CONTENT.items()})):
        for language, lists in written.items():
            for number, text in chain.from_iterable(map(enumerate, lists)):
                lines = [line.removeprefix("> ") for line in text.split("\n")]
                spans = ((0, None), (1, None), (0, 1), (0, 2), (0, 3))
                parts = {"\n".join(lines[start:end]) for start, end in spans}
                yield from (ShortText(number % FOLDS, language, is_content, part) for part in sorted(parts) if part)


def _pieces(truth: Truth, rng: random.Random) -> Iterator[str]:
    texts = (*truth.texts[:1], "\n".join(truth.wanted))
    lines = [line for text in texts for line in text.split("\n") if line.strip()]
    if lines:
        start = rng.randrange(len(lines))
        yield "\n".join(lines[start : start + rng.choice(LINES)])


def fit_wording(texts: Sequence[ShortText], without: Collection[int] = ()) -> Values:
    """Fit the odds to the texts of all folds but some.

    In each language content counts as much as walls, as far as there is any: else the language would tell them apart.
    """
    chosen = [text for text in texts if text.fold not in without]
    count = Counter((text.language, text.is_content) for text in chosen)

    def weight(text: ShortText) -> float:
        walls, pieces = count[text.language, False], count[text.language, True]
        return min(walls / pieces, MOST_WEIGHT) or LEAST_WEIGHT if text.is_content else 1.0

    labels = [text.is_content for text in chosen]
    return fit_odds([text.text for text in chosen], labels, list(map(weight, chosen)), BITS, INVERSE)


def fit_odds(
    texts: Sequence[str], labels: Sequence[bool], weights: Sequence[float], bits: int, inverse: float
) -> Values:
    """Return the weights of the sequences of letters of texts, by a logistic regression of their labels."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - seconds of each process that collects tests

    numbers = [letter_sequences(text, bits) for text in texts]
    ends = np.cumsum([0, *map(len, numbers)])
    share = np.concatenate([np.full(len(some), max(len(some), 1) ** -0.5) for some in numbers])
    rows = csr_matrix((share, np.concatenate(numbers), ends), shape=(len(texts), 2**bits))
    fitted = LogisticRegression(C=inverse, max_iter=STEPS).fit(rows, labels, weights)
    return np.append(fitted.coef_[0], fitted.intercept_).astype(np.float32)


def main() -> None:
    """Fit the odds into the package's model."""
    ap = argparse.ArgumentParser(prog="python -m training.wording", description=(__doc__ or "").partition("\n")[0])
    add_folders_argument(ap)
    corpora, folds = read_corpora(ap.parse_args().corpora)
    stories = [
        Story(folds[site_publisher(site)], Truth(name, (page.gold,) if page.gold else (), page.wanted))
        for name, sites in corpora.items()
        for site in sites
        for page in site
    ]
    save_model(replace(block_model(), wording=fit_wording(short_texts(stories, 0))), MODEL)


if __name__ == "__main__":
    main()
