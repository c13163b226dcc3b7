"""Checks of the results of a crawl, whatever happened to it; each returns a sentence per problem."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from denoise_scrapy.commands.dedup import open_index
from tests.dedup.soundness import problems
from tests.faults.project import Project
from tests.faults.spider import passes_user
from tests.faults.stories import Stories


def wrong_at_end(sites: Sequence[Stories], projects: Sequence[Project], index: Path | None = None) -> list[str]:
    """Return the problems of finished crawls that share an index."""
    ends = [project.journal("closed")[-1:] for project in projects]
    found = [f"it has not come to its end: {end}" for end in ends if not end or end[0]["reason"] != "finished"]
    got = {story_of(url, sites) for project in projects for url in project.feed().urls}
    wanted = {site.story(path) for site in sites for path in site.paths if passes_user(path)}
    found += [f"story {story} is lost" for story in sorted(wanted - got)]
    return [*found, *wrong_so_far(projects, index)]


def wrong_so_far(projects: Sequence[Project], index: Path | None = None) -> Iterator[str]:
    """Check that items are dropped only as copies of items in a feed, never of themselves, and the index is intact."""
    there = {url for project in projects for url in project.feed().urls}
    for line in (line for project in projects for line in project.journal("duplicate")):
        if line["of"] not in there or line["of"] == line["url"]:
            yield f"{line['url']} was dropped as a copy of {line['of']}, which is itself or is not in the feed"
    if index is not None and index.exists() and index.stat().st_size:  # else it was killed before its first commit
        with tempfile.TemporaryDirectory() as folder, open_index(copied(index, folder))[0] as store:
            yield from (f"the index: {problem}" for problem in problems(store))
            assert len(list(store.records())) == len(store)  # a damaged one raises an error


def keys_of(index: Path) -> set[str]:
    """Keys of the texts in an index."""
    with tempfile.TemporaryDirectory() as folder, open_index(copied(index, folder))[0] as store:
        return {record.name.key for record in store.records()}


def copied(index: Path, folder: str) -> str:
    """Return a copy of an index, since opening may repair it."""
    for file in index.parent.glob(f"{index.name}*"):
        shutil.copy(file, folder)
    return str(Path(folder, index.name))


def copies_kept(urls: Iterable[str], sites: Sequence[Stories]) -> list[str]:
    """Items of stories that are in a feed before them."""
    seen: set[int] = set()
    found = []
    for url in dict.fromkeys(urls):
        story = story_of(url, sites)
        if story in seen:
            found.append(url)
        seen.add(story)
    return found


def story_of(url: str, sites: Sequence[Stories]) -> int:
    """The story of a page of one of several sites; these number the same stories alike."""
    return next(site.story(url) for site in sites if site.has(url))
