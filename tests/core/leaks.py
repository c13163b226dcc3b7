"""Whether the core's memory is flat: `python -m tests.core.leaks [--pages N]`, Linux only.

Recorded pages (`everything.py`) again and again, each damaged one once. The trend of the resident memory is that of the
second half, when all bounded memories are full.
"""

from __future__ import annotations

import argparse
import gc
import os
from itertools import cycle, islice
from pathlib import Path

import numpy as np

from benchmarks.measuring import trend
from tests.core.everything import damaged, do_all, recorded
from tests.hostile.rounds import known_sites

SAMPLES = 400


def resident() -> int:
    """Bytes of this process in memory."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Print the trend, in bytes a page."""
    ap = argparse.ArgumentParser(prog="python -m tests.core.leaks", description=__doc__)
    ap.add_argument("--pages", type=int, default=100_000)
    wanted = ap.parse_args().pages
    sites, samples = known_sites(), []
    for number, page in enumerate(islice(cycle(recorded(sites)), wanted)):
        do_all(*page if number % 2 else damaged(number, sites))
        if number % max(wanted // SAMPLES, 1) == 0:
            samples.append((number, resident()))
    pages, memory = np.array(samples, float).T
    later = pages > wanted / 2
    print(f"{wanted:,} pages: {memory[later][0] / 1e6:.1f} MB at half, {memory[-1] / 1e6:.1f} MB at the end")
    print(f"trend of the second half: {trend(pages[later], memory[later])} bytes a page")


if __name__ == "__main__":
    main()
