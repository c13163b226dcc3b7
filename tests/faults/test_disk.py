"""A disk that is full, a database that cannot be written: the crawl goes on, keeps its items, and says so once."""

import os
from pathlib import Path

import pytest

from tests.crawl.web import Web
from tests.faults.checks import lost_stories, wrong_drops, wrong_index
from tests.faults.limited import may_mount
from tests.faults.project import Project
from tests.faults.stories import Stories

PAGES = 60
INDEX = "DENOISE_DEDUP_STORE=disk/texts.sqlite"
SAID = "The index of texts cannot be used now"
# A feed of 60 items has 60 KB; of the index's journal a text takes some 12 KB.
FILE_BYTES = "130000"
DISKS: dict[str, tuple[str, ...]] = {"full": ("--file-bytes", FILE_BYTES)}
if may_mount(os.fspath(Path(__file__).parent)):
    DISKS["full file system"] = ("--small-disk", "disk", FILE_BYTES)


@pytest.fixture
def site(web: Web) -> Stories:
    stories = Stories(PAGES, seed=1)
    stories.serve(web)
    return stories


@pytest.fixture
def project(web: Web, tmp_path: Path) -> Project:
    project = Project(tmp_path / "crawl", web.url, "-s", INDEX)
    (project.folder / "disk").mkdir()
    return project


def assert_all_is_delivered(project: Project, site: Stories) -> None:
    assert project.journal("closed")[-1]["reason"] == "finished"
    assert len(set(project.urls("entered"))) == len(site.paths)
    assert lost_stories([site], [project]) == []
    assert list(wrong_drops(project)) == []
    assert len(project.urls("scraped")) + len(project.urls("dropped", "failed", "duplicate")) == len(site.paths)


@pytest.mark.parametrize("limits", DISKS.values(), ids=DISKS)
def test_a_full_disk_loses_no_item_and_is_said_once(project: Project, site: Stories, limits: tuple[str, ...]) -> None:
    assert project.run(limits=limits) == 0
    assert_all_is_delivered(project, site)
    assert project.said(SAID) == 1, project.complaints()
    assert list(wrong_index(project.folder / "disk" / "texts.sqlite")) == []


def test_a_database_that_is_read_only_at_the_start_is_said_once(project: Project, site: Stories) -> None:
    disk = project.folder / "disk"
    assert project.run("-s", "CLOSESPIDER_ITEMCOUNT=5") == 0
    before = (disk / "texts.sqlite").read_bytes()
    for file in disk.iterdir():
        file.chmod(0o444)
    disk.chmod(0o555)
    try:
        assert project.run(limits=("--obey",)) == 0
    finally:
        disk.chmod(0o755)
    assert project.journal("closed")[-1]["reason"] == "finished"
    assert lost_stories([site], [project]) == []
    assert list(wrong_drops(project)) == []
    assert project.said(SAID) == 1, project.complaints()
    assert (disk / "texts.sqlite").read_bytes() == before


def test_a_database_that_becomes_read_only_is_said_once(project: Project, site: Stories) -> None:
    assert project.run(fault="tests.faults.inside.ReadOnly") == 0
    assert_all_is_delivered(project, site)
    assert project.said(SAID) == 1, project.complaints()
    assert "readonly database" in next(line for line in project.complaints() if SAID in line)
    assert list(wrong_index(project.folder / "disk" / "texts.sqlite")) == []
