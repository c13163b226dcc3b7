"""Fitting the odds of phrases (`core/wording.pyx`): lines of frames against content, and blocks of read pages.

The block model knows how often a word is content, these odds how words stand together, also in languages of which few
pages are recorded. They only lower what the block model says, and it is not fitted on them: as a feature of its trees
they make read pages of publishers left out worse, .9314 instead of .9328.

A sentence has odds of its own: fitted on lines of frames, which are shorter, the odds take half as many appeals for one
(to donate, to subscribe, to install something) where as much content is lost.

`python -m training.phrases --corpora DIR [DIR ...]` fits them alone, in a minute, into blocks.npz.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
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

#: Bits of the numbers of sequences, and inverse strength of regularisation. Read pages of publishers left out are .9328
#: without these odds, .9334 with them; 18 bits bring .0002 and a model twice as large.
BITS, INVERSE = 16, 20.0
#: Weight of all short blocks of read pages relative to the lines, and of content among them relative to the rest.
BLOCKS, CONTENT = 2.0, 2.0
#: Share of the odds of lines that counts. With .5 read pages are .9340, and on written ones 107 strings of frames
#: are left instead of 118, but 77 of texts are lost instead of 68.
SHARE = 0.3
#: Weights of a written appeal, and of a written sentence of content that may be taken for one, relative to a sentence
#: of a read page; and most of these. Of 609 written pages 487 are right; with a fifth of the first and with four times
#: as much 483 and 484, with a tenth of the second and four times as much 485 and 483, with 20,000 of the third 484.
APPEAL, LIKE_APPEALS, MOST = 50.0, 10.0, 90_000
#: Fewest characters of a sentence. With 12, 217 strings of 589 written pages are wrong, with 25, 211.
SENTENCE_CHARS = 25


def fit_phrases(pages: Sequence[Example]) -> Values:
    """Return the weights of lines, and those of sentences."""
    return np.stack([fit_lines(pages) * np.float32(SHARE), fit_sentences(pages)])


def fit_sentences(pages: Iterable[Example]) -> Values:
    """Fit the odds to written appeals, to the longer of `LINES`, and to sentences of what somebody read."""
    read = dict[str, None]()
    for _, text, share in read_blocks(pages):
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
    odds: Values = fit_odds(texts, labels, weights, BITS, INVERSE).round(1)  # smaller, compressed
    return odds


def _is_sentence(text: str) -> bool:
    """Return whether a text is about as long as a sentence is."""
    return SENTENCE_CHARS <= len(text) <= SHORT_CHARS


def fit_lines(pages: Iterable[Example]) -> Values:
    """Fit the odds to `LINES`, and to the short blocks of pages that somebody read."""
    lines = [(text, kind == "content") for kind in ("frames", "content") for text in LINES[kind]]
    blocks, of_blocks = short_blocks(pages)
    texts, labels = zip(*lines, *blocks, strict=True)
    whole = [1.0] * len(lines) + [BLOCKS * len(lines) * weight for weight in of_blocks]
    return fit_odds(texts, labels, whole, BITS, INVERSE)


def read_blocks(pages: Iterable[Example]) -> Iterator[tuple[str | None, str, float]]:
    """Yield the publisher, the text and the share of content of each block of the pages that somebody read."""
    for page in pages:
        if any(page.letters) and not page.made:
            for text, share in zip(page.page.block_texts, page.share.tolist(), strict=True):
                yield page.publisher, text, share
            page.page.drop_columns()


def short_blocks(pages: Iterable[Example]) -> tuple[list[tuple[str, bool]], list[float]]:
    """Return the short blocks of read pages and whether they are content, each once a publisher, and their weights.

    A publisher counts as the square root of its blocks; the weights add up to 1, or there are none.
    """
    found = dict[tuple[str | None, str, bool], None]()
    for publisher, text, share in read_blocks(pages):
        if share >= 0 and 1 < len(text) <= SHORT_CHARS:
            found[publisher, " ".join(text.split()), share > 0.5] = None
    own = Counter((publisher, is_content) for publisher, _, is_content in found)
    weights = np.array([own[publisher, is_content] ** -0.5 for publisher, _, is_content in found])
    labels = np.array([is_content for *_, is_content in found], bool)
    for label, share in ((False, 1.0), (True, CONTENT)):
        weights[labels == label] *= share / (1 + CONTENT) / max(weights[labels == label].sum(), 1.0)
    return [(text, is_content) for _, text, is_content in found], weights.tolist()


def main() -> None:
    """Fit the odds into the package's model."""
    ap = argparse.ArgumentParser(prog="python -m training.phrases", description=(__doc__ or "").partition("\n")[0])
    add_folders_argument(ap)
    corpora, folds = read_corpora(ap.parse_args().corpora)
    pages = [one for name, sites in corpora.items() for one in examples(name, sites, folds, (0,), only_read=True)]
    save_model(replace(block_model(), phrases=fit_phrases(pages)), MODEL)


if __name__ == "__main__":
    main()
