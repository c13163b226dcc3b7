"""Pages of one crawl serve the next, also after a redesign; a fault of the store costs nothing."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from denoise_scrapy.site import SQLiteFacts
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Web, article, story

LINKS = [f"/a/{n}" for n in range(12)]


@pytest.fixture
def linked(web: Web) -> Web:
    for n in range(12):
        web.pages[f"/a/{n}"] = article(n, LINKS)
    return web


def redesigned(number: int) -> str:
    paragraphs = story(number).replace(". ", ".</p><p>")
    return (
        "<html><body><header class='bar'><nav class='menu'>Gazette News Sport</nav></header><main class='page'>"
        f"<article class='story'><h2>Heading of {number}</h2><p>{paragraphs}</p></article></main>"
        "<footer class='end'>Our rights, all of them</footer></body></html>"
    )


def sites_in(path: Path) -> dict[str, int]:
    """Pages that are kept of each site in a file."""
    store = SQLiteFacts(path)
    found = {kept.site: kept.pages for kept in store.sites()}
    store.close()
    return found


def pages_of(web: Web, *numbers: int) -> Any:
    return spider_of(*(web(f"/a/{n}") for n in numbers))


@pytest.mark.parametrize("place", ["JOBDIR", "DENOISE_DEDUP_STORE", "DENOISE_SITE_MEMORY_PATH"])
def test_the_next_crawl_needs_no_comparison_page(linked: Web, tmp_path: Path, place: str) -> None:
    where = {
        "JOBDIR": tmp_path / "job",
        "DENOISE_DEDUP_STORE": tmp_path / "texts.sqlite",
        "DENOISE_SITE_MEMORY_PATH": tmp_path / "denoise-sites.sqlite",
    }
    settings = {place: str(where[place])}
    first = crawl(pages_of(linked, *range(6)), settings)
    assert first.stat("site_memory/loaded") == 0 < first.stat("site_memory/saved")
    file = (tmp_path / "job" if place == "JOBDIR" else tmp_path) / "denoise-sites.sqlite"
    kept = sites_in(file)
    assert list(kept) == [linked.url] and kept[linked.url] >= 5

    linked.asked.clear()
    then = crawl(pages_of(linked, 9), settings)
    assert linked.asked == ["/a/9"]
    assert then.stat("comparison/requests") == then.stat("comparison/waits") == 0
    assert then.stat("body/evidence/comparison_pages") == then.stat("site_memory/loaded") == 1
    assert "rights reserved" not in then.bodies()[linked("/a/9")]


def test_without_a_file_every_crawl_begins_anew(linked: Web, tmp_path: Path) -> None:
    settings = {"JOBDIR": str(tmp_path), "DENOISE_SITE_MEMORY_PATH": ":memory:"}
    for _ in range(2):
        done = crawl(pages_of(linked, *range(6)), settings)
        assert done.stat("site_memory/loaded") == done.stat("site_memory/saved") == 0
    assert "denoise-sites.sqlite" not in {path.name for path in tmp_path.iterdir()}


def test_a_first_crawl_gives_the_same_bodies_with_a_file_and_without(linked: Web, tmp_path: Path) -> None:
    one_by_one = {"CONCURRENT_REQUESTS": 1, "DENOISE_DEDUP": "off", "DENOISE_COMPARISON_WAIT": 0}
    plain = crawl(pages_of(linked, *range(12)), one_by_one)
    kept = crawl(pages_of(linked, *range(12)), {**one_by_one, "DENOISE_SITE_MEMORY_PATH": str(tmp_path / "s.sqlite")})
    assert plain.items == kept.items


def test_a_redesign_between_crawls_costs_no_body(linked: Web, tmp_path: Path) -> None:
    settings = {"DENOISE_SITE_MEMORY_PATH": str(tmp_path / "s.sqlite"), "CONCURRENT_REQUESTS": 1}
    crawl(pages_of(linked, *range(8)), settings)
    for n in range(12):
        linked.pages[f"/a/{n}"] = redesigned(n)
    done = crawl(pages_of(linked, *range(12)), settings)
    assert all("rights" not in body and "number" in body for body in done.bodies().values())
    linked.asked.clear()
    crawl(pages_of(linked, 3), settings)
    assert linked.asked == ["/a/3"], "pages of the new design serve"


@pytest.mark.parametrize("method", ["open", "save"])
def test_a_file_that_cannot_be_opened_or_written_is_said_once_and_the_crawl_goes_on(
    linked: Web, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    def full(*_: Any) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("denoise_scrapy.crawl.site_keeper.SAVE_EVERY", 2)
    monkeypatch.setattr(SQLiteFacts, method, full)
    done = crawl(pages_of(linked, *range(6)), {"DENOISE_SITE_MEMORY_PATH": str(tmp_path / "s.sqlite")})
    assert len(done.items) == 6 and all(done.bodies().values())
    assert done.stat("site_memory/failed") <= 2  # the first time, and at the end; between them it rests
    assert done.log.count("cannot be kept in the site memory") == 1
    assert done.stat("errors") == 0
