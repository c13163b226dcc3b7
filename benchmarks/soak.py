"""Whether the memory of a very long crawl is flat: `python -m benchmarks.soak [--pages N] [--hosts N] [--bare]`.

A crawl of 100,000 pages of 1,000 hosts with default settings in a job directory: an index of texts and a site memory in
SQLite. A server in another process makes the pages as they are asked for; some repeat the text of another. Some hosts
at a time are crawled to their end, so that new ones come until the last page. Of the resident memory the trend of the
second half is told, when all bounded memories are full: with what the index of texts holds, which grows with each text
that is kept, and without. Takes half an hour on two idle cores, with `--bare`, the same crawl without us, a third more;
`benchmarks/output/soak-*.jsonl` get the samples meanwhile.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import figures
from benchmarks.crawl import Figures, one_crawl
from benchmarks.crawled.server import serving
from benchmarks.markdown import table
from benchmarks.report import OUTPUT, merge
from benchmarks.soak_picture import picture
from benchmarks.trend import trend

HOSTS, PAGES = 1000, 100_000
#: Hosts crawled at a time: a broad crawl has some tens of sites under way.
WINDOW = 64
#: Part of the crawl before the trend. Path tables fill up with some 500 sites.
BEFORE = 0.5
MB = 1_000_000
PICTURE = Path("docs/images/soak.svg")
WITH, WITHOUT = "with the add-on", "without it"


def main() -> None:
    """Crawl, print, write the section `soak` of the documentation and of the report."""
    ap = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    ap.add_argument("--hosts", type=int, default=HOSTS)
    ap.add_argument("--pages", type=int, default=PAGES, help="pages of all hosts")
    ap.add_argument("--bare", action="store_true", help="also the same crawl without the add-on")
    ap.add_argument("--window", type=int, default=WINDOW, help="hosts at a time")
    args = ap.parse_args()
    each = max(args.pages // args.hosts, 1)
    told = {"hosts": args.hosts, "pages": args.hosts * each, "window": args.window}
    with serving(args.hosts, each, lazy=True) as port:
        crawls = {WITH: soak("default", port, args.hosts, each, args.window)}
        write(told, crawls)  # before the next, which takes long
        if args.bare:
            crawls[WITHOUT] = soak("bare", port, args.hosts, each, args.window)
            write(told, crawls)


def write(told: Figures, crawls: dict[str, Figures]) -> None:
    """Print what is known so far, and write figures, picture and report."""
    rows = {name: summary(crawl) for name, crawl in crawls.items()}
    text = section(told, rows)
    print(text, flush=True)
    merge("soak", {**told, "ways": rows})
    figures.write("soak", text)
    PICTURE.write_text(picture(lines(crawls), "pages", "MB"), "utf-8")


def soak(way: str, port: int, hosts: int, pages: int, window: int) -> Figures:
    """One crawl with a job directory of its own; the sizes of what it leaves there are told too."""
    samples = OUTPUT.with_name(f"soak-{way}.jsonl")
    samples.parent.mkdir(exist_ok=True)
    samples.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        more = ("--window", str(window), "--samples", str(samples), "-s", f"JOBDIR={folder}")
        crawl = one_crawl(way, port, hosts, pages, *more)
        files = {path.name: path.stat().st_size for path in Path(folder).iterdir() if path.is_file()}
    return {**crawl, "files": files}


def series(crawl: Figures) -> tuple[Any, Any, Any]:
    """Pages, resident bytes, and bytes that the index holds, at each sample."""
    pages, memory = np.array(crawl["memory"], float).reshape(-1, 2).T
    return pages, memory, np.array([held.get("index", 0) for held in crawl["held"]], float)


def summary(crawl: Figures) -> Figures:
    """What is told of a crawl."""
    pages, memory, index = series(crawl)
    later = pages > BEFORE * pages[-1]
    return {
        "peak_mb": float(memory.max()) / MB,
        "half_mb": float(memory[later][0]) / MB,
        "end_mb": float(memory[-1]) / MB,
        "slope": str(trend(pages[later], memory[later])),
        "slope_without_index": str(trend(pages[later], (memory - index)[later])),
        "pages_per_second": crawl["pages_per_second"],
        "cpu_ms_per_page": crawl["cpu_ms_per_page"],
        "pages": crawl["pages"],
        "held_mb": {name: size / MB for name, size in (crawl["held"][-1] if crawl["held"] else {}).items()},
        "stats": {name.removeprefix("denoise/"): value for name, value in crawl["stats"].items()},
        "files_mb": {name: size / MB for name, size in crawl["files"].items()},
    }


def lines(crawls: dict[str, Figures]) -> dict[str, list[tuple[float, float]]]:
    """The lines of the picture, in MB."""
    drawn = {}
    for name, crawl in crawls.items():
        pages, memory, index = series(crawl)
        drawn[name] = list(zip(pages, memory / MB, strict=True))
        if index.any():
            drawn[f"{name}, less the index"] = list(zip(pages, (memory - index) / MB, strict=True))
            ours = [sum(held.values()) for held in crawl["held"]]
            drawn["what our memories say"] = list(zip(pages, np.array(ours, float) / MB, strict=True))
    return drawn


def section(told: Figures, rows: dict[str, Figures]) -> str:
    """The section of the documentation."""
    lines = [
        [
            name,
            f"{row['half_mb']:.0f}",
            f"{row['end_mb']:.0f}",
            row["slope"],
            row["slope_without_index"],
            f"{row['pages_per_second']:.0f}",
            f"{row['cpu_ms_per_page']:.1f}",
        ]
        for name, row in rows.items()
    ]
    ours = rows[WITH]
    held = ", ".join(f"{name} {size:.1f}" for name, size in ours["held_mb"].items())
    files = ", ".join(f"{name} {size:.0f}" for name, size in sorted(ours["files_mb"].items()) if size >= 1)
    head = ["crawl", "MB at half", "MB at the end", "bytes a page", "less the index", "pages/s", "CPU ms a page"]
    parts = [
        f"{told['pages']:,} pages of {told['hosts']:,} hosts, {told['window']} hosts at a time.",
        table(head, lines),
        f"Held at the end, in MB: {held}. Files in the job directory, in MB: {files}.",
    ]
    return "\n\n".join(parts)


if __name__ == "__main__":
    main()
