"""`scrapy denoise dedup …`: near-duplicates in a file of rows, and what is in an index of texts."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta, timezone
from itertools import islice
from math import isnan
from pathlib import Path
from typing import Any, BinaryIO

from w3lib.url import canonicalize_url

from denoise_scrapy.commands import PROGRESS_SECONDS, SHOWN, STANDARD, Given, UsageError, add_command, show
from denoise_scrapy.commands.inputs import add_rule_arguments, rule_given
from denoise_scrapy.crawl.duplicates import INDEX_FILE, MEMORY, index_place
from denoise_scrapy.dedup import (
    RULES,
    DuplicateIndex,
    RedisStore,
    SQLiteStore,
    Store,
    StoreMismatch,
    Verdict,
    open_store,
)
from denoise_scrapy.dedup.batch import KEEPS, SCOPES, Batch, Row
from denoise_scrapy.dedup.versions import Version
from denoise_scrapy.settings import MARK, DenoiseSettings
from denoise_scrapy.site import site_key
from denoise_scrapy.support.formats import ROW_FORMATS, format_of
from denoise_scrapy.support.row_files import Marked, Parquet, Read, RowFile, compressing, named, row_file, write_parquet
from denoise_scrapy.support.shown import counted, json_line, report, say
from denoise_scrapy.support.storage import replacing, without_password

TEXT_FIELDS, TITLE_FIELD = ("body", "text"), "title"
STORE = (
    "a SQLite file, a job directory, or redis://HOST:PORT/DB#NAME (without a name: #denoise), which may contain user "
    "and password"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    subparsers = parser.add_subparsers(title="subcommands", metavar="SUBCOMMAND", required=True)

    def command(
        run: Callable[[argparse.Namespace, Given], int], name: str, meaning: str, example: str
    ) -> argparse.ArgumentParser:
        one = add_command(subparsers, name, meaning, f"dedup {name} {example}")
        one.set_defaults(run=run)
        return one

    add_run_arguments(command(run, "run", "find the near-duplicates in a file of rows", "items.jsonl -o kept.jsonl"))
    one = command(stats, "stats", "show the contents of an index", "crawls/news")
    one.add_argument("store", metavar="STORE", nargs="?", help=STORE)
    one.add_argument("--json", action="store_true", help="print JSON")
    one.epilog = "Default: the index that the project's settings name."
    one = command(chunks, "chunks", "list the chunks of the pages in an index", "crawls/news")
    one.add_argument("store", metavar="STORE", help=STORE)
    one.epilog = "One JSON object per line: the index has them if a feed has the format chunk-changes."
    one = command(forget, "forget", "remove texts by key or by age", "texts.sqlite --older-than 30d --dry-run")
    one.add_argument("store", metavar="STORE", help=STORE)
    one.add_argument("keys", metavar="KEY", nargs="*", help="key of an item, or a URL in any spelling")
    one.add_argument(
        "--older-than",
        metavar="AGE",
        type=moment,
        help="only texts not seen since: 12h, 30d, 2w, or a date such as 2026-01-31",
    )
    one.add_argument("--dry-run", action="store_true", help="list the texts without removing them")
    one.epilog = "Copies of a removed text then count as new."


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `dedup run`."""
    file = "JSON lines, JSON, CSV in UTF-8 (all also .gz, .zst) or Parquet; - for JSON lines on standard input"
    parser.add_argument("file", metavar="FILE", help=file)
    what = parser.add_argument_group("output").add_mutually_exclusive_group()
    for name, meaning in (
        ("--drop", "write rows that are not duplicates (default)"),
        ("--mark", f"write all rows, and mark duplicates with the key of the kept row, as {MARK}"),
        ("--pairs", "write the key of each duplicate, the key of the kept row, and the score"),
        ("--groups", "write the keys of kept rows and of their duplicates, the largest group first"),
    ):
        what.add_argument(name, dest="what", action="store_const", const=name[2:], help=meaning, default="drop")
    out = "output file, in the format of FILE (also .gz, .zst) or Parquet, pairs and groups as JSON lines"
    parser.add_argument("-o", dest="out", metavar="OUT", default=STANDARD, help=f"{out}; default: standard output")
    parser.add_argument("--keep", choices=KEEPS, default=KEEPS[0], help="row to keep among duplicates; default: first")
    parser.add_argument("--text", metavar="FIELD", help="field to compare; default: body or text")
    parser.add_argument(
        "--key", metavar="FIELD", default="url", help="field that identifies a row; default: url, or its number"
    )
    title = f"field with the title: similar rows of a site with different titles are variants; default: {TITLE_FIELD}"
    parser.add_argument("--title", metavar="FIELD", help=title)
    parser.add_argument("--date", metavar="FIELD", help="field for --keep newest: ISO 8601, or seconds since 1970")
    scope = "compare only rows of the same site, by their keys (default), or all"
    parser.add_argument("--scope", choices=SCOPES, default=SCOPES[0], help=scope)
    add_rule_arguments(parser)
    store = "also compare with this index, and add the kept rows to it; created if missing"
    parser.add_argument("--store", metavar="STORE", help=store)
    bad = "unreadable rows: copy them to the output (default), leave them out, or stop without output"
    parser.add_argument("--bad", choices=("keep", "skip", "stop"), default="keep", help=bad)
    parser.epilog = (
        "A row is compared with the kept rows. Variants are not duplicates: similar rows of one site (by the host of "
        "their keys) with another title or with other words filled in. To keep the longest or the newest row, FILE is "
        "read twice and its texts are written to a temporary file. Memory: 2 KB for each kept row. "
        "Exit codes: 0; 1 if rows could not be read; 2 for a wrong command line or field."
    )


