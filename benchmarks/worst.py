"""The page whose body takes longest in multiples of its own parse: `python -m benchmarks.worst --corpora DIR [--gate]`.

All pages of all sites in turn, each compared with five others of its site, as in `benchmarks.turns`. The slowest of the
peers takes minutes on a recorded page; ours is held to 50 times lxml's plain parse of the same page. Ratios of times
vary by a tenth, or more under load: pages above the limit are taken again, and the least counts.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from benchmarks import report, sample
from benchmarks.sample import SampledSite
from benchmarks.turns import USUAL, Turn, facts_of, in_turn, worst_rows, worst_table

#: Multiples of its own parse that the body of no page may take.
LIMIT = 50.0
#: A page above it is taken again so often.
RETRIES = 3
#: Repetitions of the whole. The worst page of 1,800 takes less than half of the limit, so that one is enough.
PASSES = 1


def main() -> int:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.worst", description=__doc__)
    ap.add_argument("--gate", action="store_true", help=f"fail where a page takes more than {LIMIT:g} parses")
    args = sample.arguments(ap)
    known = sample.sites(args)
    if args.quick:
        known = sample.evenly(known, 60)
    rows = worst_rows(measured(known))
    wrong = [f"{row['corpus']}, site {row['site']}, page {row['page']}" for row in rows if over(row)]
    print(worst_table(rows), flush=True)
    print("".join(f"{page} takes more than {LIMIT:g} parses\n" for page in wrong), end="")
    return int(args.gate and bool(wrong))


def over(row: report.Row) -> bool:
    """Whether a page takes more than it may."""
    return float(row["parses"]) > LIMIT


def measured(known: Sequence[SampledSite]) -> list[Turn]:
    """All pages once in turn, those above the limit again with their sites."""
    best = {key(turn): turn for turn in in_turn(known, facts_of(known), USUAL, PASSES)}
    for _ in range(RETRIES):
        slow = {turn[:2] for turn in best.values() if turn.parses > LIMIT}
        again = [site for site in known if site[:2] in slow]
        for turn in in_turn(again, facts_of(again), USUAL, 1):
            best[key(turn)] = min(best[key(turn)], turn, key=lambda one: one.parses)
    return list(best.values())


def key(turn: Turn) -> tuple[str, int, int]:
    """Which page it is of."""
    return turn.corpus, turn.site, turn.page


if __name__ == "__main__":
    sys.exit(main())
