"""The index at 1,000 to 1,000,000 texts: `python -m benchmarks.dedup.scale [--corpora DIR] [--million]`.

Made-up texts (see `scale_texts`) are kept in a SQLite file, which is then opened by each way of searching. Measured are
a check of what is new and of copies, keeping a text, the time to open, and bytes a text in memory and on disk; beside
them what datasketch's MinHashLSH takes for the same texts with as many permutations (`scale_lsh`). Written to the
section `index` of the report. A million take half an hour.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, fields
from multiprocessing import Pool, get_context
from pathlib import Path

import numpy as np

from benchmarks.corpora import add_corpora_argument
from benchmarks.dedup.scale_lsh import LSH, measure_lsh
from benchmarks.dedup.scale_rows import Question, Row, memory_in_use, spread, timed
from benchmarks.dedup.scale_texts import ScaleTexts, sources_in
from benchmarks.report import merge
from denoise_scrapy.dedup import DuplicateIndex, Fingerprint, MemoryStore, SQLiteStore, Store
from denoise_scrapy.dedup.fingerprint import CONSTANTS
from denoise_scrapy.dedup.store import Name

ASKED, COPY_EVERY = 420, 7  # texts asked about at each count, one in seven a copy
NEW = 1 << 40  # number of the first text that is not kept
LSH_MOST = 100_000  # ten kilobytes a text: a million are ten gigabytes
WAYS = ["memory-prefilter", "sqlite-prefilter", "sqlite-tree", LSH]
COUNTS, MILLION = [1000, 10_000, 100_000], 1_000_000
_TEXTS: list[ScaleTexts] = []  # of a worker


def main() -> int:
    """Measure, print, and write the section `index` of the report."""
    args = _arguments()
    sources = sources_in(args.corpora)
    rows = []
    print("| " + " | ".join(field.name for field in fields(Row)) + " |")
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        path = Path(folder, "texts.sqlite")
        for count in args.counts:
            fill(path, sources, count)
            for way in args.ways:
                if way == LSH and count > LSH_MOST:
                    continue
                with get_context("spawn").Pool(1) as fresh:  # memory freed here would hide what an index takes
                    rows.append(fresh.apply(measure, (path, sources, count, way)))
                _show(rows[-1])
    merge("index", [asdict(row) for row in rows], quick=args.quick)
    return 0


def fill(path: Path, sources: Sequence[str], count: int) -> None:
    """Keep more texts in a file, until it has so many."""
    with SQLiteStore(path) as store:
        store.open(CONSTANTS)
        last = have = len(store)  # nothing is ever removed from it
        with Pool(2, initializer=_prepare, initargs=(sources,)) as pool:
            for number, fingerprint in pool.imap(_fingerprint, range(have, count), chunksize=500):
                last = store.put(_name(number), fingerprint, last).id


def measure(path: Path, sources: Sequence[str], count: int, way: str) -> Row:
    """Ask an index of so many texts about others, and about copies."""
    texts = ScaleTexts(sources)
    asked = [
        Question(texts.copy(of := n * count // ASKED, 1), of)
        if n % COPY_EVERY == 0
        else Question(texts.original(NEW + n), -1)
        for n in range(ASKED)
    ]
    if way == LSH:
        return measure_lsh(texts, count, asked)
    kind, search = way.split("-")
    before, start = memory_in_use(), time.perf_counter()
    index = DuplicateIndex(store=_store(path, kind), search=search)
    if kind == "memory":
        _copy(path, index)
    opened, memory, visited = time.perf_counter() - start, memory_in_use() - before, index.stats["visited"]
    read, _ = timed(lambda _, one: Fingerprint.of(one.text), asked)
    check, verdicts = timed(lambda n, one: index.check(f"asked {n}", one.text), asked)
    stats = index.stats
    insert, _ = timed(lambda n, one: index.check_and_add(f"asked {n}", one.text), [one for one in asked if one.of < 0])
    index.close()
    copy = np.array([one.of >= 0 for one in asked])
    duplicate = np.array([verdict.duplicate for verdict in verdicts])
    return Row(
        *(count, way, opened, float(np.median(read)), *spread(check, copy), float(np.median(insert)), memory / count),
        path.stat().st_size / count if kind == "sqlite" else 0.0,
        stats["verified"] / ASKED,
        (stats["visited"] - visited) / ASKED / count,
        int((duplicate & copy).sum()),
        int(copy.sum()),
        int((duplicate & ~copy).sum()),
    )


def _store(path: Path, kind: str) -> Store:
    """A store of a kind; that of a file works on a copy, which the next measurement does not see."""
    if kind == "memory":
        return MemoryStore()
    copy = path.with_name("asked.sqlite")
    shutil.copyfile(path, copy)
    return SQLiteStore(copy)


def _copy(path: Path, index: DuplicateIndex) -> None:
    """Put the records of a file into an index."""
    with SQLiteStore(path) as source:
        source.open(CONSTANTS)
        index.restore(source.records())


def _prepare(sources: Sequence[str]) -> None:
    _TEXTS.append(ScaleTexts(sources))


def _fingerprint(number: int) -> tuple[int, Fingerprint]:
    return number, Fingerprint.of(_TEXTS[0].original(number))


def _name(number: int) -> Name:
    return Name(f"https://site-{number % 500}.example/articles/{number}")


def _show(row: Row) -> None:
    values = [f"{value:.4g}" if isinstance(value, float) else str(value) for value in asdict(row).values()]
    print(" | ".join(["", *values, ""]).strip(), flush=True)


def _arguments() -> argparse.Namespace:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.dedup.scale", description=__doc__)
    add_corpora_argument(ap)
    ap.add_argument("--counts", type=int, nargs="+", default=COUNTS, help="texts kept, ascending")
    ap.add_argument("--million", action="store_true", help="a million as well")
    ap.add_argument("--quick", action="store_true", help="up to 10,000 texts, by the prefilter and by LSH")
    ap.add_argument("--ways", nargs="+", default=WAYS, choices=WAYS, help="store and search")
    ap.add_argument("--folder", type=Path, help="where the file of texts is made; a gigabyte a million")
    args = ap.parse_args()
    if args.quick:
        args.counts, args.ways = COUNTS[:2], [way for way in WAYS if way.endswith("prefilter") or way == LSH]
    if args.million:
        args.counts = [*args.counts, MILLION]
    return args


if __name__ == "__main__":
    sys.exit(main())
