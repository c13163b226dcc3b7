"""Makes a corpus of written pages: `python -m training.cases OUTPUT FILE...`, then OUTPUT's folder is one of corpora.

A line of a file is a case as in `benchmarks.rules`: a page, pages of its site, and pieces that a reader keeps and does
not. Each is a site of its own.
"""

from __future__ import annotations

import argparse
import gzip
import json
from base64 import b64decode
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def rows_of(case: Mapping[str, Any], site: str) -> Iterator[dict[str, Any]]:
    """Yield the page of a case with its pieces, then the other pages of its site, as rows of a corpus."""
    pieces = {"with": case["has"], "without": case["lacks"]}
    for number, page in enumerate([case["html"], *case["sisters"]]):
        html = page if isinstance(page, str) else b64decode(page["base64"]).decode("utf-8", "replace")
        row = {"site": site, "page": f"{site}-{number}", "url": case["url"], "html": html, "gold": ""}
        yield row if number else row | pieces


def main() -> None:
    """Write the corpus."""
    ap = argparse.ArgumentParser(prog="python -m training.cases", description=__doc__)
    ap.add_argument("output", type=Path, metavar="OUTPUT", help="NAME.jsonl.gz")
    ap.add_argument("files", type=Path, nargs="+", metavar="FILE", help="files of cases")
    args = ap.parse_args()
    with gzip.open(args.output, "wt", encoding="utf-8") as lines:
        for file in args.files:
            for case in map(json.loads, file.read_text("utf-8").splitlines()):
                for row in rows_of(case, f"{case['id']}.{file.stem}.example"):
                    lines.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
