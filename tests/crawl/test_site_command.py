"""`scrapy denoise site`: what was learned is shown, a pinned rule decides, and nothing is harmed."""

import io
import json
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from denoise_scrapy.site import LearnedRule, LearnedTemplate, SiteStore, SQLiteSiteStore, Unsaved
from denoise_scrapy.site.rules import Rule
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.test_commands import call, scrapy
from tests.crawl.web import Web, article

LINKS = [f"/a/{n}" for n in range(6)]
FOOT = "All rights reserved, the usual notes"


@pytest.fixture
def known(here: Path, web: Web) -> Web:
    """A site of which `denoise-sites.sqlite` in the current folder knows six pages."""
    for n in range(6):
        web.pages[f"/a/{n}"] = article(n, LINKS)
    crawled(web, *range(6))
    return web


def crawled(web: Web, *numbers: int) -> Any:
    spider = spider_of(*(web(f"/a/{n}") for n in numbers))
    return crawl(spider, {"DENOISE_SITE_MEMORY_PATH": "denoise-sites.sqlite"})


def host_of(web: Web) -> str:
    return web.url.partition("://")[2]


def shown(capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    capsys.readouterr()  # the log of crawls
    assert call("site", *argv, "--json") == 0
    return json.loads(capsys.readouterr().out)


def put(store: SiteStore, site: str, *templates: LearnedTemplate) -> None:
    assert len(list(store.save({site: Unsaved(templates)}))) == 1


@pytest.fixture
def stored(here: Path) -> Iterator[SiteStore]:
    """A file that knows a site by http and https."""
    store = SQLiteSiteStore(here / "s.sqlite")
    put(store, "http://a.example:80", LearnedTemplate(frozenset({1}), pages=3))
    put(store, "https://a.example:443", LearnedTemplate(frozenset({1}), pages=3))
    yield store
    store.close()


def test_what_was_learned_is_told(known: Web, capsys: pytest.CaptureFixture[str]) -> None:
    (site,) = shown(capsys, known("/any/page"), "denoise-sites.sqlite")
    (template,) = site["templates"]
    assert (site["site"], site["pinned"], template["pages"]) == (known.url, [], 6)
    assert (template["rules"][0]["rule"], template["rules"][0]["share"]) == (".main", 1.0)
    assert len(template["urls"]) == 5 and all(url.startswith(known.url) for url in template["urls"])
    paths = {path["path"]: path for path in template["paths"]}
    assert paths["html/body/div.main/p"]["content"] > 0.9 > 0.1 > paths["html/body/div#foot"]["content"]
    assert sum(path["text"] for path in template["paths"]) == pytest.approx(1, abs=0.001)

    assert call("site", host_of(known), "denoise-sites.sqlite") == 0
    told = capsys.readouterr().out
    assert f"{known.url}: 1 template, 6 pages\n" in told
    assert "   1.1  .main: 100% of the votes, 6 pages, " in told
    assert "  html/body/div.main/p\n" in told


def test_all_sites_are_listed_by_the_settings(known: Web, capsys: pytest.CaptureFixture[str]) -> None:
    for settings in ({"DENOISE_DEDUP_STORE": "texts.sqlite"}, {"JOBDIR": "."}):
        assert call("site", **settings) == 0
        assert capsys.readouterr().out.endswith(
            f"1 site\npages  templates  pinned  site\n    6          1       0  {known.url}\n"
        )
    assert call("site", ".") == call("site", "denoise-sites.sqlite") == 0


def test_a_pinned_rule_wins_in_every_later_crawl_until_it_is_unpinned(
    known: Web, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("site", known.url, "denoise-sites.sqlite", "--pin", "#foot") == 0
    assert capsys.readouterr().out == f"pinned for all pages of {known.url}, from the next crawl on: #foot\n"
    for n in (1, 2):
        done = crawled(known, n)
        assert done.bodies() == {known(f"/a/{n}"): FOOT}
        assert done.stat("body/evidence/pinned_rule") == 1
    (site,) = shown(capsys, known.url, "denoise-sites.sqlite")
    assert [(rule["rule"], rule["template"]) for rule in site["pinned"]] == [("#foot", "")]

    assert call("site", known.url, "denoise-sites.sqlite", "--unpin", "#foot") == 0
    assert FOOT not in crawled(known, 3).bodies()[known("/a/3")]
    assert call("site", known.url, "denoise-sites.sqlite", "--unpin", "all") == 1


def test_a_learned_rule_is_pinned_by_number_with_its_cuts(known: Web, capsys: pytest.CaptureFixture[str]) -> None:
    file = "denoise-sites.sqlite"
    assert call("site", known.url, file, "--pin", "1") == call("site", known.url, file, "--pin", "#foot") == 0
    assert call("site", known.url, file, "--pin", "1.1") == 0  # again: it moves to the front
    capsys.readouterr()
    (site,) = shown(capsys, known.url, file)
    (template,) = site["templates"]
    assert site["pinned"] == [{**template["rules"][0], "pinned": True}, site["pinned"][1]]
    assert crawled(known, 1).stat("body/evidence/pinned_rule") == 1
    assert call("site", known.url, file, "--unpin", "1") == 0
    capsys.readouterr()
    assert [rule["rule"] for rule in shown(capsys, known.url, file)[0]["pinned"]] == ["#foot"]


def test_export_and_import_give_the_same_rules(
    known: Web, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = "denoise-sites.sqlite"
    call("site", known.url, file, "--pin", "1")
    assert call("site", known.url, file, "--export", "rules.json") == 0
    written = (here / "rules.json").read_text("utf-8")
    capsys.readouterr()
    assert call("site", file, "--export", "-") == 0
    assert capsys.readouterr().out == written
    before = shown(capsys, known.url, file)[0]["pinned"]
    assert len(before) == 1

    call("site", known.url, file, "--unpin", "all")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(written.encode())))
    assert call("site", "other.example", file, "--import", "rules.json") == 0
    assert call("site", file, "--import", "-") == 0
    assert capsys.readouterr().out.endswith("pinned: 0 rules of 0 sites\npinned: 1 rule of 1 site\n")
    assert shown(capsys, known.url, file)[0]["pinned"] == before
    assert crawled(known, 1).stat("body/evidence/pinned_rule") == 1


def test_forgetting_asks_and_leaves_pinned_rules(
    known: Web, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = "denoise-sites.sqlite"
    call("site", known.url, file, "--pin", "#foot")
    for answer in ("", "n\n"):
        monkeypatch.setattr(sys, "stdin", io.StringIO(answer))
        assert call("site", known.url, file, "--forget", "all") == 1
    assert len(shown_templates(capsys, known, file)) == 1
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert call("site", known.url, file, "--forget", "1") == 0
    assert shown_templates(capsys, known, file) == []
    with sqlite3.connect(here / file) as link:
        assert link.execute("SELECT count(*) FROM facts").fetchone() == (0,)
    crawled(known, 0, 1)
    assert call("site", known.url, file, "--forget", "all", "--yes") == 0
    assert capsys.readouterr().out.endswith("pinned rules stay: 1\n")
    assert crawled(known, 2).bodies() == {known("/a/2"): FOOT}


def shown_templates(capsys: pytest.CaptureFixture[str], web: Web, file: str) -> Any:
    return shown(capsys, web.url, file)[0]["templates"]


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        (["b.example", "s.sqlite"], 1, "nothing is known of 'b.example'"),
        (["http://a.exampl", "s.sqlite"], 1, "did you mean http://a.example:80?"),
        (["a.example", "s.sqlite", "--pin", "#main"], 2, "name one: http://a.example:80, https://a.example:443"),
        (["a.example:80", "s.sqlite", "--pin", "div > p"], 1, "'div > p' is no rule"),
        (["a.example:80", "s.sqlite", "--pin", "2"], 1, "has 1 template, not 2"),
        (["a.example:80", "s.sqlite", "--pin", "1"], 1, "has 0 rules, not 1"),
        (["a.example:80", "s.sqlite", "--forget", "1.1", "--yes"], 1, "neither 'all' nor the number"),
        (["s.sqlite", "--pin", "#main"], 2, "need a HOST"),
        (["s.sqlite", "--export", "s.sqlite"], 1, "this is the site memory itself"),
        (["s.sqlite", "--import", "none.json"], 1, "none.json"),
        (["a.example"], 2, "no STORE is given"),
        (["a.example", "none.sqlite"], 1, "none.sqlite: there is no such file"),
        (["none.sqlite"], 1, "none.sqlite: there is no such file"),
        (["a.example", "."], 1, "denoise-sites.sqlite: there is no such file"),
        (["a.example", "text.db"], 1, "no SQLite database"),
        (["a.example", "empty.db"], 1, "the file is empty"),
    ],
)
def test_what_is_wrong_is_told(
    stored: SiteStore, here: Path, capsys: pytest.CaptureFixture[str], argv: list[str], code: int, said: str
) -> None:
    (here / "text.db").write_bytes(b"something else" * 99)
    (here / "empty.db").touch()
    before = {path.name for path in here.iterdir()}
    assert call("site", *argv) == code
    assert said in capsys.readouterr().err
    assert {path.name for path in here.iterdir()} == before
    assert (here / "text.db").read_bytes() == b"something else" * 99
    assert stored.pinned() == {} and len(stored.sites()) == 2


