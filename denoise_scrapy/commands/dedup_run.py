"""`scrapy denoise dedup run`: a file of rows without its near-duplicates, or what they are."""

from __future__ import annotations

import argparse
import codecs
import gzip
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date, datetime, timezone
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from scrapy.exceptions import UsageError
from w3lib.url import canonicalize_url

from denoise_scrapy.commands import STANDARD
from denoise_scrapy.commands.compare import threshold_given
from denoise_scrapy.commands.indexes import open_or_make
from denoise_scrapy.commands.row_files import FORMATS, ListWriter, Read, RowFile, Writer, kind_of, row_file
from denoise_scrapy.crawl.text_table import counted
from denoise_scrapy.dedup import RULES, DuplicateIndex, Verdict
from denoise_scrapy.dedup.batch import KEEPS, Batch, Row
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.shown import say
from denoise_scrapy.site import site_key
from denoise_scrapy.storage import replacing_path

if TYPE_CHECKING:
    from scrapy.settings import Settings

TEXT_FIELDS = ("body", "text")
MARK_FIELD = "near_duplicate"
REMEMBERED = 100_000  # copies in a store: some 20 MB in a file
ROWS_AHEAD = 1000  # rows without a field, after which its name is taken for mistyped
PROBLEMS_SHOWN = 10
_LINE_FORMATS = {"jsonl", "csv"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    file = "JSON lines, CSV or Parquet, the first two also .gz; -: standard input"
    parser.add_argument("file", metavar="FILE", help=file)
    what = parser.add_argument_group("what is written").add_mutually_exclusive_group()
    for name, meaning in (
        ("--drop", "rows that are no duplicates (default)"),
        ("--mark", "all rows, duplicates marked with the key of the row that is kept"),
        ("--pairs", "key of each duplicate, key of the row that is kept, score"),
        ("--groups", "keys of all rows that are kept and have duplicates, with theirs; the largest group first"),
    ):
        what.add_argument(name, dest="what", action="store_const", const=name[2:], help=meaning, default="drop")
    out = "a file, also .gz; default: standard output"
    parser.add_argument("-o", dest="out", metavar="OUT", default=STANDARD, help=out)
    parser.add_argument("--keep", choices=KEEPS, default=KEEPS[0], help="of several like rows; default: first")
    parser.add_argument("--text", metavar="FIELD", help="what is compared; default: body, or else text")
    parser.add_argument("--key", metavar="FIELD", help="what a row is called; default: url, or else its number")
    parser.add_argument("--date", metavar="FIELD", help="for --keep newest: ISO dates, or seconds since 1970")
    scope = (
        "compare within one value of this field, within a site: 'site' (that of the key), or all: 'global', the default"
    )
    parser.add_argument("--scope", metavar="FIELD", default="global", help=scope)
    parser.add_argument("--rule", choices=tuple(RULES), help="default: DENOISE_DEDUP_RULE")
    parser.add_argument("--threshold", type=threshold_given, metavar="T", help="default: DENOISE_DEDUP_THRESHOLD")
    parser.add_argument("--short", action="store_true", help="also texts under 20 units with exactly the same words")
    store = "compare with this index too, and add to it what is kept; it is made where there is none"
    parser.add_argument("--store", metavar="STORE", help=store)
    bad = "rows that cannot be read: write them unchanged (default), leave them out, or stop and write nothing"
    parser.add_argument("--bad", choices=("keep", "skip", "stop"), default="keep", help=bad)
    parser.add_argument("--mark-field", metavar="FIELD", default=MARK_FIELD, help=f"for --mark; default: {MARK_FIELD}")
    kinds = sorted({*FORMATS.values()})
    parser.add_argument("--format", choices=kinds, help="of FILE; default: by its suffix, of standard input jsonl")
    parser.add_argument("--encoding", default="utf-8", metavar="NAME", help="of JSON lines and CSV; default: utf-8")
    parser.epilog = (
        "A row is compared with the rows that are kept. To keep the longest or the newest of several, FILE is read "
        "twice and its texts go to a temporary file. Memory: 1.3 KB for each row that is kept. "
        "Exit codes: 0; 1 where rows could not be read; 2 for a wrong command line or field."
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Run it."""
    kind = _checked(args)
    with ExitStack() as open_things:
        source = row_file(kind, _opener(args, kind, open_things), args.encoding)
        index = open_things.enter_context(_index(args, settings))
        progress = Progress()
        batch = Batch(index, keep=args.keep, numbered=args.store is None, step=progress.judged)
        job = Job(args, source, progress)
        job.find_fields()
        out = open_things.enter_context(_written(args.out))
        _write(args, source, batch, job.judged(batch), out)
    progress.end()
    return int(progress.bad > 0)


def _checked(args: argparse.Namespace) -> str:
    """Return the format of the file.

    Raises:
        UsageError: Arguments do not go together.

    """
    kind = args.format or ("jsonl" if args.file == STANDARD else _format_of(args.file))
    if not kind:
        raise UsageError(f"dedup run: what is {args.file}? Name it *.jsonl, *.csv or *.parquet, or give --format")
    if args.keep == "newest" and not args.date:
        raise UsageError("dedup run: --keep newest needs --date FIELD")
    if args.date and args.keep != "newest":
        raise UsageError("dedup run: --date is for --keep newest")
    try:
        lines = "\n".encode(args.encoding) == b"\n"
    except LookupError:
        raise UsageError(f"dedup run: there is no encoding {args.encoding!r}") from None
    if not lines:
        raise UsageError(f"dedup run: lines of {args.encoding} cannot be told apart; convert the file to UTF-8 first")
    args.encoding = codecs.lookup(args.encoding).name
    rows = args.what in {"drop", "mark"}
    if rows and args.out == STANDARD and kind not in _LINE_FORMATS:
        raise UsageError("dedup run: Parquet is not written to standard output: give -o FILE.parquet")
    made = _format_of(args.out) if args.out != STANDARD else ""
    if rows and made not in {"", kind}:
        raise UsageError(f"dedup run: rows are written as they are read: {args.file} is {kind}, and so OUT must be")
    if not rows and made == "parquet":
        raise UsageError(f"dedup run: {args.what} are written as JSON lines or as CSV, not as Parquet")
    return kind


def _format_of(name: str) -> str:
    """The format that a suffix names, "" for none."""
    return FORMATS.get(Path(name.lower().removesuffix(".gz")).suffix, "")


def _opener(args: argparse.Namespace, kind: str, open_things: ExitStack) -> Callable[[], BinaryIO]:
    """Give a function that opens the input, as often as it must be read; standard input is copied for that."""
    path = Path(args.file)
    if args.file == STANDARD:
        if kind == "jsonl" and args.keep == KEEPS[0]:
            return lambda: sys.stdin.buffer
        path = Path(open_things.enter_context(tempfile.TemporaryDirectory(prefix="denoise-")), "rows")
        with path.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
    return lambda: path.open("rb")


def _index(args: argparse.Namespace, settings: Settings) -> DuplicateIndex:
    read = DenoiseSettings.from_settings(settings)
    rule = args.rule or read.dedup_rule
    given = read.dedup_threshold if rule == read.dedup_rule else 0.0  # another rule's threshold is none of this one's
    return DuplicateIndex(
        args.threshold or given or None,
        open_or_make(args.store) if args.store else None,
        rule=rule,
        most_new=read.dedup_most_new,
        short_duplicates=args.short or read.dedup_short,
        remember_copies=REMEMBERED if args.store else 0,
    )


class Fields(NamedTuple):
    """Names of the fields that are read; "" for none."""

    text: str
    key: str
    scope: str
    date: str


class _BadRow(Exception):  # noqa: N818
    """What is wrong with a row."""


class Progress:
    """Counts, and says so on standard error: after a second, then ever more rarely; on a screen twice a second."""

    def __init__(self) -> None:
        self.rows = self.duplicates = self.bad = 0
        self._judged = 0
        self._start = time.monotonic()
        self._screen = sys.stderr.isatty()
        self._pause = 0.5 if self._screen else 1.0
        self._next = self._start + self._pause

    def read(self) -> None:
        """A row was read."""
        self.rows += 1
        self._show()

    def judged(self, verdict: Verdict) -> None:
        """A row was judged."""
        self._judged += 1
        self.duplicates += verdict.duplicate
        self._show()

    def problem(self, text: str) -> None:
        """A row is bad: the first ones are named."""
        self.bad += 1
        if self.bad <= PROBLEMS_SHOWN:
            say(text, before=self._clear, file=sys.stderr)
        elif self.bad == PROBLEMS_SHOWN + 1:
            say("further rows of this kind are counted only", before=self._clear, file=sys.stderr)

    def end(self) -> None:
        """All is written."""
        say(self._line(), before=self._clear, file=sys.stderr)

    @property
    def _clear(self) -> str:
        return "\r\x1b[K" if self._screen else ""

    def _line(self) -> str:
        rate = (self._judged or self.rows) / max(time.monotonic() - self._start, 1e-3)
        bad = f", {self.bad:,} that cannot be read" if self.bad else ""
        behind = f", {self._judged:,} compared" if self._judged < self.rows - self.bad else ""
        counts = f"{counted(self.rows, 'row')}{behind}, {counted(self.duplicates, 'duplicate')}{bad}"
        return f"{counts}, {rate:,.0f} rows/s"

    def _show(self) -> None:
        now = time.monotonic()
        if now >= self._next:
            say(self._line(), before=self._clear, end="" if self._screen else "\n", file=sys.stderr)
            self._pause = self._pause if self._screen else min(2 * self._pause, 60.0)
            self._next = now + self._pause


class Job:
    """Reads the rows of a file and has them judged.

    Args:
        args: What the user asks for.
        source: The file.
        progress: What is counted.

    """

    def __init__(self, args: argparse.Namespace, source: RowFile, progress: Progress) -> None:
        self._args = args
        self._source = source
        self._progress = progress
        self._fields = Fields("", "", "", "")
        self._ahead: Iterator[Read] = iter(())

    def find_fields(self) -> None:
        """Find which fields there are, from the header or the first rows.

        Raises:
            UsageError: There is none of a name that the user gave, or none to compare.
            ValueError: None of the first rows can be read.

        """
        args, names = self._args, self._source.names()
        given = [name for name in (args.text, args.key, self._scope_field, args.date) if name]
        if names is None:
            rows = self._source.rows()
            held: list[Read] = []
            seen: dict[str, None] = {}
            for read in islice(rows, ROWS_AHEAD):
                held.append(read)
                seen |= dict.fromkeys(read.fields or ())
                if seen and not self._lacking(given, seen):
                    break
            names = [*seen]
            self._ahead = chain(held, rows)
            if held and all(read.fields is None for read in held):
                raise ValueError(_unreadable(args.file, held))
            if not held:
                return
        elif not names:  # an empty file
            return
        lacking = self._lacking(given, names)
        if lacking:
            raise UsageError(f"dedup run: no row of {args.file} has {lacking}; there are: {', '.join(names) or 'none'}")
        text = args.text or next((name for name in TEXT_FIELDS if name in names), "")
        self._fields = Fields(text, args.key or "url", self._scope_field, args.date or "")
        if self._source.names() is not None:
            self._ahead = self._source.rows([name for name in self._fields if name])

    def judged(self, batch: Batch) -> Iterator[tuple[Read, Row | None, Verdict | None]]:
        """Yield the rows to write in their order; bad ones that are kept have no verdict.

        Raises:
            ValueError: A row is bad, and the user wants to stop there; or the file has changed between two readings.

        """
        if batch.keep == KEEPS[0]:
            for read, row in self._rows(self._ahead, first=True):
                yield read, row, batch.judge(row) if row else None
            return
        verdicts = batch.judge_all(row for _, row in self._rows(self._ahead, first=True) if row)
        first = next(verdicts, None)  # all are judged now
        verdicts = chain([first] if first else [], verdicts)
        again = self._source.rows([name for name in self._fields if name])
        for read, row in self._rows(again, first=False):
            verdict = next(verdicts, None) if row else None
            if row and verdict is None:
                raise ValueError(f"{self._args.file}: the file has grown while it was read")
            yield read, row, verdict

    @property
    def _scope_field(self) -> str:
        return "" if self._args.scope in {"site", "global"} else str(self._args.scope)

    def _lacking(self, given: Sequence[str], names: Mapping[str, None] | Sequence[str]) -> str:
        """Say which fields there are not."""
        lacking = [f"a field {name!r}" for name in given if name not in names]
        if not self._args.text and not any(name in names for name in TEXT_FIELDS):
            lacking.insert(0, " or ".join(f"a field {name!r}" for name in TEXT_FIELDS) + " (--text names another)")
        return ", ".join(lacking)

    def _rows(self, reads: Iterator[Read], *, first: bool) -> Iterator[tuple[Read, Row | None]]:
        """Yield rows, and bad ones too where they are kept; on the first reading they are counted and named."""
        for read in reads:
            if first:
                self._progress.read()
            try:
                row = self._row(read)
            except _BadRow as error:
                problem = f"{self._source.counted} {read.number}: {error}"
                if self._args.bad == "stop":
                    raise ValueError(f"{self._args.file}, {problem}; nothing was written") from None
                if first:
                    self._progress.problem(problem)
                if self._args.bad == "keep":
                    yield read, None
            else:
                yield read, row

    def _row(self, read: Read) -> Row:
        """Read what is compared.

        Raises:
            _BadRow: It cannot be.

        """
        if read.fields is None:
            raise _BadRow(read.problem)
        fields = self._fields
        if fields.text not in read.fields:
            raise _BadRow(f"no field {fields.text!r}")
        text = read.fields[fields.text]
        if not isinstance(text, str):
            raise _BadRow(f"field {fields.text!r} is {kind_of(text)}, not a text")
        key = self._key(read)
        scope = site_key(key) if self._args.scope == "site" else ""
        if fields.scope:
            value = read.fields.get(fields.scope)
            if value is None:
                raise _BadRow(f"no value in field {fields.scope!r}")
            scope = str(value)
        for value in (key, scope):
            if not value.isascii() and any("\ud800" <= one <= "\udfff" for one in value):
                raise _BadRow(f"{value!r} has half a character")
        return Row(key, text, scope, _seconds(read.fields.get(fields.date)) if fields.date else 0.0)

    def _key(self, read: Read) -> str:
        """The row's key: an URL in canonical form where others find it in a store; its number where it has none."""
        assert read.fields is not None
        value = read.fields.get(self._fields.key)
        key = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
        if isinstance(key, str) and key.strip():
            return canonicalize_url(key) if self._args.store and site_key(key) else key
        if self._args.store:
            raise _BadRow(f"no key in field {self._fields.key!r}, and in a store each text needs one")
        return str(read.number)


def _seconds(value: Any) -> float:
    """A date as seconds since 1970; a row without one is older than any other.

    Raises:
        _BadRow: It is no date.

    """
    if value is None or value == "":
        return float("-inf")
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
        elif isinstance(value, date) and not isinstance(value, datetime):
            value = datetime(value.year, value.month, value.day)
        return float((value if value.tzinfo else value.replace(tzinfo=timezone.utc)).timestamp())
    except (ValueError, AttributeError, OverflowError):
        raise _BadRow(f"{value!r:.80} is no ISO date") from None


def _unreadable(name: str, held: Sequence[Read]) -> str:
    problems = "; ".join(f"{read.number}: {read.problem}" for read in held[:3])
    return f"{name}: no row can be read. Line {problems}"


def _write(
    args: argparse.Namespace,
    source: RowFile,
    batch: Batch,
    judged: Iterator[tuple[Read, Row | None, Verdict | None]],
    out: BinaryIO,
) -> None:
    """Write what the user wants to have."""
    if args.what in {"drop", "mark"}:
        writer = source.writer(out, args.mark_field if args.what == "mark" else "")
        for read, _, verdict in judged:
            _write_row(writer, read, verdict, batch, mark=args.what == "mark")
        writer.close()
        return
    as_csv = _format_of(args.out) == "csv"
    names = ("new", "kept", "score") if args.what == "pairs" else ("kept", "copy" if as_csv else "copies")
    found = ListWriter(out, names, as_csv=as_csv)
    groups: dict[str, list[str]] = {}
    for _, row, verdict in judged:
        if row and verdict and verdict.of is not None:
            if args.what == "pairs":
                found.write(row.key, batch.key_of(verdict.of), round(verdict.score, 4))
            else:
                groups.setdefault(verdict.of, []).append(row.key)
    for name, copies in sorted(groups.items(), key=lambda one: -len(one[1])):
        for entry in copies if as_csv else [copies]:
            found.write(batch.key_of(name), entry)


def _write_row(writer: Writer, read: Read, verdict: Verdict | None, batch: Batch, *, mark: bool) -> None:
    if verdict is None or not (mark or verdict.duplicate):
        writer.write(read)
    elif mark:
        writer.mark(read, None if verdict.of is None else batch.key_of(verdict.of), verdict.score)


@contextmanager
def _written(name: str) -> Iterator[BinaryIO]:
    """Open standard output, or a file beside the one named, which takes its place at the end."""
    if name == STANDARD:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(name).resolve()
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{name}: its folder does not exist")
    with ExitStack() as stack:
        special = path.exists() and not path.is_file()  # a device or a pipe is written to, not replaced
        target = path if special else stack.enter_context(replacing_path(path))
        file: Any = stack.enter_context(target.open("wb"))
        if name.endswith(".gz"):
            file = stack.enter_context(gzip.GzipFile(path.name.removesuffix(".gz"), "wb", fileobj=file, mtime=0))
        yield file
