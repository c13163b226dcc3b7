"""Memory of a very long crawl: `python -m benchmarks.soak [--pages N] [--hosts N] [--bare]` writes its figures.

A crawl of 100,000 pages of 1,000 hosts with default settings in a job directory: an index of texts and a site memory in
SQLite. A server in another process makes the pages on request; some repeat the text of another. Some hosts at a time
are crawled to their end, so that new ones come until the last page. Measured is the trend of the resident memory in the
second half, when all bounded memories are full: with the size of the index of texts, which grows with each text that is
kept, and without. Takes half an hour on two idle cores; `--bare`, the same crawl without us, a third more.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.crawl import Figures, one_crawl
from benchmarks.made_site import serving
from benchmarks.measuring import trend
from evaluation import figures

HOSTS, PAGES = 1000, 100_000
#: Hosts crawled at a time: a broad crawl has some tens of sites under way.
WINDOW = 64
#: Part of the crawl before the trend. Path tables fill up with some 500 sites.
BEFORE = 0.5
MB = 1_000_000
PICTURE = Path("docs/images/soak.svg")
WITH, WITHOUT = "with the add-on", "without it"


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    ap.add_argument("--hosts", type=int, default=HOSTS)
    ap.add_argument("--pages", type=int, default=PAGES, help="pages of all hosts")
    ap.add_argument("--bare", action="store_true", help="also the same crawl without the add-on")
    args = ap.parse_args()
    each = max(args.pages // args.hosts, 1)
    crawls: dict[str, Figures] = {}
    with serving(args.hosts, each, lazy=True) as port:
        for name, way in ((WITH, "default"), *([(WITHOUT, "bare")] if args.bare else [])):
            crawls[name] = soak(way, port, args.hosts, each)
            text = (
                f"{args.hosts * each:,} pages of {args.hosts:,} hosts, {WINDOW} hosts at a time.\n\n{section(crawls)}"
            )
            print(text, flush=True)
            figures.write("soak", text)  # before the next crawl, which takes long
            PICTURE.write_text(picture(lines(crawls), "pages", "MB"), "utf-8")


def soak(way: str, port: int, hosts: int, pages: int) -> Figures:
    """Crawl with a job directory; return the sizes of the files left there too."""
    with tempfile.TemporaryDirectory() as folder:
        crawl = one_crawl(way, port=port, hosts=hosts, pages=pages, window=WINDOW, settings={"JOBDIR": folder})
        return {**crawl, "files": {path.name: path.stat().st_size for path in Path(folder).iterdir() if path.is_file()}}


def series(crawl: Figures) -> tuple[Any, Any, Any]:
    """Return pages, resident bytes, and bytes that the index holds, at each sample."""
    pages, memory = np.array(crawl["memory"], float).reshape(-1, 2).T
    return pages, memory, np.array([held.get("index", 0) for held in crawl["held"]], float)


def section(crawls: Mapping[str, Figures]) -> str:
    """Return the section of the documentation."""
    rows = []
    for name, crawl in crawls.items():
        pages, memory, index = series(crawl)
        later = pages > BEFORE * pages[-1]
        trends = [str(trend(pages[later], of[later])) for of in (memory, memory - index)]
        sizes = [f"{memory[later][0] / MB:.0f}", f"{memory[-1] / MB:.0f}"]
        rows.append([name, *sizes, *trends, f"{crawl['pages_per_second']:.0f}", f"{crawl['cpu_ms_per_page']:.1f}"])
    held = ", ".join(f"{name} {size / MB:.1f}" for name, size in crawls[WITH]["held"][-1].items())
    large = sorted((name, size / MB) for name, size in crawls[WITH]["files"].items() if size >= MB)
    files = ", ".join(f"{name} {size:.0f}" for name, size in large)
    head = ["crawl", "MB at half", "MB at the end", "bytes a page", "less the index", "pages/s", "CPU ms a page"]
    told = f"Held at the end, in MB: {held}. Files in the job directory, in MB: {files}."
    return f"{figures.table(head, rows)}\n\n{told}"


def lines(crawls: Mapping[str, Figures]) -> dict[str, Sequence[tuple[float, float]]]:
    """Return the lines of the picture, in MB."""
    drawn: dict[str, Sequence[tuple[float, float]]] = {}
    for name, crawl in crawls.items():
        pages, memory, index = series(crawl)
        drawn[name] = list(zip(pages, memory / MB, strict=True))
        if index.any():
            drawn[f"{name}, less the index"] = list(zip(pages, (memory - index) / MB, strict=True))
            ours = [sum(held.values()) for held in crawl["held"]]
            drawn["what our memories say"] = list(zip(pages, np.array(ours, float) / MB, strict=True))
    return drawn


WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 300, 60, 200, 16, 40
STYLE = (
    "svg{background:#fff;color:#222}text{fill:currentColor;font:12px sans-serif}polyline{fill:none;stroke-width:1.6}"
    ".axis{stroke:#999}.grid{stroke:#8883}.e{text-anchor:end}.m{text-anchor:middle}"
    ".c0{stroke:#2b6cb0}.c1{stroke:#c05621}.c2{stroke:#2f855a}.c3{stroke:#805ad5}"
    "@media(prefers-color-scheme:dark){svg{background:#181a1b;color:#ddd}}"
)


def picture(lines: Mapping[str, Sequence[tuple[float, float]]], x_name: str, y_name: str) -> str:
    """Draw up to four lines of points, none below 0, as SVG with its own style, light and dark."""
    xs, ys = zip(*(point for points in lines.values() for point in points), strict=True)
    right, top = max(xs) or 1.0, (max(ys) or 1.0) * 1.05
    wide, high, base = WIDTH / right, HEIGHT / top, TOP + HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + RIGHT} {base + BOTTOM}" '
        f'role="img"><title>{escape(y_name)} over {escape(x_name)}</title><style>{STYLE}</style>'
    ]
    for value in ticks(top):
        y = base - value * high
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="e" x="{LEFT - 6}" y="{y + 4:.1f}">{value:,.0f}</text>')
    for value in ticks(right):
        parts.append(f'<text class="m" x="{LEFT + value * wide:.1f}" y="{base + 18}">{value:,.0f}</text>')
    for number, (name, points) in enumerate(lines.items()):
        drawn = " ".join(f"{LEFT + x * wide:.1f},{base - y * high:.1f}" for x, y in points)
        x, y = LEFT + WIDTH + 10, TOP + 10 + 20 * number
        parts.append(f'<polyline class="c{number}" points="{drawn}"/>')
        parts.append(f'<line class="c{number}" x1="{x}" x2="{x + 20}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text x="{x + 26}" y="{y + 4}">{escape(name)}</text>')
    parts.append(f'<line class="axis" x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{base}" y2="{base}"/>')
    parts.append(f'<text class="m" x="{LEFT + WIDTH / 2}" y="{base + 36}">{escape(x_name)}</text>')
    parts.append(f'<text x="4" y="{TOP - 4}">{escape(y_name)}</text></svg>')
    return "\n".join(parts) + "\n"


def ticks(most: float) -> list[float]:
    """Return some four to eight round values from 0 to the most.

    Example:
        >>> ticks(470)
        [0.0, 100.0, 200.0, 300.0, 400.0]
    """
    power = 10.0 ** (len(str(int(most))) - 2)
    step = next(power * ten * each for ten in (1, 10) for each in (1, 2, 5) if most / (power * ten * each) <= 8)
    return [step * number for number in range(int(most / step) + 1)]


if __name__ == "__main__":
    main()
