"""Room and time that an index takes, by number of texts: `python -m benchmarks.dedup.sizes [--million] [--write]`.

Made-up texts, each with a title and five other fields, are kept in a SQLite file and, where `redis-server` is
installed, on a server. Measured are both, the time to open each, the memory of the process that has it open, and the
time to forget a tenth by age. With --write the table goes into docs/operations.md.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import redis

from denoise_scrapy.dedup import DuplicateIndex, Fingerprint, RedisStore, SQLiteStore, Store
from denoise_scrapy.dedup.rules import PartRule
from denoise_scrapy.dedup.store import Name
from denoise_scrapy.dedup.variants import Version
from evaluation import figures

COUNTS, MILLION = [1000, 10_000, 100_000], 1_000_000
LONG_AGO = 1e9  # seconds since 1970, when a tenth of the texts was last met
PAGE = Path("docs/operations.md")
VOCABULARY = 200_000  # made-up words, drawn by Zipf's law: texts differ as strangers do
SYLLABLES = "ba ce di fo gu ha ki lo mu ne pi ra so tu ve wi xo ya zu bre cla dro fri gle ston mer".split()
_READER: list[DuplicateIndex] = []  # of a worker


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.dedup.sizes", description=__doc__)
    ap.add_argument("--counts", type=int, nargs="+", default=COUNTS, help="texts kept, ascending")
    ap.add_argument("--million", action="store_true", help="a million as well; 5 GB on disk and in memory")
    ap.add_argument("--write", action="store_true", help=f"put the table into {PAGE}")
    args = ap.parse_args()
    rows: list[list[str]] = []
    with tempfile.TemporaryDirectory(prefix="sizes") as folder, server(folder) as url:
        places = [f"{folder}/texts.sqlite", *([f"{url}#sizes"] if url else [])]
        have = 0
        for count in [*args.counts, *([MILLION] if args.million else [])]:
            fill(places, have, count)
            have = count
            with get_context("spawn").Pool(1) as fresh:  # memory freed here would hide what an index takes
                rows += [fresh.apply(measure, (place, count)) for place in places]
            print(*rows[-len(places) :], sep="\n", flush=True)
    head = ["texts", "store", "size, MB", "opening, s", "memory of a crawl, MB", "forgetting a tenth, s"]
    text = figures.table(head, rows)
    print(text)
    if args.write:
        figures.write("sizes", text, PAGE)


@contextmanager
def server(folder: str) -> Iterator[str]:
    """Start a Redis server for the while, and yield its URL; "" where none is installed."""
    if shutil.which("redis-server") is None:
        yield ""
        return
    socket = f"{folder}/redis.sock"
    options = {"port": "0", "unixsocket": socket, "dir": folder, "save": ""}
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    process = subprocess.Popen(["redis-server", *words], stdout=subprocess.DEVNULL)
    while not Path(socket).exists():
        time.sleep(0.01)
    try:
        yield f"unix://{socket}"
    finally:
        process.terminate()
        process.wait()


def store_at(place: str) -> Store:
    """Return the store of a place."""
    url, _, name = place.partition("#")
    return RedisStore(url, name=name, timeout=60) if name else SQLiteStore(place)


def fill(places: Sequence[str], have: int, count: int) -> None:
    """Keep more texts at all places, until each has so many."""
    stores = [store_at(place) for place in places]
    for store in stores:
        store.open(PartRule.constants)
    last = [max((batch[-1].id for batch in store.newer(0)), default=0) for store in stores]
    with get_context("spawn").Pool(2) as pool:  # no fork of an open file
        for number, fingerprint, version in pool.imap(_read, range(have, count), chunksize=500):
            host = f"site-{number % 500}.example"
            name = Name(f"https://{host}/articles/{number}", host, site=host)
            packed = version._replace(since=int(time.time())).pack()
            for at, store in enumerate(stores):
                last[at] = store.put(name, fingerprint, last[at], 0, "", packed).id
    for store in stores:
        assert len(store) == count
        store.close()


def measure(place: str, count: int) -> list[str]:
    """Open an index of so many texts, and let a tenth of them grow old; a row of the table."""
    store = store_at(place)
    size = redis.Redis.from_url(place).info("memory")["used_memory"] if "#" in place else Path(place).stat().st_size
    before, start = memory_in_use(), time.perf_counter()
    index = DuplicateIndex(store=store)
    opened, memory = time.perf_counter() - start, memory_in_use() - before
    numbers = [one.id for batch in store.newer(0) for one in batch if one.id % 10 == 0]
    times = store.last_seen(numbers)
    records = store.get(numbers)
    store.set_last_seen(dict.fromkeys(numbers, LONG_AGO))
    start = time.perf_counter()
    while index.expire(LONG_AGO + 1):
        pass
    expired = time.perf_counter() - start
    index.restore(records)  # for the next count
    index.close()
    assert len(times) == len(records) == len(numbers)
    kind = "server" if "#" in place else "file"
    return [f"{count:,}", kind, f"{size / 1e6:,.1f}", f"{opened:.2f}", f"{memory / 1e6:,.1f}", f"{expired:.2f}"]


def memory_in_use() -> int:
    """Return the bytes of this process in memory; what was freed before would hide what is taken now."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def text_of(number: int) -> str:
    """Return a text of some hundred words, the same in every run."""
    rng = np.random.default_rng([number, 1])
    words = np.minimum(rng.zipf(1.2, int(rng.integers(150, 600))), 1 << 40) % VOCABULARY
    few = len(SYLLABLES)
    parts = np.array(SYLLABLES)[[words % few, words // few % few, words // few**2 % few]].T.tolist()
    return " ".join(f"{''.join(part)}{n % 12}" for part, n in zip(parts, words.tolist(), strict=True))


def _read(number: int) -> tuple[int, Fingerprint, Version]:
    if not _READER:
        _READER.append(DuplicateIndex())
    fields = {"price": number % 97, "place": f"Place {number % 31}", "number": number, "kind": "flat", "free": True}
    read = _READER[0].read(text_of(number), title=f"Article {number}", values=fields)
    return number, read.fingerprint, read.version


if __name__ == "__main__":
    main()
