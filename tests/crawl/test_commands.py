"""`scrapy denoise …`: the command line as a whole, and `site` and `stats`: what they print and return."""

import argparse
import json
import shlex
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from scrapy.settings import Settings

from denoise_scrapy import commands
from denoise_scrapy.commands import run
from denoise_scrapy.dedup import DuplicateIndex, SQLiteStore
from denoise_scrapy.dedup.rules import CONSTANTS
from denoise_scrapy.site import FactsStore, SQLiteFacts
from tests.crawl.conftest import Told
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.web import Reply, Web, article, story
from tests.processes import run_python
from tests.site.made_sites import page

SITES = "denoise-sites.sqlite"
COUNTS = {"denoise/body/items": 1200, "denoise/body/confidence/0.85": 1200, "item_scraped_count": 1200}


@pytest.fixture
def news(here: Path) -> str:
    """An index of 12 texts."""
    with DuplicateIndex(store=SQLiteStore(here / "news.sqlite")) as index:
        for number in range(12):
            index.add(f"https://a.example/{number}", story(number, 3 + number))
    return "news.sqlite"


@pytest.fixture
def stored(here: Path) -> Iterator[FactsStore]:
    """A file that keeps pages of a site by http and https."""
    store = SQLiteFacts(here / "s.sqlite")
    store.save({site: [page(n).facts for n in range(3)] for site in ("http://a.example:80", "https://a.example:443")})
    yield store
    store.close()


def host_of(web: Web) -> str:
    return web.url.partition("://")[2]


def scrapy(*argv: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    done = run_python(cwd, ["-m", "scrapy", "denoise", *argv], apart=True)
    assert "Traceback" not in done.stderr
    return done


def _parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield one
                yield from _parsers(one)


def content_of(folder: Path) -> dict[str, bytes]:
    files = {path.name: path.read_bytes() if path.is_file() else b"" for path in folder.iterdir()}
    return {name: content for name, content in files.items() if not name.endswith(("-shm", "-wal"))}


@pytest.mark.parametrize("parser", list(_parsers(commands._parser())), ids=lambda parser: parser.prog)
def test_help_shows_an_example_that_is_right(parser: argparse.ArgumentParser) -> None:
    example = (parser.description or "").partition("Example: ")[2]
    assert example.startswith(parser.prog)
    assert commands._parser().parse_args(shlex.split(example)[2:])


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        ("site b.example s.sqlite", 1, "no pages of 'b.example' are kept"),
        ("site http://a.exampl s.sqlite", 1, "did you mean http://a.example:80?"),
        ("site s.sqlite --forget", 2, "--forget needs a HOST"),
        ("site a.example", 2, "no STORE given that exists"),
        ("site jobs/nwes", 1, "jobs/nwes: there is no site memory"),
        ("site a.example none.sqlite", 1, "none.sqlite: there is no site memory"),
        ("site none.sqlite", 1, "none.sqlite: there is no site memory"),
        ("site a.example .", 1, "denoise-sites.sqlite: there is no site memory"),
        ("site a.example text.db", 1, "no SQLite database"),
        ("site a.example empty.db", 1, "there is no site memory"),
        ("site a.example http://b.example", 1, "no such kind of store"),
        ("explain 0.html --alone --compare 1.html", 2, "--alone and --compare do not go together"),
        ("explain none.html", 1, "No such file"),
        ("explain - --compare -", 2, "only one page can be standard input"),
        ("explain ftp://a.example/", 2, "only files and http(s) URLs can be read"),
        ("extract 0.html --meta --format html", 2, "--meta needs --format text, markdown, json or tei"),
        ("extract . --url gazette.example", 2, "only http(s) URLs"),
        ("extract . --compare 0.html", 2, "--compare needs a single PAGE"),
        ("extract . -", 2, "standard input cannot be combined"),
        ("extract . --output_dir x", 2, "usage: scrapy denoise extract ["),
        ("extract . --jobs two", 2, "two is not from 1 to 64"),
        ("extract none/*.html", 1, "none/*.html: there is no such file"),
        *(
            (f"dedup {subcommand}", 1, said)
            for name, said in {
                "none.db": "there is no such file",
                "empty.db": "not an index",
                "text.db": "no SQLite database",
                "job": "there is no such file",
            }.items()
            for subcommand in (f"stats {name}", f"chunks {name}", f"forget {name} key")
        ),
        ("dedup stats other_version.db", 1, f"'run cap' is 1 there and {CONSTANTS['run cap']} here"),
        ("dedup stats redis://user:secret@localhost:1/0", 1, "redis://localhost:1/0: "),
        ("dedup stats mysql://localhost/0", 1, "mysql"),
        ("dedup stats redis://localhost:x/", 1, "Port"),
        ("dedup forget news.sqlite", 2, ""),
        *(
            (
                f"dedup forget news.sqlite --older-than={age}",
                2,
                "is not an age like 12h, 30d, 2w or a date like 2026-01-31",
            )
            for age in ("30", "1y", "nand", "2026-13-01", "9" * 20 + "w")
        ),
        *((f"compare {name} {name}", 1, "scrapy denoise: ") for name in ("none.txt", ".", "data.bin")),
        *((f"compare {argv}", 2, "") for argv in ("- -", "file:///etc/hosts a", "a", "a b --threshold 0")),
    ],
)
def test_wrong_inputs_are_named_and_nothing_is_written(
    stored: FactsStore, three: Path, news: str, capsys: pytest.CaptureFixture[str], argv: str, code: int, said: str
) -> None:
    (three / "job").mkdir()
    files = {"half.json": "[1", "list.json": "[1]", "other.json": '{"item_scraped_count": 1}', "empty.db": ""}
    files |= {"text.db": "something else" * 99, "data.bin": "\0\1\2"}
    files |= {"counts.json": json.dumps(COUNTS)}
    for name, text in files.items():
        (three / name).write_text(text, "utf-8")
    with closing(sqlite3.connect(shutil.copy(news, "other_version.db"))) as link, link:
        link.execute("UPDATE meta SET value = '1' WHERE name = 'run cap'")
    before = content_of(three)
    try:
        found = run(argv.split(), Settings({"JOBDIR": None}))
    except SystemExit as wrong:
        found = wrong.code
    printed = capsys.readouterr()
    assert (found, printed.out) == (code, "")
    assert said in printed.err and "secret" not in printed.err
    assert content_of(three) == before
    assert len(stored.sites()) == 2


