"""Crawls with an index in a file: a disk that fails, interrupts, kills, two crawls at once.

No story is lost, none is dropped wrongly, and what fails is said once.
"""

import os
import random
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from denoise_scrapy.crawl.duplicates import INDEX_FILE
from tests.crawl.web import Web
from tests.faults.checks import copies_kept, keys_of, wrong_at_end, wrong_so_far
from tests.faults.limited import may_mount
from tests.faults.project import LIMITED, Project, ended, settled_urls
from tests.faults.stories import Stories
from tests.processes import wait_until

PAGES = 60
SAID = "The index of texts cannot be used now"
# A feed of 60 items has 60 KB; of the index's journal a text takes some 12 KB.
FILE_BYTES = "130000"


@pytest.fixture
def site(web: Web) -> Stories:
    stories = Stories(PAGES, seed=1)
    stories.serve(web)
    return stories


class TestDisk:
    LIMITS: tuple[tuple[str, ...], ...] = (
        ("--file-bytes", FILE_BYTES),
        *[("--small-disk", "disk", FILE_BYTES)] * may_mount(os.fspath(Path(__file__).parent)),
    )

    @pytest.fixture
    def project(self, web: Web, tmp_path: Path) -> Project:
        project = Project(tmp_path / "crawl", web.url, "-s", "DENOISE_DEDUP_STORE=disk/texts.sqlite")
        (project.folder / "disk").mkdir()
        return project

    @pytest.mark.parametrize("limits", LIMITS)
    def test_one_that_fails_loses_no_item(self, project: Project, site: Stories, limits: tuple[str, ...]) -> None:
        assert project.run(limits=limits) == 0
        assert wrong_at_end([site], [project], project.folder / "disk" / "texts.sqlite") == []
        assert len(project.urls("entered")) == len(project.urls("scraped", "dropped", "failed", "duplicate")) == PAGES
        assert project.said(SAID) == 1, project.complaints()

    def test_a_database_that_is_read_only_at_the_start(self, project: Project, site: Stories) -> None:
        disk = project.folder / "disk"
        assert project.run("-s", "CLOSESPIDER_ITEMCOUNT=5") == 0
        before = (disk / "texts.sqlite").read_bytes()
        for file in disk.iterdir():
            file.chmod(0o444)
        disk.chmod(0o555)
        try:
            assert project.run(limits=("--obey",)) == 0
            stats = ["-m", "scrapy", "denoise", "dedup", "stats", "disk/texts.sqlite"]
            command = [sys.executable, str(LIMITED), "--obey", sys.executable, *stats]
            assert "constants:" in subprocess.check_output(command, cwd=project.folder, text=True)
        finally:
            disk.chmod(0o755)
        assert wrong_at_end([site], [project]) == []
        facts = "The site memory disk/denoise-sites.sqlite cannot be used now"
        assert project.said(SAID) == project.said(facts) == 1, project.complaints()
        assert (disk / "texts.sqlite").read_bytes() == before
        assert "'denoise/site_memory/loaded': 1" in project.log()


