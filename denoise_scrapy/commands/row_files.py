"""Files of rows: JSON lines, CSV and Parquet. A row is written as it was read, byte for byte in JSON lines and CSV."""

from __future__ import annotations

import csv
import gzip
import io
import json
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO

FORMATS: Mapping[str, str] = {
    ".jsonl": "jsonl",
    ".jl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
"""Formats by the suffix of a file, without `.gz`."""

MOST_BYTES = 64 << 20  # of a line or a cell: what is longer is no row, but a file of another kind
_BATCH = 1024  # rows of Parquet read at a time
_BUFFER = 1 << 20  # bytes of a column read at a time
_GROUP_BYTES = 16 << 20  # of a row group written
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_NO_PYARROW = "Parquet needs pyarrow, which is not installed: pip install denoise-scrapy[parquet]"


@dataclass(slots=True)
class Read:
    """One row as it stands in its file.

    Attributes:
        number: Number of its first line, 1 for the first; in Parquet the number of the row.
        raw: What a writer of the same format needs to write it unchanged.
        fields: Its values by the names of fields; None where it cannot be read.
        problem: Why it cannot.

    """

    number: int
    raw: Any
    fields: Mapping[str, Any] | None
    problem: str = ""


class Writer(ABC):
    """Writes rows of the format that they were read from."""

    @abstractmethod
    def write(self, read: Read) -> None:
        """Write a row unchanged."""

    @abstractmethod
    def mark(self, read: Read, of: str | None, score: float) -> None:
        """Write a row with a mark: the key that it is a copy of, and the score; None for no copy."""

    def close(self) -> None:  # noqa: B027 - most have nothing left
        """Write what is left, and the end of the file."""


class RowFile(ABC):
    """A file of rows that can be read more than once.

    Args:
        opened: Opens it for reading, as bytes.
        encoding: Of its text.

    Attributes:
        counted: What a row's number counts: "line" or "row".

    """

    counted = "line"

    def __init__(self, opened: Callable[[], BinaryIO], encoding: str) -> None:
        self._opened = opened
        self._encoding = encoding

    @abstractmethod
    def rows(self, wanted: Sequence[str] = ()) -> Iterator[Read]:
        """Read all rows; where a format has columns, only values of those wanted."""

    @abstractmethod
    def names(self) -> list[str] | None:
        """Return the names of its columns; None where each row has names of its own."""

    @abstractmethod
    def writer(self, file: BinaryIO, mark: str = "") -> Writer:
        """Begin a file of the same kind, with a column for marks where that is named."""


def row_file(kind: str, opened: Callable[[], BinaryIO], encoding: str) -> RowFile:
    """Return a file of a format.

    Raises:
        ImportError: The format is Parquet, and pyarrow is not installed.

    """
    kinds: dict[str, type[RowFile]] = {"jsonl": JsonLines, "csv": Csv, "parquet": Parquet}
    return kinds[kind](opened, encoding)


class JsonLines(RowFile):
    """A JSON object a line. Empty lines are left out."""

    def names(self) -> None:
        """See `RowFile.names`."""

    def rows(self, wanted: Sequence[str] = ()) -> Iterator[Read]:
        """See `RowFile.rows`."""
        with _inflated(self._opened()) as file:
            for number, line in enumerate(_lines(file), 1):
                content = line.removeprefix(_BOM) if number == 1 else line
                if content.strip():
                    yield Read(number, line, *self._parsed(content))

    def writer(self, file: BinaryIO, mark: str = "") -> Writer:
        """See `RowFile.writer`."""
        return _JsonWriter(file, mark, self._encoding)

    def _parsed(self, line: bytes) -> tuple[Mapping[str, Any] | None, str]:
        try:
            found = json.loads(line.decode(self._encoding).rstrip())
        except UnicodeDecodeError as error:
            return None, _not_decoded(error, self._encoding)
        except json.JSONDecodeError as error:
            return None, f"no JSON: {error.msg.removesuffix(' at')} at column {error.colno}"
        except (RecursionError, ValueError) as error:  # numbers of thousands of digits
            return None, f"no JSON that can be read: {error}"
        return (found, "") if isinstance(found, dict) else (None, f"no JSON object, but {kind_of(found)}")


class _JsonWriter(Writer):
    def __init__(self, file: BinaryIO, mark: str, encoding: str) -> None:
        self._file = file
        self._mark = mark
        self._encoding = encoding

    def write(self, read: Read) -> None:
        self._file.write(read.raw)

    def mark(self, read: Read, of: str | None, score: float) -> None:
        """Put the mark before the closing brace; all else stays, but for a mark that was there."""
        assert read.fields is not None
        value = None if of is None else {"of": of, "score": round(score, 4)}
        content = read.raw.rstrip()
        end = read.raw[len(content) :]
        if self._mark in read.fields:
            content = self._dumped({**read.fields, self._mark: value})
        else:
            comma = b", " if read.fields else b""
            content = content[:-1] + comma + self._dumped({self._mark: value})[1:]
        self._file.write(content + end)

    def _dumped(self, value: Any) -> bytes:
        try:
            return json.dumps(value, ensure_ascii=False).encode(self._encoding)
        except UnicodeEncodeError:
            return json.dumps(value).encode(self._encoding)


class Csv(RowFile):
    """Comma-separated values, with a header. Separators are tabs or semicolons where its header has more of these."""

    def names(self) -> list[str]:
        """See `RowFile.names`."""
        return self._header()[1]

    def rows(self, wanted: Sequence[str] = ()) -> Iterator[Read]:
        """See `RowFile.rows`."""
        _, names, separator = self._header()
        start, next_line = 1, 1
        with _inflated(self._opened()) as file:
            taken: list[bytes] = []

            def lines() -> Iterator[str]:
                nonlocal next_line
                for line in _lines(file):
                    taken.append(line)
                    next_line += 1
                    yield line.decode(self._encoding, "surrogateescape")

            reader = csv.reader(lines(), delimiter=separator)
            while True:
                taken.clear()
                start = next_line
                try:
                    cells, problem = next(reader, None), ""
                except csv.Error as error:
                    cells, problem = [], f"no CSV: {error}"
                if cells is None:
                    return
                raw = b"".join(taken)
                if start == 1 or not raw.strip():
                    continue
                problem = problem or self._flaw(raw, cells, names)
                yield Read(start, raw, None if problem else dict(zip(names, cells, strict=True)), problem)

    def writer(self, file: BinaryIO, mark: str = "") -> Writer:
        """See `RowFile.writer`.

        Raises:
            ValueError: There is a column of the mark's name already.

        """
        raw, names, separator = self._header()
        if mark in names:
            raise ValueError(f"there is a column {mark!r} already: name another with --mark-field")
        return _CsvWriter(file, raw, mark, self._encoding, separator)

    def _header(self) -> tuple[bytes, list[str], str]:
        """The first record as it stands, the names in it, and the separator. Cells may be as long as a body."""
        csv.field_size_limit(MOST_BYTES)
        taken: list[bytes] = []
        with _inflated(self._opened()) as file:

            def lines() -> Iterator[str]:
                for line in _lines(file):
                    taken.append(line)
                    yield (line.removeprefix(_BOM) if len(taken) == 1 else line).decode(self._encoding)

            try:
                text = lines()
                first = next(text, "")
                separator = max(",;\t", key=first.count)
                names = next(csv.reader(chain([first], text), delimiter=separator), [])
            except UnicodeDecodeError as error:
                raise ValueError(f"the header is {_not_decoded(error, self._encoding)}") from None
            except csv.Error as error:
                raise ValueError(f"the header is no CSV: {error}") from None
        return b"".join(taken), names, separator

    def _flaw(self, raw: bytes, cells: list[str], names: list[str]) -> str:
        try:
            raw.decode(self._encoding)
        except UnicodeDecodeError as error:
            return _not_decoded(error, self._encoding)
        if len(cells) != len(names):
            return f"{len(cells)} cells where the header has {len(names)}"
        if raw.count(b'"') % 2 and raw.count(b"\n") > 1:  # the reader takes the end of the file for that of the cell
            return "a quote that does not end"
        return ""


class _CsvWriter(Writer):
    def __init__(self, file: BinaryIO, header: bytes, mark: str, encoding: str, separator: str) -> None:
        self._file = file
        self._encoding = encoding
        self._separator = separator
        file.write(self._with_cell(header, mark) if mark and header.strip() else header)

    def write(self, read: Read) -> None:
        self._file.write(read.raw)

    def mark(self, read: Read, of: str | None, score: float) -> None:
        """Add a cell with the key, empty for no copy."""
        self._file.write(self._with_cell(read.raw, of or ""))

    def _with_cell(self, raw: bytes, value: str) -> bytes:
        content = raw.rstrip(b"\r\n")
        cell = _csv_line(["x", value], self._separator)[1:-1]  # alone, an empty one would be quoted
        return content + cell.encode(self._encoding, "backslashreplace") + raw[len(content) :]


class Parquet(RowFile):
    """Parquet, read and written by pyarrow."""

    counted = "row"

    def __init__(self, opened: Callable[[], BinaryIO], encoding: str) -> None:
        super().__init__(opened, encoding)
        try:
            import pyarrow  # noqa: PLC0415 - an extra
            from pyarrow import parquet  # noqa: PLC0415
        except ImportError as error:
            raise ImportError(_NO_PYARROW) from error
        self._arrow: Any = pyarrow
        self._parquet: Any = parquet

    def names(self) -> list[str]:
        """See `RowFile.names`."""
        with self._opened() as file:
            return list(self._schema(file).names)

    def rows(self, wanted: Sequence[str] = ()) -> Iterator[Read]:
        """See `RowFile.rows`."""
        number = 0
        with self._opened() as file:
            content = self._parquet.ParquetFile(file, buffer_size=_BUFFER)  # else a column is read as a whole
            for batch in content.iter_batches(batch_size=_BATCH):
                names = [name for name in wanted if name in batch.schema.names]
                columns = [batch.column(name).to_pylist() for name in names]
                for place in range(batch.num_rows):
                    number += 1
                    values = {name: column[place] for name, column in zip(names, columns, strict=True)}
                    yield Read(number, (batch, place), values)

    def writer(self, file: BinaryIO, mark: str = "") -> Writer:
        """See `RowFile.writer`.

        Raises:
            ValueError: There is a column of the mark's name already.

        """
        with self._opened() as source:
            schema = self._schema(source)
        if mark in schema.names:
            raise ValueError(f"there is a column {mark!r} already: name another with --mark-field")
        if mark:
            schema = schema.append(self._arrow.field(mark, self._arrow.string()))
        return _ParquetWriter(self._arrow, self._parquet.ParquetWriter(file, schema), schema, marked=bool(mark))

    def _schema(self, file: BinaryIO) -> Any:
        return self._parquet.ParquetFile(file).schema_arrow


class _ParquetWriter(Writer):
    def __init__(self, arrow: Any, writer: Any, schema: Any, *, marked: bool) -> None:
        self._arrow = arrow
        self._writer = writer
        self._schema = schema
        self._marked = marked
        self._batch: Any = None
        self._places: list[int] = []
        self._marks: list[str | None] = []
        self._waiting: list[Any] = []
        self._bytes = 0

    def write(self, read: Read) -> None:
        self.mark(read, None, 0.0)

    def mark(self, read: Read, of: str | None, score: float) -> None:
        batch, place = read.raw
        if batch is not self._batch:
            self._take()
            self._batch = batch
        self._places.append(place)
        self._marks.append(of)

    def close(self) -> None:
        self._take()
        self._flush()
        self._writer.close()

    def _take(self) -> None:
        """Take the chosen rows of a batch that is through."""
        if self._places:
            chosen = self._batch.take(self._arrow.array(self._places, self._arrow.int64()))
            columns = chosen.columns
            if self._marked:
                columns = [*columns, self._arrow.array(self._marks, self._arrow.string())]
            self._waiting.append(self._arrow.RecordBatch.from_arrays(columns, schema=self._schema))
            self._bytes += self._waiting[-1].nbytes
            self._places, self._marks = [], []
        if self._bytes > _GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(self._arrow.Table.from_batches(self._waiting, self._schema))
        self._waiting, self._bytes = [], 0


class ListWriter:
    """Writes pairs or groups: a JSON object a line, or CSV, with a line for each pair of keys.

    Args:
        file: Where to.
        names: Names of the values.
        as_csv: Whether to write CSV.

    """

    def __init__(self, file: BinaryIO, names: Sequence[str], *, as_csv: bool) -> None:
        self._file = file
        self._names = names
        self._as_csv = as_csv
        if as_csv:
            file.write(_csv_line(names).encode())

    def write(self, *values: Any) -> None:
        """Write one entry."""
        if self._as_csv:
            self._file.write(_csv_line(values).encode("utf-8", "backslashreplace"))
        else:
            found = dict(zip(self._names, values, strict=True))
            self._file.write(json.dumps(found, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n")


def _csv_line(values: Sequence[Any], separator: str = ",") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerow(values)
    return text.getvalue()


@contextmanager
def _inflated(file: BinaryIO) -> Iterator[BinaryIO]:
    """The content of a file, whether it is compressed by gzip or not; closes it.

    Raises:
        ValueError: It is cut short, or damaged.

    """
    with file:
        buffered: Any = file if hasattr(file, "peek") else io.BufferedReader(file)
        if buffered.peek(2)[:2] != _GZIP:
            yield buffered
            return
        try:
            content: Any = gzip.GzipFile(fileobj=buffered)
            with content:
                yield content
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"the compressed file is cut short or damaged: {error}") from None


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Lines with their ends.

    Raises:
        ValueError: One is longer than `MOST_BYTES`.

    """
    number = 0
    while line := file.readline(MOST_BYTES + 1):
        number += 1
        if len(line) > MOST_BYTES:
            raise ValueError(f"line {number} is longer than {MOST_BYTES >> 20} MB: this is no file of rows")
        yield line


def _not_decoded(error: UnicodeDecodeError, encoding: str) -> str:
    return f"no {encoding.upper()}: byte 0x{error.object[error.start]:02x} at place {error.start + 1}"


def kind_of(value: Any) -> str:
    """Return what a value of JSON or of a column is, for a message."""
    name = type(value).__name__
    kinds = {"str": "a text", "NoneType": "null", "bool": "true or false", "int": "a number", "float": "a number"}
    return {**kinds, "list": "a list", "dict": "an object"}.get(name, name)