def run(args: argparse.Namespace, settings: Given) -> int:
    """Write a file of rows without its near-duplicates, or list them."""
    kind, read = _checked(args), DenoiseSettings.from_settings(settings)
    rule, threshold = rule_given(args, read)
    with ExitStack() as open_things:
        path = Path(args.file)
        if args.file == STANDARD:  # rows are read several times
            path = Path(open_things.enter_context(tempfile.TemporaryDirectory(prefix="denoise-")), "rows")
            with path.open("wb") as copy:
                shutil.copyfileobj(sys.stdin.buffer, copy)
        job = Job(args, row_file(kind, lambda: path.open("rb")))
        store = store_at(args.store) if args.store else None
        index = DuplicateIndex(threshold, store, rule=rule, certainty=read.dedup_certainty)
        open_things.enter_context(index)
        batch = Batch(index, keep=args.keep, scope=args.scope, numbered=args.store is None)
        job.write(batch, open_things.enter_context(_written(args.out)))
    job.say_progress()
    return int(job.bad > 0)


def store_at(place: str) -> Store:
    """Create the store at a place, as `open_store`, but also in a job directory or an existing file of any name."""
    path = Path(place)
    if "://" not in place and path.exists():
        return SQLiteStore(path / INDEX_FILE if path.is_dir() else path)
    return open_store(place)


def _checked(args: argparse.Namespace) -> str:
    """Return the format of the file; raise `UsageError` for conflicting arguments."""
    kind = "jsonl" if args.file == STANDARD else format_of(args.file, ROW_FORMATS)
    if not kind:
        raise UsageError(f"unknown format: {args.file}: name it *.jsonl, *.json, *.csv or *.parquet")
    if (args.keep == "newest") != bool(args.date):
        raise UsageError("--keep newest and --date FIELD go together")
    what, valid = (args.what, ("jsonl",)) if args.what in {"pairs", "groups"} else ("rows", (kind, "parquet"))
    made = format_of(args.out, ROW_FORMATS)
    if made and made not in valid:
        kinds = " or ".join(dict.fromkeys(valid))
        raise UsageError(f"{what} of {args.file} are written as {kinds}, not as {made}")
    if what == "rows" and args.out == STANDARD and kind == "parquet":
        raise UsageError("Parquet cannot be written to standard output; give -o FILE.parquet")
    return kind


