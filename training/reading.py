"""Recorded pages read block by block: sheets to fill in, and what readers said.

`python -m training.reading write OUT --corpora DIR [DIR …]` chooses pages and writes `OUT/NN.txt`, fifteen pages each.
A reader who follows `docs/main-text.md` fills in `OUT/READER/NN.txt`, a line a page: key, kind, and runs of blocks with
the letter of their part, as in `wcxb/1f0a article 1-4X 5H 6-20T`. `check OUT READER` says what is wrong with it;
`collect OUT READER READER` writes the labels of both to `labels_read.jsonl`: no text, only keys, hashes and letters.
`report --corpora DIR …` says how far the readers agree with each other, and with the recorded truths.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from random import Random
from zlib import crc32

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page import Flag, Page
from evaluation.corpora import RecordedPage, load
from evaluation.figures import table
from example_project.scoring import f1

#: What was read, a JSON object a page.
LABELS = Path(__file__).with_name("labels_read.jsonl")
#: The parts of a page, by letter; the body holds the first ones.
BODY = "HSKTC"
PARTS = BODY + "BMX"
KINDS = ("article", "thread", "question", "manual", "shop", "list", "collection", "service", "none")
#: Pages of each corpus that are read, by kind ("" for all others): most where truths are worst, of rare languages, and
#: news for the parts that shops and lists lack.
WANTED: Mapping[str, Mapping[str, int]] = {
    "single": {
        "service": 115,
        "listing": 54,
        "collection": 37,
        "product": 35,
        "documentation": 37,
        "forum": 58,
        "article": 16,
    },
    "wcxb": {"product": 30, "collection": 26, "listing": 5, "documentation": 20, "forum": 15, "article": 4},
    "world": {"": 51},
    "canola": {"": 91},
    "segments": {"": 54},
    "daniel": {"": 45},
    "magicforum": {"": 30},
    "zh68": {"": 10},
    "zhportals": {"": 16},
    "harvest": {"": 6},
    "dragnet1": {"": 16},
    "dragnet": {"": 14},
    "big9": {"": 14},
    "l3s": {"": 16},
    "cleanportal": {"": 3},
}
#: Fewer blocks say little, more take a reader too long; pages of a site at most; pages a sheet.
BLOCKS, PAGES_A_SITE, PAGES_A_SHEET = (5, 380), 5, 15
#: Characters of a block that a sheet shows at its start and at its end.
SHOWN = 150, 40


@dataclass(frozen=True)
class ReadPage:
    """What one reader or two said of a page.

    Attributes:
        key: Its corpus, and the hash of its HTML.
        kinds: What kind of page each reader took it for.
        hashes: A hash of each block's text, so that labels find their block where pages are cut otherwise.
        parts: A letter of `PARTS` for each block, by reader.
    """

    key: str
    kinds: tuple[str, ...]
    hashes: tuple[int, ...]
    parts: tuple[str, ...]

    def letters(self, page: Page) -> list[str]:
        """The letters of the readers for each block of the page, "" where it is cut otherwise than they saw it."""
        found = [""] * len(page.blocks)
        for run in SequenceMatcher(None, self.hashes, block_hashes(page), autojunk=False).get_matching_blocks():
            for i in range(run.size):
                found[run.b + i] = "".join(letters[run.a + i] for letters in self.parts)
        return found

    def kept(self, page: Page) -> npt.NDArray[np.float64]:
        """1 for blocks that all readers keep, 0 for those that none does, NaN for others, shape (blocks,)."""
        told = ([letter in BODY for letter in letters] or [True, False] for letters in self.letters(page))
        return np.array([float(one[0]) if len(set(one)) == 1 else np.nan for one in told])

    def texts(self, page: Page) -> tuple[str, ...]:
        """What each reader keeps of the page."""
        told = [(text, said) for text, said in zip(page.block_texts, self.letters(page), strict=True) if said]
        readers = range(len(self.parts))
        return tuple("\n".join(text for text, said in told if said[reader] in BODY) for reader in readers)


def key_of(corpus: str, page: RecordedPage) -> str:
    """The name of a recorded page in the labels."""
    return f"{corpus}/{hashlib.sha1(page.html.encode('utf-8', 'replace')).hexdigest()[:10]}"


def read_labels(path: Path = LABELS) -> dict[str, ReadPage]:
    """All that was read, by page."""
    found = {}
    for line in path.read_text("utf-8").splitlines() if path.exists() else ():
        row = json.loads(line)
        hashes = tuple(bytes.fromhex(row["hashes"]))
        parts = tuple(letters(runs, len(hashes)) for runs in row["parts"])
        found[row["key"]] = ReadPage(row["key"], tuple(row["kinds"]), hashes, parts)
    return found


def block_hashes(page: Page) -> tuple[int, ...]:
    """A hash of each block's text, of 8 bits: enough to align one page with another cut of the same."""
    return tuple(crc32(text.encode("utf-8", "replace")) & 0xFF for text in page.block_texts)


