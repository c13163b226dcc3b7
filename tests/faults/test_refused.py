"""A file that cannot be continued: the crawl does not start, says what to do, and leaves the file as it is."""

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import scrapy

from denoise_scrapy.setting_values import ConfigurationError
from tests.crawl.crawling import Crawl, crawl, spider_of
from tests.crawl.web import Web
from tests.faults.project import Project
from tests.faults.stories import Stories

INDEX, SITES = "texts.sqlite", "denoise-sites.sqlite"
HEADER = 100  # bytes of SQLite's file header, which tells whose file it is
PAGE = 4096  # bytes of a page of ours, SQLite's default
NOISE = random.Random(5).randbytes(PAGE * 200)
ADVICE = ("move that file away", "Move it away, or restore it", "Delete the file", "delete it")


def stories_of(done: Crawl, *sites: Stories) -> set[int]:
    return {site.story(item["url"]) for item in done.items for site in sites if site.has(item["url"])}


def crawled(web: Web, site: Stories, folder: Path) -> Crawl:
    settings: dict[str, Any] = {"DENOISE_DEDUP_PATH": str(folder / INDEX), "CONCURRENT_REQUESTS": 4}
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


def middle(file: Path) -> None:
    size = file.stat().st_size
    with file.open("r+b") as opened:
        opened.seek(HEADER)
        opened.write(NOISE[: size - HEADER - PAGE])


def end(file: Path) -> None:
    """Damage the records and leave the tables' names."""
    start = file.stat().st_size // PAGE // 2 * PAGE
    with file.open("r+b") as opened:
        opened.seek(start)
        opened.write(NOISE[: file.stat().st_size - start])


def cut(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.truncate(file.stat().st_size // 2 + 7)


def foreign(file: Path) -> None:
    file.unlink()
    with sqlite3.connect(file) as link:
        link.execute("CREATE TABLE customers (name TEXT)")
        link.execute("INSERT INTO customers VALUES ('of value')")
    link.close()


def newer(file: Path) -> None:
    with sqlite3.connect(file) as link:
        link.execute("UPDATE meta SET value = '999' WHERE name = 'format'")
    link.close()


def something(file: Path) -> None:
    file.write_bytes(b"something else of value" * 500)


@pytest.mark.parametrize(
    ("damage", "name"),
    # of the site memory, damaged records cost their site only
    [(end, INDEX), *product([middle, cut, foreign, newer, something], [INDEX, SITES])],
)
def test_it_is_refused_and_left_as_it_is(
    first: tuple[Web, Stories, Path], folder: Path, damage: Callable[[Path], None], name: str
) -> None:
    web, site, _ = first
    damage(folder / name)
    before, asked = (folder / name).read_bytes(), len(web.asked)
    with pytest.raises(ConfigurationError) as refused:
        crawled(web, site, folder)
    said = str(refused.value)
    assert str(folder / name) in said
    assert any(advice in said for advice in ADVICE), said
    assert len(web.asked) == asked
    assert (folder / name).read_bytes() == before


def test_the_process_fails_where_the_site_memory_is_refused(web: Web, tmp_path: Path) -> None:
    project = Project(tmp_path / "crawl", web.url, "-s", f"DENOISE_SITE_MEMORY_PATH={SITES}")
    (project.folder / SITES).write_bytes(b"something else of value" * 500)
    # Earlier versions of Scrapy end with 0 whenever a pipeline cannot open.
    assert project.run() != 0 or scrapy.version_info < (2, 19)
    assert project.said(f"CRITICAL: The crawl does not start: the site memory {SITES}") == 1


@pytest.mark.parametrize("name", [INDEX, SITES])
def test_an_empty_file_is_a_new_one(first: tuple[Web, Stories, Path], folder: Path, name: str) -> None:
    """As a crawl leaves it that was killed between making the file and writing to it."""
    web, site, _ = first
    (folder / name).write_bytes(b"")
    done = crawled(web, site, folder)
    assert stories_of(done, site) == set(site.copies())
    assert " WARNING " not in done.log
    assert " ERROR " not in done.log


def test_damage_that_shows_in_the_middle_of_a_crawl_is_said_once(
    first: tuple[Web, Stories, Path], folder: Path
) -> None:
    web, more = first[0], Stories(60, seed=3, folder="more")
    file = folder / INDEX
    with sqlite3.connect(file) as link:
        [(number,)] = link.execute("SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_texts_1'")
    link.close()
    with file.open("r+b") as opened:  # read when a text is kept, not before
        opened.seek((number - 1) * PAGE)
        opened.write(NOISE[:PAGE])
    more.serve(web, "/more")
    done = crawled(web, more, folder)
    ours = [str(reason.of) for _, reason in done.dropped]  # type: ignore[attr-defined]
    assert len(done.items) + len(done.dropped) == len(more.paths)
    assert all("/p/" in of or of in {item["url"] for item in done.items} for of in ours)
    [said] = [line for line in done.log.splitlines() if " WARNING " in line or " ERROR " in line]
    assert "The index of texts cannot be used now" in said
