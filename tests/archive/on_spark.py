"""Archives on PySpark: run by `make archive-test` but not by `make test`, since it needs Java and 450 MB of PySpark."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from operator import itemgetter
from pathlib import Path
from typing import Any
from zlib import crc32

import pyarrow
import pytest
from pyarrow import parquet
from pyspark.sql import DataFrame, SparkSession

from denoise_scrapy.archive import bodies
from denoise_scrapy.archive.archive_files import read_records
from denoise_scrapy.archive.records import ArchiveRecord
from denoise_scrapy.archive.run import session
from denoise_scrapy.archive.spark import _mapped, bodies_of, duplicates_of, read_pages
from denoise_scrapy.dedup import DuplicateIndex
from tests.archive.warcs import ODD, archive, members, record
from tests.docs.pages import DOCS, blocks_of

ROOT = Path(__file__).parents[2]
CELL = 5
FILES = 3
LONGEST = 300  # seconds of a run of the command; each takes some thirty
Row = dict[str, Any]
Place = tuple[str, int]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive: six sites of twelve pages, two of them with a single one, a bad record of each kind."""
    made = [*archive(6, 12), record("http://one.example/"), record("http://two.example/")]
    made += [bad for problem, bad in ODD.values() if problem]
    folder = tmp_path_factory.mktemp("archive")
    for number in range(FILES):
        (folder / f"{number}.warc.gz").write_bytes(b"".join(members(made[number::FILES])))
    return folder


@pytest.fixture(scope="module")
def records(folder: Path) -> list[ArchiveRecord]:
    found = []
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            found += read_records(str(path), file)
    return found


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    found = session("local[2,4]", str(tmp_path_factory.mktemp("work")))
    found.conf.set("spark.sql.adaptive.enabled", "false")  # the number of partitions is the test's
    yield found
    found.stop()


