"""Quality of bodies: `python -m benchmarks [--corpora DIR] [--names big9,zh] [--gate | --set-baseline]`.

F1 of each strategy on each corpus, with up to `--k` other pages of its site to compare with. A floor is the F1 reached
less one standard error of the mean. `--peers` adds the extractors that are installed. `--kinds` scores by kind of page
instead, with different settings. `--write` puts the scores into the documentation.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean, pstdev
from typing import NamedTuple

from benchmarks.ways import COMPARED, Way, others, ours, parsed
from denoise_scrapy.body import DEFAULT_STRATEGY, STRATEGIES, Taste
from denoise_scrapy.body.strategies.combined import CombinedStrategy, block_model
from evaluation import baseline, figures
from evaluation.corpora import RecordedPage, Site, add_corpora_argument, corpus_hash, load
from example_project.scoring import f1

#: The default on publishers that its model was not fitted on, as a user may expect it.
UNSEEN = f"`{DEFAULT_STRATEGY}`, unseen publishers"
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
    ap.add_argument("--alone", action="store_true", help=f"also measure {DEFAULT_STRATEGY} without comparison pages")
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
        own = {(strategy, k): ours(k, strategy=strategy) for strategy in args.strategies.split(",") for k in args.k}
        own |= {(DEFAULT_STRATEGY, 0): ours(0)} if args.alone else {}
        peers = {(name, 0): way for name, way in others().items() if args.peers}
        for row in measure(corpus, sites, own | peers):
            rows.append(row)
            if (row.name, row.k) in own:
                name = f"{corpus} {row.name} k={row.k}"
                held.append(baseline.Figure(name, row.f1, digest, round(row.f1 - row.error, 4)))
    if args.write:
        figures.write("scores", scores_table(rows))
    return baseline.held(held, args)


def measure(corpus: str, sites: Iterable[Site], ways: Mapping[tuple[str, int], Way]) -> Iterator[Row]:
    """Score extractions on all pages of a corpus, by name and number of comparison pages; yield and print a row each.

    Each page is parsed once for all of them.
    """
    scores, empty = {one: list[float]() for one in ways}, Counter[tuple[str, int]]()
    for site in sites:
        pages = parsed(site)
        for one, way in ways.items():
            texts = list(way(site, pages))
            scores[one] += (page.score(text) for text, page in zip(texts, site, strict=True) if page.has_truth)
            empty[one] += sum(not text.strip() for text in texts)
    for one, found in scores.items():
        error, failed = pstdev(found) / len(found) ** 0.5, mean(score < 0.5 for score in found)
        row = Row(corpus, *one, len(found), mean(found), error, failed, empty[one])
        print("{:12s} {:12s} {:2d} {:5d} {:6.3f} {:6.3f} {:6.3f} {:5d}".format(*row), flush=True)
        yield row


def scores_table(rows: Sequence[Row]) -> str:
    """Return mean F1 as a Markdown table."""
    found = {(row.name, row.corpus): row for row in rows}
    corpora = list(dict.fromkeys(row.corpus for row in rows))
    names = list(dict.fromkeys(row.name for row in rows))
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
            pages = parsed(site)
            for name, way in settings().items():
                for page, text in zip(site, way(site, pages), strict=True):
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
