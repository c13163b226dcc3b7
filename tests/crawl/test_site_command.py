"""`scrapy denoise site`: what is kept is shown, a site is forgotten, and nothing is harmed."""

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from denoise_scrapy.page import Page
from denoise_scrapy.site import FactsStore, SQLiteFacts
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.test_commands import call
from tests.crawl.web import Web, article
from tests.site.made_sites import page

LINKS = [f"/a/{n}" for n in range(6)]
FILE = "denoise-sites.sqlite"


@pytest.fixture
def known(here: Path, web: Web) -> Web:
    """A site of which `denoise-sites.sqlite` in the current folder keeps pages."""
    for n in range(6):
        web.pages[f"/a/{n}"] = article(n, LINKS)
    crawl(spider_of(*(web(f"/a/{n}") for n in range(6))), {"DENOISE_SITE_MEMORY_PATH": FILE})
    return web


def host_of(web: Web) -> str:
    return web.url.partition("://")[2]


def shown(capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    capsys.readouterr()  # the log of crawls
    assert call("site", *argv, "--json") == 0
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def stored(here: Path) -> Iterator[FactsStore]:
    """A file that keeps pages of a site by http and https."""
    store = SQLiteFacts(here / "s.sqlite")
    store.save({site: [page(n).facts for n in range(3)] for site in ("http://a.example:80", "https://a.example:443")})
    yield store
    store.close()


def test_a_site_is_shown(known: Web, capsys: pytest.CaptureFixture[str]) -> None:
    (site,) = shown(capsys, known("/any/page"), FILE)
    assert site["site"] == known.url and site["pages"] == len(site["urls"]) >= 5
    assert all(url.startswith(known.url) for url in site["urls"])
    assert call("site", host_of(known), FILE) == 0
    assert capsys.readouterr().out.endswith("\n".join(["", *site["urls"], ""]))


def test_all_sites_are_listed_by_the_settings(known: Web, capsys: pytest.CaptureFixture[str]) -> None:
    for settings in ({"DENOISE_DEDUP_PATH": "texts.sqlite"}, {"JOBDIR": "."}):
        assert call("site", **settings) == 0
        told = capsys.readouterr().out
        assert "1 site\npages" in told and told.endswith(f"  {known.url}\n")
    assert call("site", ".") == call("site", FILE) == 0
    assert "urls" not in shown(capsys, FILE)[0]


def test_forgetting_asks(stored: FactsStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for answer in ("", "n\n"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
        assert call("site", "a.example:80", "s.sqlite", "--forget") == 1
    assert len(stored.sites()) == 2
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert call("site", "a.example:80", "s.sqlite", "--forget") == 0
    assert [site.site for site in stored.sites()] == ["https://a.example:443"]
    assert call("site", "a.example", "s.sqlite", "--forget", "--yes") == 0
    assert stored.sites() == []


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (["b.example", "s.sqlite"], 1, "no pages of 'b.example' are kept"),
        (["http://a.exampl", "s.sqlite"], 1, "did you mean http://a.example:80?"),
        (["s.sqlite", "--forget"], 2, "--forget needs a HOST"),
        (["a.example"], 2, "no STORE is given"),
        (["a.example", "none.sqlite"], 1, "none.sqlite: there is no site memory"),
        (["none.sqlite"], 1, "none.sqlite: there is no site memory"),
        (["a.example", "."], 1, "denoise-sites.sqlite: there is no site memory"),
        (["a.example", "text.db"], 1, "no SQLite database"),
        (["a.example", "empty.db"], 1, "there is no site memory"),
        (["a.example", "http://b.example"], 1, "no such kind of store"),
    ],
)
def test_what_is_wrong_is_said(
    stored: FactsStore, here: Path, capsys: pytest.CaptureFixture[str], argv: list[str], code: int, said: str
) -> None:
    (here / "text.db").write_bytes(b"something else" * 99)
    (here / "empty.db").touch()
    before = {path.name for path in here.iterdir()}
    assert call("site", *argv) == code
    assert said in capsys.readouterr().err
    assert {path.name for path in here.iterdir()} == before
    assert (here / "text.db").read_bytes() == b"something else" * 99
    assert len(stored.sites()) == 2


def test_settings_name_a_folder_that_is_not_made(here: Path) -> None:
    assert call("site", JOBDIR="job") == 1
    assert not (here / "job").exists()


def test_names_of_hostile_pages_cannot_reach_the_terminal(
    stored: FactsStore, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = Page.parse("<p>text", url="http://a.example/\x1b[2J\n\ud800")
    stored.save({"http://a.example:80": [hostile.facts]})
    assert call("site", "a.example:80", "s.sqlite") == 0
    told = capsys.readouterr().out
    assert "\x1b" not in told and "http://a.example/\\u001b[2J" in told
    assert call("site", "a.example:80", "s.sqlite", "--json") == 0
