"""Files of rows: JSON lines, JSON, CSV and Parquet. Rows are written with the values that were read.

JSON lines and CSV may also be written as Parquet. Text is UTF-8; bytes that are not are written unchanged.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import pickle
import sys
import tempfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, groupby, islice
from typing import Any, BinaryIO, NamedTuple, TextIO

from typing_extensions import override

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MOST_CHARS = 64 << 20  # maximum of a line or a cell: longer ones mean that the file has another format
# Maximum rows, and bytes if these are counted, held in memory; also of a row group of Parquet. A field that so many
# rows of JSON lines lack is considered mistyped.
MOST_ROWS, MOST_BYTES = 1000, 8_000_000
_BUFFER = 1 << 20  # bytes of a column read at a time
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
UNPACKS = "it unpacks to more than {:,} bytes, far more than its size"
# Bytes that are added to the size of a packed file, as small ones of equal rows pack well: times 100, a page of 8 MB.
_SMALL = 80_000
_NO_PYARROW = "Parquet needs pyarrow, which is not installed: pip install denoise-scrapy[parquet]"


class Read(NamedTuple):
    """A row as read from its file."""

    number: int  # number of its first line, from 1; in Parquet, of the row
    raw: Any  # the row, to be written in the same format
    fields: Mapping[str, Any] | None  # its values by name; None if unreadable
    problem: str = ""  # why it is unreadable


class Marked(NamedTuple):
    """A row to write, and its mark, if marks are written."""

    read: Read
    of: str | None  # the key of its original; None if it is not a copy
    score: float | None  # None for a row that was not judged, which gets no mark


@dataclass
class RowFile(ABC):
    """A file of rows that can be read repeatedly; `counted` is the unit of row numbers.

    Text that unpacks to more than `most_times` the size of its file raises `ValueError`; by default any size is right.
    Of Parquet, `at_once` rows are read at a time.
    """

    opened: Callable[[], BinaryIO]
    most_times: int = 0
    at_once: int = MOST_ROWS
    counted = "line"

    @abstractmethod
    def names(self) -> list[str]:
        """Return the names of the fields of the first rows."""

    @abstractmethod
    def rows(self, wanted: Sequence[str] = ()) -> Iterator[Read]:
        """Read all rows; if the format has columns, only the wanted ones if any are named, else all."""

    @abstractmethod
    def write(self, file: BinaryIO, rows: Iterable[Marked], mark: str = "") -> None:
        """Write rows in the same format, with a field for marks if given; raise `ValueError` if it already exists."""

    @contextmanager
    def _text(self) -> Iterator[TextIO]:
        """Open the file as text, decompressed; raise `ValueError` if that is cut short or damaged."""
        with (
            self.opened() as file,
            uncompressed(file, self.most_times) as content,
            # skips a byte order mark
            io.TextIOWrapper(content, "utf-8-sig", errors="surrogateescape", newline="") as text,
        ):
            yield text


class _Bounded(io.RawIOBase):
    """A stream that unpacks a file, and raises `ValueError` after a number of bytes."""

    def __init__(self, content: Any, most: int) -> None:
        self._content, self._most, self._left = content, most, most

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, buffer: Any) -> int:
        """Read into a buffer, and return the number of bytes read."""
        data = self._content.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise ValueError(UNPACKS.format(self._most))
        buffer[: len(data)] = data
        return len(data)


@contextmanager
def uncompressed(file: BinaryIO, most_times: int = 0) -> Iterator[Any]:
    """Decompress a seekable file that begins like gzip or Zstandard.

    Raises:
        ValueError: It is damaged, or unpacks to more than `most_times` its size and 80 KB; 0 for any size.
    """
    start = file.read(len(_ZSTD))
    most = most_times * (file.seek(0, io.SEEK_END) + _SMALL)
    file.seek(0)
    content: Any = file
    if start == _ZSTD:
        content = zstd.ZstdFile(file)
    elif start.startswith(_GZIP):
        content = gzip.GzipFile(fileobj=file)
    if most_times and content is not file:
        content = io.BufferedReader(_Bounded(content, most))
    try:
        yield content
    except (EOFError, zlib.error, gzip.BadGzipFile, zstd.ZstdError) as error:
        raise ValueError(f"the compressed file is cut short or damaged: {error}") from None


@contextmanager
def named(name: object) -> Iterator[None]:
    """Put the name of a file before what is wrong with it."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def compressing(file: BinaryIO, name: str) -> Any:
    """Return a file that compresses what is written to another, by the suffix of its name; without one, that itself."""
    if name.lower().endswith(".gz"):
        return gzip.GzipFile("", "wb", 9, file, 0)
    return zstd.ZstdFile(file, "w") if name.lower().endswith(".zst") else file


