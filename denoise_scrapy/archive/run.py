"""A whole archive in stages, each a folder of Parquet: a run that was stopped goes on behind the last whole one."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as all of Spark's examples

from denoise_scrapy.archive.pages import VERSION
from denoise_scrapy.archive.places import exists, files_of, read_text, remove_folder, write_text
from denoise_scrapy.archive.records import PROBLEMS
from denoise_scrapy.archive.spark import bodies_of, duplicates_of, read_pages
from denoise_scrapy.shown import figures_page, figures_table, say

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Sites of the least sure bodies: so many, each of some pages, for one odd page is no sign of its site.
_SITES, _PAGES_OF_A_SITE = 20, 5
# Pages of a task, some MB of HTML: half a minute, which is what a task that fails costs.
_PAGES_A_TASK = 4096
_TASKS_A_CORE = 4  # at least: tasks are not of one size
_TASKS_OPTION = "spark.sql.shuffle.partitions"
#: Java's memory where the environment sets none: room to sort two tasks' pages without many files.
_MEMORY = "2g"
_LOG = Path(__file__).with_name("log4j2.properties")
# Java's work is copying, by libraries in C: its second compiler took 26 of 70 processor seconds with 2,000 pages, and
# another thread for garbage has no core of its own.
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_WORKERS = {
    # a task has one core
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    # what a page of several MB took is given back
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": "2000000",
    "MALLOC_TRIM_THRESHOLD_": "16000000",
}


@dataclass(frozen=True)
class Options:
    """The options of a run; one that goes on has the same."""

    inputs: list[str]
    cell: int
    slices: int
    strategy: str
    scope: str
    fields: list[str]
    url: str = ""
    version: str = VERSION


def session(master: str, out: str) -> SparkSession:
    """Return a session of this process, or that of `spark-submit`; `OSError` where Java does not start."""
    builder: Any = SparkSession.builder.appName("denoise_scrapy.archive")
    for name, value in _WORKERS.items():
        builder = builder.config(f"spark.executorEnv.{name}", value)
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else the workers' is the first in PATH
        local = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower()}
        if master.startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # nobody else connects
            local["spark.executor.extraJavaOptions"] = _JAVA  # of local-cluster, a cluster on one machine
        local["spark.driver.extraJavaOptions"] = f"-Dlog4j2.configurationFile={_LOG.as_uri()} {_JAVA}"
        if "SPARK_DRIVER_MEMORY" not in os.environ:
            local["spark.driver.memory"] = _MEMORY
        if "SPARK_LOCAL_DIRS" not in os.environ and "://" not in out:
            local["spark.local.dir"] = str(Path(out).absolute() / "stages" / "spark")  # not in a small /tmp
        builder = builder.master(master)
        for name, value in local.items():
            builder = builder.config(name, value)
    try:
        spark: SparkSession = builder.getOrCreate()
    except RuntimeError as error:  # PySpark's own
        raise OSError(f"Java does not start: {error}") from error
    spark.sparkContext.setLogLevel("ERROR")
    return spark


class Run:
    """One run: its stages, in a folder of results.

    Raises:
        ValueError: The folder has results of other options or of others, or the inputs name no file.
    """

    _spark: SparkSession

    def __init__(self, out: str, options: Options) -> None:
        self._out = out.rstrip("/")
        self._options = options
        self._note = f"{self._out}/run.json"
        self._seconds: dict[str, float] = {}
        if exists(self._note):
            noted = json.loads(read_text(self._note))
            begun = noted["options"]
            other = [
                f"{name} {begun.get(name)!r}" for name, value in asdict(options).items() if begun.get(name) != value
            ]
            if other:
                raise ValueError(f"{out} was begun with {', '.join(other)}: name another folder, or remove it")
            self._seconds = noted["seconds"]
        else:
            files_of(options.inputs)
            others = [name for name in ("bodies", "bad", "stages") if exists(f"{self._out}/{name}")]
            if others:
                raise ValueError(f"{out} has {' and '.join(others)}, but no run.json of ours: name another folder")
            self._write_note()

    def finish(self, spark: SparkSession) -> dict[str, Any]:
        """Run the stages that are left, and return the figures of the summary."""
        self._spark = spark
        summary = f"{self._out}/summary.html"
        if exists(summary):
            say(f"{self._out} is finished", file=sys.stderr)
            return dict(json.loads(read_text(self._note))["figures"])
        pages = self._pages()
        found = self._bodies(pages)
        marked = duplicates_of(found, scope=self._options.scope, stage=self._stage)
        results = self._stage("bodies", marked, f"{self._out}/bodies")
        bad = pages.where(F.col("problem") != "").select("url", "date", "file", "offset", "problem", "detail")
        bad = self._stage("bad", bad.coalesce(1), f"{self._out}/bad")
        with self._timed("summary"):
            figures = figures_of(pages, results, bad)
        if figures["records"] != figures["pages"] + figures["bad records"]:
            raise RuntimeError(
                f"{figures['records']} records, but {figures['pages']} bodies, {figures['bad records']} bad"
            )
        self._write_note(figures)
        write_text(summary, summary_page(figures, asdict(self._options), self._seconds))
        remove_folder(f"{self._out}/stages")
        return figures

    def _pages(self) -> DataFrame:
        pages = read_pages(self._spark, *self._options.inputs, url=self._options.url)
        number = F.crc32(F.col("site")) % self._options.slices
        return self._stage("pages", pages.withColumn("slice", number.cast("int")), by="slice")

    def _bodies(self, pages: DataFrame) -> DataFrame:
        """Bodies slice by slice: what is shuffled at a time is a slice."""
        counts = {row["slice"]: row["count"] for row in pages.where("problem = ''").groupBy("slice").count().collect()}
        least = _TASKS_A_CORE * self._spark.sparkContext.defaultParallelism
        tasks = {
            number: max(least, ceil(counts.get(number, 0) / _PAGES_A_TASK)) for number in range(self._options.slices)
        }
        if not self._spark.sparkContext.getConf().contains(_TASKS_OPTION):
            # Spark's own 200 take as long with 2,000 pages as with a million
            self._spark.conf.set(_TASKS_OPTION, str(max(tasks.values())))
        parts = []
        for number in range(self._options.slices):
            found = bodies_of(
                pages.where(F.col("slice") == number),
                strategy=self._options.strategy,
                cell=self._options.cell,
                fields=self._options.fields,
                partitions=tasks[number],
            )
            name = "texts of pages" if self._options.slices == 1 else f"texts of pages, slice {number}"
            parts.append(self._stage(name, found))
        together = parts[0]
        for part in parts[1:]:
            together = together.unionByName(part)
        return together

    def _stage(self, name: str, part: DataFrame, folder: str = "", by: str = "") -> DataFrame:
        """Read a part from its folder; write it first where it is not whole."""
        folder = folder or f"{self._out}/stages/{name.replace(', ', '-').replace(' ', '-')}"
        if not exists(f"{folder}/_SUCCESS"):
            # pages are compressed by themselves, and no two are the same
            writer = part.write.mode("overwrite").option("compression", "none" if by else "zstd")
            writer = writer.option("parquet.enable.dictionary#packed", "false")
            with self._timed(name):
                (writer.partitionBy(by) if by else writer).parquet(folder)
        return self._spark.read.schema(part.schema).parquet(folder)

    @contextmanager
    def _timed(self, name: str) -> Iterator[None]:
        begin = time.monotonic()
        yield
        seconds = time.monotonic() - begin
        say(f"{name}: {_clock(seconds)}", file=sys.stderr)
        self._seconds[name] = round(seconds, 1)
        self._write_note()

    def _write_note(self, figures: dict[str, Any] | None = None) -> None:
        note = {"options": asdict(self._options), "seconds": self._seconds, "figures": figures}
        write_text(self._note, json.dumps(note, indent=1))


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def figures_of(pages: DataFrame, results: DataFrame, bad: DataFrame) -> dict[str, Any]:
    """Return the figures of a run, of its records, bodies with verdicts, and bad records."""
    html = F.sum("bytes").alias("bytes")
    read = pages.agg(F.count("*").alias("records"), html).collect()[0]
    like = [F.count(f"{name}_of").alias(f"{name}s") for name in ("duplicate", "variant")]
    total = results.agg(F.count("*").alias("pages"), F.countDistinct("site").alias("sites"), *like).collect()[0]
    evidence = F.concat_ws(
        ", ", "evidence", F.when(F.col("fallback") != F.col("evidence"), F.nullif("fallback", F.lit("")))
    )
    of_site = results.groupBy("site").agg(F.count("*").alias("pages"), F.avg("confidence").alias("confidence"))
    unsure = of_site.where(F.col("pages") >= _PAGES_OF_A_SITE).orderBy("confidence", "site").limit(_SITES).collect()
    problems = _counts(bad, F.col("problem"))
    return {
        "records": read["records"],
        "bytes": read["bytes"] or 0,
        "pages": total["pages"],
        "sites": total["sites"],
        "duplicates": total["duplicates"],
        "variants": total["variants"],
        "bad records": sum(problems.values()),
        "keys": next((row["keys"] for row in results.select("keys").limit(1).collect()), ""),
        "evidence": _counts(results, evidence),
        "problems": problems,
        "least sure": [[row["site"], row["pages"], round(row["confidence"], 3)] for row in unsure],
    }


def _counts(table: DataFrame, column: Any) -> dict[str, int]:
    rows = table.groupBy(column.alias("name")).agg(F.count("*").alias("times")).collect()
    return {row["name"]: row["times"] for row in sorted(rows, key=lambda row: (-row["times"], row["name"]))}


def summary_page(figures: Mapping[str, Any], options: Mapping[str, Any], seconds: Mapping[str, float]) -> str:
    """Return a page of HTML that stands alone."""
    total = [
        ["records", figures["records"]],
        ["bytes of HTML", figures["bytes"]],
        ["pages with a body", figures["pages"]],
        ["sites", figures["sites"]],
        ["near-duplicates", figures["duplicates"]],
        ["variants, which are kept", figures["variants"]],
        ["bad records", figures["bad records"]],
    ]
    problems = [[name, PROBLEMS.get(name, ""), times] for name, times in figures["problems"].items()]
    none = [["none"]]
    tables = [
        figures_table(total, title="The archive"),
        figures_table(figures["evidence"].items(), ("evidence", "bodies"), "What bodies rest on"),
        figures_table(problems or none, ("problem", "", "records"), "Bad records"),
        figures_table(figures["least sure"] or none, ("site", "pages", "mean confidence"), "Least sure bodies"),
        figures_table(seconds.items(), ("stage", "seconds"), "Time"),
        figures_table([*options.items(), ("keys of candidates", figures["keys"])], title="Made with"),
    ]
    return figures_page("Archive", tables)