def main() -> None:
    """Run it."""
    ap = argparse.ArgumentParser(prog="python -m training.reading", description=__doc__)
    ap.add_argument("do", choices=("write", "check", "collect", "report"))
    ap.add_argument("out", type=Path, nargs="?", default=Path("training/output/read"), help="folder of the sheets")
    ap.add_argument("readers", nargs="*")
    ap.add_argument("--corpora", type=Path, nargs="+", default=[], help="folders of *.jsonl.gz")
    args = ap.parse_args()
    if args.do == "write":
        write(args.out, chosen(args.corpora))
        return
    if args.do == "report":
        print(report(args.corpora))
        return
    wrong = [line for reader in args.readers for line in faults(args.out, reader)]
    print("\n".join(wrong) or "nothing is wrong")
    if args.do == "collect":
        collect(args.out, args.readers)


def chosen(folders: Sequence[Path]) -> Iterator[tuple[str, RecordedPage, Page]]:
    """The pages to be read, at random, few of each site."""
    for folder in folders:
        for name, sites in load(folder, tuple(WANTED)):
            pages = [page for site in sites for page in site]
            rng, left, count = Random(f"read {name}"), Counter(WANTED[name]), Counter[str]()
            for recorded in rng.sample(pages, len(pages)):
                kind = recorded.kind if recorded.kind in left else ""
                if left[kind] <= 0 or count[recorded.site] >= PAGES_A_SITE or _left_out(name, recorded):
                    continue
                page = Page.parse(recorded.html, url=recorded.url)
                if BLOCKS[0] <= len(page.blocks) <= BLOCKS[1]:
                    left[kind] -= 1
                    count[recorded.site] += 1
                    yield name, recorded, page


def _left_out(corpus: str, page: RecordedPage) -> bool:
    """Whether a page is of a language that other corpora have."""
    return corpus == "daniel" and not re.search("[ąęłżΑ-ωА-я]", page.gold)


def write(out: Path, pages: Iterable[tuple[str, RecordedPage, Page]]) -> None:
    """Write sheets of the pages that no earlier sheet has, all corpora mixed, and the hashes of their blocks."""
    out.mkdir(parents=True, exist_ok=True)
    hashes = out / "hashes.json"
    known: dict[str, str] = json.loads(hashes.read_text("utf-8")) if hashes.exists() else {}
    new = [one for one in pages if key_of(one[0], one[1]) not in known]
    mixed = Random("sheets").sample(new, len(new))
    known |= {key_of(name, recorded): bytes(block_hashes(page)).hex() for name, recorded, page in mixed}
    hashes.write_text(json.dumps(known, indent=0) + "\n", "utf-8")
    for number, start in enumerate(
        range(0, len(mixed), PAGES_A_SHEET), start=len(list(out.glob("[0-9][0-9].txt"))) + 1
    ):
        some = mixed[start : start + PAGES_A_SHEET]
        text = "\n\n".join("\n".join(_sheet(key_of(name, one), one, page)) for name, one, page in some)
        (out / f"{number:02}.txt").write_text(text.encode("utf-8", "replace").decode() + "\n", "utf-8")


def _sheet(key: str, recorded: RecordedPage, page: Page) -> Iterator[str]:
    """A page's blocks: number, tag, ~ where most of it is links, ! where it is hidden, text."""
    yield f"=== {key}  {recorded.url[:120]}\n    <title> {page.title[:200]}"
    blocks, tags = page.blocks, page.tags()
    for i, text in enumerate(page.block_texts):
        links = "~" if blocks.link_density[i] >= 0.5 else ""
        hidden = "!" if blocks.flags[i] & Flag.HIDDEN else ""
        yield f"{i + 1} {tags[blocks.element[i]]}{links}{hidden}: {_shortened(' '.join(text.split()))}"


