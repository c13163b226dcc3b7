"""An unusable file: the crawl does not start, explains what to do, and leaves the file unchanged."""

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from denoise_scrapy.dedup import DuplicateIndex, MemoryStore, SQLiteStore
from denoise_scrapy.settings import ConfigurationError
from tests.crawl.crawling import Crawl, crawl, spider_of
from tests.crawl.web import Web
from tests.faults.stories import Stories

INDEX, SITES = "texts.sqlite", "denoise-sites.sqlite"
HEADER = 100  # bytes of SQLite's file header, which tells whose file it is
PAGE = 4096  # bytes of a page of ours, SQLite's default
NOISE = random.Random(5).randbytes(PAGE * 200)
ADVICE = ("move that file away", "Move it away, or restore it")


def stories_of(done: Crawl, *sites: Stories) -> set[int]:
    return {site.story(item["url"]) for item in done.items for site in sites if site.has(item["url"])}


def crawled(web: Web, site: Stories, folder: Path) -> Crawl:
    settings: dict[str, Any] = {"DENOISE_DEDUP_STORE": str(folder / INDEX), "CONCURRENT_REQUESTS": 4}
    return crawl(spider_of(*map(web, site.paths)), settings)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Web, Stories, Path]]:
    """A site, and the folder of the files that its first crawl has left."""
    web, site, folder = Web(), Stories(40, seed=2), tmp_path_factory.mktemp("first")
    site.serve(web)
    assert stories_of(crawled(web, site, folder), site) == set(site.copies())
    yield web, site, folder
    web.close()


@pytest.fixture
def folder(first: tuple[Web, Stories, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(first[2], tmp_path / "files"))


def noisy(data: bytes, start: int, stop: int) -> bytes:
    return data[:start] + NOISE[: stop - start] + data[start + len(NOISE[: stop - start]) :]


def no_records(data: bytes) -> bytes:
    """Keep only the names of tables; in a site memory, such damage affects only one site."""
    return noisy(data, len(data) // PAGE // 2 * PAGE, len(data))


DAMAGED: dict[str, Callable[[bytes], bytes]] = {
    "middle": lambda data: noisy(data, HEADER, len(data) - PAGE),
    "cut": lambda data: data[: len(data) // 2 + 7],
    "something": lambda data: b"something else of value" * 500,
}
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"
# What a person may have done to a file to harm who opens it.
CRAFTED = {
    "another program's": "CREATE TABLE customers (name TEXT); INSERT INTO customers VALUES ('of value')",
    "ignoring trigger": "CREATE TRIGGER quiet BEFORE INSERT ON {table} BEGIN SELECT RAISE(IGNORE); END",
    "endless trigger": f"CREATE TRIGGER slow AFTER DELETE ON {{table}} BEGIN {ENDLESS} i FROM n; END",
    "view": f"DROP TABLE {{table}}; CREATE VIEW {{table}} AS {ENDLESS} i AS id FROM n",
    "view of constants": f"DROP TABLE meta; CREATE VIEW meta AS {ENDLESS} 'x' || i AS name, '1' AS value FROM n",
    "column": "ALTER TABLE {table} ADD COLUMN more TEXT",
    "generated column": "ALTER TABLE {table} ADD COLUMN more AS (zeroblob(1000000000))",
    "virtual table": "CREATE VIRTUAL TABLE more USING fts5(text)",
    "index": "CREATE INDEX more ON meta (value)",
}
ROWS = {
    "blob for a text": "UPDATE texts SET key = x'ff00' WHERE id = 1",
    "text for a blob": "UPDATE texts SET rare = 'x'",
    "huge number": "UPDATE texts SET n = 1 << 62",
    "short digest": "UPDATE texts SET digest = x'00'",
    "owner that is none": "INSERT INTO owners VALUES (x'00', 'now')",
}


def run(file: Path, statements: str) -> None:
    with sqlite3.connect(file) as link:
        link.executescript(statements)
    link.close()


@pytest.mark.parametrize(
    ("damage", "name"),
    [*product([*DAMAGED, *CRAFTED], [INDEX, SITES]), *product(["records", *ROWS], [INDEX])],
)
def test_it_is_refused_and_left_as_it_is(
    first: tuple[Web, Stories, Path], folder: Path, damage: str, name: str
) -> None:
    web, site, _ = first
    if damage in DAMAGED or damage == "records":
        (folder / name).write_bytes(DAMAGED.get(damage, no_records)((folder / name).read_bytes()))
    else:
        table = "texts" if name == INDEX else "facts"
        if damage == "another program's":
            (folder / name).unlink()
        run(folder / name, {**CRAFTED, **ROWS}[damage].format(table=table))
    before, asked = (folder / name).read_bytes(), len(web.asked)
    with pytest.raises(ConfigurationError) as refused:
        crawled(web, site, folder)
    said = str(refused.value)
    assert str(folder / name) in said
    assert any(advice in said for advice in ADVICE), said
    assert len(web.asked) == asked
    assert (folder / name).read_bytes() == before


def test_a_thousand_dead_owners_are_forgotten_at_once(folder: Path) -> None:
    run(
        folder / INDEX,
        """WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
        INSERT INTO owners SELECT 'x:1:' || i, 0 FROM n; UPDATE texts SET owner = 'x:1:7'""",
    )
    with DuplicateIndex(store=SQLiteStore(folder / INDEX)) as index:
        assert not len(index)
    with sqlite3.connect(folder / INDEX) as link:
        assert link.execute("SELECT count(*) FROM owners").fetchone() == (0,)
    link.close()


def test_a_store_that_contradicts_itself_ends_in_an_error() -> None:
    class Liar(MemoryStore):
        def put(self, *args: Any, **more: Any) -> int:
            return 0

        def lives(self, owner: str) -> bool:
            return False

        def release(self, owner: str) -> list[int]:
            return []

    with DuplicateIndex(store=Liar()) as index, pytest.raises(OSError, match="is inconsistent"):
        index.check_and_add("/a", "some text")


@pytest.mark.parametrize("name", [INDEX, SITES])
def test_an_empty_file_is_a_new_one(first: tuple[Web, Stories, Path], folder: Path, name: str) -> None:
    """A crawl killed between creating the file and writing to it leaves it so."""
    web, site, _ = first
    (folder / name).write_bytes(b"")
    done = crawled(web, site, folder)
    assert stories_of(done, site) == set(site.copies())
    assert " WARNING " not in done.log
    assert " ERROR " not in done.log
