"""`scrapy denoise dedup export` and `import`: an index as JSON Lines.

The first line is a header with the constants of the rule, each other one a record. Nothing but the line at hand is
in memory, and of an import some 100 bytes a text, to know its key again.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from denoise_scrapy.commands import STANDARD
from denoise_scrapy.commands.indexes import flaws, from_line, open_store, open_with, seen_in, to_line
from denoise_scrapy.crawl.text_table import counted
from denoise_scrapy.dedup import RULES, Fingerprint, Store, StoreMismatch
from denoise_scrapy.dedup.store import Listing, Name, Record, turns
from denoise_scrapy.shown import say
from denoise_scrapy.storage import replacing

if TYPE_CHECKING:
    from scrapy.settings import Settings

    from denoise_scrapy.dedup.rule import Rule

BATCH = 1000  # texts whose times are asked and set at a time
FORMAT = 1  # raise with any change of the lines
REFUSALS_SHOWN = 10

_BAD = "surrogateescape"  # bytes that are no UTF-8 cost their line, not the whole import
_ADVICE = "Export it with the version that wrote it, or crawl anew."


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `export`."""
    parser.add_argument("file", metavar="FILE", nargs="?", default=STANDARD, help="- or nothing: standard output")


def add_import_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line of `import`."""
    parser.add_argument("file", metavar="FILE", help="-: standard input")
    parser.add_argument("--replace", action="store_true", help="replace texts whose key is there already")


def export(args: argparse.Namespace, settings: Settings) -> int:
    """Write an index."""
    opened = open_store(args.store)
    count = 0
    with opened.store, _written(args.file, opened.path) as file:
        header = {"denoise_scrapy": "texts", "format": FORMAT, "constants": dict(opened.rule.constants)}
        say(json.dumps(header, ensure_ascii=False), file=file)
        records = opened.store.records()
        while batch := list(islice(records, BATCH)):
            times = opened.store.last_seen([one.id for one in batch])
            for record in batch:
                say(to_line(record, times.get(record.id)), file=file)
            count += len(batch)
    say(f"{counted(count, 'text')} exported", file=sys.stderr)
    return 0


def import_(args: argparse.Namespace, settings: Settings) -> int:
    """Add what was exported."""
    with _read(args.file) as file:
        rule = _rule_of(file.readline(), args.file)
        opened = open_with(args.store, rule)
        with opened.store:
            counts = _add_all(file, Adding(opened.store, replace=args.replace), rule)
    say(", ".join(f"{counts[kind]:,} {kind}" for kind in ("added", "replaced", "there before", "refused")))
    return int(counts["refused"] > 0)


class Adding:
    """Adds records without comparing them with those that are there.

    Args:
        store: Open.
        replace: Whether a record takes the place of one of its key and scope.

    Example:
        >>> from denoise_scrapy.dedup import MemoryStore
        >>> store = MemoryStore()
        >>> store.open({})
        >>> adding = Adding(store, replace=False)
        >>> [adding.add(Name("/a"), Fingerprint.of(text)) for text in ("a text", "another text")]
        ['added', 'there before']

    """

    def __init__(self, store: Store, *, replace: bool) -> None:
        self._store = store
        self._replace = replace
        self._ids: dict[int, int] = {}  # by the hash of key and scope, which is a fifth of what they are themselves
        self._last = 0
        self._times: dict[int, float] = {}
        store.every_newer = True  # none may be missed here
        for batch in store.newer(0):
            self._take(batch)

    def add(self, name: Name, fingerprint: Fingerprint, seen: float | None = None) -> str:
        """Add a record.

        Args:
            name: Its name.
            fingerprint: Its fingerprint.
            seen: When it was last seen, in seconds since the epoch; None for now.

        Returns:
            "added", "replaced" or "there before".

        """
        for _ in turns():  # each takes in what others have kept meanwhile
            same = self._same(name)
            if same is not None and not (self._replace and (same.name, same.fingerprint) != (name, fingerprint)):
                return "there before"
            put = self._store.put(name, fingerprint, self._last, 0 if same is None else same.id)
            self._take(put.newer)
            if put.id:
                self._take([Record(put.id, name, fingerprint).listing])
                if seen is not None:
                    self._times[put.id] = seen
                if len(self._times) >= BATCH:
                    self.write_times()
                return "added" if same is None else "replaced"
        raise AssertionError

    def write_times(self) -> None:
        """Write the times of what was added."""
        self._store.set_last_seen(self._times)
        self._times = {}

    def _take(self, listings: Sequence[Listing]) -> None:
        for one in listings:
            self._ids[hash((one.key, one.scope))] = self._last = one.id

    def _same(self, name: Name) -> Record | None:
        """The record of the same key and scope."""
        number = self._ids.get(hash((name.key, name.scope)))
        found = [] if number is None else self._store.get([number])
        return next((record for record in found if record.name[:2] == name[:2]), None)


def _add_all(file: TextIO, adding: Adding, rule: Rule) -> Mapping[str, int]:
    counts = Counter[str]()
    for number, line in enumerate(file, 2):
        try:
            name, fingerprint = from_line(line)
            wrong = "; ".join(flaws(name, fingerprint, rule))
        except (ValueError, RecursionError) as error:
            wrong = str(error)
        if wrong:
            counts["refused"] += 1
            if counts["refused"] <= REFUSALS_SHOWN:
                say(f"line {number} is refused: {wrong}", file=sys.stderr)
        else:
            counts[adding.add(name, fingerprint, seen_in(line))] += 1
    adding.write_times()
    return counts


def _rule_of(line: str, where: str) -> Rule:
    """Give the rule whose constants a header names.

    Raises:
        StoreMismatch: There is none.
        ValueError: It is no header.

    """
    try:
        header: Any = json.loads(line)
        constants = header["constants"]
        if header["denoise_scrapy"] != "texts" or not isinstance(constants, dict):
            raise ValueError
    except (ValueError, TypeError, LookupError, RecursionError):
        raise ValueError(f"{where}: the first line is no header of `scrapy denoise dedup export`") from None
    if header.get("format") != FORMAT:
        raise StoreMismatch("format", str(header.get("format")), str(FORMAT), where, _ADVICE)
    for rule in RULES.values():
        if constants == rule.constants:
            return rule
    ours = next((rule for rule in RULES.values() if constants.get("rule") == rule.constants.get("rule")), RULES["part"])
    names = (name for name in {**constants, **ours.constants} if constants.get(name) != ours.constants.get(name))
    name = next(names)
    raise StoreMismatch(name, str(constants.get(name)), str(ours.constants.get(name)), where, _ADVICE)


@contextmanager
def _read(name: str) -> Iterator[TextIO]:
    """Open a file, or standard input."""
    if name == STANDARD:
        sys.stdin.reconfigure(encoding="utf-8", errors=_BAD, newline="\n")  # type: ignore[union-attr]
        yield sys.stdin
        return
    with Path(name).open(encoding="utf-8", errors=_BAD, newline="\n") as file:
        yield file


@contextmanager
def _written(name: str, index: Path | None) -> Iterator[TextIO]:
    """Open standard output, or a file beside the one named, which takes its place at the end."""
    if name == STANDARD:
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")  # type: ignore[union-attr]
        yield sys.stdout
        return
    path = Path(name)
    if index is not None and path.exists() and path.samefile(index):
        raise ValueError(f"{path}: this is the index itself")
    with replacing(path) as file:
        yield file