def expected(records: list[ArchiveRecord], scope: str) -> dict[Place, Row]:
    """Return the results of one process: bodies site by site, verdicts of an index by date and URL."""
    pages = [one.row | {"html": one.html} for one in records if not one.problem]
    counts = Counter(page["site"] for page in pages)
    for page in pages:
        page["cell"] = crc32(page["url"].encode()) % -(-counts[page["site"]] // CELL)
    pages.sort(key=lambda page: (page["site"], page["cell"], page["url"]))
    rows = {(row["file"], row["offset"]): row for row in bodies(pages)}
    with DuplicateIndex(search="prefilter") as index:
        for row in sorted(rows.values(), key=itemgetter("date", "url")):
            within = row["site"] if scope == "site" else ""
            verdict = index.check_and_add(row["url"], row["text"], scope=within, title=row["title"])
            row["duplicate_of"], row["variant_of"] = verdict.of, verdict.variant_of
            shares = {"c1": verdict.c1, "c2": verdict.score, "new": verdict.new}
            row["shares"] = shares if verdict.duplicate else None
    return rows


def compared(rows: dict[Place, Row]) -> dict[Place, Row]:
    wanted = ("url", "site", "cell", "date", "text", "title", "confidence", "evidence", "fallback", "version")
    return {
        place: {name: row[name] for name in (*wanted, "duplicate_of", "variant_of", "shares")}
        for place, row in rows.items()
    }


def by_place(rows: list[Row]) -> dict[Place, Row]:
    found = {(row["file"], row["offset"]): row for row in rows}
    assert len(found) == len(rows)
    return found


def collected(table: DataFrame) -> dict[Place, Row]:
    return by_place([row.asDict(recursive=True) for row in table.collect()])


@pytest.mark.parametrize("partitions", [1, 4, 16])
def test_results_are_those_of_one_process_in_any_number_of_partitions(
    spark: SparkSession, folder: Path, records: list[ArchiveRecord], partitions: int
) -> None:
    spark.conf.set("spark.sql.shuffle.partitions", str(partitions))
    for scope in ("all", "site") if partitions == 4 else ("all",):
        found = bodies_of(read_pages(spark, str(folder)), cell=CELL, partitions=partitions)
        rows = collected(duplicates_of(found, scope=scope))
        assert compared(rows) == compared(expected(records, scope))
        dropped = sum(row["duplicate_of"] is not None for row in rows.values())
        assert dropped == 15 if scope == "all" else dropped == 0
        assert {row["keys"] for row in rows.values()} == {"32 x 2"}


def test_joined_keys_are_chosen_and_written(spark: SparkSession, folder: Path, records: list[ArchiveRecord]) -> None:
    found = collected(duplicates_of(bodies_of(read_pages(spark, str(folder)), cell=CELL), joined=True))
    assert compared(found) == compared(expected(records, "all"))  # near-copies share most bands
    assert {row["keys"] for row in found.values()} == {"64 x 4"}


def test_a_worker_has_one_thread_and_no_pandas(spark: SparkSession) -> None:
    def looked(rows: Iterator[Row]) -> Iterator[Row]:
        import os
        import sys

        for _ in rows:
            pyarrow.array([1])  # pyarrow looks for pandas here
            threads = os.environ["OPENBLAS_NUM_THREADS"], os.environ["OMP_NUM_THREADS"]
            yield {"n": f"{threads} {'pandas' in sys.modules}"}

    schema = pyarrow.schema([("n", pyarrow.string())])
    assert {row["n"] for row in _mapped(spark.range(2), looked, schema).collect()} == {"('1', '1') False"}


def command(folder: Path, out: Path, *more: str) -> list[str]:
    given = [str(folder), str(out), "--master", "local[2,4]", "--cell", str(CELL), *more]
    return [sys.executable, "-m", "denoise_scrapy.archive", *given]


def run(folder: Path, out: Path, *more: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    made = command(folder, out, *more)
    return subprocess.run(made, cwd=ROOT, capture_output=True, text=True, timeout=LONGEST, check=False, env=env)


def results(out: Path) -> dict[Place, Row]:
    return by_place(parquet.read_table(out / "bodies").to_pylist())


def test_the_command_in_slices(folder: Path, records: list[ArchiveRecord], tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = ("--slices", "3", "--field", "markdown", "--field", "html", "--field", "chunks", "--field", "comparison")
    done = run(folder, out, *options)
    assert done.returncode == 0, done.stderr
    found, whole = results(out), expected(records, "all")
    assert compared(found) == compared(whole)
    for row in found.values():
        assert row["markdown"] and row["html"] and isinstance(row["comparison"], list)
        assert json.loads(row["chunks"])[0]["text"] in row["markdown"]
    bad = parquet.read_table(out / "bad").to_pylist()
    assert len(found) + len(bad) == len(records)
    assert done.stdout == f"74 pages of 8 sites, 15 near-duplicates, {len(bad)} bad records: {out}/run.json\n"
    assert sorted(path.name for path in out.iterdir()) == ["bad", "bodies", "run.json"]
    note = json.loads((out / "run.json").read_text("utf-8"))
    assert note["figures"]["archive"]["near-duplicates"] == 15
    assert "too large: above the maximum size" in " ".join(note["figures"]["bad"]) and note["options"]["slices"] == 3
    again = run(folder, out, *options)
    assert again.stdout == done.stdout and "is finished" in again.stderr
    other = run(folder, out, "--slices", "2")
    assert other.returncode == 1
    assert (
        f"{out} was begun with slices 3, fields ['markdown', 'html', 'chunks', 'comparison']: give another folder"
        in other.stderr
    )


def children(number: int) -> dict[int, str]:
    """Return the child processes of one, with their command lines."""
    found, todo = {}, [number]
    while todo:
        parent = str(todo.pop())
        for path in Path("/proc").glob("[0-9]*"):
            try:
                if (path / "stat").read_text().rpartition(")")[2].split()[1] == parent:
                    found[int(path.name)] = (path / "cmdline").read_bytes().decode()
                    todo.append(int(path.name))
            except OSError:  # it has ended
                continue
    return found


def wait_for_bodies(process: subprocess.Popen[bytes], out: Path) -> None:
    """Wait until bodies are computed."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end and process.poll() is None:
        if list(out.glob("stages/texts-of-pages/_temporary/*/_temporary/*")):
            return
        time.sleep(0.02)
    raise AssertionError("no bodies were computed")


def kill(processes: Iterable[int]) -> None:
    for number in processes:
        with suppress(ProcessLookupError):  # some end with their parent
            os.kill(number, signal.SIGKILL)


def kill_parts(process: subprocess.Popen[bytes], out: Path, kind: str) -> None:
    """Kill the parts of a kind while bodies are computed, but one of several; the command must succeed."""
    wait_for_bodies(process, out)
    found = [number for number, line in children(process.pid).items() if kind in line]
    assert found
    kill(found[:1] if kind == EXECUTOR else found)
    assert process.wait(LONGEST) == 0


WORKERS, EXECUTOR = "pyspark.daemon", "CoarseGrainedExecutorBackend"


def test_a_killed_executor(folder: Path, records: list[ArchiveRecord], tmp_path: Path) -> None:
    out = tmp_path / "out"
    made = command(folder, out, "--master", "local-cluster[2,1,1024]")
    with subprocess.Popen(made, cwd=ROOT, stderr=subprocess.DEVNULL) as process:
        kill_parts(process, out, EXECUTOR)
    assert compared(results(out)) == compared(expected(records, "all"))


def test_a_killed_driver_then_workers(folder: Path, records: list[ArchiveRecord], tmp_path: Path) -> None:
    out, told = tmp_path / "out", tmp_path / "told.txt"
    with subprocess.Popen(command(folder, out), cwd=ROOT, stderr=subprocess.DEVNULL) as process:
        wait_for_bodies(process, out)
        kill([process.pid, *children(process.pid)])
    before = json.loads((out / "run.json").read_text("utf-8"))["seconds"]
    assert list(before) == ["pages"]
    assert not (out / "bodies").exists()
    shutil.rmtree(out / "stages" / "texts-of-pages")  # the new run makes it
    with told.open("wb") as file, subprocess.Popen(command(folder, out), cwd=ROOT, stderr=file) as process:
        kill_parts(process, out, WORKERS)
    assert "pages: " not in told.read_text("utf-8").replace("texts of pages: ", "")  # that stage was whole
    assert compared(results(out)) == compared(expected(records, "all"))


def test_what_stops_the_command(folder: Path, tmp_path: Path) -> None:
    done = run(tmp_path / "none.warc", tmp_path / "out")
    assert done.returncode == 1 and done.stderr.endswith("none.warc: there is no such file\n")
    assert not (tmp_path / "out").exists()
    (tmp_path / "mine" / "bodies").mkdir(parents=True)
    done = run(folder, tmp_path / "mine")
    assert done.returncode == 1 and "mine has bodies, but no run.json of ours" in done.stderr
    without = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"} | {"PATH": "/nowhere"}
    done = run(folder, tmp_path / "out", env=without)
    assert done.returncode == 1
    assert re.fullmatch(r"python -m denoise_scrapy.archive: needs Java 17, .*: apt-get install .*\n", done.stderr)


def test_the_job_of_the_documentation(
    spark: SparkSession, folder: Path, records: list[ArchiveRecord], tmp_path: Path
) -> None:
    (source,) = [one.text for one in blocks_of(DOCS / "archives.md") if one.text.startswith("# archive_job.py")]
    source = source.replace("s3a://crawl/*.warc.gz", f"{folder}/*.warc.gz").replace("s3a://crawl", str(tmp_path))
    exec(source, {})
    found = {row["url"] for row in parquet.read_table(tmp_path / "texts").to_pylist()}
    assert found == {row["url"] for row in expected(records, "all").values() if row["duplicate_of"] is None}
