"""What sharing an index in Redis costs: `python -m benchmarks.dedup.redis_rate [--url URL] [--search tree]`.

Several processes are given the same texts at the same time, each in an order of its own, and each text must be kept
once. Without `--url` a server is started for the measurement, with `--fsync` as its setting of that name.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from typing import NamedTuple

import numpy as np

from denoise_scrapy.dedup.fingerprint import Fingerprint
from denoise_scrapy.dedup.index import DuplicateIndex
from denoise_scrapy.dedup.redis_store import RedisStore
from denoise_scrapy.dedup.store import Name, Put
from denoise_scrapy.storage.redis_link import RedisLink

NAME = "denoise rate"
WORDS, VOCABULARY = 300, 200_000
TOGETHER = 50  # texts that each process shuffles, or the quickest would be first with all of them


class Sample(NamedTuple):
    """One check: whether the text was kept, seconds in all and in the store's `put`, and times `put` was called."""

    kept: bool
    all: float
    put: float
    rounds: int


class TimedStore(RedisStore):
    """Counts its own work."""

    seconds, rounds = 0.0, 0

    def put(self, name: Name, fingerprint: Fingerprint, seen: int, replaced: int = 0, owner: str = "") -> Put:
        """See `RedisStore.put`."""
        start = time.perf_counter()
        try:
            return super().put(name, fingerprint, seen, replaced, owner)
        finally:
            self.seconds += time.perf_counter() - start
            self.rounds += 1


def text(number: int) -> str:
    """A text of made-up words: a third is common to all texts, the rest hardly to two."""
    rng = np.random.default_rng(number)
    words = np.where(rng.random(WORDS) < 1 / 3, rng.integers(0, 100, WORDS), rng.integers(100, VOCABULARY, WORDS))
    return " ".join(f"w{word}" for word in words)


def work(url: str, search: str, who: int, count: int, start: Barrier) -> list[Sample]:
    """Check and add all texts."""
    own = np.random.default_rng(who).random(count)
    texts = {number: text(number) for number in sorted(range(count), key=lambda i: (i // TOGETHER, own[i]))}
    samples = []
    with TimedStore(url, name=NAME) as store, DuplicateIndex(store=store, search=search) as index:
        start.wait()
        for number, content in texts.items():
            store.seconds, store.rounds = 0.0, 0
            begin = time.perf_counter()
            verdict = index.check_and_add(f"{who}/{number}", content)
            samples.append(Sample(not verdict.duplicate, time.perf_counter() - begin, store.seconds, store.rounds))
    return samples


_start: Barrier  # of the process: a barrier cannot be sent as an argument, only inherited


def _remember(start: Barrier) -> None:
    global _start  # noqa: PLW0603 - the initializer of a pool has no other way
    _start = start


def _work(args: tuple[str, str, int, int]) -> list[Sample]:
    return work(*args, _start)


def measure(url: str, search: str, processes: int, count: int) -> list[Sample]:
    """Let the processes work, and gather what they took."""
    context = get_context("spawn")
    with context.Pool(processes, _remember, (context.Barrier(processes),)) as pool:
        parts = pool.map(_work, [(url, search, who, count) for who in range(processes)], chunksize=1)
    return [sample for part in parts for sample in part]


def report(samples: Sequence[Sample], count: int, grown: int, script: float) -> str:
    """What is printed."""
    asked = [sample.rounds for sample in samples if sample.rounds]
    lines = [
        f"kept {sum(sample.kept for sample in samples):,} of {count:,} texts, in {len(samples):,} checks",
        _times("a check", [sample.all for sample in samples]),
        _times("one with put", [sample.all for sample in samples if sample.rounds]),
        _times("its waiting", [sample.put for sample in samples if sample.rounds]),
        f"rounds: {np.mean(asked):.2f} mean, {max(asked)} at most, of {len(asked):,} texts not seen before",
        f"{script:.0f} microseconds a put in the server, {grown / count:,.0f} bytes a text",
    ]
    return "\n".join(lines)


def _times(what: str, seconds: Sequence[float]) -> str:
    ms = np.array(seconds) * 1000
    return f"{what:12} ms: {ms.mean():.2f} mean, {np.median(ms):.2f} median, {np.percentile(ms, 99):.2f} at 99%"


@contextmanager
def server(fsync: str) -> Iterator[str]:
    """A server of our own; gives its URL."""
    with tempfile.TemporaryDirectory(prefix="redis") as folder:
        options = {"port": "0", "unixsocket": f"{folder}/redis.sock", "dir": folder, "save": ""}
        options |= {
            "appendonly": "no" if fsync == "off" else "yes",
            **({} if fsync == "off" else {"appendfsync": fsync}),
        }
        command = ["redis-server", *(part for name, value in options.items() for part in (f"--{name}", value))]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            yield f"unix://{folder}/redis.sock"
        finally:
            process.kill()
            process.wait()


def _memory(url: str) -> int:
    with RedisLink(url).named() as client:  # waits for a server that has just been started
        client.config_resetstat()
        return int(client.info("memory")["used_memory"])


def _run(url: str, args: argparse.Namespace) -> bool:
    before = _memory(url)
    samples = measure(url, args.search, args.processes, args.texts)
    with RedisLink(url).named() as client:
        script = client.info("commandstats")["cmdstat_evalsha"]["usec_per_call"]
        print(report(samples, args.texts, _memory(url) - before, float(script)))
        client.delete(*client.keys(f"{{{NAME}}}:*"))
    return sum(sample.kept for sample in samples) == int(args.texts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", help="a server that runs already")
    parser.add_argument("--fsync", default="everysec", choices=("off", "everysec", "always"))
    parser.add_argument("--search", default="prefilter", choices=("prefilter", "tree"))
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--texts", type=int, default=2000)
    args = parser.parse_args()
    if args.url:
        return int(not _run(args.url, args))
    with server(args.fsync) as url:
        return int(not _run(url, args))


if __name__ == "__main__":
    sys.exit(main())
