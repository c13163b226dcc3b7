"""Memory of a very long crawl: `python -m benchmarks.soak [--pages N] [--bare]` writes its figures.

A crawl of 100,000 pages of 1,000 hosts with default settings and a job directory. A server in another process makes the
pages; some repeat the text of another. Some hosts at a time are crawled to the end, so new hosts appear until the last
page. The result is the trend of the resident memory in the second half, when all bounded memories are full, with and
without the index of texts, which grows with each kept text. Takes half an hour on two idle cores.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from benchmarks.crawl import Figures, one_crawl
from benchmarks.made_site import serving
from benchmarks.measuring import trend
from evaluation import figures

#: Pages in total, and per host.
PAGES, EACH = 100_000, 100
#: Hosts crawled at a time: a broad crawl has some tens of sites in progress.
WINDOW = 64
#: Part of the crawl before the trend. Path tables fill up with some 500 sites.
BEFORE = 0.5
MB = 1_000_000
WITH, WITHOUT = "with the add-on", "without it"


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    ap.add_argument("--bare", action="store_true", help="also the same crawl without the add-on")
    ap.add_argument("--pages", type=int, default=PAGES)
    args = ap.parse_args()
    hosts = args.pages // EACH
    crawls: dict[str, Figures] = {}
    with serving(hosts, EACH, lazy=True) as port:
        for name, way in ((WITH, "default"), *([(WITHOUT, "bare")] if args.bare else [])):
            crawls[name] = soak(way, port, hosts)
            size = f"{args.pages:,} pages of {hosts:,} hosts, {WINDOW} hosts at a time."
            text = f"{size}\n\n{section(crawls)}"
            print(text, flush=True)
            figures.write("soak", text)  # before the next crawl, which takes a long time


def soak(way: str, port: int, hosts: int) -> Figures:
    """Crawl with a job directory; also return the sizes of the files left there."""
    with tempfile.TemporaryDirectory() as folder:
        crawl = one_crawl(way, port=port, hosts=hosts, pages=EACH, window=WINDOW, settings={"JOBDIR": folder})
        return {**crawl, "files": {path.name: path.stat().st_size for path in Path(folder).iterdir() if path.is_file()}}


def section(crawls: Mapping[str, Figures]) -> str:
    """Return the section of the documentation."""
    rows = []
    for name, crawl in crawls.items():
        pages, memory = np.array(crawl["memory"], float).reshape(-1, 2).T
        index = np.array([held.get("index", 0) for held in crawl["held"]], float)
        later = pages > BEFORE * pages[-1]
        trends = [trend(pages[later], of[later]) for of in (memory, memory - index)]
        sizes = [f"{memory[later][0] / MB:.0f}", f"{memory[-1] / MB:.0f}"]
        rows.append([name, *sizes, *trends, f"{crawl['pages_per_second']:.0f}", f"{crawl['cpu_ms_per_page']:.1f}"])
    held = ", ".join(f"{name} {size / MB:.1f}" for name, size in crawls[WITH]["held"][-1].items())
    large = sorted((name, size / MB) for name, size in crawls[WITH]["files"].items() if size >= MB)
    files = ", ".join(f"{name} {size:.0f}" for name, size in large)
    head = ["crawl", "MB at half", "MB at the end", "bytes a page", "less the index", "pages/s", "CPU ms a page"]
    told = f"Held at the end, in MB: {held}. Files in the job directory, in MB: {files}."
    return f"{figures.table(head, rows)}\n\n{told}"


if __name__ == "__main__":
    main()