def row_file(kind: str, opened: Callable[[], BinaryIO], **limits: int) -> RowFile:
    """Return a file in a format of `ROW_FORMATS`; Parquet needs pyarrow."""
    kinds: dict[str, type[RowFile]] = {"jsonl": JsonLines, "json": Json, "csv": Csv, "parquet": Parquet}
    return kinds[kind](opened, **limits)


class JsonLines(RowFile):
    """One JSON object per line. Empty lines are omitted."""

    @override
    def names(self) -> list[str]:
        found = (read.fields or {} for read in islice(self.rows(), MOST_ROWS))
        return list(dict.fromkeys(chain.from_iterable(found)))

    @override
    def rows(self, wanted: Sequence[str] = ()) -> Iterator[Read]:
        with self._text() as text:
            for number, line in enumerate(_lines(text), 1):
                if not line.strip():
                    continue
                try:
                    fields, problem = _if_object(json.loads(line.rstrip()))
                except (RecursionError, ValueError) as error:
                    fields, problem = None, f"no JSON: {error}"
                yield Read(number, line, fields, problem)

    @override
    def write(self, file: BinaryIO, rows: Iterable[Marked], mark: str = "") -> None:
        with _text_to(file) as text:
            for row in rows:
                text.write(_line(row, mark))


class Json(JsonLines):
    """A list of JSON objects, as Scrapy writes it, all in memory; written with one object per line, in ASCII."""

    counted = "row"

    @override
    def rows(self, wanted: Sequence[str] = ()) -> Iterator[Read]:
        with self._text() as text:
            try:
                found = json.load(text)
            except (RecursionError, ValueError) as error:
                raise ValueError(f"not JSON: {error} (JSON lines are named *.jsonl)") from None
        if not isinstance(found, list):
            raise ValueError("not a list of items")
        for number, one in enumerate(found, 1):
            yield Read(number, json.dumps(one), *_if_object(one))

    @override
    def write(self, file: BinaryIO, rows: Iterable[Marked], mark: str = "") -> None:
        with _text_to(file) as text:
            text.write("[")
            for place, row in enumerate(rows):
                text.write((",\n" if place else "\n") + _line(row, mark))
            text.write("\n]\n")


def _if_object(value: Any) -> tuple[Mapping[str, Any] | None, str]:
    return (value, "") if isinstance(value, dict) else (None, "no JSON: not an object")


def _line(row: Marked, mark: str) -> str:
    """Return the line of a row; its mark, if it has one, is before the closing brace, or replaces an existing one."""
    read, of, score = row
    if not mark or score is None:
        return str(read.raw)
    fields, content = read.fields or {}, read.raw.rstrip()
    value = None if of is None else {"of": of, "score": round(score, 4)}
    if mark in fields:
        marked = json.dumps({**fields, mark: value}, ensure_ascii=False)
    else:
        marked = content[:-1] + (", " if fields else "") + json.dumps({mark: value}, ensure_ascii=False)[1:]
    return marked + str(read.raw[len(content) :])


class Csv(RowFile):
    """Comma-separated values with a header. The separator is a tab or semicolon if the header has more of these."""

    @override
    def names(self) -> list[str]:
        with self._text() as text:
            return next(self._cells(text), (1, []))[1]

    @override
    def rows(self, wanted: Sequence[str] = ()) -> Iterator[Read]:
        with self._text() as text:
            rows = self._cells(text)
            _, names = next(rows, (1, []))
            for number, cells in rows:
                if cells:
                    right = len(cells) == len(names)
                    problem = "" if right else f"{len(cells)} cells where the header has {len(names)}"
                    yield Read(number, cells, dict(zip(names, cells, strict=True)) if right else None, problem)

    @override
    def write(self, file: BinaryIO, rows: Iterable[Marked], mark: str = "") -> None:
        names = self.names()
        _refuse_column(names, mark)
        with _text_to(file) as text:
            writer = csv.writer(text, delimiter=self._separator, lineterminator="\n")
            if names:
                writer.writerow([*names, mark] if mark else names)
            for read, of, score in rows:
                writer.writerow([*read.raw, of or ""] if mark and score is not None else read.raw)

    def _cells(self, text: TextIO) -> Iterator[tuple[int, list[str]]]:
        """Yield the header and each row, with the number of its first line."""
        csv.field_size_limit(MOST_CHARS)
        lines = _lines(text)
        first = next(lines, "")
        self._separator = max(",;\t", key=first.count)
        reader = csv.reader(chain([first], lines), delimiter=self._separator)
        number = 1
        try:
            for cells in reader:
                yield number, cells
                number = reader.line_num + 1
        except csv.Error as error:
            raise ValueError(f"line {reader.line_num}: no CSV: {error}") from None


