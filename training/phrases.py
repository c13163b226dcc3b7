"""Fitting the odds of sentences (`core/wording.pyx`): appeals against sentences of read pages.

The block model knows how often a word is content, these odds how words stand together. They only lower what it says,
and it is not fitted on them: as a feature of its trees they make read pages of publishers left out worse, .9314 instead
of .9328. Of 60 appeals that are paragraphs of a short story, in 20 languages, 19 stay, without these odds 32. Odds of
lines of frames beside them bring nothing any more: of 465 pages that no fit has seen 317 are right with them, 322
without.

`python -m training.phrases --corpora DIR [DIR ...]` fits them alone, in a minute, into blocks.npz.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

import numpy as np

from denoise_scrapy.body.strategies.combined import block_model
from denoise_scrapy.core.wording import SHORT_CHARS
from evaluation.corpora import add_folders_argument
from training.dataset import Example, examples, read_corpora
from training.made import CONTENT as SHORT_TEXTS
from training.made_boxes import sentences
from training.model_file import save_model
from training.vocabulary import LINES
from training.wording import MODEL, Values, fit_odds

#: Bits of the numbers of sequences, and inverse strength of regularisation.
BITS, INVERSE = 16, 20.0
#: Share of the odds that counts. Of 465 unseen pages 322 are right, with .7 320, with all 317; of those 60 appeals 19
#: stay, 18, 13.
SHARE = 0.5
#: Weights of a written appeal, and of a written sentence of content that may be taken for one, relative to a sentence
#: of a read page; and most of these. Of 609 written pages 487 are right; with a fifth of the first and with four times
#: as much 483 and 484, with a tenth of the second and four times as much 485 and 483, with 20,000 of the third 484.
APPEAL, LIKE_APPEALS, MOST = 50.0, 10.0, 90_000
#: Fewest characters of a sentence. With 12, 217 strings of 589 written pages are wrong, with 25, 211.
SENTENCE_CHARS = 25


def fit_phrases(pages: Iterable[Example]) -> Values:
    """Fit the odds to written appeals, to the longer of `LINES`, and to sentences of what somebody read."""
    read = dict[str, None]()
    for text, share in read_blocks(pages):
        if share > 0.5:
            read |= dict.fromkeys(one for one in {text, *sentences(text)} if _is_sentence(one))
    some = random.Random(0).sample(sorted(read), min(len(read), MOST))
    told = [line for text in chain(*SHORT_TEXTS.values()) for line in text.split("\n")]
    like = dict.fromkeys(one for line in told for one in (line, *sentences(line)))
    parts = (
        (False, APPEAL, LINES["appeals"]),
        (False, 1.0, LINES["frames"]),
        (True, LIKE_APPEALS, [*LINES["sentences"], *like]),
        (True, 1.0, [*LINES["content"], *some]),
    )
    rows = [(text, label, weight) for label, weight, of in parts for text in of if _is_sentence(text)]
    texts, labels, weights = zip(*rows, strict=True)
    odds: Values = np.float32(SHARE) * fit_odds(texts, labels, weights, BITS, INVERSE).round(1)  # smaller, compressed
    return odds


def _is_sentence(text: str) -> bool:
    """Return whether a text is about as long as a sentence is."""
    return SENTENCE_CHARS <= len(text) <= SHORT_CHARS


def read_blocks(pages: Iterable[Example]) -> Iterator[tuple[str, float]]:
    """Yield the text and the share of content of each block of the pages that somebody read."""
    for page in pages:
        if any(page.letters) and not page.made:
            yield from zip(page.page.block_texts, page.share.tolist(), strict=True)
            page.page.drop_columns()


def main() -> None:
    """Fit the odds into the package's model."""
    ap = argparse.ArgumentParser(prog="python -m training.phrases", description=(__doc__ or "").partition("\n")[0])
    add_folders_argument(ap)
    corpora, folds = read_corpora(ap.parse_args().corpora)
    pages = [one for name, sites in corpora.items() for one in examples(name, sites, folds, (0,), only_read=True)]
    save_model(replace(block_model(), phrases=fit_phrases(pages)), MODEL)


if __name__ == "__main__":
    main()