class Job:
    """Reads and judges the rows of a file, and writes the requested output."""

    def __init__(self, args: argparse.Namespace, source: RowFile) -> None:
        self.rows = self.duplicates = self.variants = self.bad = 0
        self._args = args
        self._source = source
        self._start = self._said = time.monotonic()
        with named(args.file):
            names = source.names()
            if not names and next(source.rows(), None) is not None:
                problems = [f"{read.number}: {read.problem}" for read in islice(source.rows(), 3)]
                raise ValueError(f"no readable rows. Line {'; '.join(problems)}")
        self._text = args.text or next((name for name in TEXT_FIELDS if name in names), "")
        needed = [self._text, args.date, args.title, "" if args.key == "url" else args.key]
        lacking = [f"a field {name!r}" for name in needed if name and name not in names]
        if not self._text:
            lacking.insert(0, " or ".join(f"a field {name!r}" for name in TEXT_FIELDS) + " (--text names another)")
        if names and lacking:
            there = ", ".join(names)
            raise UsageError(f"no row of {args.file} has {', '.join(lacking)}; its fields are: {there}")
        self._title = args.title or (TITLE_FIELD if TITLE_FIELD in names else "")

    def write(self, batch: Batch, out: BinaryIO) -> None:
        """Write the requested output."""
        what = self._args.what
        if what in {"pairs", "groups"}:
            for entry in self._pairs(batch) if what == "pairs" else self._groups(batch):
                out.write((json_line(entry) + "\n").encode())
            return
        mark = MARK if what == "mark" else ""
        rows = self._marked(batch, only_kept=not mark)
        if format_of(self._args.out) == "parquet" and not isinstance(self._source, Parquet):
            write_parquet(self._source, out, rows, mark)
        else:
            self._source.write(out, rows, mark)

    def _marked(self, batch: Batch, *, only_kept: bool) -> Iterator[Marked]:
        for read, _, verdict in self._judged(batch):
            if verdict is None:
                yield Marked(read, None, None)
            elif verdict.of is None or not only_kept:
                yield Marked(read, verdict.of, verdict.score)

    def _pairs(self, batch: Batch) -> Iterator[dict[str, Any]]:
        for _, row, verdict in self._judged(batch):
            if row and verdict and verdict.of is not None:
                yield {"new": row.key, "kept": verdict.of, "score": round(verdict.score, 4)}

    def _groups(self, batch: Batch) -> Iterator[dict[str, Any]]:
        groups = defaultdict[str, list[str]](list)
        for pair in self._pairs(batch):
            if pair["new"] != pair["kept"]:  # not a row that stands twice
                groups[pair["kept"]].append(pair["new"])
        for kept, copies in sorted(groups.items(), key=lambda one: -len(one[1])):
            yield {"kept": kept, "copies": copies}

    def say_progress(self) -> None:
        """Print the counts so far on standard error."""
        self._said = time.monotonic()
        rate = self.rows / max(self._said - self._start, 1e-3)
        bad = f", {self.bad:,} unreadable" if self.bad else ""
        variants = f", {counted(self.variants, 'variant')} kept" if self.variants else ""
        counts = f"{counted(self.rows, 'row')}, {counted(self.duplicates, 'duplicate')}{variants}{bad}"
        report(f"{counts}, {rate:,.0f} rows/s")

    def _judged(self, batch: Batch) -> Iterator[tuple[Read, Row | None, Verdict | None]]:
        """Yield the rows to write, in order; unreadable ones that are kept have no verdict."""
        in_one = batch.keep == KEEPS[0]
        verdicts = iter([] if in_one else [*batch.judge_all(row for _, row in self._rows(first=True) if row)])
        for read, row in self._rows(first=in_one):
            verdict = None
            if row:
                verdict = batch.judge(row) if in_one else next(verdicts, None)
                if verdict is None:
                    raise ValueError(f"{self._args.file}: the file grew while it was being read")
                self.duplicates += verdict.duplicate
                self.variants += verdict.variant_of is not None
            yield read, row, verdict

    def _rows(self, *, first: bool) -> Iterator[tuple[Read, Row | None]]:
        """Yield rows, and unreadable ones if these are kept; with `first`, count and report them."""
        wanted = [name for name in (self._text, self._args.key, self._args.date, self._title) if name]
        with named(self._args.file):
            for read in self._source.rows(wanted):
                self.rows += first
                if time.monotonic() - self._said > PROGRESS_SECONDS:
                    self.say_progress()
                try:
                    row = self._row(read)
                except ValueError as error:
                    problem = f"{self._source.counted} {read.number}: {error}"
                    if self._args.bad == "stop":
                        raise ValueError(f"{problem}; nothing was written") from None
                    self.bad += first
                    if first and self.bad <= SHOWN:
                        report(problem)
                    if self._args.bad == "keep":
                        yield read, None
                else:
                    yield read, row

    def _row(self, read: Read) -> Row:
        """Return the text and attributes of a row; raise `ValueError` if it cannot be compared."""
        if read.fields is None:
            raise ValueError(read.problem)
        text, value = read.fields.get(self._text), read.fields.get(self._args.key)
        if not isinstance(text, str):
            raise ValueError(f"no text in field {self._text!r}")
        key = str(value) if isinstance(value, (str, int)) else ""
        if not key.strip():
            if self._args.store:
                raise ValueError(f"no key in field {self._args.key!r}, which --store requires")
            key = str(read.number)
        elif self._args.store and site_key(key):
            key = canonicalize_url(key)  # as a crawl writes it
        if not key.isascii() and any("\ud800" <= one <= "\udfff" for one in key):
            raise ValueError(f"{key!r} has a lone surrogate")
        title = read.fields.get(self._title)
        return Row(key, text, _seconds(read.fields.get(self._args.date)), title if isinstance(title, str) else "")