class Parquet(RowFile):
    """Parquet, read and written by pyarrow."""

    counted = "row"

    @override
    def names(self) -> list[str]:
        return list(self._schema().names)

    @override
    def rows(self, wanted: Sequence[str] = ()) -> Iterator[Read]:
        _, parquet = pyarrow_and_parquet()
        number = 0
        with self.opened() as file:
            content = parquet.ParquetFile(file, buffer_size=_BUFFER)  # otherwise whole columns are read
            for batch in content.iter_batches(batch_size=self.at_once):
                names = [name for name in wanted or batch.schema.names if name in batch.schema.names]
                for place, fields in enumerate(batch.select(names).to_pylist()):
                    number += 1
                    yield Read(number, (batch, place), fields)

    @override
    def write(self, file: BinaryIO, rows: Iterable[Marked], mark: str = "") -> None:
        arrow, parquet = pyarrow_and_parquet()
        schema = self._schema()
        _refuse_column(schema.names, mark)
        if mark:
            schema = schema.append(arrow.field(mark, arrow.string()))
        with parquet.ParquetWriter(file, schema) as writer:
            for _, group in groupby(rows, lambda one: id(one.read.raw[0])):
                chosen = list(group)
                batch = chosen[0].read.raw[0]
                columns = batch.take(arrow.array([one.read.raw[1] for one in chosen], arrow.int64())).columns
                if mark:
                    columns = [*columns, arrow.array([one.of for one in chosen], arrow.string())]
                writer.write_batch(arrow.RecordBatch.from_arrays(columns, schema=schema))

    def _schema(self) -> Any:
        _, parquet = pyarrow_and_parquet()
        with self.opened() as file:
            return parquet.ParquetFile(file).schema_arrow


def write_parquet(source: RowFile, file: BinaryIO, rows: Iterable[Marked], mark: str) -> None:
    """Write rows of another format as Parquet; objects, and values of several types in a column, become JSON.

    Raises:
        ImportError: pyarrow is not installed.
        ValueError: A column already has the mark's name, or a row is unreadable.
    """
    names = source.names()
    _refuse_column(names, mark)
    table = ParquetRows([*names, mark] if mark else names, flat=True)
    for read, of, _ in rows:
        if read.fields is None:
            where = f"{source.counted} {read.number}: {read.problem}"
            raise ValueError(f"{where}; Parquet cannot contain such a row: --bad skip leaves it out")
        _refuse_column(read.fields, mark)
        table.add({**read.fields, mark: of} if mark else read.fields)
    table.write(file)


