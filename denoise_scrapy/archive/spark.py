"""Archives on PySpark: pages, their bodies, and the duplicates among them, as DataFrames.

Spark sorts on disk and streams; Python holds some megabytes of pages and the facts of one site at a time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as all of Spark's examples
from pyspark.sql.pandas.types import from_arrow_schema

from denoise_scrapy.archive.archive_files import files_of, page_format, records_of
from denoise_scrapy.archive.page_rows import (
    CELL,
    MOST_SINGLE,
    SCOPES,
    bodies,
    candidate_pairs,
    columns_with,
    keys_of,
    resolve,
    verify,
)
from denoise_scrapy.archive.records import ArchiveRecord
from denoise_scrapy.body import DEFAULT_STRATEGY
from denoise_scrapy.body.fields import field_of

Rows = Iterator[dict[str, Any]]
#: Stores a named result so that it is computed only once, and returns the stored result.
Stage = Callable[[str, DataFrame], DataFrame]

# Limits of a batch between Spark and Python: the default of 10,000 rows would be 1.5 GB of pages. Before 4.1, Spark
# limits only rows.
_BATCH_BYTES, _BATCH_ROWS = 1_000_000, 8
_BYTES_OPTION, _ROWS_OPTION = (f"spark.sql.execution.arrow.max{what}PerBatch" for what in ("Bytes", "Records"))
# Rows of Parquet that Java holds at a time; the default of 4,096 is half a gigabyte of pages.
_READ_OPTION, _READ_ROWS = "spark.sql.parquet.columnarReaderBatchSize", 32

_CODEC = "zstd"
_PAGES_A_TASK = 256  # HTML files, one page each
_MOST_ROWS = 4096  # maximum of a batch that Python passes to Spark

_PLACE = ("site", "cell", "url", "date", "file", "offset")
#: Types of columns, by the kinds of fields.
_TYPES = {float: pa.float64(), bool: pa.bool_(), list: pa.list_(pa.string())}
_WORDS = ("site", "digest", "title")  # texts with these in common have the verdict of the first
_ORDER = ("date", "url", "file", "offset")  # order in which an index would receive texts
_PRINT = pa.struct(
    [("n", pa.int32()), ("t", pa.int32()), ("s1", pa.binary()), ("s2", pa.binary()), ("limit", pa.int64())]
    + [(name, pa.binary()) for name in ("digest", "bands", "rare", "title", "values")]
)
_SHARES = pa.struct([("c1", pa.float64()), ("c2", pa.float64()), ("new", pa.float64())])
_PAGES = pa.schema(
    [(name, pa.string()) for name in ("site", "url", "date", "file", "problem", "detail")]
    + [("offset", pa.int64()), ("packed", pa.binary()), ("bytes", pa.int64())]
)
_KEYED = pa.schema([("scope", pa.int64()), ("key", pa.int64()), ("id", pa.int64())])
_PAIRS = pa.schema([("id", pa.int64()), ("earlier", pa.int64())])
# `place` is the position among the edges of the text; `shares` is null for a variant
_EDGES = pa.schema([("id", pa.int64()), ("place", pa.int32()), ("earlier", pa.int64()), ("shares", _SHARES)])


def read_pages(spark: SparkSession, *patterns: str, url: str = "", outputs: Sequence[str] = ()) -> DataFrame:
    """Read archives: a row for each record, including bad ones.

    Args:
        spark: The session. Its batches are made smaller, for pages are large.
        patterns: WARC files, JSON lines and Parquet with url, html and date, pages of HTML: paths, folders, patterns,
            or URLs that pyarrow reads. A file is read by one task.
        url: The address of a folder of local HTML; "": the addresses that pages declare.
        outputs: Files and folders to leave out, such as that of the results.

    Returns:
        site, url, date, file, offset; problem, "" for a page, else of `records.PROBLEMS`; detail; packed and bytes, the
        page compressed by Zstandard and its length, which Java sorts in a fifth of the time.

    Raises:
        ValueError: A pattern names no file, or one of another format.
    """
    files = files_of(list(patterns), outputs, url)
    pages = [file for file in files if page_format(file) == "html"]
    tasks = [[file] for file in files if page_format(file) != "html"]
    tasks += [pages[start : start + _PAGES_A_TASK] for start in range(0, len(pages), _PAGES_A_TASK)]
    _bound_batches(spark)

    def read(rows: Rows) -> Rows:
        for row in rows:
            for file in tasks[row["id"]]:
                yield from map(_packed, records_of(file, files[file]))

    return _mapped(spark.range(0, len(tasks), 1, len(tasks)), read, _PAGES)


def _packed(record: ArchiveRecord) -> dict[str, Any]:
    row = record.row
    html = row.pop("html")
    packed = None if html is None else pa.compress(html, codec=_CODEC, asbytes=True)
    return row | {"packed": packed, "bytes": None if html is None else len(html)}


def _unpacked(row: dict[str, Any]) -> dict[str, Any]:
    packed, size = row.pop("packed", None), row.pop("bytes", 0)
    if packed is not None:
        # str instead of bytes, as without packing: reading ahead is limited by characters
        row["html"] = pa.decompress(packed, size, codec=_CODEC, asbytes=True).decode()
    return row


def bodies_of(
    pages: DataFrame,
    *,
    strategy: str = DEFAULT_STRATEGY,
    cell: int = CELL,
    fields: Sequence[str] = (),
    partitions: int | None = None,
) -> DataFrame:
    """Return the bodies of pages, each compared with others of its site.

    A site of more than `cell` pages is cut into cells by a hash of the URL, so partitions and the order of pages do not
    matter. The pages are read twice, since sites are counted first: `persist` them if reading is costly.

    Args:
        pages: As `read_pages` returns them; or site, url and html, and date, file and offset if known. Those with a
            `problem` are left out.
        strategy: A name in `STRATEGIES`.
        cell: Approximate maximum of pages per cell.
        fields: Columns to add, as for `page_rows.bodies`.
        partitions: Number of tasks; None: the session's default.

    Returns:
        url, site, cell, date, file, offset; text, title, confidence, evidence, fallback, version, the fields; and
        fingerprint, for `duplicates_of`.

    Raises:
        ValueError: `cell` is less than 1, or there is no such field.
    """
    columns = columns_with(fields)
    if cell < 1:
        raise ValueError(f"cell must be 1 or more, got {cell}")
    _bound_batches(pages.sparkSession)
    if "problem" in pages.columns:
        pages = pages.where(F.col("problem") == "")
    for name, empty in (("date", F.lit("")), ("file", F.lit("")), ("offset", F.lit(0).cast("long"))):
        if name not in pages.columns:
            pages = pages.withColumn(name, empty)
    cells = F.ceil(F.col("count") / cell)
    large = pages.groupBy("site").count().where(F.col("count") > cell).select("site", cells.alias("cells"))
    number = F.crc32(F.col("url")) % F.coalesce(F.col("cells"), F.lit(1))
    placed = pages.join(F.broadcast(large), "site", "left").withColumn("cell", number.cast("int"))
    placed = placed.select(*_PLACE, *(("packed", "bytes") if "packed" in pages.columns else ("html",)))
    parted = placed.repartition(*(() if partitions is None else (partitions,)), "site", "cell")
    types = {"cell": pa.int32(), "offset": pa.int64(), "fingerprint": _PRINT}
    types |= {name: _TYPES[kind] for what, name in columns.items() if (kind := field_of(what).kind) in _TYPES}
    names = (*_PLACE, *columns.values(), "version", "fingerprint")
    schema = pa.schema([(name, types.get(name, pa.string())) for name in names])
    return _mapped(
        parted.sortWithinPartitions(*_PLACE),
        lambda rows: bodies(map(_unpacked, rows), strategy=strategy, fields=fields),
        schema,
    )


def duplicates_of(
    found: DataFrame, *, scope: str = SCOPES[0], joined: bool | None = None, stage: Stage | None = None
) -> DataFrame:
    """Return texts with the verdicts of a `DuplicateIndex` that receives them in order of date and URL.

    Each row is a separate item, even if URLs repeat.

    Args:
        found: As `bodies_of` returns them.
        scope: "all", or "site" to compare texts only within their site.
        joined: Whether keys of candidates join two bands (`MOST_SINGLE`); None: by the number of texts, but not within
            a site.
        stage: Computes a part and keeps it; None: `DataFrame.localCheckpoint`, in memory and on the workers' disks.

    Returns:
        The rows without `fingerprint`, but with duplicate_of, the URL of the kept text, null for a kept one; shares:
        c1, c2 and new as in `Verdict`; variant_of, the URL of the earliest text of a variant's form, else null; keys:
        "32 x 2" or "64 x 4".

    Raises:
        ValueError: There is no such scope.
    """
    if scope not in SCOPES:
        raise ValueError(f"scope is {' or '.join(SCOPES)}, not {scope!r}")
    _bound_batches(found.sparkSession)
    stage = stage or (lambda _, part: part.localCheckpoint())
    # numbers in the order of the texts: partitions are sorted, and the upper bits of a number are its partition
    ordered = found.repartitionByRange(*_ORDER).sortWithinPartitions(*_ORDER)
    texts = stage("texts", ordered.withColumn("id", F.monotonically_increasing_id()))
    if joined is None:
        joined = scope == "all" and texts.count() > MOST_SINGLE
    within = F.xxhash64("site") if scope == "site" else F.lit(0).cast("long")
    long = texts.where(F.length("fingerprint.bands") > 0)
    printed = (F.col(f"fingerprint.{name}") for name in ("digest", "title", "bands"))
    named = long.select("id", "site", within.alias("scope"), *printed)
    firsts = named.groupBy("scope", *_WORDS).agg(F.min(F.struct("id", "bands")).alias("first"))
    keyed = _mapped(firsts.select("scope", "first.*"), lambda rows: _keyed(rows, joined), _KEYED)
    by_key = keyed.repartition("scope", "key").sortWithinPartitions("scope", "key", "id")
    pairs = stage("pairs", _mapped(by_key, _paired, _PAIRS).distinct())
    in_turn = _edges(texts, pairs).repartition(1).sortWithinPartitions("id", "place")
    resolved = stage("resolved", _mapped(in_turn, _resolved, _EDGES))
    return _marked(texts, named, firsts, resolved).withColumn("keys", F.lit("64 x 4" if joined else "32 x 2"))


def _keyed(rows: Rows, joined: bool) -> Rows:
    for row in rows:
        for key in keys_of([row["bands"]], joined=joined)[0].tolist():
            yield {"scope": row["scope"], "key": key, "id": row["id"]}


def _paired(rows: Rows) -> Rows:
    for text, earlier in candidate_pairs(((row["scope"], row["key"]), row["id"]) for row in rows):
        yield {"id": text, "earlier": earlier}


def _edges(texts: DataFrame, pairs: DataFrame) -> DataFrame:
    """Return texts and similar earlier ones. A text is sent once, followed by the fingerprints to compare it with."""
    prints = texts.select(F.col("id").alias("earlier"), "url", "fingerprint")
    candidates = pairs.join(prints, "earlier").select("id", *prints.columns, F.lit(None).alias("text"))
    wanted = texts.join(pairs.select("id").distinct(), "id", "left_semi")
    news = wanted.select("id", F.lit(-1).cast("long").alias("earlier"), "url", "fingerprint", "text")
    both = news.unionByName(candidates).repartition("id").sortWithinPartitions("id", "earlier")
    return _mapped(both, _verified, _EDGES)


def _verified(rows: Rows) -> Rows:
    for number, group in groupby(rows, lambda row: row["id"]):
        first = next(group)
        for place, (earlier, one) in enumerate(verify(first, {row["earlier"]: row for row in group})):
            shares = {"c1": one.c1, "c2": one.c2, "new": one.new} if one.duplicate else None
            yield {"id": number, "place": place, "earlier": earlier, "shares": shares}


def _resolved(rows: Rows) -> Rows:
    edges = ((row["id"], row["earlier"], row["shares"] is not None, row) for row in rows)
    for *_, row in resolve(edges):
        yield row


def _marked(texts: DataFrame, named: DataFrame, firsts: DataFrame, resolved: DataFrame) -> DataFrame:
    """Return texts with their verdicts; texts of the same words have the verdict of the first, or are its copies."""
    first = F.col("first.id").alias("first")
    members = named.select("id", "scope", *_WORDS).join(firsts.select("scope", *_WORDS, first), ["scope", *_WORDS])
    of_first = resolved.select(F.col("id").alias("first"), "earlier", "shares")
    equal = F.struct(F.lit(1.0).alias("c1"), F.lit(1.0).alias("c2"), F.lit(0.0).alias("new"))
    has_edge = F.col("shares").isNotNull() | (F.col("first") == F.col("id"))  # only the first itself is a variant
    judged = members.join(of_first, "first", "left").select(
        "id",
        F.when(has_edge, F.col("earlier")).otherwise(F.col("first")).alias("of"),
        F.when(has_edge, F.col("shares")).otherwise(equal).alias("shares"),
    )
    urls = texts.select(F.col("id").alias("of"), F.col("url").alias("of_url"))
    is_duplicate = F.col("shares").isNotNull()
    marked = texts.join(judged.join(urls, "of").drop("of"), "id", "left")
    marked = marked.withColumn("duplicate_of", F.when(is_duplicate, F.col("of_url")))
    marked = marked.withColumn("variant_of", F.when(~is_duplicate, F.col("of_url")))
    return marked.drop("id", "fingerprint", "of_url")


def _bound_batches(spark: SparkSession) -> None:
    spark.conf.set(_READ_OPTION, str(_READ_ROWS))
    if spark.conf.isModifiable(_BYTES_OPTION):
        spark.conf.set(_BYTES_OPTION, str(_BATCH_BYTES))
    else:
        spark.conf.set(_ROWS_OPTION, str(_BATCH_ROWS))


def _mapped(table: DataFrame, function: Callable[[Rows], Iterable[Mapping[str, Any]]], schema: pa.Schema) -> DataFrame:
    """Return a table of the rows that a function yields from each partition."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        _leave_pandas_out()
        rows: list[Mapping[str, Any]] = []
        size = 0
        for row in function(one for batch in batches for one in batch.to_pylist()):
            rows.append(row)
            size += sum(len(value) for value in row.values() if isinstance(value, (str, bytes)))
            if size > _BATCH_BYTES or len(rows) == _MOST_ROWS:
                yield pa.RecordBatch.from_pylist(rows, schema=schema)
                rows, size = [], 0
        yield pa.RecordBatch.from_pylist(rows, schema=schema)

    return table.mapInArrow(run, from_arrow_schema(schema))


def _leave_pandas_out() -> None:
    """Keep pyarrow from loading pandas, 48 MB per worker, just to check whether a list is a column of it."""
    finders, sys.meta_path = sys.meta_path, []
    pa.array([])  # it tries once, finds none, and later loads pandas only if necessary
    sys.meta_path = finders
