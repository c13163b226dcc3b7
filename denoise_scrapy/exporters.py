"""Feeds of Parquet, and feeds with a row for each chunk of a body, as Scrapy's exporters: formats for `FEEDS`."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from importlib import import_module
from io import UnsupportedOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from itemadapter import ItemAdapter
from scrapy.exporters import BaseItemExporter, JsonLinesItemExporter, PythonItemExporter

from denoise_scrapy.crawl.pages import held_bytes
from denoise_scrapy.settings import ConfigurationError, DenoiseSettings

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from typing_extensions import Self

CHUNKS = "chunks"
#: Formats by their names in `FEEDS`.
FORMATS: Mapping[str, str] = {
    "parquet": "denoise_scrapy.exporters.ParquetItemExporter",
    "chunks-parquet": "denoise_scrapy.exporters.ParquetChunkExporter",
    "chunks-jsonl": "denoise_scrapy.exporters.JsonLinesChunkExporter",
}
# Rows, and bytes of them, that are held until they go to a temporary file, and are a row group in the end.
MOST_ROWS, MOST_BYTES = 1000, 8_000_000
# What DENOISE_FIELDS gives of a page as a whole, which its chunks have in parts.
_WHOLE = ("body", "html", "markdown", "blocks", CHUNKS)


def check_feeds(settings: BaseSettings, ours: DenoiseSettings) -> None:
    """Refuse a feed of our formats that cannot be written.

    Raises:
        ConfigurationError: pyarrow is not installed, or items have no field with chunks.
    """
    exporters = settings.getwithbase("FEED_EXPORTERS")
    for name, options in settings.getdict("FEEDS").items():
        kind = str(options.get("format")) if isinstance(options, Mapping) else ""
        if kind not in FORMATS or exporters.get(kind) != FORMATS[kind]:
            continue
        if kind.endswith("parquet") and not _has_pyarrow():
            lack = "pyarrow, which is not installed: pip install denoise-scrapy[parquet]"
        elif kind.startswith(CHUNKS) and not ours.fields.get(CHUNKS):
            lack = 'a field with chunks: DENOISE_FIELDS = {"chunks": "chunks"}'
        else:
            continue
        raise ConfigurationError(f"FEEDS[{str(name)!r}]['format'] = {kind!r} needs {lack}")


def _has_pyarrow() -> bool:
    try:
        import_module("pyarrow.parquet")
    except ImportError:
        return False
    return True


class ParquetItemExporter(PythonItemExporter):
    """Writes items as rows of Parquet, by pyarrow.

    Columns are the fields of all items. Of a field whose values are of types that do not go together, texts and numbers
    say, all are texts. Rows go to a temporary file first, as only the last one tells all columns: a crawl that is
    killed leaves no file. Rows that are in the file before stay where the feed does not say `overwrite`.

    Args:
        file: Where to write, opened for bytes.
        options: As of Scrapy's exporters; `encoding` and `indent` mean nothing here.
    """

    def __init__(self, file: BinaryIO, **options: Any) -> None:
        import pyarrow  # noqa: PLC0415 - an extra
        from pyarrow import parquet  # noqa: PLC0415

        super().__init__(dont_fail=True, **options)
        self._arrow: Any = pyarrow
        self._parquet: Any = parquet
        self._file = file
        self._rows: list[dict[str, Any]] = []
        self._bytes = 0
        self._types: dict[str, Any] = {}
        self._spool: Any = tempfile.TemporaryFile(prefix="denoise-")  # noqa: SIM115 - closed at the end
        self._begun = False

    def start_exporting(self) -> None:
        """Take the rows that are in the file already.

        Raises:
            ValueError: The file is there, and is no Parquet.
        """
        if self._begun or not _length(self._file):
            return
        path = Path(self._file.name)
        try:
            with path.open("rb") as before:
                for batch in self._parquet.ParquetFile(before).iter_batches(batch_size=MOST_ROWS):
                    self._put(self._arrow.Table.from_batches([batch]))
        except self._arrow.ArrowInvalid as error:
            raise ValueError(f"{path}: no Parquet to be added to: {error}") from None
        self._begun = True

    def export_item(self, item: Any) -> dict[str | bytes, Any]:  # type: ignore[override]
        """Add a row."""
        self._begun = True
        named = self.get_serialized_fields(item, include_empty=self.fields_to_export is not None)
        row = {str(name): _writable(value) for name, value in named}
        self._rows.append(row)
        self._bytes += held_bytes(row)
        if len(self._rows) == MOST_ROWS or self._bytes > MOST_BYTES:
            self._flush()
        return dict(row.items())

    def finish_exporting(self) -> None:
        """Write the file."""
        self._flush()
        arrow = self._arrow
        schema = arrow.schema([(name, _storable(arrow, kind)) for name, kind in self._types.items()])
        with self._spool as spool, tempfile.TemporaryFile(prefix="denoise-") as whole:
            end = spool.tell()
            spool.seek(0)
            with self._parquet.ParquetWriter(whole, schema, compression="zstd") as writer:
                while spool.tell() < end:
                    writer.write_table(self._cast(arrow.ipc.open_stream(spool).read_all(), schema))
            if _length(self._file):
                self._file.truncate(0)
            whole.seek(0)
            shutil.copyfileobj(whole, self._file, 1 << 20)

    def _flush(self) -> None:
        if not self._rows:
            return
        names = dict.fromkeys(name for row in self._rows for name in row)
        columns = {name: self._column([row.get(name) for row in self._rows]) for name in names}
        self._put(self._arrow.table(columns))
        self._rows, self._bytes = [], 0

    def _put(self, table: Any) -> None:
        for name, kind in zip(table.schema.names, table.schema.types, strict=True):
            self._types[name] = self._both(self._types.get(name, kind), kind)
        with self._arrow.ipc.new_stream(self._spool, table.schema) as stream:
            stream.write_table(table)

    def _column(self, values: list[Any]) -> Any:
        try:
            return self._arrow.array(values)
        except (self._arrow.ArrowException, OverflowError):  # of several types, or of none that Arrow knows
            return self._arrow.array(map(_as_text, values), self._arrow.string())

    def _both(self, one: Any, other: Any) -> Any:
        """The type of a column with values of two types."""
        schemas = [self._arrow.schema([("", kind)]) for kind in (one, other)]
        try:
            return self._arrow.unify_schemas(schemas, promote_options="permissive").types[0]
        except self._arrow.ArrowException:
            return self._arrow.string()

    def _cast(self, table: Any, schema: Any) -> Any:
        columns = []
        for field in schema:
            if field.name not in table.schema.names:
                columns.append(self._arrow.nulls(len(table), field.type))
            elif table[field.name].type == field.type:
                columns.append(table[field.name])
            else:
                values = table[field.name].to_pylist()
                is_text = field.type == self._arrow.string()
                columns.append(self._arrow.array(map(_as_text, values) if is_text else values, field.type))
        return self._arrow.table(columns, schema=schema)


def _length(file: BinaryIO) -> int:
    """Bytes that are in a file opened for more; 0 where it is a new one, or cannot say."""
    try:
        return file.tell()
    except (UnsupportedOperation, AttributeError):  # it compresses what is written
        return 0


def _storable(arrow: Any, kind: Any) -> Any:
    """The type as Parquet has it: of nothing but null, or of objects without fields, texts."""
    empty = any(part.num_fields == 0 and arrow.types.is_struct(part) for part in _parts(kind))
    return arrow.string() if arrow.types.is_null(kind) or empty else kind


def _parts(kind: Any) -> Iterator[Any]:
    yield kind
    for number in range(kind.num_fields):
        yield from _parts(kind.field(number).type)


def _as_text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return _writable(json.dumps(value, ensure_ascii=False, default=str))  # type: ignore[no-any-return]


def _writable(value: Any) -> Any:
    """A value whose texts can be written as UTF-8, which has no half characters."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {str(_writable(name)): _writable(one) for name, one in value.items()}
    return [_writable(one) for one in value] if isinstance(value, (list, tuple)) else value


