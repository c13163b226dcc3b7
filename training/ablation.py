"""What each family of features adds: `python -m training.ablation --corpora DIR [DIR …] --output FILE.md`.

Families are added one after the other; each row is cross-validated with whole publishers left out. The last
rows have all features and other numbers of comparison pages.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from denoise_scrapy.core.features import FAMILIES, NAMES
from training.dataset import read_corpora, read_examples
from training.model import PageScore, cross_validate

#: Steps: what is added, and the families that make it up (`features.FAMILIES`).
STEPS = (
    ("text, links, tags and class words of the block", ("text", "links", "tags", "class_names")),
    ("surroundings and place", ("surroundings", "records", "place", "section")),
    ("words and headline", ("announcements", "text_words", "wording", "headline")),
    ("the whole page", ("whole_page",)),
    ("the site", ("site",)),
)
CORPORA = ("big9", "dragnet", "cleanportal", "wcxb", "zh", "single", "world", "zh68", "docs")
KS = (5, 0)
MORE_KS = (9, 5, 3, 2, 1, 0)


def main() -> None:
    """Run it."""
    ap = argparse.ArgumentParser(prog="python -m training.ablation", description=__doc__)
    ap.add_argument("--corpora", type=Path, nargs="+", required=True)
    ap.add_argument("--output", type=Path, required=True)
    ap.add_argument("--jobs", type=int, default=2)
    args = ap.parse_args()
    head = f"| features | k | {' | '.join(CORPORA)} |\n|---|---|{'---|' * len(CORPORA)}\n"
    args.output.write_text(head, "utf-8")
    corpora, folds = read_corpora(args.corpora)
    data = read_examples(corpora, folds, KS, args.jobs)
    families: tuple[str, ...] = ()
    for told, added in STEPS:
        families += added
        names = tuple(name for family in families for name in FAMILIES[family].names)
        _write(args.output, f"+ {told} ({len(names)})", cross_validate(data, 0, names, args.jobs), (5, 0))
    data = read_examples(corpora, folds, MORE_KS, args.jobs)
    _write(args.output, f"all ({len(NAMES)})", cross_validate(data, 0, jobs=args.jobs), MORE_KS)


def _write(output: Path, told: str, scores: Sequence[PageScore], ks: Sequence[int]) -> None:
    found: dict[tuple[str, int], list[float]] = defaultdict(list)
    for score in scores:
        found[score.corpus, score.k].append(score.f1)
    with output.open("a", encoding="utf-8") as file:
        for k in ks:
            cells = (f"{mean(found[name, k]):.3f}" if found.get((name, k)) else "" for name in CORPORA)
            file.write(f"| {told} | {k} | {' | '.join(cells)} |\n")


if __name__ == "__main__":
    main()
