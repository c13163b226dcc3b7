"""The longest wait in a long run: `python -m benchmarks.dedup.pauses [--corpora DIR] [--search tree]`.

A file is filled through `check_and_add`, one text after another; every eighth is another text of an item kept before,
so that tombstones gather and what is remembered is built anew meanwhile.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.corpora import add_corpora_argument
from benchmarks.dedup.scale_texts import ScaleTexts, sources_in
from denoise_scrapy.dedup import SEARCHES, DuplicateIndex, SQLiteStore

UPDATE_EVERY = 8  # a crawl that comes back finds about so many pages changed; a tenth dead starts a renewal
SHOWN = 10_000


def main() -> int:
    args = _arguments()
    sources = sources_in(args.corpora)
    texts, ms = ScaleTexts(sources), np.zeros(args.count)
    print("texts | median ms | 99.9% ms | worst ms | of the last 10,000")
    with (
        tempfile.TemporaryDirectory(dir=args.folder) as folder,
        DuplicateIndex(store=SQLiteStore(Path(folder, "texts.sqlite")), search=args.search) as index,
    ):
        for number in range(args.count):
            key, text = number if number % UPDATE_EVERY else number // 2, texts.original(number)
            start = time.perf_counter()
            index.check_and_add(str(key), text)
            ms[number] = (time.perf_counter() - start) * 1e3
            if number % SHOWN == SHOWN - 1:
                last = ms[number - SHOWN + 1 : number + 1]
                print(
                    f"{number + 1} | {np.median(last):.2f} | {np.quantile(last, 0.999):.1f} | {last.max():.1f}",
                    flush=True,
                )
        print(f"{len(index)} kept, {index.stats['updated']} updated, the longest wait was {ms.max():.1f} ms")
    return 0


def _arguments() -> argparse.Namespace:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.dedup.pauses", description=__doc__)
    add_corpora_argument(ap)
    ap.add_argument("--count", type=int, default=100_000, help="texts")
    ap.add_argument("--search", choices=SEARCHES, default="prefilter", help="how kept texts are found")
    ap.add_argument("--folder", type=Path, help="where the file of texts is made")
    return ap.parse_args()


if __name__ == "__main__":
    sys.exit(main())
