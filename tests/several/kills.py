"""Kills a crawler of four at a random moment, again and again, for as many rounds as one likes.

    python -m tests.several.kills --rounds 20 [--seed 7]

prints what each kill cost, and ends with an error where a story was lost. Of what the killed one had delivered without
having told the frontier and the index, items may come again and copies may be kept beside.
"""

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

from example_project.portal import build
from example_project.several.__main__ import several_crawlers


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.several.kills", description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--crawlers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**6, help="of the first round")
    options = parser.parse_args()
    portal = build()
    lost = again = beside = 0
    for seed in range(options.seed, options.seed + options.rounds):
        with tempfile.TemporaryDirectory() as folder:
            found = several_crawlers(portal, Path(folder), options.crawlers, random.Random(seed))
        lost, again, beside = lost + len(found.lost), again + len(found.again), beside + len(found.missed)
        print(
            f"seed {seed}: items {found.crawlers}, {len(found.again)} again, {len(found.missed)} copies beside, lost "
            f"{found.lost or 'nothing'}; {found.requests} requests, {found.asked_again} again, {found.seconds:.1f} s",
            flush=True,
        )
    print(f"{options.rounds} kills: {lost} stories lost, {again} items delivered again, {beside} copies kept beside")
    return int(lost > 0)


if __name__ == "__main__":
    sys.exit(main())
