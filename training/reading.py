"""Labels by reading: `python -m training.reading list OUT --corpora DIR [DIR …]`, then `… add MARKS …`.

`list` writes recorded pages that nobody has read, as numbered blocks, some pages a file; `--again N` lists N pages that
one reader has read. A reader marks each page by the guideline in `docs/main-text.md`, with nothing else in view, by a
line of JSON such as `{"key": "world/31d3e1bf60", "kind": "article", "parts": "1-26X 27H 28B 29-40T"}`. `add` checks
such files and adds them to `labels_read.jsonl`.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from denoise_scrapy.body.kind import KINDS
from denoise_scrapy.page import Page
from evaluation.corpora import recorded
from training.truth import LABELS, PARTS, block_hashes, key_of, read_rows

#: Characters of a block that a reader sees, its beginning and its end; and of the files that are written.
SHOWN, END, FILE = 80, 15, 48_000
#: Pages of more blocks take a reader too long.
MOST_BLOCKS = 900
#: Runs of at least this many short links, mostly menus, are listed in one line.
RUN, LINKED, SHORT = 6, 0.8, 70
_RUNS = re.compile(rf"(\d+)(?:-(\d+))?([{PARTS}])(?:\s|\Z)")


def main() -> None:
    """List pages for readers, or add what they have marked."""
    ap = argparse.ArgumentParser(prog="python -m training.reading", description=__doc__)
    commands = ap.add_subparsers(required=True, dest="command")
    lister = commands.add_parser("list")
    lister.add_argument("output", type=Path, help="folder for the lists")
    lister.add_argument("--again", type=int, default=0, metavar="N", help="pages that one reader has read")
    adder = commands.add_parser("add")
    adder.add_argument("marks", type=Path, nargs="+", help="files of JSON lines")
    for parser in (lister, adder):
        parser.add_argument("--corpora", type=Path, nargs="+", required=True, help="folders of *.jsonl.gz")
    args = ap.parse_args()
    rows = {row["key"]: row for row in read_rows()}
    pages = unread(args.corpora, rows if args.command == "list" and not args.again else ())
    if args.command == "list":
        once = [key for key, row in rows.items() if len(row["parts"]) == 1]
        chosen = set(random.Random(0).sample(once, min(args.again, len(once))))
        write_lists(args.output, (listed(key, page) for key, page in pages if not args.again or key in chosen))
        return
    marks = [json.loads(line) for path in args.marks for line in path.read_text("utf-8").splitlines() if line]
    try:
        rows.update(added(marks, dict(pages), rows))
    except ValueError as error:
        sys.exit(str(error))
    LABELS.write_text("".join(json.dumps(row) + "\n" for row in rows.values()), "utf-8")


def unread(folders: Sequence[Path], read: Any) -> Iterator[tuple[str, Page]]:
    """Yield the pages of some corpora that are not read, by key, and that a reader can take."""
    for corpus, sites in recorded(folders):
        for site in sites:
            for one in site:
                key = key_of(corpus, one)
                if key in read:
                    continue
                page = Page.parse(one.html, url=one.url)
                if 1 < len(page.blocks) <= MOST_BLOCKS:
                    yield key, page


def listed(key: str, page: Page) -> str:
    """Return a page as a reader sees it: numbered blocks, with the element around them where it changes."""
    texts, dense = [re.sub(r"\s+", " ", text) for text in page.block_texts], page.blocks.link_density
    tags, elements = page.tags(), page.blocks.element.tolist()
    lines, last, i = [f"### {key} {page.title[:SHOWN]!r} {len(texts)} blocks"], "", 0
    linked = [density > LINKED and len(text) < SHORT for density, text in zip(dense, texts, strict=True)]
    while i < len(texts):
        end = next((j for j in range(i, len(texts)) if not linked[j]), len(texts))
        around = _named(page, elements[i])
        if end - i >= RUN:
            lines.append(f"{i + 1}-{end} links [{around}] {_cut(' | '.join(texts[i:end]))}")
        else:
            end = i + 1
            box = f"[{around}] " if around != last else ""
            lines.append(f"{i + 1} {tags[elements[i]]} {box}{_cut(texts[i])}")
        last, i = around, end
    return "\n".join(lines)


def _named(page: Page, element: int) -> str:
    """The nearest element around a block that has a class or an id."""
    while element >= 0 and not re.search("[.#]", step := page.elements.step(element)):
        element = int(page.elements.parent[element])
    return step[:SHOWN] if element >= 0 else ""


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN + END else f"{text[:SHOWN]} …[{len(text)}]… {text[-END:]}"


def write_lists(folder: Path, pages: Iterator[str]) -> None:
    """Write lists of pages, each file as long as a reader likes."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [list[str]()]
    for page in pages:
        if sum(map(len, files[-1])) + len(page) > FILE and files[-1]:
            files.append([])
        files[-1].append(page)
    for number, some in enumerate(files):
        (folder / f"{number:04d}.txt").write_text("\n\n".join(some) + "\n", "utf-8")


def added(
    marks: Sequence[dict[str, str]], pages: dict[str, Page], rows: dict[str, dict[str, Any]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the row of each marked page: with the marks of a first reader, if there are any.

    Raises:
        ValueError: A page is unknown, or its marks do not cover its blocks.
    """
    for mark in marks:
        key, kind, parts = mark["key"], mark["kind"], mark["parts"]
        page = pages.get(key)
        if page is None or kind not in KINDS:
            raise ValueError(f"{key}: no such page, or no such kind: {kind}")
        runs = [(int(first), int(last or first)) for first, last, _ in _RUNS.findall(parts)]
        ends = [0, *(last for _, last in runs)]
        whole = [first == end + 1 <= last for (first, last), end in zip(runs, ends, strict=False)]
        if _RUNS.sub("", parts).strip() or not all(whole) or ends[-1] != len(page.blocks):
            raise ValueError(f"{key}: {parts} does not cover its {len(page.blocks)} blocks in order")
        hashes, before = bytes(block_hashes(page)).hex(), rows.get(key)
        first = before if before and before["hashes"] == hashes and len(before["parts"]) == 1 else None
        kinds, known = (first["kinds"], first["parts"]) if first else ([], [])
        yield key, {"key": key, "kinds": [*kinds, kind], "hashes": hashes, "parts": [*known, parts]}


if __name__ == "__main__":
    main()
