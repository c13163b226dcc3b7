"""A file that cannot be continued: the crawl does not start, says what to do, and leaves the file as it is."""

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import scrapy

from tests.crawl.web import Web
from tests.faults.checks import lost_stories, wrong_drops
from tests.faults.project import Project
from tests.faults.stories import Stories

INDEX, SITES = "texts.sqlite", "denoise-sites.sqlite"
ARGUMENTS = ("-s", f"DENOISE_DEDUP_PATH={INDEX}")
PAGE = 4096  # bytes of a page of ours, SQLite's default
NOISE = random.Random(5).randbytes(PAGE)
ADVICE = ("move that file away", "Delete the file", "delete it")


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Web, Stories, Path]]:
    """A site, and the folder of its first crawl."""
    web, stories = Web(), Stories(40, seed=2)
    stories.serve(web)
    project = Project(tmp_path_factory.mktemp("first") / "crawl", web.url, *ARGUMENTS)
    assert project.run() == 0
    (project.folder / "log.txt").unlink()
    yield web, stories, project.folder
    web.close()


@pytest.fixture
def project(crawled: tuple[Web, Stories, Path], tmp_path: Path) -> Project:
    """A project with an index and a site memory of a first crawl."""
    web, _, folder = crawled
    shutil.copytree(folder, tmp_path / "crawl")
    return Project(tmp_path / "crawl", web.url, *ARGUMENTS)


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


@pytest.mark.parametrize("name", [INDEX, SITES])
@pytest.mark.parametrize("damage", [foreign, newer, something])
def test_it_is_refused_and_left_as_it_is(project: Project, name: str, damage: Callable[[Path], None]) -> None:
    file = project.folder / name
    damage(file)
    before = file.read_bytes()
    entered = project.urls("opened", "entered")
    code = project.run()
    # Earlier versions of Scrapy end with 0 whenever a pipeline cannot open.
    assert code != 0 or scrapy.version_info < (2, 19)
    [said] = [line for line in project.complaints() if "CRITICAL: The crawl does not start: " in line]
    assert name in said
    assert any(advice in said for advice in ADVICE), said
    assert project.urls("opened", "entered") == entered
    assert file.read_bytes() == before


@pytest.mark.parametrize("name", [INDEX, SITES])
def test_an_empty_file_is_a_new_one(project: Project, crawled: tuple[Web, Stories, Path], name: str) -> None:
    """As a crawl leaves it that was killed between making the file and writing to it."""
    (project.folder / name).write_bytes(b"")
    assert project.run() == 0
    assert project.complaints() == []
    assert lost_stories([crawled[1]], [project]) == []


def test_damage_that_shows_in_the_middle_of_a_crawl_is_said_once(
    project: Project, crawled: tuple[Web, Stories, Path]
) -> None:
    web, site, _ = crawled
    file = project.folder / INDEX
    with sqlite3.connect(file) as link:
        [(number,)] = link.execute("SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_texts_1'")
    link.close()
    with file.open("r+b") as opened:  # read when a text is kept, not before
        opened.seek((number - 1) * PAGE)
        opened.write(NOISE[:PAGE])
    more = Stories(60, seed=3, folder="more")
    more.serve(web, "/more")
    assert project.run("-a", "list_path=/more") == 0
    assert lost_stories([site, more], [project]) == []
    assert list(wrong_drops(project)) == []
    assert len(project.complaints()) == 1, project.complaints()
