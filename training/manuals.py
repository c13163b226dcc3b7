"""Makes a corpus of manuals: `python -m training.manuals SITES.py OUTPUT/docs.jsonl.gz`.

SITES.py is a module that knows sites of installed documentation: `HOSTS` ({host: (package, folder, …)}), `read(url)`
(bytes and content type of a page) and `gold(url)` (its main text). The same installed packages give the same corpus.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import random
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from w3lib.encoding import html_to_unicode

#: Pages of a site: more teach little, and manuals are long.
PAGES = 40
#: A page with fewer words of main text is an index.
WORDS = 20


def main() -> None:
    """Run it."""
    ap = argparse.ArgumentParser(prog="python -m training.manuals", description=__doc__)
    ap.add_argument("sites", type=Path, help="a module of documentation sites")
    ap.add_argument("output", type=Path, help="the corpus, NAME.jsonl.gz")
    args = ap.parse_args()
    lines = [json.dumps(page) + "\n" for page in pages(_module(args.sites))]
    with args.output.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as file:
        file.writelines(line.encode() for line in lines)
    print(f"wrote {len(lines)} pages to {args.output}")


def pages(sites: ModuleType) -> Iterator[dict[str, str]]:
    """Some pages of each installed site, drawn from all its folders, as lines of a corpus."""
    for host, (_, folder, *_) in sorted(sites.HOSTS.items()):
        files = sorted(path for path in folder.rglob("*.html") if path.is_file())
        random.Random(host).shuffle(files)
        found = 0
        for path in files:
            url = f"http://{host}/{path.relative_to(folder)}"
            gold = sites.gold(url)
            if not gold or len(gold.split()) < WORDS:
                continue
            html = html_to_unicode(None, sites.read(url)[0], default_encoding="utf-8")[1]
            yield {"site": host, "page": url, "url": url, "html": html, "gold": gold, "kind": "documentation"}
            found += 1
            if found == PAGES:
                break


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