class TestProcess:
    """Real runs."""

    def test_in_a_project_its_settings_name_the_store(self, here: Path, news: str) -> None:
        (here / "scrapy.cfg").write_text("[settings]\ndefault = conf\n")
        (here / "conf.py").write_text(
            f"DENOISE_DEDUP_STORE = {news!r}\nADDONS = {{'denoise_scrapy.DenoiseAddon': 500}}\n"
        )
        done = scrapy("dedup", "stats", "--json", cwd=here)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["texts"] == 12

    def test_outside_of_one_with_options_of_scrapy_anywhere(self, here: Path, news: str) -> None:
        done = scrapy("-s", "A=b", "dedup", "stats", "-L", "ERROR", news, "--json", "-s", "C=d", cwd=here)
        assert json.loads(done.stdout)["texts"] == 12
        done = scrapy("dedup", "forget", "-h", cwd=here)
        assert done.returncode == 0 and "--older-than" in done.stdout

    def test_a_page_that_is_not_there_and_one_that_robots_txt_forbids(self, here: Path, web: Web) -> None:
        web.pages["/robots.txt"] = Reply(b"User-agent: *\nDisallow: /secret", headers={"Content-Type": "text/plain"})
        web.pages["/secret"] = article(1)
        done = scrapy("-s", "ROBOTSTXT_OBEY=1", "compare", web("/none"), web("/secret"), cwd=here)
        assert done.returncode == 1
        assert f"{web('/none')}: status 404; {web('/secret')}: Forbidden by robots.txt\n" in done.stderr
        assert web.count("/secret") == 0

    def test_a_page_reaches_no_code_of_the_project_for_items(self, here: Path, web: Web) -> None:
        web.pages["/a"] = article(1)
        (here / "scrapy.cfg").write_text("[settings]\ndefault = conf\n")
        (here / "conf.py").write_text("""
class Drops:
    async def process_spider_output(self, response, result, spider=None):
        async for one in result:
            if not isinstance(one, dict):
                yield one
class Stores:
    def update_settings(self, settings):
        settings.setdefault_in_component_priority_dict("ITEM_PIPELINES", Stores, 1)
    def process_item(self, item, spider=None):
        raise OSError
SPIDER_MIDDLEWARES = {Drops: 1}
ADDONS = {Stores: 1}
""")
        done = scrapy("extract", web("/a"), cwd=here)
        assert (done.returncode, done.stderr) == (0, "")
        assert story(1).split(".")[0] in done.stdout


def test_sites_are_listed_and_one_is_shown(here: Path, linked: Web, told: Told) -> None:
    crawl(spider_of(*linked.urls(range(6))), {"DENOISE_SITE_MEMORY_PATH": SITES})
    for settings in ({"DENOISE_DEDUP_STORE": "texts.sqlite"}, {"JOBDIR": "."}):
        out, _ = told("site", **settings)
        assert "1 site\npages" in out and out.endswith(f"  {linked.url}\n")
    assert told("site .")[0] == out
    [listed] = json.loads(told(f"site {SITES} --json")[0])
    [site] = json.loads(told(f"site {linked('/any/page')} {SITES} --json")[0])
    assert "urls" not in listed
    assert site["site"] == linked.url and site["pages"] == len(site["urls"]) >= 5
    assert all(url.startswith(linked.url) for url in site["urls"])
    assert told(f"site {host_of(linked)} {SITES}")[0].endswith("\n".join(["", *site["urls"], ""]))


def test_forgetting(stored: FactsStore, told: Told) -> None:
    told("site a.example:80 s.sqlite --forget")
    assert [site.site for site in stored.sites()] == ["https://a.example:443"]
    told("site a.example s.sqlite --forget")
    assert stored.sites() == []


def test_settings_name_a_folder_that_is_not_made(here: Path, told: Told) -> None:
    told("site", 1, JOBDIR="job")
    assert not (here / "job").exists()


def test_a_job_directory_has_the_stats_of_its_last_run(linked: Web, here: Path) -> None:
    crawl(spider_of(linked("/a/1")))
    crawl(spider_of(linked("/a/1"), denoise_enabled=False), {"JOBDIR": "job"})
    assert not [path for path in here.rglob("*") if path.name == "denoise-stats.json"]
    for pages in (2, 1):
        done = crawl(spider_of(*linked.urls(range(pages))), {"JOBDIR": "job2"})
    found = json.loads((here / "job2" / "denoise-stats.json").read_text("utf-8"))
    assert found["denoise/body/items"] == 1
    assert sum(count for name, count in found.items() if name.startswith("denoise/body/confidence/")) == 1
    ours = {name: value for name, value in found.items() if name.startswith("denoise/")}
    assert ours == {name: value for name, value in done.stats.items() if name.startswith("denoise/")}
