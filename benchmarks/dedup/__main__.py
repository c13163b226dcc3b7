"""Quality of the verdict on near-duplicates: `python -m benchmarks.dedup [--corpora DIR] [--gate | --set-baseline]`.

It measures labelled pairs, a stream of forms and stories, and, with `--streams DIR`, which takes a minute, streams of
real texts. Without `--corpora`, pairs and stories come from the example portal, with separate floors.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from random import Random

from benchmarks.dedup import forms, pairs, streams
from benchmarks.dedup.scores import Score, short_table, tables
from benchmarks.dedup.texts import portal_bases, recorded_bases
from evaluation import baseline, figures
from evaluation.corpora import add_corpora_argument, text_hash

STORIES = 400  # number of recorded texts; with all of them, stories would outnumber forms and copies


def main() -> int:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.dedup", description=__doc__)
    add_corpora_argument(ap)
    folder = os.environ.get("DENOISE_STREAMS")
    ap.add_argument("--streams", type=Path, default=Path(folder) if folder else None, help="a folder of *.jsonl.gz")
    baseline.add_gate_arguments(ap)
    ap.add_argument("--seed", type=int, default=0, help="another seed makes other pairs; the floors are of seed 0")
    ap.add_argument("--others", action="store_true", help="also measure the other rules")
    ap.add_argument("--write", action="store_true", help=f"write the scores into {figures.PAGE}")
    args = ap.parse_args()
    texts = "recorded" if args.corpora else "portal"
    bases = recorded_bases(args.corpora) if args.corpora else portal_bases()
    held = judge_pairs(texts, pairs.make_pairs(bases, args.seed), args)
    stories = portal_bases() + (Random(args.seed).sample(bases, STORIES) if args.corpora else [])
    held += judge_forms(f"forms {texts}", forms.stream(stories, args.seed), args)
    held += judge_streams(args) if args.streams else []
    return baseline.held(held, args)


def judge_pairs(texts: str, made: list[pairs.Pair], args: argparse.Namespace) -> list[baseline.Figure]:
    """Judge pairs by all rules, and return our rule's figures."""
    own = [pairs.measure(name, rule, made) for name, rule in pairs.OWN.items()]
    others = [pairs.measure(name, rule, made) for name, rule in pairs.OTHERS.items() if args.others]
    print(tables([*own, *others], languages=True))
    print_goals(own)
    if args.write:
        figures.write("pairs", short_table([*own, *others]))
    digest = text_hash(t for p in made for t in (p.new, p.kept, p.kind, str(p.duplicate), p.group))
    return [figure for score in own for figure in score.figures(texts, digest)]


def judge_forms(texts: str, rows: list[forms.Row], args: argparse.Namespace) -> list[baseline.Figure]:
    """Judge the stream of forms with titles and without, and return the figures."""
    found = [forms.measure(rows, titles=titles) for titles in (True, False)]
    print(f"\n{tables(found, languages=False)}")
    for score in found:
        marked = ", ".join(f"{share.called} of {share.pairs} {name}" for name, share in score.variants.items())
        print(f"{score.rule}: marked as variants {marked}")
    print_goals(found)
    if args.write:
        figures.write("forms", short_table(found))
    return [figure for score in found for figure in score.figures(texts, forms.digest(rows))]


def judge_streams(args: argparse.Namespace) -> list[baseline.Figure]:
    """Judge streams of real texts, and return the figures of the default way."""
    held, rows = list[baseline.Figure](), list[list[str]]()
    if not (paths := sorted(args.streams.glob("*.jsonl.gz"))):
        raise FileNotFoundError(f"no *.jsonl.gz in {args.streams}")
    for path in paths:
        name, texts = path.name.partition(".")[0], streams.read(path)
        digest = text_hash(part for one in texts for part in (one.subject, one.text))
        characters, by_subject = name in streams.IN_CHARACTERS, name in streams.BY_SUBJECT
        truth = streams.Truth(texts, characters=characters, by_subject=by_subject)
        for rule in (streams.HELD, *[streams.OTHER_RULE] * args.others):
            found = truth.score(rule)
            rows.append([name, rule, *found.cells()])
            if rule == streams.HELD:
                held += found.score(rule).figures(f"stream {name}", digest)
    head = ["stream", "rule", "precision", "recall", "right", "wrong", "missed", "not counted"]
    print(f"\n{figures.table(head, rows)}")
    return held


def print_goals(found: list[Score]) -> None:
    print("\n".join(line for score in found for line in score.unreached()) or "all goals are reached")


if __name__ == "__main__":
    sys.exit(main())
