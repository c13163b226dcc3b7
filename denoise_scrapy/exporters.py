"""Exporters for Scrapy's `FEEDS`: Parquet, and formats with a row for each chunk of a body."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from io import UnsupportedOperation
from pathlib import Path
from typing import Any, BinaryIO

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exporters import BaseItemExporter, JsonLinesItemExporter, PythonItemExporter
from scrapy.settings import BaseSettings
from typing_extensions import Self

from denoise_scrapy.exceptions import ConfigurationError
from denoise_scrapy.fields import CHUNKS, WHOLE, held_bytes
from denoise_scrapy.row_files import ParquetRows, pyarrow_and_parquet
from denoise_scrapy.settings import DenoiseSettings

#: Exporters by the names of their formats in `FEEDS`.
FORMATS: Mapping[str, str] = {
    "parquet": f"{__name__}.ParquetItemExporter",
    "chunks-parquet": f"{__name__}.ParquetChunkExporter",
    "chunks-jsonl": f"{__name__}.JsonLinesChunkExporter",
}


def check_feeds(settings: BaseSettings, ours: DenoiseSettings) -> None:
    """Check feeds in our formats.

    Raises:
        ConfigurationError: pyarrow is not installed, or items have no field with chunks.
    """
    exporters = settings.getwithbase("FEED_EXPORTERS")
    for name, options in settings.getdict("FEEDS").items():
        kind = str(options.get("format")) if isinstance(options, Mapping) else ""
        if kind not in FORMATS or exporters.get(kind) != FORMATS[kind]:
            continue
        said = f"FEEDS[{str(name)!r}]['format'] = {kind!r}"
        if kind.endswith("parquet"):
            try:
                pyarrow_and_parquet()
            except ImportError as error:
                raise ConfigurationError(f"{said}: {error}") from error
        if kind.startswith(CHUNKS) and not ours.fields.get(CHUNKS):
            raise ConfigurationError(f'{said} needs a field with chunks: DENOISE_FIELDS = {{"chunks": "chunks"}}')


class ParquetItemExporter(PythonItemExporter):
    """Writes items as rows of Parquet, by pyarrow.

    Columns are the fields of all items. If a field has values of incompatible types, such as texts and numbers, all its
    values become texts. Rows wait in a temporary file until all columns are known: a crawl that is killed leaves no
    file. Without `overwrite` in the feed, rows already in the file are kept.

    Args:
        file: A binary file to write to.
        options: As for Scrapy's exporters; `encoding` and `indent` have no effect.
    """

    def __init__(self, file: BinaryIO, **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        self._file = file
        self._rows = ParquetRows()
        self._values = PythonItemExporter(encoding=self.encoding)

    def start_exporting(self) -> None:
        """Load the rows already in the file.

        Raises:
            ValueError: The file exists and is not Parquet.
        """
        if not _length(self._file):
            return
        path = Path(self._file.name)
        try:
            with path.open("rb") as before:
                self._rows.add_file(before)
        except ValueError as error:  # from pyarrow
            raise ValueError(f"{path}: not a Parquet file to append to: {error}") from None

    def serialize_field(self, field: Any, name: str, value: Any) -> Any:
        """Return a value of built-in types."""
        # our `export_item`, which Scrapy calls for items in items, would add rows for them
        return self._values.serialize_field(field, name, value)

    def export_item(self, item: Any) -> None:  # type: ignore[override]
        """Add a row."""
        row = dict(self.get_serialized_fields(item, include_empty=self.fields_to_export is not None))
        self._rows.add(row, held_bytes(row))

    def finish_exporting(self) -> None:
        """Write the file."""
        with tempfile.TemporaryFile(prefix="denoise-") as whole:
            self._rows.write(whole)
            if _length(self._file):
                self._file.truncate(0)
            whole.seek(0)
            shutil.copyfileobj(whole, self._file, 1 << 20)


def _length(file: BinaryIO) -> int:
    """Return the size in bytes of a file opened for appending; 0 for a new file or if unknown."""
    try:
        return file.tell() if file.name else 0  # Scrapy's compressing file has no name, and tells its target's place
    except (UnsupportedOperation, AttributeError):
        return 0


class _ChunkRows(BaseItemExporter):
    """Exports a row for each chunk of an item, with the values of both except the whole text of the page."""

    # `url` and `title` are taken from the item if it has them. Other fields of the item that a chunk has too are
    # prefixed with `page_`. An item without chunks has no row.

    _field = CHUNKS
    _left_out: frozenset[str] = frozenset()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **options: Any) -> Self:
        """Create one for a crawl, with its names of fields."""
        made = cls(*args, **options)
        settings = DenoiseSettings.from_settings(crawler.settings, crawler.spider)
        made._field = settings.fields.get(CHUNKS, CHUNKS)
        made._left_out = frozenset(settings.item_fields.get(what, "") for what in WHOLE)
        return made

    def export_item(self, item: Any) -> Any:
        """Export the chunks of an item."""
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
    """Writes chunks as JSON lines."""
