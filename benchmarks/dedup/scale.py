"""The index at 1,000 to 1,000,000 texts: `python -m benchmarks.dedup.scale [--corpora DIR] [--counts 1000 10000 …]`.

Made-up texts (see `scale_texts`) are kept in a SQLite file, which is then opened by each way of searching; what is
new, what is a copy, the longest wait, the memory and the time to open are measured. A million take half an hour.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from multiprocessing import Pool
from pathlib import Path

import numpy as np

from benchmarks.corpora import add_corpora_argument
from benchmarks.dedup.scale_texts import ScaleTexts, sources_in
from denoise_scrapy.dedup import DuplicateIndex, Fingerprint, MemoryStore, SQLiteStore, Store
from denoise_scrapy.dedup.fingerprint import CONSTANTS
from denoise_scrapy.dedup.store import Name

ASKED, COPY_EVERY = 420, 7  # texts asked about at each count, one in seven a copy
NEW = 1 << 40  # number of the first text that is not kept
WAYS = ["memory-prefilter", "sqlite-prefilter", "sqlite-exact", "sqlite-tree"]
_TEXTS: list[ScaleTexts] = []  # of a worker
OUTPUT = Path(__file__).parent.parent / "output" / "dedup_scale.json"


@dataclass(frozen=True, slots=True)
class Row:
    """One way of searching at one count. Milliseconds are of a whole `check_and_add`, the text's reading included.

    Attributes:
        count: Texts kept.
        way: Store and search.
        open_s: Seconds to open the index.
        new_ms: Median for new texts.
        copy_ms: Median for copies.
        worst_ms: The longest.
        visited: Share of the kept texts that the exact search read one by one.
        candidates: Texts handed to the decision, mean.
        memory: Bytes of the process for each kept text.
        found: Copies found.
        copies: Copies asked about.
        wrong: New texts called copies.
    """

    count: int
    way: str
    open_s: float
    new_ms: float
    copy_ms: float
    worst_ms: float
    visited: float
    candidates: float
    memory: float
    found: int
    copies: int
    wrong: int


def main() -> int:
    args = _arguments()
    sources = sources_in(args.corpora)
    rows = []
    print("| " + " | ".join(field.name for field in fields(Row)) + " |")
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        path = Path(folder, "texts.sqlite")
        for count in args.counts:
            fill(path, sources, count)
            for way in args.ways:
                with Pool(1) as fresh:  # of its own, so that memory is that of one index
                    rows.append(fresh.apply(measure, (path, sources, count, way)))
                _show(rows[-1])
        print(f"{path.stat().st_size / max(args.counts):.0f} bytes a text on disk")
    OUTPUT.parent.mkdir(exist_ok=True)
    OUTPUT.write_text(json.dumps([asdict(row) for row in rows], indent=1))
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
    kind, search = way.split("-")
    texts = ScaleTexts(sources)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what reading the sources has freed would hide what the index takes
    before, start = _memory(), time.perf_counter()
    index = DuplicateIndex(store=_store(path, kind), search=search)
    if kind == "memory":
        _copy(path, index)
    opened, memory, visited = time.perf_counter() - start, _memory() - before, index.stats["visited"]
    asked = [(texts.original(NEW + n) if n % COPY_EVERY else texts.copy(n * count // ASKED, 1)) for n in range(ASKED)]
    seconds, verdicts = [], []
    for number, text in enumerate(asked):
        start = time.perf_counter()
        verdicts.append(index.check_and_add(f"asked {number}", text))
        seconds.append(time.perf_counter() - start)
    stats = index.stats
    index.close()
    ms, copy = np.array(seconds) * 1e3, np.arange(ASKED) % COPY_EVERY == 0
    duplicate = np.array([verdict.duplicate for verdict in verdicts])
    return Row(
        count,
        way,
        opened,
        float(np.median(ms[~copy])),
        float(np.median(ms[copy])),
        float(ms.max()),
        (stats["visited"] - visited) / ASKED / count,
        stats["verified"] / ASKED,
        memory / count,
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


def _memory() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


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
    ap.add_argument("--counts", type=int, nargs="+", default=[1000, 10_000, 100_000], help="texts kept, ascending")
    ap.add_argument("--ways", nargs="+", default=WAYS, help="store-search, for example sqlite-prefilter")
    ap.add_argument("--folder", type=Path, help="where the file of texts is made; a gigabyte a million")
    return ap.parse_args()


if __name__ == "__main__":
    sys.exit(main())
