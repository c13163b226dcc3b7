"""Two crawls at the same time that share an index and a site memory."""

import sqlite3
from pathlib import Path

from tests.crawl.web import Web
from tests.faults.checks import copies_kept, keys_of, lost_stories, wrong_drops, wrong_index
from tests.faults.project import Project, ended
from tests.faults.stories import Stories

PAGES = 60


def test_two_crawls_on_one_file_keep_each_story_once(web: Web, tmp_path: Path) -> None:
    """Both see all the stories, under URLs of their own."""
    sites = [Stories(PAGES, seed=1, folder=name) for name in "ab"]
    index = tmp_path / "texts.sqlite"
    projects = []
    for site, name in zip(sites, "ab", strict=True):
        site.serve(web, f"/list/{name}")
        arguments = ("-a", f"list_path=/list/{name}", "-s", "JOBDIR=job", "-s", f"DENOISE_DEDUP_PATH={index}")
        projects.append(Project(tmp_path / name, web.url, *arguments))
    web.seconds = 0.03
    processes = [project.start() for project in projects]
    assert [ended(process) for process in processes] == [0, 0]

    kept = [url for project in projects for url in project.feed().urls]
    assert list(wrong_drops(*projects)) == []
    assert copies_kept(kept, sites) == []
    assert lost_stories(sites, projects) == []
    assert all(project.feed().urls for project in projects), "one crawl was done before the other began"
    assert keys_of(index) == set(kept)
    assert list(wrong_index(index)) == []
    assert [project.complaints() for project in projects] == [[], []]
    with sqlite3.connect(tmp_path / "denoise-sites.sqlite") as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert file.execute("SELECT count(*) FROM facts").fetchone()[0] > 0
