"""SIGINT once, which ends a crawl in order, and twice, which does not."""

import signal
from pathlib import Path

import pytest

from denoise_scrapy.crawl.duplicates import INDEX_FILE
from tests.crawl.web import Web
from tests.faults.checks import copies_kept, keys_of, lost_stories, wrong_drops, wrong_index
from tests.faults.project import Project, ended, wait_until
from tests.faults.stories import Stories

PAGES = 80


@pytest.fixture
def site(web: Web) -> Stories:
    stories = Stories(PAGES, seed=4)
    stories.serve(web)
    web.seconds = 0.05
    return stories


@pytest.fixture
def project(web: Web, tmp_path: Path) -> Project:
    return Project(tmp_path / "crawl", web.url, "-s", "JOBDIR=job")


def interrupt(project: Project, times: int) -> None:
    """Start a run, and interrupt it with items in the pipelines."""
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


def test_one_interrupt_delivers_what_is_on_its_way(project: Project, site: Stories) -> None:
    interrupt(project, 1)
    assert [end["reason"] for end in project.journal("closed")] == ["shutdown"]
    index = project.folder / "job" / INDEX_FILE
    assert set(project.urls("entered")) == set(project.urls("scraped", "dropped", "failed", "duplicate"))
    assert keys_of(index) == set(project.feed().urls) != set()
    assert_resumed_to_the_end(project, site)
    assert copies_kept(project.feed().urls, [site]) == []
    assert keys_of(index) == set(project.feed().urls)


def test_two_interrupts_add_no_loss(project: Project, site: Stories) -> None:
    interrupt(project, 2)
    assert project.journal("closed") == [], "the crawl has ended in order"
    assert keys_of(project.folder / "job" / INDEX_FILE) <= set(project.urls("entered"))
    assert list(wrong_drops(project)) == []
    assert_resumed_to_the_end(project, site)


def assert_resumed_to_the_end(project: Project, site: Stories) -> None:
    assert list(wrong_index(project.folder / "job" / INDEX_FILE)) == []
    assert project.run() == 0
    assert project.journal("closed")[-1]["reason"] == "finished"
    assert lost_stories([site], [project]) == []
    assert list(wrong_drops(project)) == []
    assert list(wrong_index(project.folder / "job" / INDEX_FILE)) == []
