"""The benchmark of the verdict on near-duplicates: `python -m benchmarks.dedup [--corpora DIR] [--gate]`.

Without `--corpora` pairs and forms' stories are of the example portal, with floors of their own. `--streams DIR`
measures streams of real texts as well, which takes a minute.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from random import Random

from benchmarks import figures
from benchmarks.corpora import add_corpora_argument
from benchmarks.dedup import floors, form_streams
from benchmarks.dedup.bases import of_portal, recorded
from benchmarks.dedup.pairs import digest, make_pairs
from benchmarks.dedup.quality import Score, measure
from benchmarks.dedup.rules import OTHERS, OWN
from benchmarks.dedup.streams import TABLE, add_streams_argument, scores
from benchmarks.dedup.table import forms, full, short

STORIES = 400  # of the recorded texts; with all of them forms and copies were few among stories


def main() -> int:
    args = _arguments()
    texts = "recorded" if args.corpora else "portal"
    bases = recorded(args.corpora) if args.corpora else of_portal()
    pairs = make_pairs(bases, args.seed)
    own = [measure(name, rule, pairs) for name, rule in OWN.items()]
    others = [measure(name, rule, pairs) for name, rule in OTHERS.items() if args.others]
    print(full(own + others))
    if args.write:
        figures.write("pairs", short(own + others))
    _print_goals(own)
    wrong = [line for score in own for line in _held(texts, score, digest(pairs), args)]
    stories = of_portal() + (Random(args.seed).sample(bases, STORIES) if args.corpora else [])
    wrong += _forms(f"forms {texts}", form_streams.stream(stories, args.seed), args)
    wrong += _streams(args) if args.streams else []
    print("\n".join(wrong) if wrong else f"{len(pairs)} pairs" + (", nothing below its floor" if args.gate else ""))
    return bool(wrong)


def _forms(texts: str, rows: list[form_streams.Row], args: argparse.Namespace) -> list[str]:
    """Measure the stream of forms with titles and without; what is worse than its floor."""
    found = [form_streams.measure(rows, titles=titles) for titles in (True, False)]
    print(f"\n{full(found)}")
    for score in found:
        marked = ", ".join(f"{share.called} of {share.pairs} {name}" for name, share in score.variants.items())
        print(f"{score.rule}: marked as variants {marked}")
    _print_goals(found)
    if args.write:
        figures.write("forms", forms(found))
    return [line for score in found for line in _held(texts, score, form_streams.digest(rows), args)]


def _held(texts: str, score: Score, corpus: str, args: argparse.Namespace) -> list[str]:
    """Set the floors or hold a score to them, as asked for; what is worse than its floor."""
    if args.set_baseline:
        floors.write(texts, score, corpus)
    return floors.failures(texts, score, corpus) if args.gate else []


def _print_goals(found: Sequence[Score]) -> None:
    print("\n".join(line for score in found for line in floors.unreached(score)) or "all goals are reached")


def _streams(args: argparse.Namespace) -> list[str]:
    """Measure streams; what is worse than its floor."""
    wrong = []
    print(TABLE)
    for found, name in scores(args.streams, every_way=args.others):
        print(found.line(), flush=True)
        wrong += _held(f"stream {found.name}", found.score, name, args) if found.held else []
    return wrong


def _arguments() -> argparse.Namespace:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.dedup", description=__doc__)
    add_corpora_argument(ap)
    add_streams_argument(ap)
    ap.add_argument("--seed", type=int, default=0, help="another seed makes other pairs; the floors are of seed 0")
    ap.add_argument("--others", action="store_true", help="also measure the other rules and searches")
    ap.add_argument("--write", action="store_true", help=f"write the scores into {figures.PAGE}")
    ap.add_argument("--gate", action="store_true", help="fail where a score is worse than its floor in baseline.json")
    ap.add_argument("--set-baseline", action="store_true", help="write the floors")
    return ap.parse_args()


if __name__ == "__main__":
    sys.exit(main())
