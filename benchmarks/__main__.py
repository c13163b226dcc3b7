"""Quality of bodies: `python -m benchmarks [--corpora DIR] [--names big9,zh] [--gate | --set-baseline]`.

F1 of each strategy on each corpus, with up to `--k` other pages of its site to compare with. A floor is the F1 reached
less one standard error of the mean. `--peers` adds the extractors that are installed. `--kinds` scores by kind of page
instead, with different settings. `--write` puts the scores into the documentation.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean, pstdev
from typing import NamedTuple

from benchmarks.ways import COMPARED, Way, others, ours
from denoise_scrapy.body import DEFAULT_STRATEGY, STRATEGIES, Taste
from denoise_scrapy.body.strategies.combined import CombinedStrategy, block_model
from evaluation import baseline, figures
from evaluation.corpora import RecordedPage, Site, add_corpora_argument, corpus_hash, load
from example_project.scoring import f1

#: The default on publishers that its model was not fitted on, as a user may expect it.
UNSEEN = f"`{DEFAULT_STRATEGY}`, unseen publishers"
#: Columns and extractors of the README's table.
SHORT = ("portal", "big9", "dragnet", "single", "wcxb", "zh68")
SHOWN = ("trafilatura", "readability")
#: Fewest pages of a kind; smaller kinds are left out.
FEW = 5
#: Corpora that contain only Chinese pages.
CHINESE = ("zh", "zh68")
#: The strategy without a fitted model that scores closest to the default.
HAND_RULE = "repetition"


class Row(NamedTuple):
    """Token F1 of one extraction on one corpus, its standard error, share of pages below .5, and pages without body."""

    corpus: str
    name: str
    k: int
    pages: int
    f1: float
    error: float
    failed: float
    empty: int


def main() -> int:
    ap = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    add_corpora_argument(ap)
    baseline.add_gate_arguments(ap)
    ap.add_argument("--strategies", default=",".join(STRATEGIES), help="comma-separated")
    ap.add_argument("--k", type=int, nargs="+", default=[COMPARED], help="comparison pages at most; a row each")
    ap.add_argument("--peers", action="store_true", help="also measure the other extractors that are installed")
    ap.add_argument("--kinds", action="store_true", help="score recorded pages by kind, with each setting")
    ap.add_argument("--write", action="store_true", help="write the scores into the documentation (with --peers)")
    args = ap.parse_args()
    if args.kinds:
        print(text := kinds_table(args.corpora, args.names))
        if args.write:
            figures.write("kinds", text)
        return 0
    rows, held = list[Row](), list[baseline.Figure]()
    print("corpus       strategy      k pages     F1  s.e.   F1<.5 empty")
    for corpus, sites in load(args.corpora, args.names):
        digest = corpus_hash(sites)
        for strategy in args.strategies.split(","):
            for k in args.k:
                rows.append(row := measure(corpus, sites, strategy, ours(k, strategy=strategy), k))
                name = f"{corpus} {strategy} k={k}"
                held.append(baseline.Figure(name, row.f1, digest, round(row.f1 - row.error, 4)))
        rows += (measure(corpus, sites, name, way) for name, way in others().items() if args.peers)
    if args.write:
        figures.write("scores", scores_table(rows))
        figures.write("scores", scores_table(rows, SHORT, SHOWN), figures.README)
    return baseline.held(held, args)


def measure(corpus: str, sites: Iterable[Site], name: str, way: Way, k: int = 0) -> Row:
    """Score one extraction on all pages of a corpus, and print the row."""
    pairs = [(text, page.gold) for site in sites for text, page in zip(way(site), site, strict=True)]
    scores = [f1(text, gold) for text, gold in pairs]
    error, failed = pstdev(scores) / len(scores) ** 0.5, mean(score < 0.5 for score in scores)
    row = Row(corpus, name, k, len(scores), mean(scores), error, failed, sum(not text.strip() for text, _ in pairs))
    print("{:12s} {:12s} {:2d} {:5d} {:6.3f} {:6.3f} {:6.3f} {:5d}".format(*row), flush=True)
    return row


def scores_table(rows: Sequence[Row], corpora: Sequence[str] = (), names: Sequence[str] = ()) -> str:
    """Return mean F1 as a Markdown table of some corpora and ways; empty: all."""
    found = {(row.name, row.corpus): row for row in rows}
    corpora = corpora or list(dict.fromkeys(row.corpus for row in rows))
    names = names or list(dict.fromkeys(row.name for row in rows))
    of_default = [found[DEFAULT_STRATEGY, corpus] for corpus in corpora]
    return figures.table(
        ["F1", *corpora],
        [
            ["pages", *(str(row.pages) for row in of_default)],
            [UNSEEN, *(f"{_unseen(row):.3f}" for row in of_default)],
            *([f"`{name}`", *(f"{found[name, corpus].f1:.3f}" for corpus in corpora)] for name in names),
            [f"standard error of `{DEFAULT_STRATEGY}`", *(f"{row.error:.3f}" for row in of_default)],
        ],
    )


def _unseen(row: Row) -> float:
    """Return the model file's cross-validated F1; for the portal, which no model was fitted on, the measured F1."""
    scores = block_model().provenance["cross-validated F1"]
    return float(scores.get(f"{row.corpus} k={CombinedStrategy.comparison_pages if row.k else 0}", row.f1))


def settings() -> dict[str, Way]:
    """Return the defaults, other settings as users write them, and the other extractors."""
    return {
        "defaults": ours(),
        "COMPARISON_PAGES = 0": ours(0),
        'FAVOR = "precision"': ours(taste=Taste(favor="precision")),
        'FAVOR = "recall"': ours(taste=Taste(favor="recall")),
        'PARTS = {"comments": "keep"}': ours(taste=Taste(comments="keep")),
        'PARTS = {"comments": "drop"}': ours(taste=Taste(comments="drop")),
        f'STRATEGY = "{HAND_RULE}"': ours(strategy=HAND_RULE),
        **others(),
    }


def kinds_table(corpora: Path | None, names: Sequence[str] = ()) -> str:
    """Return mean F1 by setting (rows) and kind of page (columns), or portal section without recorded pages."""
    scores: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in settings()}
    for corpus, sites in load(corpora, names):
        for site in sites if corpus != "portal" or corpora is None else ():
            for name, way in settings().items():
                for page, text in zip(site, way(site), strict=True):
                    scores[name][kind_of(page, corpus)].append(f1(text, page.gold))
    kinds = [kind for kind, found in scores["defaults"].items() if len(found) >= FEW]
    rows = [[f"`{name}`", *(f"{mean(found[kind]):.3f}" for kind in kinds)] for name, found in scores.items()]
    numbers = (str(len(scores["defaults"][kind])) for kind in kinds)
    return figures.table(["set, or tool", *kinds], [["pages", *numbers], *rows])


def kind_of(page: RecordedPage, corpus: str) -> str:
    """Return the column of a page: its section of the portal, Chinese, or its kind."""
    if corpus == "portal":
        return page.url.split("/")[3]
    return "Chinese article" if corpus in CHINESE else page.kind


if __name__ == "__main__":
    sys.exit(main())