def _shortened(text: str) -> str:
    start, end = SHOWN
    return text if len(text) <= start + end + 20 else f"{text[:start]} […{len(text)} signs…] {text[-end:]}"


def faults(out: Path, reader: str) -> Iterator[str]:
    """What is wrong with the sheets that a reader has filled in."""
    known = json.loads((out / "hashes.json").read_text("utf-8"))
    for path in sorted((out / reader).glob("*.txt")):
        keys = re.findall(r"^=== (\S+)", (out / path.name).read_text("utf-8"), re.M)
        lines = _filled_in(path)
        for key in sorted({line[0] for line in lines} ^ set(keys)):
            yield f"{path}: {key} is missing, or not of this sheet"
        for key, kind, runs in (line for line in lines if len(line) == 3 and line[0] in keys):
            if kind not in KINDS:
                yield f"{path}: {key}: no kind {kind}; there are {', '.join(KINDS)}"
            try:
                letters(runs, len(known[key]) // 2)
            except ValueError as error:
                yield f"{path}: {key}: {error}"


def _filled_in(path: Path) -> list[list[str]]:
    """Key, kind and runs of each page of a sheet."""
    return [line.split(maxsplit=2) for line in path.read_text("utf-8").splitlines() if line.strip()]


def letters(runs: str, blocks: int) -> str:
    """The letter of each block.

    Raises:
        ValueError: The runs do not cover the blocks, each once and in order.

    Example:
        >>> letters("1-2X 3H 4-6T", 6)
        'XXHTTT'
    """
    found = ""
    for run in runs.split():
        match = re.fullmatch(rf"(\d+)(?:-(\d+))?([{PARTS}])", run)
        if match is None:
            raise ValueError(f"{run} is no run")
        first, last = int(match[1]), int(match[2] or match[1])
        if first != len(found) + 1 or last < first:
            raise ValueError(f"{run} does not follow block {len(found)}")
        found += match[3] * (last - first + 1)
    if len(found) != blocks:
        raise ValueError(f"{len(found)} of {blocks} blocks")
    return found


def collect(out: Path, readers: Sequence[str]) -> None:
    """Write the labels of all pages that have been read, by one reader or two."""
    known = json.loads((out / "hashes.json").read_text("utf-8"))
    said: dict[str, list[tuple[str, str]]] = {}
    for path in (path for reader in readers for path in sorted((out / reader).glob("*.txt"))):
        for key, kind, runs in _filled_in(path):
            said.setdefault(key, []).append((kind, runs))
    with LABELS.open("w", encoding="utf-8") as file:
        for key in (key for key in known if key in said):
            kinds, parts = zip(*said[key], strict=True)
            file.write(json.dumps({"key": key, "kinds": kinds, "hashes": known[key], "parts": parts}) + "\n")
    print(f"{len(said)} pages")


def report(folders: Sequence[Path]) -> str:
    """How far two readers agree: token F1 by corpus and kind of page, F1 of blocks by part, as tables."""
    labels, rows = read_labels(), dict[str, list[tuple[float, float]]]()
    for name, sites in (found for folder in folders for found in load(folder)):
        for recorded in (page for site in sites for page in site):
            if (read := labels.get(key_of(name, recorded))) and len(read.parts) > 1:
                first, second = read.texts(Page.parse(recorded.html, url=recorded.url))
                truth = (f1(first, recorded.gold) + f1(second, recorded.gold)) / 2 if recorded.gold else np.nan
                for group in ("all", name, f"kind: {read.kinds[0]}"):
                    rows.setdefault(group, []).append((f1(first, second), truth))
    means = ((name, found, np.nanmean(found, axis=0)) for name, found in rows.items())
    texts = [[name, str(len(found)), f"{readers:.3f}", f"{truth:.3f}"] for name, found, (readers, truth) in means]
    twice = (read.parts for read in labels.values() if len(read.parts) > 1)
    pairs = Counter(both for parts in twice for both in zip(*parts, strict=True))
    agreed = []
    for part in PARTS:
        either = sum(count * both.count(part) for both, count in pairs.items())
        agreed.append([part, str(pairs[part, part]), f"{2 * pairs[part, part] / max(either, 1):.3f}"])
    head = ["pages", "read", "F1 of the readers", "F1 of the recorded truth"]
    return table(head, texts) + "\n\n" + table(["part", "blocks that both say", "F1"], agreed)


if __name__ == "__main__":
    main()