def test_settings_name_a_folder_that_is_not_made(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("site", JOBDIR="job") == 1
    assert not (here / "job").exists()


def test_names_of_hostile_pages_cannot_reach_the_terminal(
    stored: SiteStore, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = LearnedTemplate(frozenset({2}), pages=1, example="http://a.example/\x1b[2J\n\ud800")
    put(stored, "http://a.example:80", hostile)
    stored.pin("http://a.example:80", lambda _: [LearnedRule(Rule(id="\x1b]0;x\ud800"), pinned=True)])
    assert call("site", "a.example:80", "s.sqlite") == 0
    told = capsys.readouterr().out
    assert "\x1b" not in told and "http://a.example/\\u001b[2J" in told
    assert call("site", "a.example:80", "s.sqlite", "--json") == call("site", "s.sqlite", "--export", "-") == 0


def test_a_file_of_an_earlier_version_is_read(
    stored: SiteStore, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with sqlite3.connect(here / "s.sqlite") as link:
        link.execute("DROP TABLE pins")
    stored.close()
    assert call("site", "s.sqlite") == 0
    assert "2 sites" in capsys.readouterr().out


def test_a_damaged_pin_is_skipped(stored: SiteStore) -> None:
    stored.pin("http://a.example:80", lambda _: [LearnedRule(Rule(id="x"), pinned=True)])
    with sqlite3.connect(stored.path) as link:
        link.execute("UPDATE pins SET rules = '[3'")
    assert stored.pinned() == {}
    assert stored.counts["corrupt"] == 1


def test_a_pinned_rule_outlives_lack_of_room(stored: SiteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("denoise_scrapy.site.store.MAX_BYTES", 0)
    stored.pin("http://a.example:80", lambda _: [LearnedRule(Rule(id="x"), pinned=True)])
    put(stored, "http://b.example:80", LearnedTemplate(frozenset({1}), pages=3))
    assert stored.sites() == list(stored.pinned()) == ["http://a.example:80"]


def test_a_real_process(stored: SiteStore, here: Path) -> None:
    done = scrapy("site", "https://a.example/x", "s.sqlite", "--pin", ".story", cwd=here)
    assert (done.returncode, done.stderr) == (0, "")
    assert [str(rule) for rule in stored.pinned()["https://a.example:443"]] == [".story (pinned)"]
