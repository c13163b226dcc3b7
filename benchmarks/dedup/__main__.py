"""The benchmark of the verdict on near-duplicates: `python -m benchmarks.dedup [--corpora DIR] [--gate]`.

Without `--corpora` the pairs are made of the example portal's texts, with floors of their own. `--streams DIR` measures
streams of real texts as well, which takes a minute.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.corpora import add_corpora_argument
from benchmarks.dedup import floors
from benchmarks.dedup.bases import of_portal, recorded
from benchmarks.dedup.pairs import OTHER_NUMBERS, Pair, digest, make_pairs
from benchmarks.dedup.quality import measure
from benchmarks.dedup.rules import OTHERS, OWN
from benchmarks.dedup.streams import TABLE, add_streams_argument, scores
from benchmarks.dedup.table import page
from denoise_scrapy.dedup import Fingerprint
from denoise_scrapy.dedup.fingerprint import Features
from denoise_scrapy.dedup.rules import is_form


def main() -> int:
    args = _arguments()
    texts = "recorded" if args.corpora else "portal"
    pairs = make_pairs(recorded(args.corpora) if args.corpora else of_portal(), args.seed)
    own = [measure(name, rule, pairs) for name, rule in OWN.items()]
    others = [measure(name, rule, pairs) for name, rule in OTHERS.items() if args.others]
    report = page(texts, own + others)
    print(report)
    if args.page:
        args.page.write_text(report, "utf-8")
    print("\n".join(line for score in own for line in floors.unreached(score)) or "all goals are reached")
    wrong = []
    for score in own:
        if args.set_baseline:
            floors.write(texts, score, digest(pairs))
        wrong += floors.failures(texts, score, digest(pairs)) if args.gate else []
    print(_forms(pairs))
    wrong += _streams(args) if args.streams else []
    print("\n".join(wrong) if wrong else f"{len(pairs)} pairs" + (", nothing below its floor" if args.gate else ""))
    return bool(wrong)


def _forms(pairs: Sequence[Pair]) -> str:
    """How many pairs with other numbers are marked as forms, and how many duplicates."""
    parts = []
    for name, some in (
        (OTHER_NUMBERS, [pair for pair in pairs if pair.kind == OTHER_NUMBERS]),
        ("duplicates", [pair for pair in pairs if pair.duplicate]),
    ):
        marked = sum(is_form(Features.read(pair.new), Fingerprint.of(pair.kept)) for pair in some)
        parts.append(f"{marked} of {len(some)} {name}")
    return "marked as a form filled in anew: " + ", ".join(parts)


def _streams(args: argparse.Namespace) -> list[str]:
    """Measure streams; what is worse than its floor."""
    wrong = []
    print(TABLE)
    for found, name in scores(args.streams, every_way=args.others):
        print(found.line(), flush=True)
        if found.held and args.set_baseline:
            floors.write(f"stream {found.name}", found.score, name)
        wrong += floors.failures(f"stream {found.name}", found.score, name) if found.held and args.gate else []
    return wrong


def _arguments() -> argparse.Namespace:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.dedup", description=__doc__)
    add_corpora_argument(ap)
    add_streams_argument(ap)
    ap.add_argument("--seed", type=int, default=0, help="another seed makes other pairs; the floors are of seed 0")
    ap.add_argument("--others", action="store_true", help="also measure the other rules and searches")
    ap.add_argument("--page", type=Path, help="write the scores as a page of the documentation")
    ap.add_argument("--gate", action="store_true", help="fail where a score is worse than its floor in baseline.json")
    ap.add_argument("--set-baseline", action="store_true", help="write the floors")
    return ap.parse_args()


if __name__ == "__main__":
    sys.exit(main())