class _ChunkRows(BaseItemExporter):
    """Exports a row for each chunk of an item: its values, beside the item's but for the page's text as a whole.

    `url` and `title` are the item's, where it has them. What else of an item is called as a value of a chunk is, gets
    `page_` before its name. An item without chunks has no row.
    """

    _field = CHUNKS
    _left_out: frozenset[str] = frozenset()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **options: Any) -> Self:
        """Make one for a crawl, by the names of its fields."""
        made = cls(*args, **options)
        settings = DenoiseSettings.from_settings(crawler.settings, crawler.spider)
        made._field = settings.fields.get(CHUNKS, CHUNKS)
        made._left_out = frozenset(settings.item_fields.get(what, "") for what in _WHOLE)
        return made

    def export_item(self, item: Any) -> Any:
        """Export its chunks."""
        item = ItemAdapter(item)
        chunks = [chunk for chunk in item.get(self._field) or () if isinstance(chunk, Mapping)]
        left_out = self._left_out.difference(self.fields_to_export or ())
        named = {
            name: self.serialize_field(item.get_field_meta(name), name, value)
            for name, value in (item.items() if chunks else ())
            if name not in left_out
        }
        for chunk in chunks:
            own = {name: named[name] for name in ("url", "title") if named.get(name)}
            others = {
                f"page_{name}" if name in chunk else name: value for name, value in named.items() if name not in own
            }
            super().export_item({**others, **chunk, **own})  # type: ignore[safe-super]


class ParquetChunkExporter(_ChunkRows, ParquetItemExporter):
    """Writes chunks as rows of Parquet."""


class JsonLinesChunkExporter(_ChunkRows, JsonLinesItemExporter):
    """Writes chunks as JSON, a line each."""
