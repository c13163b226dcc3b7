"""Others' benchmarks, with their own scorers: `python -m evaluation BENCHMARK FOLDER`; it fetches nothing.

BENCHMARK is `zyte` (github.com/scrapinghub/article-extraction-benchmark), `wcxb`
(github.com/Murrough-Foley/web-content-extraction-benchmark) or `webmainbench` (github.com/opendatalab/WebMainBench).
FOLDER is a checkout of it; for the last it has the data (`WebMainBench*.jsonl`), and its package must be installed.
For the first two, the bodies of the pages are written where the scorer looks for outputs, and then this is run, as it
is; the third asks for the Markdown of each page, and works without its language model. Each page is judged alone: these
benchmarks have one page of a site. Part of `wcxb` is in our training, so its figures flatter (`docs/compared.md`).
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from denoise_scrapy.body import extract

NAME = "denoise_scrapy"
#: Arguments of the scorer of benchmarks that have one.
SCORERS: dict[str, list[str]] = {"zyte": [], "wcxb": ["--snippets"]}
WEBMAINBENCH = "webmainbench"


def main() -> int:
    """Write the bodies, run the scorer, and return its exit code."""
    ap = argparse.ArgumentParser(prog="python -m evaluation", description=__doc__)
    ap.add_argument("benchmark", choices=[*SCORERS, WEBMAINBENCH])
    ap.add_argument("folder", type=Path, metavar="FOLDER")
    args = ap.parse_args()
    folder: Path = args.folder
    if args.benchmark == WEBMAINBENCH:
        return webmainbench(ap, folder)
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


def webmainbench(ap: argparse.ArgumentParser, folder: Path) -> int:
    """Score the Markdown of each page in a folder's data by the package `webmainbench`, without its language model."""
    try:
        scorer = import_module(WEBMAINBENCH)
    except ImportError as error:
        ap.error(f"{error}: install the package {WEBMAINBENCH}, and what it imports")
    import_module(f"{WEBMAINBENCH}.config").LLM_CONFIG["use_llm"] = False
    files = sorted(folder.rglob("WebMainBench*.jsonl"))
    if not files:
        ap.error(f"{folder} has no data (WebMainBench*.jsonl)")

    class Extractor(scorer.BaseExtractor):  # type: ignore[name-defined, misc]
        def _setup(self) -> None:
            """Nothing is to be set up."""

        def _extract_content(self, html: str, url: str | None = None) -> object:
            return scorer.ExtractionResult(content=extract(html, url or "").markdown)

    for file in files:
        found = scorer.Evaluator().evaluate(scorer.DataLoader.load_jsonl(file), Extractor(NAME))
        print(file.name, json.dumps(found.overall_metrics), flush=True)
    return 0


def pages_of(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield name and bytes of each page in a folder."""
    for path in sorted(folder.glob("*.html*")):
        data = path.read_bytes()
        yield path.name.partition(".html")[0], gzip.decompress(data) if path.suffix == ".gz" else data


if __name__ == "__main__":
    sys.exit(main())
