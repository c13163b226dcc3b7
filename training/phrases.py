"""Fitting the odds of phrases (`core/wording.pyx`): lines of frames against content, and short blocks of read pages.

The block model knows how often a word is content, these odds how words stand together, also in languages of which few
pages are recorded. They only lower what the block model says, and it is not fitted on them: as a feature of its trees
they make read pages of publishers left out worse, .9314 instead of .9328.

`python -m training.phrases --corpora DIR [DIR ...]` fits them alone, in a minute, into blocks.npz.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from denoise_scrapy.body.strategies.combined import block_model
from denoise_scrapy.core.wording import SHORT_CHARS
from evaluation.corpora import add_folders_argument
from training.dataset import Example, examples, read_corpora
from training.model_file import save_model
from training.vocabulary import LINES
from training.wording import MODEL, Values, fit_odds

#: Bits of the numbers of sequences, and inverse strength of regularisation. Read pages of publishers left out are .9328
#: without these odds, .9334 with them; 18 bits bring .0002 and a model twice as large.
BITS, INVERSE = 16, 20.0
#: Weight of all short blocks of read pages relative to the lines, and of content among them relative to the rest.
BLOCKS, CONTENT = 2.0, 2.0
#: Share of the odds that counts. With .5 read pages are .9340, and on written ones 107 strings of frames are left
#: instead of 118, but 77 of texts are lost instead of 68.
SHARE = 0.3


def fit_phrases(pages: Iterable[Example]) -> Values:
    """Fit the odds to `LINES`, and to the short blocks of pages that somebody read."""
    lines = [(text, kind == "content") for kind in ("frames", "content") for text in LINES[kind]]
    blocks, of_blocks = short_blocks(pages)
    texts, labels = zip(*lines, *blocks, strict=True)
    whole = [1.0] * len(lines) + [BLOCKS * len(lines) * weight for weight in of_blocks]
    weights: Values = fit_odds(texts, labels, whole, BITS, INVERSE) * np.float32(SHARE)
    return weights


def short_blocks(pages: Iterable[Example]) -> tuple[list[tuple[str, bool]], list[float]]:
    """Return the short blocks of read pages and whether they are content, each once a publisher, and their weights.

    A publisher counts as the square root of its blocks; the weights add up to 1, or there are none.
    """
    found = dict[tuple[str | None, str, bool], None]()
    for page in pages:
        if any(page.letters) and not page.made:
            for text, share in zip(page.page.block_texts, page.share.tolist(), strict=True):
                if share >= 0 and 1 < len(text) <= SHORT_CHARS:
                    found[page.publisher, " ".join(text.split()), share > 0.5] = None
            page.page.drop_columns()
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
