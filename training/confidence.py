"""How far the confidence holds: `python -m training.confidence --corpora DIR [DIR ...] [--write]`.

Pages that somebody read are judged by models that were fitted on read pages of other publishers, alone and with
comparison pages. A body is wrong by a third if it lacks a third of a reader's text, or a third of it is not in that
text. Some fifteen minutes.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import mean
from typing import NamedTuple

from denoise_scrapy.body.strategies.combined import BlockModel, CombinedStrategy
from denoise_scrapy.core.features import NAMES
from evaluation import figures
from evaluation.corpora import add_folders_argument
from example_project.portal.model import tokens
from example_project.scoring import f1
from training.dataset import PAGES, Example, examples, read_corpora
from training.made import FOLDS
from training.model import fit_judges
from training.phrases import fit_phrases
from training.tables import BINS
from training.vocabulary import Vocabularies, with_words
from training.wording import NO_WORDING

SEED = 0
#: Share of a text that is lost, or of a body that does not belong to it, that makes it wrong.
WRONG = 1 / 3


class Judged(NamedTuple):
    """A body: its page's kind, its confidence, its F1 and whether it is wrong by a third."""

    kind: str
    confidence: float
    f1: float
    is_wrong: bool


def main() -> None:
    """Print the tables."""
    ap = argparse.ArgumentParser(prog="python -m training.confidence", description=(__doc__ or "").partition("\n")[0])
    add_folders_argument(ap)
    ap.add_argument("--write", action="store_true", help="write the tables into the documentation")
    args = ap.parse_args()
    corpora, folds = read_corpora(args.corpora)
    read = [one for name, sites in corpora.items() for one in examples(name, sites, folds, (PAGES, 0), only_read=True)]
    found = [one for fold in range(FOLDS) for one in judged(read, fold)]
    print(text := tables(found))
    if args.write:
        figures.write("confidence", text)


def judged(pages: Sequence[Example], fold: int) -> Iterator[Judged]:
    """Yield what a model says of the pages of a fold that was fitted on the others."""
    strategy = CombinedStrategy(model := _fitted([one for one in pages if one.fold != fold]))
    for one in pages:
        if one.fold == fold:
            decision = strategy.judge(one.page, with_words(one, model.vocabulary))
            text = one.page.text_of(decision.kept)
            one.page.drop_columns()
            read = next(truth for truth in one.truths if truth.corpus == "read")
            told = max(read.texts, key=lambda told: f1(text, told))
            common = sum((Counter(tokens(text)) & Counter(tokens(told))).values())
            is_wrong = common < (1 - WRONG) * max(len(tokens(text)), len(tokens(told)))
            yield Judged(one.kind or "in doubt", decision.confidence, f1(text, told), is_wrong)


def _fitted(pages: Sequence[Example]) -> BlockModel:
    """Return a model without the small forests."""
    vocabularies = Vocabularies(pages)
    inputs = [vocabularies.filled(page) for page in pages]
    network, forests, _ = fit_judges(pages, inputs, range(len(pages)), SEED)
    return BlockModel(NAMES, vocabularies.without(None), network, forests, NO_WORDING, fit_phrases(pages), {})


def tables(found: Sequence[Judged]) -> str:
    """Return the tables by confidence, and by kind of page for those of at least .9, as Markdown."""
    bins = zip((1.01, *BINS), BINS, strict=False)
    by_bin = {
        f"{low:.2f} to {min(high, 1):.2f}": [o for o in found if low <= o.confidence < high] for high, low in bins
    }
    sure = [one for one in found if one.confidence >= BINS[1]]
    kinds = sorted({one.kind for one in sure}, key=lambda kind: -sum(one.kind == kind for one in sure))
    by_kind = {"all": sure} | {kind: [one for one in sure if one.kind == kind] for kind in kinds}
    head = ["pages", "mean confidence", "F1", "wrong by a third"]
    first = figures.table(["confidence", *head], _rows(by_bin))
    return f"{first}\n\n{figures.table([f'confidence from {BINS[1]} on', *head], _rows(by_kind))}"


def _rows(by_name: Mapping[str, Sequence[Judged]]) -> Iterable[list[str]]:
    for name, some in by_name.items():
        if some:
            wrong = mean(one.is_wrong for one in some)
            expected, reached = mean(one.confidence for one in some), mean(one.f1 for one in some)
            yield [name, str(len(some)), f"{expected:.3f}", f"{reached:.3f}", f"{100 * wrong:.1f} %"]


if __name__ == "__main__":
    main()
