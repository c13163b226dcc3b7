"""What must hold of what a crawl has left, whatever happened to it; each check yields what is wrong, in sentences."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from denoise_scrapy.commands.dedup import problems
from denoise_scrapy.commands.indexes import open_store
from tests.faults.project import Project
from tests.faults.spider import passes_user
from tests.faults.stories import Stories


def wrong_drops(*projects: Project) -> Iterator[str]:
    """Items are dropped as copies only of items that are in a feed, and never of themselves.

    Args:
        projects: Those that share an index.
    """
    there = {url for project in projects for url in project.feed().urls}
    for line in (line for project in projects for line in project.journal("duplicate")):
        if line["of"] not in there:
            yield f"{line['url']} was dropped as a copy of {line['of']}, which is not in the feed"
        if line["of"] == line["url"]:
            yield f"{line['url']} was dropped as a copy of itself"


def lost_stories(sites: Sequence[Stories], projects: Sequence[Project]) -> list[str]:
    """Stories that the user's pipelines let pass in some copy, and of which none is in a feed."""
    got = {story_of(url, sites) for project in projects for url in project.feed().urls}
    wanted = {site.story(path) for site in sites for path in site.paths if passes_user(path)}
    return [f"story {story} is lost" for story in sorted(wanted - got)]


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


def wrong_index(path: Path) -> Iterator[str]:
    """The index opens and is whole. A copy is looked at: to open it may mend it."""
    if not path.exists() or not path.stat().st_size:  # killed before its first commit
        return
    with tempfile.TemporaryDirectory() as folder:
        for file in path.parent.glob(f"{path.name}*"):
            shutil.copy(file, folder)
        opened = open_store(str(Path(folder, path.name)))
        with opened.store:
            yield from (f"the index: {problem}" for problem in problems(opened))


def keys_of(path: Path) -> set[str]:
    """Keys of the texts in an index."""
    with tempfile.TemporaryDirectory() as folder:
        for file in path.parent.glob(f"{path.name}*"):
            shutil.copy(file, folder)
        with open_store(str(Path(folder, path.name))).store as store:
            return {record.name.key for record in store.records()}
