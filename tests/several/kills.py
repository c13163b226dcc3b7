"""Kills a crawler of four at a random moment, again and again, for as many rounds as one likes.

    python -m tests.several.kills --rounds 20 [--seed 7]

prints what each kill cost, and ends with an error where a story was lost or kept twice.
"""

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
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
    stories = Counter(path for path, page in portal.pages.items() if page.truth is not None and not page.copy_of)
    bad = again = 0
    for seed in range(options.seed, options.seed + options.rounds):
        with tempfile.TemporaryDirectory() as folder:
            found = several_crawlers(portal, Path(folder), options.crawlers, random.Random(seed))
        wrong = sorted(((stories - found.stories) + (found.stories - stories)).elements())
        again += len(found.again)
        bad += bool(wrong)
        print(
            f"seed {seed}: items {found.crawlers}, delivered twice {len(found.again)}, requests {found.requests}, "
            f"sent twice {found.asked_again}, {found.seconds:.1f} seconds; wrong: {wrong or 'nothing'}",
            flush=True,
        )
    print(f"{options.rounds} kills; items delivered twice: {again}; rounds that lost a story: {bad}")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
