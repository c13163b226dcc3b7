"""All benchmarks of quality and cost in turn: `python -m benchmarks.bench [--corpora DIR] [--quick]` (`make bench`).

Each is a process of its own, prints its tables, and puts its section into `benchmarks/output/report.json`;
`python -m benchmarks.PART` runs one alone. `python -m benchmarks.cost_page` writes the figures into the documentation.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from time import perf_counter

from benchmarks.corpora import add_corpora_argument
from benchmarks.report import OUTPUT, environment

INDEX = ("--counts", "1000", "10000", "100000", "--ways", "sqlite-prefilter", "datasketch-lsh")
#: Modules, what each measures, and further arguments of a whole and of a quick run.
PARTS: Sequence[tuple[str, str, Sequence[str], Sequence[str]]] = (
    ("benchmarks.turns", "bodies of a site's pages in turn; the worst pages", (), ()),
    ("benchmarks.growth", "growth with the page", (), ()),
    ("benchmarks.peers", "other extractors", (), ()),
    ("benchmarks.work", "counted work", (), ()),
    (
        "benchmarks.crawl",
        "a crawl, bare and with us",
        ("--pages", "60", "--rounds", "3"),
        ("--pages", "20", "--rounds", "1"),
    ),
    ("benchmarks.dedup.scale", "the index, and datasketch's LSH alone", INDEX, ("--quick",)),
    ("benchmarks", "quality", ("--peers",), ("--strategies", "combined", "--names", "portal,big9,zh")),
)
#: Parts that read no recorded pages; their lengths are in their arguments.
WITHOUT_PAGES = ("benchmarks.work", "benchmarks.crawl", "benchmarks.dedup.scale")


def main() -> int:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.bench", description=__doc__)
    add_corpora_argument(ap)
    ap.add_argument("--quick", action="store_true", help="fewer pages and repetitions: rough figures")
    args = ap.parse_args()
    print(" ".join(f"{name} {told}" for name, told in environment().items()), flush=True)
    corpora = ["--corpora", str(args.corpora)] if args.corpora else []
    failed = 0
    for module, title, whole, quick in PARTS:
        print(f"\n== {title} ({module})", flush=True)
        scaled = [] if module in WITHOUT_PAGES else [*corpora, *["--quick"] * args.quick]
        scaled += quick if args.quick else whole
        start = perf_counter()
        done = subprocess.run([sys.executable, "-m", module, *scaled], env=dict(os.environ), check=False)
        failed += done.returncode != 0
        print(f"-- {perf_counter() - start:.0f} s{', FAILED' * (done.returncode != 0)}", flush=True)
    print(f"\n{OUTPUT}")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
