"""Kill a crawl at random moments, resume it until it ends, and look whether anything was lost."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from denoise_scrapy.crawl.duplicates import INDEX_FILE
from tests.crawl.web import Web
from tests.faults.checks import keys_of, wrong_drops, wrong_index
from tests.faults.journal import settled_urls
from tests.faults.project import Project, wait_until
from tests.faults.stories import Stories

PAGES, KILLS = 120, 3
STARTING = 0.15  # share of the kills that come while the process starts, before its first item
START_SECONDS = 1.2  # about what a start takes
LATER_SECONDS = 0.3  # a kill comes within so many after some item has entered; the user's pipeline takes as long
PAGE_SECONDS = 0.08  # a page takes the site so long; else a crawl of few pages would end before its kill


@pytest.mark.parametrize("seed", [3])
def test_kills_lose_no_story_and_drop_no_item_wrongly(tmp_path: Path, web: Web, seed: int) -> None:
    """Against a bare crawl of the same site, without kills."""
    site, chance, kills = Stories(PAGES, seed), random.Random(seed), 0
    site.serve(web)
    bare = Project(tmp_path / "bare", web.url)
    assert bare.run(bare=True) == 0, bare.log()
    web.seconds = PAGE_SECONDS
    project = Project(tmp_path / "killed", web.url, "-s", "JOBDIR=job")
    while kills < KILLS and is_killed(project, chance, KILLS - kills):
        kills += 1
        assert list(wrong_after(project, kills)) == []
    web.seconds = 0.0
    assert project.run() == 0
    assert list(wrong_after(project, kills)) == []
    assert list(wrong_at_end(project, bare, site)) == []
    assert kills == KILLS
    assert len({site.story(url) for url in project.feed().urls}) > 30


def is_killed(project: Project, chance: random.Random, left: int) -> bool:
    """Start a run and kill it after some items, so few that the crawl lasts for all kills that are left."""
    before = len(project.journal("entered"))
    unsettled = PAGES - len(settled_urls(project.folder))
    items = chance.randint(1, max(1, 2 * unsettled // (left + 2)))
    process = project.start()
    if chance.random() < STARTING:
        seconds = chance.uniform(0.0, START_SECONDS)
    else:
        seconds = chance.uniform(0.0, LATER_SECONDS)
        wait_until(lambda: len(project.journal("entered")) >= before + items or process.poll() is not None)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    return process.returncode == -9


def wrong_after(project: Project, kills: int) -> Iterator[str]:
    """Yield what is wrong with what a run has left."""
    yield from wrong_drops(project)
    yield from wrong_index(project.folder / "job" / INDEX_FILE)
    torn = project.feed().torn
    if torn > kills:
        yield f"{torn} lines of the feed are torn by {kills} kills"


def wrong_at_end(project: Project, bare: Project, site: Stories) -> Iterator[str]:
    """Yield what is wrong with a crawl that has ended, as compared with a bare one without kills."""
    if not project.journal("closed"):
        yield "no run has come to its end"
    there = set(project.feed().urls)
    got = {site.story(url) for url in there}
    for story in sorted({site.story(url) for url in bare.feed().urls} - got):
        yield f"story {story} is lost: none of {', '.join(site.copies()[story])} is in the feed"
    for url in set(project.urls("scraped")) - there:
        if site.story(url) not in got:
            yield f"{url} left the pipelines and is not in the feed"
    for key in sorted(keys_of(project.folder / "job" / INDEX_FILE) - there):
        yield f"the index holds {key}, which is not in the feed"
    lone = set(bare.feed().urls) | set(bare.urls("dropped", "failed"))
    for url in sorted(lone - there - set(project.urls("dropped", "failed", "duplicate"))):
        yield f"nothing became of {url}"
