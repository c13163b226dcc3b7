"""Kill a crawl at random moments, resume it until it ends, and look whether anything was lost."""

from __future__ import annotations

import random
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from denoise_scrapy.crawl.duplicates import INDEX_FILE
from tests.crawl.web import Web
from tests.faults.checks import keys_of, wrong_drops, wrong_index
from tests.faults.journal import settled_urls
from tests.faults.project import Project, wait_until
from tests.faults.stories import Stories

STARTING = 0.15  # share of the kills that come while the process starts, before its first item
START_SECONDS = 1.2  # about what a start takes
LATER_SECONDS = 0.3  # a kill comes within so many after some item has entered; the user's pipeline takes as long
PAGE_SECONDS = 0.08  # a page takes the site so long; else a crawl of few pages would end before its kill


@dataclass
class Trial:
    """A crawl that was killed, and what is wrong with what it left.

    Attributes:
        rows: A line for each kill: run, seconds, items entered, in the feed, duplicates, torn lines.
        wrong: Sentences; none is what is wanted.
        twice: Items of a story that is in the feed already: crawled again after a kill that came before they were
            known to be there.
    """

    rows: list[tuple[int, float, int, int, int, int]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    stories: int = 0
    delivered: int = 0
    twice: int = 0

    @property
    def kills(self) -> int:
        return len(self.rows)

    def note(self, wrong: Iterable[str]) -> None:
        """Add sentences, each once."""
        self.wrong += [sentence for sentence in dict.fromkeys(wrong) if sentence not in self.wrong]


def run_killed(folder: Path, kills: int, seed: int, pages: int) -> Trial:
    """Crawl a site of stories, kill the crawl so many times, resume it to its end, and check.

    Args:
        folder: Where the projects go; made where it is not there.
        kills: How many; a run that ends before its kill is not counted, and is followed by no other.
        seed: Of site and moments.
        pages: Of the site.
    """
    folder.mkdir(exist_ok=True)
    web, site, trial = Web(), Stories(pages, seed), Trial()
    site.serve(web)
    try:
        bare = Project(folder / "bare", web.url)
        if bare.run(bare=True) != 0:
            raise RuntimeError(f"the bare crawl fails: {bare.log()}")
        web.seconds = PAGE_SECONDS
        project = Project(folder / "killed", web.url, "-s", "JOBDIR=job")
        chance = random.Random(seed)
        while trial.kills < kills and killed(project, chance, trial, kills - trial.kills, pages):
            trial.note(wrong_after(project, trial.kills))
        web.seconds = 0.0
        if project.run() != 0:
            trial.note(["the last run ends with an error"])
    finally:
        web.close()
    trial.note(wrong_after(project, trial.kills))
    trial.note(wrong_at_end(project, bare, site, trial))
    return trial


def killed(project: Project, chance: random.Random, trial: Trial, left: int, pages: int) -> bool:
    """Start a run and kill it; tell whether it was there to be killed.

    Args:
        project: The crawl.
        chance: Of the moment: some items after the start, so many that the crawl lasts for all kills.
        trial: Gets a row.
        left: Kills to come, with this one.
        pages: Of the site.
    """
    began, before = time.monotonic(), len(project.journal("entered"))
    unsettled = pages - len(settled_urls(project.folder))
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
    if process.returncode != -9:
        return False
    did, feed = Counter(line["what"] for line in project.journal()), project.feed()
    row = (project.runs, time.monotonic() - began, did["entered"], len(feed.items), did["duplicate"], feed.torn)
    trial.rows.append(row)
    return True


def wrong_after(project: Project, kills: int) -> Iterator[str]:
    """Yield what is wrong with what a run has left."""
    yield from wrong_drops(project)
    yield from wrong_index(project.folder / "job" / INDEX_FILE)
    torn = project.feed().torn
    if torn > kills:
        yield f"{torn} lines of the feed are torn by {kills} kills"


def wrong_at_end(project: Project, bare: Project, site: Stories, trial: Trial) -> Iterator[str]:
    """Yield what is wrong with a crawl that has ended, as compared with a bare one without kills."""
    if not project.journal("closed"):
        yield "no run has come to its end"
    there = project.feed().urls
    wanted = {site.story(url) for url in bare.feed().urls}
    got = Counter(site.story(url) for url in set(there))
    trial.stories, trial.delivered = len(wanted), len(got)
    trial.twice = sum(got.values()) - len(got)
    for story in sorted(wanted - set(got)):
        yield f"story {story} is lost: none of {', '.join(site.copies()[story])} is in the feed"
    for url in set(project.urls("scraped")) - set(there):
        if site.story(url) not in got:
            yield f"{url} left the pipelines and is not in the feed"
    for key in sorted(keys_of(project.folder / "job" / INDEX_FILE) - set(there)):
        yield f"the index holds {key}, which is not in the feed"
    lone = set(bare.feed().urls) | set(bare.urls("dropped", "failed"))
    for url in sorted(lone - set(there) - set(project.urls("dropped", "failed", "duplicate"))):
        yield f"nothing became of {url}"


@pytest.mark.parametrize("seed", [3])
def test_kills_lose_no_story_and_drop_no_item_wrongly(tmp_path: Path, seed: int) -> None:
    trial = run_killed(tmp_path / "trial", kills=3, seed=seed, pages=120)
    assert trial.wrong == []
    assert trial.kills == 3
    assert trial.delivered == trial.stories > 30
