"""A check and the keeping after it, text by text: `python -m benchmarks.dedup.mixed --corpora DIR [--store memory]`.

The texts are made of real sentences, some of them in many texts, as boilerplate is: a median of 13 sentences, some 270
words. Nearly every text is new, which is the dearest answer. CPU time is that of `check_and_add` for the last 5,000
texts before each count; memory is what the process has grown by since the libraries were
loaded. 300,000 texts take some four minutes.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.corpora import add_corpora_argument
from benchmarks.dedup.bases import of_portal, recorded
from benchmarks.dedup.scale_rows import memory_in_use
from denoise_scrapy.dedup import DuplicateIndex, MemoryStore, SQLiteStore

SENTENCE = re.compile(r"[^.!?\n]{40,400}[.!?]")
LAST = 5000
COUNTS = [10_000, 100_000, 300_000]


def main() -> None:
    args = _arguments()
    bases = recorded(args.corpora) if args.corpora else of_portal()
    latin = (base.text for base in bases if base.group == "latin")
    sentences = list(dict.fromkeys(one for text in latin for one in SENTENCE.findall(text)))
    print("| texts | store | median ms | 99 of 100 below | longest | bytes a text in memory | on disk | duplicates |")
    print("|---" * 8 + "|")
    with tempfile.TemporaryDirectory() as folder:
        before = memory_in_use()
        with DuplicateIndex(
            store=SQLiteStore(Path(folder, "texts")) if args.store == "sqlite" else MemoryStore()
        ) as index:
            taken: list[float] = []
            duplicates = 0
            for number in range(max(args.counts)):
                text = _text(number, sentences)
                start = time.process_time()
                duplicates += index.check_and_add(str(number), text).duplicate
                taken.append(1000 * (time.process_time() - start))
                if number + 1 in args.counts:
                    last, count = np.array(taken[-LAST:]), number + 1
                    memory = (memory_in_use() - before) / count
                    disk = sum(file.stat().st_size for file in Path(folder).iterdir()) / count
                    times = f"{np.median(last):.2f} | {np.percentile(last, 99):.2f} | {max(taken):.0f}"
                    row = f"| {count:,} | {args.store} | {times} | {memory:,.0f} | {disk:,.0f} | {duplicates} |"
                    print(row, flush=True)


def _text(number: int, sentences: list[str]) -> str:
    random = np.random.default_rng([number, 7])
    count = int(np.clip(np.exp(random.normal(np.log(13), 0.6)), 3, 80))
    places = np.minimum((random.random(count) ** 1.5 * len(sentences)).astype(int), len(sentences) - 1)
    return " ".join(sentences[place] for place in places)


def _arguments() -> argparse.Namespace:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.dedup.mixed", description=__doc__)
    add_corpora_argument(ap)
    ap.add_argument("--store", choices=("sqlite", "memory"), default="sqlite")
    ap.add_argument("--counts", type=int, nargs="+", default=COUNTS)
    return ap.parse_args()


if __name__ == "__main__":
    main()
