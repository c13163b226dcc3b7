"""Cross-validates and fits the block model: `python -m training --corpora DIR [DIR …] [--output FILE]`.

Whole publishers are left out in each of four folds. The same command on the same pages writes the same model.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from statistics import mean
from typing import Any

import lightgbm

from benchmarks.corpora import Site, load
from benchmarks.gate import corpus_hash
from denoise_scrapy.body.features import NAMES
from denoise_scrapy.body.strategies.combined import CombinedStrategy
from example_project.scoring import f1
from training.dataset import PAGES, Example, examples, site_publisher
from training.folds import FOLDS, balanced_folds
from training.trees import fit, to_forest

OUTPUT = Path("denoise_scrapy/body/models/blocks.npz")
SEED = 0
#: Each page with all its comparison pages, with none, and with a random number: one model serves every k.
KS = (PAGES, 0, -1)


def main() -> None:
    """Run it."""
    ap = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    ap.add_argument("--corpora", type=Path, nargs="+", required=True, help="folders of *.jsonl.gz")
    ap.add_argument("--output", type=Path, default=OUTPUT)
    ap.add_argument("--jobs", type=int, default=2)
    args = ap.parse_args()
    corpora = {name: sites for folder in args.corpora for name, sites in load(folder) if name != "portal"}
    count = Counter((name, site_publisher(site)) for name, sites in corpora.items() for site in sites for _ in site)
    folds = balanced_folds(count)
    print(f"{sum(count.values())} pages of {len(folds)} publishers", flush=True)
    with Pool(args.jobs) as pool:
        data = [e for some in pool.imap(partial(_examples, folds=folds), corpora.items()) for e in some]
    print(f"{len(data)} examples, {len(NAMES)} features", flush=True)
    scores = cross_validate(data)
    provenance: dict[str, Any] = {
        "corpora": {name: corpus_hash(sites) for name, sites in corpora.items()},
        "features": hashlib.sha256(" ".join(NAMES).encode()).hexdigest()[:16],
        "cross-validated F1": scores,
        "seed": SEED,
        "lightgbm": lightgbm.__version__,
    }
    forest = to_forest(fit(data, NAMES, SEED), NAMES, provenance)
    args.output.parent.mkdir(exist_ok=True)
    forest.save(args.output)
    print(f"wrote {args.output}, {args.output.stat().st_size} bytes")


def cross_validate(data: list[Example]) -> dict[str, float]:
    """F1 by corpus and number of comparison pages, each fold judged by trees that saw none of its publishers."""
    found: dict[str, list[float]] = defaultdict(list)
    for fold in range(FOLDS):
        forest = to_forest(fit([e for e in data if e.fold != fold], NAMES, SEED), NAMES, {})
        strategy = CombinedStrategy(forest)
        for example in data:
            if example.fold == fold and example.k >= 0:
                kept = strategy.decide(example.page, example.site).kept
                text = "\n".join(example.page.block_text(i) for i in kept.nonzero()[0].tolist())
                example.page.drop_columns()
                found[f"{example.corpus} k={example.k}"].append(f1(text, example.gold))
        print(f"fold {fold} done", flush=True)
    scores = {name: round(mean(values), 4) for name, values in sorted(found.items())}
    print("\n".join(f"{name:16s} {score:.4f}" for name, score in scores.items()), flush=True)
    return scores


def _examples(corpus: tuple[str, list[Site]], folds: Mapping[str, int]) -> list[Example]:
    return list(examples(*corpus, folds, KS))


if __name__ == "__main__":
    main()
