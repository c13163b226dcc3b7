"""Others' benchmarks, with their own scorers: `python -m evaluation BENCHMARK FOLDER`; it fetches nothing.

BENCHMARK is `zyte` (github.com/scrapinghub/article-extraction-benchmark) or `wcxb`
(github.com/Murrough-Foley/web-content-extraction-benchmark), FOLDER a checkout of it. The bodies of its pages are
written where its scorer looks for outputs, and then this is run, as it is. Each page is judged alone: these benchmarks
have one page of a site. Part of `wcxb` is in our training, so its figures flatter (`docs/compared.md`).
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from denoise_scrapy.body import extract

NAME = "denoise_scrapy"
#: Arguments of each benchmark's scorer.
SCORERS: dict[str, list[str]] = {"zyte": [], "wcxb": ["--snippets"]}


def main() -> int:
    """Write the bodies, run the scorer, and return its exit code."""
    ap = argparse.ArgumentParser(prog="python -m evaluation", description=__doc__)
    ap.add_argument("benchmark", choices=SCORERS)
    ap.add_argument("folder", type=Path, metavar="FOLDER")
    args = ap.parse_args()
    folder: Path = args.folder
    scorer = folder / "evaluate.py"
    if not scorer.is_file():
        ap.error(f"{folder} has no evaluate.py: it is no checkout of the benchmark")
    bodies = {name: {"articleBody": extract(html).text} for name, html in pages_of(folder / "html")}
    if not bodies:
        ap.error(f"{folder / 'html'} has no pages (*.html or *.html.gz)")
    output = folder / "output" / f"{NAME}.json"
    output.parent.mkdir(exist_ok=True)
    output.write_text(json.dumps(bodies, ensure_ascii=False), "utf-8", "replace")
    print(f"{len(bodies):,} bodies written to {output}", flush=True)
    command = [sys.executable, scorer.name, *SCORERS[args.benchmark]]
    return subprocess.run(command, cwd=folder, check=False).returncode


def pages_of(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of each page in a folder."""
    for path in sorted(folder.glob("*.html*")):
        data = path.read_bytes()
        yield path.name.partition(".html")[0], gzip.decompress(data) if path.suffix == ".gz" else data


if __name__ == "__main__":
    sys.exit(main())
