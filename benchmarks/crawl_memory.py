"""Whether the memory of a long crawl stays bounded: `python -m benchmarks.crawl_memory [--pages N] [--hosts N]`.

A crawl over many hosts, whose pages are made as they are asked for, each way in a process of its own. Of the resident
memory, sampled over the crawl, the slope after the first part tells: what grows with every page, and is not full yet,
shows as bytes a page. Takes some ten minutes.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.crawl import Figures, one_crawl
from benchmarks.crawled.server import serving
from benchmarks.report import merge
from benchmarks.trend import slope

HOSTS, PAGES = 500, 20_000
WAYS = ("bare", "addon", "addon+dedup")
#: Part of the crawl before the slope: models are read and bounded memories fill up meanwhile.
BEFORE = 0.4
MB = 1_000_000
#: Counters that tell what left bounded memories.
BOUNDED = ("pages/evicted",)


def main() -> None:
    """Measure, print, and write the section `crawl_memory` of the report."""
    ap = argparse.ArgumentParser(prog="python -m benchmarks.crawl_memory", description=__doc__)
    ap.add_argument("--hosts", type=int, default=HOSTS)
    ap.add_argument("--pages", type=int, default=PAGES, help="pages of all hosts")
    ap.add_argument("--ways", nargs="+", default=list(WAYS), choices=WAYS)
    args = ap.parse_args()
    each = max(args.pages // args.hosts, 1)
    runs = {}
    with serving(args.hosts, each, lazy=True) as port:
        for way in args.ways:
            runs[way] = summary(one_crawl(way, port, args.hosts, each))
            print(line(way, runs[way]), flush=True)
    merge("crawl_memory", {"hosts": args.hosts, "pages": args.hosts * each, "ways": runs})


def summary(crawl: Figures) -> Figures:
    """Peak, slope, and a few samples of a crawl."""
    pages, memory = np.array(crawl["memory"], float).reshape(-1, 2).T
    later = pages > BEFORE * pages[-1]
    return {
        "peak_mb": float(memory.max()) / MB,
        "end_mb": float(memory[-1]) / MB,
        "slope_bytes_per_page": slope(pages[later], memory[later]),
        "pages_per_second": crawl["pages_per_second"],
        "cpu_ms_per_page": crawl["cpu_ms_per_page"],
        "samples_mb": [[int(n), round(size / MB, 1)] for n, size in crawl["memory"][::4]],
        "counts": {name: crawl["stats"].get(f"denoise/{name}", 0) for name in (*BOUNDED, "comparison/requests")},
    }


def line(way: str, one: Figures) -> str:
    """A crawl in one line."""
    counts = ", ".join(f"{name} {count:,}" for name, count in one["counts"].items() if count)
    return (
        f"{way:12s} peak {one['peak_mb']:.1f} MB, end {one['end_mb']:.1f} MB, slope {one['slope_bytes_per_page']:.0f} "
        f"bytes a page; {one['pages_per_second']:.0f} pages/s, {one['cpu_ms_per_page']:.2f} CPU ms; {counts}"
    )


if __name__ == "__main__":
    main()
