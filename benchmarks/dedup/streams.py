"""The index on streams of real texts, each asked about against all earlier ones, as a crawl does it.

Pairs cannot show what streams do: a new text meets thousands of siblings, and the likest one decides. A stream is a
file `NAME.jsonl.gz`, a JSON object a line: `text`, and `obj`, what the text is about.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from benchmarks.dedup.quality import FALSE, RECALL, Score, Share
from benchmarks.dedup.stream_truth import Relation, StreamText, Truth
from denoise_scrapy.dedup import DuplicateIndex

BY_OBJECT = {"mccormick", "nodeblog", "zhdocs"}
"""Streams whose texts name what they are about: an article, a release, a page at some date."""

IN_CHARACTERS = {"zhdocs", "zhlaws"}
"""Streams in a script without spaces."""

WAYS = (("part", "prefilter"), ("near-copy", "prefilter"), ("part", "tree"), ("near-copy", "tree"))
_HELD = {("part", "prefilter")}  # to floors; the others take as long again


@dataclass(frozen=True)
class StreamScore:
    """What an index made of a stream.

    Attributes:
        right: Copies that were called duplicates.
        wrong: Other texts that were.
        missed: Copies that were not.
        between: Texts called duplicates of which nobody knows what they are.
        texts: All of them.
    """

    name: str
    rule: str
    search: str
    right: int
    wrong: int
    missed: int
    between: int
    texts: int

    @property
    def score(self) -> Score:
        """For the floors: recall, and the share of the texts that were wrongly called duplicates."""
        goals = {FALSE: Share(self.wrong, self.texts)}
        copies = self.right + self.missed
        return Score(self.rule, {RECALL: Share(self.right, copies), **goals} if copies else goals, {}, {})

    @property
    def held(self) -> bool:
        """Whether it is held to floors."""
        return (self.rule, self.search) in _HELD

    def line(self) -> str:
        """A row of the table."""
        precision = self.right / max(1, self.right + self.wrong)
        recall = self.right / max(1, self.right + self.missed)
        shares = f"{precision:.3f} | {recall:.3f}" if self.right + self.missed else " | "
        counts = f"{self.right} | {self.wrong} | {self.missed} | {self.between}"
        return f"| {self.name} | {self.rule}, {self.search} | {shares} | {counts} |"


TABLE = """| stream | rule and search | precision | recall | right | wrong | missed | not counted |
|---|---|---|---|---|---|---|---|"""


class Stream:
    """The texts of a file."""

    def __init__(self, path: Path) -> None:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        self.name = path.name.partition(".")[0]
        self.texts = [StreamText(row["text"], row.get("obj", "")) for row in rows]

    @property
    def digest(self) -> str:
        """A hash of the texts, to know them again."""
        state = hashlib.sha256()
        for one in self.texts:
            state.update(f"{one.about}\0{one.text}\0".encode("utf-8", "replace"))
        return state.hexdigest()[:16]

    @cached_property
    def truth(self) -> Truth:
        """What is true of it."""
        return Truth(self.texts, characters=self.name in IN_CHARACTERS, by_object=self.name in BY_OBJECT)

    @cached_property
    def copies(self) -> set[int]:
        """Texts that are copies of an earlier one."""
        return self.truth.copies()

    def measure(self, rule: str, search: str) -> StreamScore:
        """Ask an index about each text, and keep each."""
        found = dict.fromkeys(Relation, 0)
        called = set()
        with DuplicateIndex(rule=rule, search=search) as index:
            for number, one in enumerate(self.texts):
                verdict = index.check(str(number), one.text)
                index.add(str(number), one.text)
                if verdict.of is not None and self.truth.counts(number):
                    called.add(number)
                    is_copy = number in self.copies
                    found[Relation.COPY if is_copy else self.truth.relation(number, int(verdict.of))] += 1
        missed = len(self.copies - called)
        right, between, wrong = found[Relation.COPY], found[Relation.BETWEEN], found[Relation.OTHER]
        return StreamScore(self.name, rule, search, right, wrong, missed, between, len(self.texts))


def scores(folder: Path, *, every_way: bool) -> Iterator[tuple[StreamScore, str]]:
    """Measure the streams of a folder, each with its digest.

    Args:
        folder: Where the files lie.
        every_way: Whether to measure each rule and search, or what is held to floors.

    Raises:
        FileNotFoundError: There is no such folder, or no stream in it.
    """
    paths = sorted(folder.glob("*.jsonl.gz"))
    if not paths:
        raise FileNotFoundError(f"no *.jsonl.gz in {folder}")
    for path in paths:
        stream = Stream(path)
        for way in WAYS if every_way else _HELD:
            yield stream.measure(*way), stream.digest


def add_streams_argument(parser: argparse.ArgumentParser) -> None:
    """Declare `--streams`, a folder or None; by default that of the environment variable DENOISE_STREAMS."""
    folder = os.environ.get("DENOISE_STREAMS")
    default = Path(folder) if folder else None
    parser.add_argument("--streams", type=Path, default=default, help="a folder of streams of texts, *.jsonl.gz")