def _seconds(value: Any) -> float:
    """Return a date as seconds since 1970; raise `ValueError` if invalid. A missing date is the oldest."""
    if value in (None, "") or (isinstance(value, float) and isnan(value)):  # as of data frames
        return float("-inf")
    try:
        if isinstance(value, (int, float)):
            return float(value)
        if not isinstance(value, datetime):
            value = datetime.fromisoformat(str(value).strip().replace("Z", "+00:00"))
        return float((value if value.tzinfo else value.replace(tzinfo=timezone.utc)).timestamp())
    except (ValueError, OverflowError):
        raise ValueError(f"{value!r:.80} is not an ISO date") from None


@contextmanager
def _written(name: str) -> Iterator[BinaryIO]:
    """Open standard output, or a temporary file that replaces the named one at the end."""
    if name == STANDARD:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    given, path = Path(name), Path(name).resolve()
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{name}: its folder does not exist")
    with ExitStack() as stack:
        # devices and pipes are written to, not replaced; the path of /dev/stdout may lead nowhere
        special = given.exists() and not given.is_file()
        target = given if special else stack.enter_context(replacing(path))
        file: Any = stack.enter_context(target.open("wb"))
        yield stack.enter_context(compressing(file, name))


def open_index(place: str, *, to_write: bool = False) -> tuple[Store, Mapping[str, str]]:
    """Open an existing index, or that of a job directory; return its store, to be closed, and its constants."""
    mismatch: StoreMismatch | None = None
    for rule in RULES.values():
        store = store_at(place)  # a store is opened only once
        if isinstance(store, SQLiteStore):
            path = store.path
            if not (path.is_file() and path.stat().st_size):  # SQLite would create one
                raise FileNotFoundError(f"{path}: {'not an index' if path.exists() else 'there is no such file'}")
        elif isinstance(store, RedisStore) and not store.exists():
            raise FileNotFoundError(f"{without_password(place)}: there is no such index")
        try:
            (store.open if to_write else store.open_to_read)(rule.constants)
            return store, rule.constants
        except StoreMismatch as error:  # rules differ in their constants: report the first, the default's
            store.close()
            mismatch = mismatch or error
    assert mismatch is not None
    raise mismatch


