"""A whole archive in stages, each a folder of Parquet; a stopped run resumes after the last complete stage."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from math import ceil
from pathlib import Path
from typing import Any

from pyarrow.fs import FileType
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as all of Spark's examples

from denoise_scrapy import __version__
from denoise_scrapy.archive.archive_files import file_system, files_of
from denoise_scrapy.archive.page_rows import CELL
from denoise_scrapy.archive.records import PROBLEMS
from denoise_scrapy.archive.spark import bodies_of, duplicates_of, read_pages
from denoise_scrapy.support.shown import report

_TASKS_A_CORE = 4  # minimum, since tasks differ in size
_TASKS_OPTION = "spark.sql.shuffle.partitions"
# Default memory of Java: enough to sort two tasks' pages without many files.
_MEMORY = "2g"
_LOG = Path(__file__).with_name("log4j2.properties")
# Java only copies, using C libraries: its second compiler took 26 of 70 processor seconds with 2,000 pages, and a
# garbage collection thread would have no core of its own.
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_WORKERS = {
    # each task has one core
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    # return the memory of pages of several MB
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": "2000000",
    "MALLOC_TRIM_THRESHOLD_": "16000000",
}


def session(master: str, out: str) -> SparkSession:
    """Return a session of this process, or of `spark-submit`; raise `OSError` if Java does not start."""
    builder: Any = SparkSession.builder.appName("denoise_scrapy.archive")
    options = {f"spark.executorEnv.{name}": value for name, value in _WORKERS.items()}
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # otherwise workers use the first in PATH
        options |= {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower()}
        if master.startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # no other machine connects
            options["spark.executor.extraJavaOptions"] = _JAVA  # for local-cluster, a cluster on one machine
        options["spark.driver.extraJavaOptions"] = f"-Dlog4j2.configurationFile={_LOG.as_uri()} {_JAVA}"
        if "SPARK_DRIVER_MEMORY" not in os.environ:
            options["spark.driver.memory"] = _MEMORY
        if "SPARK_LOCAL_DIRS" not in os.environ and "://" not in out:
            options["spark.local.dir"] = str(Path(out).absolute() / "stages" / "spark")  # not in a small /tmp
        builder = builder.master(master)
    try:
        spark: SparkSession = builder.config(map=options).getOrCreate()
    except RuntimeError as error:  # PySpark's own
        raise OSError(f"Java does not start: {error}") from error
    spark.sparkContext.setLogLevel("ERROR")
    return spark


class Run:
    """The stages of a run, in its folder of results; a resumed run must have the same options.

    Raises:
        ValueError: The folder has results of another run, or the inputs name no file.
    """

    _spark: SparkSession

    def __init__(self, out: str, options: Mapping[str, Any]) -> None:
        self._out = out.rstrip("/")
        self._options = {**options, "version": __version__}
        self._note: dict[str, dict[str, Any]] = {"options": self._options, "seconds": {}, "figures": {}}
        self._files, self._root = file_system(self._out)
        if self._has("run.json"):
            with self._files.open_input_file(f"{self._root}/run.json") as file:
                self._note = json.loads(file.read())
            begun = self._note["options"]
            other = [f"{name} {begun.get(name)!r}" for name, one in self._options.items() if begun.get(name) != one]
            if other:
                raise ValueError(f"{out} was begun with {', '.join(other)}: give another folder, or remove it")
        else:
            files_of(options["inputs"], [self._out])
            others = [name for name in ("bodies", "bad", "stages") if self._has(name)]
            if others:
                raise ValueError(f"{out} has {' and '.join(others)}, but no run.json of ours: give another folder")
            self._write_note()

    @property
    def total(self) -> Mapping[str, Any] | None:
        """The totals; None for a run that is not finished."""
        found: Mapping[str, Any] | None = self._note["figures"].get("archive")
        return found

    def finish(self, spark: SparkSession) -> Mapping[str, Any]:
        """Run the remaining stages, and return the totals."""
        self._spark = spark
        pages = self._pages()
        found = self._bodies(pages)
        marked = duplicates_of(found, scope=self._options["scope"], stage=self._stage)
        results = self._stage("bodies", marked, "bodies")
        bad = pages.where(F.col("problem") != "").select("url", "date", "file", "offset", "problem", "detail")
        bad = self._stage("bad", bad.coalesce(1), "bad")
        with self._timed("figures"):
            figures = figures_of(pages, results, bad)
        total: dict[str, int] = figures["archive"]
        if total["records"] != total["pages with a body"] + total["bad records"]:
            raise RuntimeError(f"some of {total['records']} records are neither in bodies nor in bad")
        self._note["figures"] = figures
        self._write_note()
        self._files.delete_dir(f"{self._root}/stages")
        return total

    def _pages(self) -> DataFrame:
        pages = read_pages(self._spark, *self._options["inputs"], url=self._options["url"], outputs=[self._out])
        number = F.crc32(F.col("site")) % self._options["slices"]
        return self._stage("pages", pages.withColumn("slice", number.cast("int")), by="slice")

    def _bodies(self, pages: DataFrame) -> DataFrame:
        """Return bodies, shuffling one slice at a time."""
        counts = {row["slice"]: row["count"] for row in pages.where("problem = ''").groupBy("slice").count().collect()}
        least = _TASKS_A_CORE * self._spark.sparkContext.defaultParallelism
        slices: int = self._options["slices"]
        tasks = [max(least, ceil(counts.get(number, 0) / CELL)) for number in range(slices)]
        if not self._spark.sparkContext.getConf().contains(_TASKS_OPTION):
            # Spark's default of 200 takes as long with 2,000 pages as with a million
            self._spark.conf.set(_TASKS_OPTION, str(max(tasks)))
        wanted = {name: self._options[name] for name in ("strategy", "cell", "fields")}
        parts = []
        for number, partitions in enumerate(tasks):
            found = bodies_of(pages.where(F.col("slice") == number), **wanted, partitions=partitions)
            name = "texts of pages" if slices == 1 else f"texts of pages, slice {number}"
            parts.append(self._stage(name, found))
        return reduce(DataFrame.unionByName, parts)

    def _stage(self, name: str, part: DataFrame, folder: str = "", by: str = "") -> DataFrame:
        """Read a part from its folder; if it is incomplete, write it first."""
        folder = folder or f"stages/{name.replace(', ', '-').replace(' ', '-')}"
        if not self._has(f"{folder}/_SUCCESS"):
            # pages are already compressed, and all different
            writer = part.write.mode("overwrite").option("compression", "none" if by else "zstd")
            writer = writer.option("parquet.enable.dictionary#packed", "false")
            with self._timed(name):
                (writer.partitionBy(by) if by else writer).parquet(f"{self._out}/{folder}")
        return self._spark.read.schema(part.schema).parquet(f"{self._out}/{folder}")

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        begin = time.monotonic()
        yield
        self._note["seconds"][name] = seconds = round(time.monotonic() - begin, 1)
        report(f"{name}: {int(seconds) // 60}:{int(seconds) % 60:02}")
        self._write_note()

    def _write_note(self) -> None:
        """Write the note atomically, under another name first."""
        place = f"{self._root}/run.json"
        self._files.create_dir(self._root)
        with self._files.open_output_stream(f"{place}.new") as file:
            file.write(json.dumps(self._note, indent=1).encode())
        self._files.move(f"{place}.new", place)

    def _has(self, name: str) -> bool:
        return bool(self._files.get_file_info(f"{self._root}/{name}").type != FileType.NotFound)


def figures_of(pages: DataFrame, results: DataFrame, bad: DataFrame) -> dict[str, Any]:
    """Return the figures of a run: totals, and how many records are bad for which reason."""
    read = pages.agg(F.count("*").alias("records"), F.sum("bytes").alias("bytes")).collect()[0]
    like = [F.count(f"{name}_of").alias(f"{name}s") for name in ("duplicate", "variant")]
    total = results.agg(F.count("*").alias("pages"), F.countDistinct("site").alias("sites"), *like).collect()[0]
    problems = {row["problem"]: row["count"] for row in bad.groupBy("problem").count().collect()}
    return {
        "archive": {
            "records": read["records"],
            "bytes of HTML": read["bytes"] or 0,
            "pages with a body": total["pages"],
            "sites": total["sites"],
            "near-duplicates": total["duplicates"],
            "variants, which are kept": total["variants"],
            "bad records": sum(problems.values()),
        },
        "bad": {f"{name}: {PROBLEMS[name]}": times for name, times in sorted(problems.items())},
    }
