"""What an index takes by number of texts: `python -m benchmarks.dedup.sizes [--corpora DIR] [--million] [--write]`.

Made-up texts (see `scale_texts`), each with a title and five other fields, are kept in a SQLite file and, where
`redis-server` is installed, on a server. Measured are both, the time to open each, the memory of the process that has
it open, and the time to forget a tenth by age. With --write the table goes into docs/operations.md.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import redis

from benchmarks import figures
from benchmarks.corpora import add_corpora_argument
from benchmarks.dedup.scale_rows import memory_in_use
from benchmarks.dedup.scale_texts import ScaleTexts, sources_in
from benchmarks.markdown import table
from denoise_scrapy.dedup import DuplicateIndex, Fingerprint, RedisStore, SQLiteStore, Store
from denoise_scrapy.dedup.rules import PartRule
from denoise_scrapy.dedup.store import Name
from denoise_scrapy.dedup.version import Version

COUNTS, MILLION = [1000, 10_000, 100_000], 1_000_000
LONG_AGO = 1e9  # seconds since 1970, when a tenth of the texts was last met
PAGE = Path("docs/operations.md")
_READERS: list[tuple[ScaleTexts, DuplicateIndex]] = []  # of a worker


def main() -> int:
    """Measure, print, and write the table if asked to."""
    ap = argparse.ArgumentParser(prog="python -m benchmarks.dedup.sizes", description=__doc__)
    add_corpora_argument(ap)
    ap.add_argument("--counts", type=int, nargs="+", default=COUNTS, help="texts kept, ascending")
    ap.add_argument("--million", action="store_true", help="a million as well; 5 GB on disk and in memory")
    ap.add_argument("--write", action="store_true", help=f"put the table into {PAGE}")
    args = ap.parse_args()
    sources, rows = sources_in(args.corpora), []
    with tempfile.TemporaryDirectory(prefix="sizes") as folder, server(folder) as url:
        places = [f"{folder}/texts.sqlite", *([f"{url}#sizes"] if url else [])]
        have = 0
        for count in [*args.counts, *([MILLION] if args.million else [])]:
            fill(places, sources, have, count)
            have = count
            with get_context("spawn").Pool(1) as fresh:  # memory freed here would hide what an index takes
                rows += [fresh.apply(measure, (place, count)) for place in places]
            print(*rows[-len(places) :], sep="\n", flush=True)
    text = table(["texts", "store", "size, MB", "opening, s", "memory of a crawl, MB", "forgetting a tenth, s"], rows)
    print(text)
    if args.write:
        figures.write("sizes", text, PAGE)
    return 0


@contextmanager
def server(folder: str) -> Iterator[str]:
    """Start a Redis server for the while, and give its URL; "" where none is installed."""
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
    """Make the store of a place."""
    url, _, name = place.partition("#")
    return RedisStore(url, name=name, timeout=60) if name else SQLiteStore(place)


def fill(places: Sequence[str], sources: Sequence[str], have: int, count: int) -> None:
    """Keep more texts at all places, until each has so many."""
    stores = [store_at(place) for place in places]
    for store in stores:
        store.open(PartRule.constants)
    last = [max((batch[-1].id for batch in store.newer(0)), default=0) for store in stores]
    with get_context("spawn").Pool(2, _prepare, (sources,)) as pool:  # no fork of an open file
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


def _prepare(sources: Sequence[str]) -> None:
    _READERS.append((ScaleTexts(sources), DuplicateIndex()))


def _read(number: int) -> tuple[int, Fingerprint, Version]:
    texts, index = _READERS[0]
    fields = {"price": number % 97, "place": f"Place {number % 31}", "number": number, "kind": "flat", "free": True}
    read = index.read(texts.original(number), title=f"Article {number}", values=fields)
    return number, read.fingerprint, read.version


if __name__ == "__main__":
    sys.exit(main())