class ParquetRows:
    """Collects rows for a Parquet file with the columns of all rows.

    Rows wait in a temporary file until all columns are known. A column with values of incompatible types becomes text.
    `columns` are written even without values; if `flat`, objects become text.
    """

    def __init__(self, columns: Iterable[str] = (), *, flat: bool = False) -> None:
        self._arrow, self._parquet = pyarrow_and_parquet()
        self._flat = flat
        self._types: dict[str, Any] = dict.fromkeys(columns, self._arrow.null())
        self._rows: list[dict[str, Any]] = []
        self._bytes = self._groups = 0
        self._spool: Any = tempfile.TemporaryFile(prefix="denoise-")  # noqa: SIM115 - closed by `write`

    def add(self, row: Mapping[str, Any], nbytes: int = 0) -> None:
        """Add a row with its size in memory, in bytes."""
        self._rows.append(_writable(row))
        self._bytes += nbytes
        if len(self._rows) == MOST_ROWS or self._bytes > MOST_BYTES:
            self._flush()

    def add_file(self, file: BinaryIO) -> None:
        """Add the rows of a Parquet file; raise `ValueError` for another file."""
        for batch in self._parquet.ParquetFile(file).iter_batches(batch_size=MOST_ROWS):
            for name, kind in zip(batch.schema.names, batch.schema.types, strict=True):
                self._widen(name, kind)
            self._hold(batch.to_pydict(), len(batch))

    def write(self, file: BinaryIO) -> None:
        """Write all rows to a file, and delete the temporary file."""
        self._flush()
        # columns of nulls, or of objects without fields, are text
        empty, text = self._arrow.null(), self._arrow.string()
        types = {name: text if one == empty or "struct<>" in str(one) else one for name, one in self._types.items()}
        schema = self._arrow.schema(list(types.items()))
        with self._spool as spool, self._parquet.ParquetWriter(file, schema, compression="zstd") as writer:
            spool.seek(0)
            for _ in range(self._groups):
                columns, count = pickle.load(spool)
                arrays = []
                for name, kind in types.items():
                    values = columns.get(name, [None] * count)
                    arrays.append(self._arrow.array(map(as_text, values) if kind == text else values, kind))
                writer.write_table(self._arrow.table(arrays, schema=schema))

    def _flush(self) -> None:
        if not self._rows:
            return
        columns, text = {}, self._arrow.string()
        for name in dict.fromkeys(name for row in self._rows for name in row):
            values = [row.get(name) for row in self._rows]
            try:
                kind = self._arrow.array(values).type
            except (self._arrow.ArrowException, OverflowError):  # several types, no Arrow type, 30 digits
                kind = text
            inner = kind.value_type if self._arrow.types.is_list(kind) else kind
            if self._flat and self._arrow.types.is_nested(inner):
                kind = text
            # values without an Arrow type may be any object
            columns[name] = [*map(as_text, values)] if kind == text else values
            self._widen(name, kind)
        self._hold(columns, len(self._rows))
        self._rows, self._bytes = [], 0

    def _hold(self, columns: dict[str, list[Any]], count: int) -> None:
        pickle.dump((columns, count), self._spool)
        self._groups += 1

    def _widen(self, name: str, kind: Any) -> None:
        """Extend a column to values of another type."""
        schemas = [self._arrow.schema([("", one)]) for one in (self._types.get(name, kind), kind)]
        try:
            self._types[name] = self._arrow.unify_schemas(schemas, promote_options="permissive").types[0]
        except self._arrow.ArrowException:
            self._types[name] = self._arrow.string()


def as_text(value: Any) -> str | None:
    """Return a value as a column of texts has it: what is neither null nor a text, as JSON."""
    if value is None or isinstance(value, str):
        return value
    return _writable(json.dumps(value, ensure_ascii=False, default=str))  # type: ignore[no-any-return]


def _writable(value: Any) -> Any:
    """Return a value with lone surrogates replaced, since UTF-8 cannot encode them."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {str(_writable(name)): _writable(one) for name, one in value.items()}
    return [_writable(one) for one in value] if isinstance(value, (list, tuple)) else value


def pyarrow_and_parquet() -> tuple[Any, Any]:
    """Import pyarrow; raise an `ImportError` that explains how to install it."""
    try:
        import pyarrow  # noqa: PLC0415 - an extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(_NO_PYARROW) from error
    return pyarrow, parquet


def _refuse_column(names: Collection[str], mark: str) -> None:
    if mark and mark in names:  # a column may have no name
        raise ValueError(f"there is already a column {mark!r}, which --mark would write: rename or remove it")


@contextmanager
def _text_to(file: BinaryIO) -> Iterator[TextIO]:
    """Yield a text stream that writes to a file, which stays open."""
    text = io.TextIOWrapper(file, "utf-8", "surrogateescape", newline="", write_through=True)
    try:
        yield text
    finally:
        text.detach()


def _lines(text: TextIO) -> Iterator[str]:
    """Yield lines with their endings; raise `ValueError` for one longer than `MOST_CHARS`."""
    for number, line in enumerate(iter(lambda: text.readline(MOST_CHARS + 1), ""), 1):
        if len(line) > MOST_CHARS:
            raise ValueError(f"line {number} is longer than {MOST_CHARS >> 20} MB: this is not a file of rows")
        yield line