@pytest.mark.parametrize("times", [1, 2])
def test_interrupts(web: Web, site: Stories, tmp_path: Path, times: int) -> None:
    """One SIGINT ends a crawl in order, delivering items in progress; two do not, but lose nothing more."""
    web.seconds = 0.05
    project = Project(tmp_path / "crawl", web.url, "-s", "JOBDIR=job")
    index = project.folder / "job" / INDEX_FILE
    process = project.start()
    try:
        wait_until(lambda: len(project.urls("entered")) > PAGES // 3)
        for number in range(times):
            process.send_signal(signal.SIGINT)
            if number + 1 < times:  # two at the same moment count as one
                wait_until(lambda: project.said("Received SIGINT") or project.said("shutting down gracefully"))
        ended(process)
    finally:
        process.kill()
        process.wait()
    assert [end["reason"] for end in project.journal("closed")] == ["shutdown"] * (times == 1)
    assert list(wrong_so_far([project], index)) == [] and keys_of(index) <= set(project.urls("entered"))
    if times == 1:
        assert set(project.urls("entered")) == set(project.urls("scraped", "dropped", "failed", "duplicate"))
        assert keys_of(index) == set(project.feed().urls) != set()
    assert project.run() == 0
    assert wrong_at_end([site], [project], index) == []
    if times == 1:
        assert copies_kept(project.feed().urls, [site]) == [] and keys_of(index) == set(project.feed().urls)


class TestKills:
    """Kill a crawl at random moments, resume it until it ends, and check whether anything was lost."""

    PAGES, KILLS = 120, 3
    STARTING = 0.15  # share of the kills that come while the process starts, before its first item
    START_SECONDS = 1.2  # about what a start takes
    LATER_SECONDS = 0.3  # a kill comes within so many after some item has entered; the user's pipeline takes as long
    PAGE_SECONDS = 0.08  # a page takes the site so long; else a crawl of few pages would end before its kill

    @pytest.mark.parametrize("seed", [3])
    def test_they_lose_no_story_and_drop_no_item_wrongly(self, tmp_path: Path, web: Web, seed: int) -> None:
        site, chance, kills = Stories(self.PAGES, seed), random.Random(seed), 0
        site.serve(web)
        web.seconds = self.PAGE_SECONDS
        project = Project(tmp_path / "killed", web.url, "-s", "JOBDIR=job")
        index = project.folder / "job" / INDEX_FILE
        while kills < self.KILLS and self.is_killed(project, chance, self.KILLS - kills):
            kills += 1
            assert list(wrong_so_far([project], index)) == [] and project.feed().torn <= kills
        web.seconds = 0.0
        assert project.run() == 0 and kills == self.KILLS
        assert wrong_at_end([site], [project], index) == [] and project.feed().torn <= kills
        there = set(project.feed().urls)
        got = {site.story(url) for url in there}
        assert keys_of(index) <= there and len(got) > 30
        assert {site.story(url) for url in project.urls("scraped")} <= got
        assert {web(path) for path in site.paths} <= there.union(project.urls("dropped", "failed", "duplicate"))

    def is_killed(self, project: Project, chance: random.Random, left: int) -> bool:
        """Start a run and kill it after some items, so few that the crawl lasts for all kills that are left."""
        before = len(project.journal("entered"))
        unsettled = self.PAGES - len(settled_urls(project.folder))
        items = chance.randint(1, max(1, 2 * unsettled // (left + 2)))
        process = project.start()
        if chance.random() < self.STARTING:
            seconds = chance.uniform(0.0, self.START_SECONDS)
        else:
            seconds = chance.uniform(0.0, self.LATER_SECONDS)
            wait_until(lambda: len(project.journal("entered")) >= before + items or process.poll() is not None)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        return process.returncode == -9


def test_two_crawls_on_one_file_keep_each_story_once(web: Web, tmp_path: Path) -> None:
    """Both crawl all the stories, under their own URLs; they share the site memory too."""
    sites = [Stories(PAGES, seed=1, folder=name) for name in "ab"]
    index = tmp_path / "texts.sqlite"
    projects = []
    for site, name in zip(sites, "ab", strict=True):
        site.serve(web, f"/list/{name}")
        arguments = ("-a", f"list_path=/list/{name}", "-s", "JOBDIR=job", "-s", f"DENOISE_DEDUP_STORE={index}")
        projects.append(Project(tmp_path / name, web.url, *arguments))
    web.seconds = 0.03
    processes = [project.start() for project in projects]
    assert [ended(process) for process in processes] == [0, 0]

    kept = [url for project in projects for url in project.feed().urls]
    assert wrong_at_end(sites, projects, index) == [] and copies_kept(kept, sites) == []
    assert all(project.feed().urls for project in projects), "one crawl was done before the other began"
    assert keys_of(index) == set(kept)
    assert [project.complaints() for project in projects] == [[], []]
    with sqlite3.connect(tmp_path / "denoise-sites.sqlite") as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert file.execute("SELECT count(*) FROM facts").fetchone()[0] > 0
