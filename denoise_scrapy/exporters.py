"""Exporters for Scrapy's `FEEDS`: Parquet, a row for each chunk of a body, and lists of pages for language models."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from difflib import get_close_matches
from io import UnsupportedOperation
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.exporters import BaseItemExporter, JsonLinesItemExporter, PythonItemExporter
from scrapy.settings import BaseSettings
from typing_extensions import Self

from denoise_scrapy.body.fields import CHUNKS, WHOLE, chunk_rows_of, held_bytes, with_item
from denoise_scrapy.core.escaping import destination, escape_inside, escape_line, escape_text
from denoise_scrapy.crawl.duplicates import MEMORY, Duplicates, index_place
from denoise_scrapy.crawl.feeds import CHANGES
from denoise_scrapy.crawl.items import url_in, values_of
from denoise_scrapy.crawl.state import state_of
from denoise_scrapy.exceptions import ConfigurationError
from denoise_scrapy.settings import MARK, DenoiseSettings
from denoise_scrapy.site import site_key
from denoise_scrapy.support.row_files import ParquetRows, pyarrow_and_parquet
from denoise_scrapy.support.shown import counted, shown

#: Exporters by the names of their formats in `FEEDS`.
FORMATS: Mapping[str, str] = {
    "parquet": f"{__name__}.ParquetItemExporter",
    "chunks-parquet": f"{__name__}.ParquetChunkExporter",
    "chunks-jsonl": f"{__name__}.JsonLinesChunkExporter",
    CHANGES: f"{__name__}.ChunkChangesExporter",
    "llms-txt": f"{__name__}.LlmsTxtExporter",
    "llms-full": f"{__name__}.LlmsFullExporter",
}
#: Maximum pages in an `llms.txt`, as in a sitemap, and characters of a title or description: a long one is cut.
MOST_PAGES, MOST_CHARS = 50_000, 300


def check_feeds(settings: BaseSettings, ours: DenoiseSettings) -> None:
    """Check feeds in our formats.

    Raises:
        ConfigurationError: A format is misspelt, pyarrow is not installed, items have no field with chunks, or no index
            remembers them.
    """
    exporters = settings.getwithbase("FEED_EXPORTERS")
    for name, options in settings.getdict("FEEDS").items():
        kind = str(options.get("format")) if isinstance(options, Mapping) else ""
        said = f"FEEDS[{str(name)!r}]['format'] = {kind!r}"
        near = set[str]() if kind in exporters else FORMATS.keys() & get_close_matches(kind, exporters, 1)
        if near:  # Scrapy goes on without the feed
            raise ConfigurationError(f"{said}: no such format; did you mean {near.pop()}?")
        if kind not in FORMATS or exporters.get(kind) != FORMATS[kind]:
            continue
        if kind.endswith("parquet"):
            try:
                pyarrow_and_parquet()
            except ImportError as error:
                raise ConfigurationError(f"{said}: {error}") from error
        if kind.startswith("chunk") and not ours.fields.get(CHUNKS):
            raise ConfigurationError(f'{said} needs a field with chunks: DENOISE_FIELDS = {{"chunks": "chunks"}}')
        if kind == CHANGES and (not ours.needs_index or index_place(ours, settings.get("JOBDIR")) == MEMORY):
            needed = "DENOISE_DEDUP_STORE or JOBDIR, and DENOISE_DEDUP or DENOISE_SEEN"
            raise ConfigurationError(f"{said} needs an index that remembers earlier crawls: set {needed}")


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


class _OfCrawl(BaseItemExporter):
    """An exporter with the settings of its crawl."""

    _ours = DenoiseSettings()

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **options: Any) -> Self:
        """Create one for a crawl."""
        made = cls(*args, **options)
        made._ours = DenoiseSettings.from_settings(crawler.settings, crawler.spider)
        return made


class _ChunkRows(_OfCrawl):
    """Exports a row for each chunk of an item, with the values of both except the whole text of the page."""

    # an item without chunks has no row

    def export_item(self, item: Any) -> Any:
        """Export the chunks of an item."""
        for row in self._rows_of(ItemAdapter(item)):
            super().export_item(row)  # type: ignore[safe-super]

    def _rows_of(self, item: ItemAdapter) -> list[dict[str, Any]]:
        fields = self._ours.item_fields
        chunks = chunk_rows_of(values_of(item.item).get(fields.get(CHUNKS, CHUNKS)))
        left_out = {fields.get(what) for what in WHOLE}.difference(self.fields_to_export or ())
        named = {
            name: self.serialize_field(item.get_field_meta(name), name, value)
            for name, value in (item.items() if chunks else ())
            if name not in left_out
        }
        return [with_item(chunk, named) for chunk in chunks]


class ParquetChunkExporter(_ChunkRows, ParquetItemExporter):
    """Writes chunks as rows of Parquet."""


class JsonLinesChunkExporter(_ChunkRows, JsonLinesItemExporter):
    """Writes chunks as JSON lines."""


class ChunkChangesExporter(_ChunkRows, JsonLinesItemExporter):
    """Writes what has changed since the last crawl, as JSON lines: chunks to add, and ids of chunks to delete.

    `op` is `add` or `delete`. The crawl's index remembers the ids of each page's chunks. At the end follow the chunks
    of pages that are gone: with the status 404 or 410.
    """

    _duplicates: Duplicates | None = None  # where DENOISE_ENABLED is False

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **options: Any) -> Self:
        """Create one for a crawl, whose index keeps the ids of chunks."""
        made = super().from_crawler(crawler, *args, **options)
        with suppress(NotConfigured):
            made._duplicates = state_of(crawler).duplicates
        return made

    def export_item(self, item: Any) -> None:
        """Export the changes of an item; an unchanged one and a near-duplicate have none."""
        old = () if self._duplicates is None else self._duplicates.old_chunks(item)
        if old is None:
            return
        rows = {row["id"]: row for row in self._rows_of(ItemAdapter(item))}
        url = next((row["url"] for row in rows.values()), "")
        for name in old:
            if name not in rows:
                self._delete(name, url)
        for name, row in rows.items():
            if name not in old:
                super(_ChunkRows, self).export_item({"op": "add", **row})

    def finish_exporting(self) -> None:
        """Export the chunks to delete of pages that are gone."""
        for url, name in () if self._duplicates is None else self._duplicates.gone_chunks:
            self._delete(name, url)
        super().finish_exporting()

    def _delete(self, name: str, url: str) -> None:
        super(_ChunkRows, self).export_item({"op": "delete", "id": name, "url": url})


class _Pages(_OfCrawl):
    """Exports the page of each item, unless it is a near-duplicate, by `_export(url, title, values)`; UTF-8."""

    def __init__(self, file: BinaryIO, **options: Any) -> None:
        super().__init__(dont_fail=True, **options)
        self._file = file

    def start_exporting(self) -> None:
        """Empty the file: a list of pages does not continue another."""
        if _length(self._file):
            self._file.truncate(0)

    def export_item(self, item: Any) -> None:
        """Export an item that has an http(s) URL."""
        values, ours = values_of(item), self._ours
        names = {name: name for name in ("title", "description", "markdown")} | dict(ours.item_fields)
        found = {what: values.get(name) for what, name in names.items()}
        texts = {what: value for what, value in found.items() if isinstance(value, str)}
        url = url_in(values, ours.url_field)
        if site_key(url) and not values.get(ours.mark_field(MARK)):
            title = _in_line(texts.get("title", ""))
            self._export(url, title or _in_line(unquote(_segments(url)[-1])), texts)

    def _export(self, url: str, title: str, values: Mapping[str, str]) -> None:
        raise NotImplementedError

    def _write(self, *blocks: str) -> None:
        self._file.write("".join(f"{block}\n\n" for block in blocks).encode("utf-8", "replace"))


class LlmsTxtExporter(_Pages):
    """Lists the pages of a site for language models, as `llms.txt`: titles, URLs and descriptions, by folder.

    Title and description of the page at `/` come first. A file that exists is replaced.

    Args:
        file: A binary file to write to.
        options: As for Scrapy's exporters; they have no effect.

    Source: https://llmstxt.org/
    """

    def __init__(self, file: BinaryIO, **options: Any) -> None:
        super().__init__(file, **options)
        self._listed: dict[str, tuple[str, str]] = {}  # title and description

    def _export(self, url: str, title: str, values: Mapping[str, str]) -> None:
        if len(self._listed) < MOST_PAGES:
            self._listed[url] = title, _in_line(values.get("description", ""))

    def finish_exporting(self) -> None:
        """Write the list."""
        sites = sorted({urlsplit(url).netloc for url in self._listed})
        starts = [page for url, page in self._listed.items() if urlsplit(url)[2:4] in {("", ""), ("/", "")}]
        of = escape_text(", ".join(sites[:3]) + ", …" * (len(sites) > 3))
        title, description = map(escape_text, starts[0]) if len(starts) == len(sites) == 1 else (of, "")
        summary = [f"> {description}"] if description else []
        # the reader of llmstxt.org finds no title and no summary without a text below them
        self._write(f"# {title}", *summary, f"{counted(len(self._listed), 'page')} of {of}.")
        sections = {url: _section(url, several=len(sites) > 1) for url in self._listed}
        sizes = Counter(sections.values())
        placed = sorted((section if sizes[section] > 1 else "", url) for url, section in sections.items())
        for section, pages in groupby(placed, lambda one: one[0]):
            self._write(f"## {escape_text(section) or 'Pages'}", "\n".join(self._line(url) for _, url in pages))

    def _line(self, url: str) -> str:
        title, description = self._listed[url]
        return f"- [{escape_inside(title)}]({destination(url)}){': ' * bool(description)}{escape_text(description)}"


class LlmsFullExporter(_Pages):
    """Writes the main texts of all pages into one file for language models, as `llms-full.txt`: Markdown with URLs.

    A file that exists is replaced.

    Args:
        file: A binary file to write to.
        options: As for Scrapy's exporters; they have no effect.
    """

    def _export(self, url: str, title: str, values: Mapping[str, str]) -> None:
        lines = (
            escape_line(escape_text(line)) for line in values.get("body", "").removeprefix(f"{title}\n").splitlines()
        )
        text = values.get("markdown") or "\n\n".join(lines)
        heading, rest = f"# {escape_text(title)}", text
        if text.startswith("# "):
            heading, _, rest = text.partition("\n")
        if text:
            self._write(heading, f"Source: <{destination(url)}>", rest.strip("\n"))


def _segments(url: str) -> list[str]:
    """Return the host and the parts of the path of a URL."""
    return [urlsplit(url).netloc, *filter(None, urlsplit(url).path.split("/"))]


def _section(url: str, *, several: bool) -> str:
    """Return the first folder of a page, after its host if there are several; "" for a page outside of folders."""
    host, *path = _segments(url)
    return _in_line(unquote("/".join([*[host] * several, *path[:-1][:1]])))


def _in_line(text: str) -> str:
    return shown(" ".join(text.split()), MOST_CHARS)
