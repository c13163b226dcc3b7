"""Cross-validate and fit the models: `python -m training --corpora DIR [DIR …] [--output FOLDER]`.

Whole publishers are left out in each of four folds. The same command on the same pages writes the same files. If a
corpus falls below its floor, blocks.npz is not written.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import catboost
import numpy

from denoise_scrapy.core.features import NAMES
from evaluation.corpora import corpus_hash
from training.dataset import PAGES, read_corpora, read_examples
from training.model import KIND, cross_validate, fit_model
from training.model_file import OUTPUT, save_model
from training.tables import below, calibration_table, floors, means, worst_table

#: The score of each page, for tables and for inspecting the worst pages.
REPORT = Path("training/output/pages.jsonl")
#: Scores that cross-validation must reach, by corpus and comparison pages; valid only for the corpora that set them.
FLOORS = Path(__file__).with_name("floors.json")
SEED = 0
#: Each page with all its comparison pages, with none, and with a random number of them: one model serves every k.
KS = (PAGES, 0, -1)


def main() -> None:
    """Fit the models, unless a corpus falls below its floor."""
    ap = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    ap.add_argument("--corpora", type=Path, nargs="+", required=True, help="folders of *.jsonl.gz")
    ap.add_argument("--output", type=Path, default=OUTPUT, help="folder for blocks.npz")
    ap.add_argument("--set-floors", action="store_true", help="take what is reached now as floors (floors.json)")
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument("--made", type=float, default=1.0, help="share of pages that come once more with foreign content")
    args = ap.parse_args()
    corpora, folds = read_corpora(args.corpora)
    args.output.mkdir(exist_ok=True)
    data = read_examples(corpora, folds, KS, args.jobs, args.made)
    print(f"{len(data)} examples, {len(NAMES)} features", flush=True)
    scores = [score for score in cross_validate(data, SEED, jobs=args.jobs) if score.corpus != "made short"]
    print("\n".join(f"{name:16s} {score:.4f}" for name, score in means(scores).items()), flush=True)
    if args.set_floors:
        FLOORS.write_text(json.dumps(floors(scores), indent=1) + "\n", "utf-8")
    if wrong := below(means(scores), json.loads(FLOORS.read_text("utf-8"))):
        sys.exit("\n".join(wrong))
    provenance: dict[str, Any] = {
        "corpora": {name: corpus_hash(sites) for name, sites in corpora.items()},
        "numpy": numpy.__version__,
        "features": hashlib.sha256(" ".join(NAMES).encode()).hexdigest()[:16],
        "cross-validated F1": means(scores),
        "seed": SEED,
        "made": args.made,
        "catboost": catboost.__version__,
    }
    model = fit_model(data, SEED, provenance)
    save_model(model, args.output / "blocks.npz")
    print(f"wrote {args.output}, blocks.npz has {(args.output / 'blocks.npz').stat().st_size} bytes")
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text("\n".join(json.dumps(asdict(score)) for score in scores) + "\n", "utf-8")
    recorded = [score for score in scores if score.corpus != KIND and not score.corpus.startswith("made ")]
    print(calibration_table(recorded), worst_table([score for score in recorded if score.k > 0]), sep="\n\n")


if __name__ == "__main__":
    main()