def stats(args: argparse.Namespace, settings: Given) -> int:
    """Print the number of texts in an index, its size and its constants."""
    # JOBDIR unchanged: Scrapy's own function creates the folder
    args.store = args.store or index_place(DenoiseSettings.from_settings(settings), settings.get("JOBDIR"))
    if args.store == MEMORY:
        raise UsageError("no STORE given, and the settings DENOISE_DEDUP_STORE and JOBDIR name none")
    opened, constants = open_index(args.store)
    with opened as store:
        texts = len(store)
        nbytes = None
        if isinstance(store, SQLiteStore):  # with its write-ahead log
            files = store.path, store.path.with_name(f"{store.path.name}-wal")
            nbytes = sum(one.stat().st_size for one in files if one.exists())
    size = "" if nbytes is None else f", {nbytes:,} bytes"
    lines = [
        f"{without_password(args.store)}: {counted(texts, 'text')}{size}",
        "constants:",
        *(f"    {key}: {value}" for key, value in constants.items()),
    ]
    show(args, {"texts": texts, "bytes": nbytes, "constants": {**constants}}, lines)
    return 0


def chunks(args: argparse.Namespace, settings: Given) -> int:
    """Print the key and the ids of chunks of each item, as the feeds `chunk-changes` have left them in a store."""
    with open_index(args.store)[0] as store:
        for record in store.records():
            version = Version.unpack(record.version)
            for name in () if version is None else version.chunk_ids:
                say(json_line({"url": record.name.key, "id": name}))
    return 0


def forget(args: argparse.Namespace, settings: Given) -> int:
    """Remove texts; raise `UsageError` without a selection."""
    if not args.keys and args.older_than is None:
        raise UsageError("give a KEY or --older-than")
    wanted = {spelling for key in args.keys for spelling in _spellings(key)}
    limit = args.older_than
    with open_index(args.store, to_write=True)[0] as store:
        texts = list[tuple[int, str, str]]()
        for batch in store.newer(0):
            meant = [(one.id, *one.name[:2]) for one in batch if not wanted or one.name.key in wanted]
            if limit is not None:
                times = store.last_seen([number for number, *_ in meant])
                meant = [one for one in meant if times.get(one[0], limit) < limit]
            texts += meant
        if args.dry_run:
            say(*(f"{where or 'all'}  {key}" for _, key, where in texts))
        else:
            texts = [one for one in texts if store.remove(one[0])]
    say(f"{'would be ' if args.dry_run else ''}forgotten: {len(texts):,}")
    gone = {key for _, key, _ in texts}
    for key in args.keys:
        if gone.isdisjoint(_spellings(key)):
            report(f"not found{'' if limit is None else ', or not that old'}: {key}")
    return 0


def moment(text: str) -> float:
    """Parse an age (12h, 30d, 2w) or a local date; return the time in seconds since the epoch."""
    try:
        unit = {"h": "hours", "d": "days", "w": "weeks"}.get(text[-1:])
        if unit:
            return (datetime.now() - timedelta(**{unit: float(text[:-1])})).timestamp()
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not an age like 12h, 30d, 2w or a date like 2026-01-31"
        ) from None


def _spellings(key: str) -> set[str]:
    """Return a key as given, and, if it is a URL, also as a crawl writes it."""
    return {key, canonicalize_url(key)} if site_key(key) else {key}
