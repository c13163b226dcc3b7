"""What somebody sees before they decide: `scrapy denoise trial` on a project of their own, `compare` on two feeds."""

import json
import shlex
import sqlite3
from pathlib import Path

import pytest
from scrapy.settings import Settings

from denoise_scrapy.commands import run
from tests.crawl.web import Web, article, story
from tests.processes import run_python

PIPELINES = """
import sqlite3


class Table:
    def open_spider(self):
        self.link = sqlite3.connect("stories.db")
        self.link.execute("CREATE TABLE s (url TEXT, title TEXT)")

    def process_item(self, item):
        self.link.execute(f"INSERT INTO s ({', '.join(item)}) VALUES ({', '.join('?' * len(item))})", [*item.values()])
        return item
"""
SPIDER = """
import attrs, scrapy


@attrs.define
class Closed:
    url: str


class StoriesSpider(scrapy.Spider):
    name = "stories"
    custom_settings = {"ITEM_PIPELINES": {"courier.pipelines.Table": 300}, "FEEDS": {"items.jsonl": {}}}

    async def start(self):
        yield scrapy.Request(self.start_urls)

    def parse(self, response):
        for path in response.text.split():
            yield response.follow(path, self.parse_story)

    def parse_story(self, response):
        yield {"url": response.url, "title": response.css("h1::text").get()}


class ClosedSpider(StoriesSpider):
    name = "closed"

    def parse_story(self, response):
        yield Closed(response.url)
"""

# A spider alone in its file, which imports another of its folder, and has a class with names for types.
ALONE = """
from __future__ import annotations
from dataclasses import dataclass
import scrapy
from places import FIRST

@dataclass
class Story:
    url: str
    body: str | None = None

class Alone(scrapy.Spider):
    name = "alone"

    async def start(self):
        yield scrapy.Request(self.start_urls + FIRST)

    def parse(self, response):
        yield Story(response.url)
"""


@pytest.fixture
def project(tmp_path: Path, web: Web) -> Path:
    """A project with a table, which knows nothing of the plugin, and a site of ten stories, one in two places."""
    pages = {f"/a/{number}": article(number) for number in range(10)}
    web.pages |= {**pages, "/print/3": article(3), "/": " ".join([*pages, "/print/3"])}
    folder = tmp_path / "courier"
    folder.mkdir()
    files = {
        "../scrapy.cfg": "[settings]\ndefault = courier.settings\n",
        "__init__.py": "",
        "settings.py": f'SPIDER_MODULES = ["courier.spiders"]\nSTART = "{web("/")}"\n',
        "pipelines.py": PIPELINES,
        "spiders.py": SPIDER,
        "wrong.py": "class (",
        "alone.py": ALONE,
        "places.py": 'FIRST = "a/1"',
    }
    for name, text in files.items():
        (folder / name).write_text(text, "utf-8")
    return tmp_path


def tried(project: Path, web: Web, line: str, code: int = 0) -> str:
    words = ["-m", "scrapy", "denoise", "trial", *shlex.split(line), "-a", f"start_urls={web('/')}"]
    done = run_python(project, words, apart=True)
    assert done.returncode == code, (done.stdout, done.stderr)
    return " ".join((done.stdout + done.stderr).split())


def test_a_trial_drops_and_writes_nothing_but_its_report(project: Path, web: Web) -> None:
    before = {path.name for path in project.rglob("*") if path.suffix != ".pyc"}
    told = tried(project, web, "stories -n 20")
    assert "items 11 from " in told and "bodies 11 of 11 items have one, " in told and "1 item would be dropped" in told
    assert "not run, --pipelines runs them: courier.pipelines.Table" in told
    after = {path.name for path in project.rglob("*") if path.suffix != ".pyc"}
    assert after - before - {"__pycache__"} == {"stories-trial.html"}
    report = (project / "stories-trial.html").read_text("utf-8")
    assert web("/print/3") in report and "<script" not in report and story(3).split(". ")[0] in report

    told = tried(project, web, "closed -n 5 -o closed.html")
    assert "Closed has no field 'body': declare it, else 5 items lack it" in told

    told = tried(project, web, "stories -n 4 --pipelines")  # the others arrive while the crawl ends
    assert "lost 4 items in your pipelines: OperationalError: table s has no column named body" in told
    with sqlite3.connect(project / "stories.db") as link:
        assert link.execute("SELECT COUNT(*) FROM s").fetchone() == (0,)

    assert "bodies 1 of 1 items have one" in tried(project, web, "courier/alone.py")


def test_a_trial_without_items_counts_errors_and_says_where_to_look(project: Path, web: Web) -> None:
    fails = SPIDER.replace("yield Closed(response.url)", "raise KeyError")
    (project / "courier/spiders.py").write_text(fails, "utf-8")
    told = tried(project, web, "closed", 1)
    assert "errors 11 in callbacks" in told
    assert "items 0 from 12 requests in " in told and ": -L DEBUG shows why" in told


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("storys", "there is no spider 'storys'; did you mean stories?"),
        ("stories -n 0", "0 is not from 1 to 1,000,000"),
        ("stories -n x", "x is not from 1 to 1,000,000"),
        ("stories -o trial.txt", "-o trial.txt: valid is .html"),
        ("stories -o nowhere/trial.html", "valid is .html, in a folder that exists"),
        ("courier/spiders.py", "has 2 spiders, not one"),
        ("courier/wrong.py", "courier/wrong.py cannot be loaded: SyntaxError: "),
    ],
)
def test_a_wrong_line_is_said(project: Path, web: Web, line: str, said: str) -> None:
    assert said in tried(project, web, line, 2)


def rows(path: Path, *items: dict[str, object]) -> str:
    path.write_text("".join(json.dumps(item) + "\n" for item in items), "utf-8")
    return str(path)


def test_feeds_are_compared_item_by_item(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "The bridge is closed until May."
    items = [{"url": f"/{number}", "body": text, "seen": number} for number in range(5)]
    before = rows(tmp_path / "before.jsonl", *items, {"url": "/5", "body": text})
    after = tmp_path / "after.json"
    changed = {**items[1], "body": f"By <b>Ann</b>\n{text.replace('May', 'June')}"}
    after.write_text(json.dumps([items[0], changed, *({**one, "seen": 9} for one in items[2:]), {"url": "/7"}]))
    page = tmp_path / "difference.html"
    assert run(["compare", before, str(after), "--fields", "body", "-o", str(page)], Settings()) == 0
    first, fields, *told = capsys.readouterr().out.splitlines()
    assert first == "4 the same, 1 changed, 1 gone, 1 new" and fields == "changed fields: body 1"
    assert told == ["/1: body 1 word gone, 11 new: - 'May' + 'By <b>Ann</b>'", "gone: /5", "new: /7"]
    assert "<mark>June</mark>" in page.read_text("utf-8") and "<b>Ann" not in page.read_text("utf-8")
    assert run(["compare", before, str(after)], Settings()) == 0
    assert capsys.readouterr().out.splitlines()[1] == "changed fields: seen 3, body 1"
    wrong = {"--key=id": "has no field 'id', only url, body, seen", "-o=x.txt": "valid is .html"}
    for one, line in wrong.items():
        assert run(["compare", before, str(after), *one.split("=")], Settings()) in {1, 2}
        assert line in capsys.readouterr().err
    after.write_text("{}")
    assert run(["compare", before, str(after)], Settings()) == 1
    assert "not a list of items" in capsys.readouterr().err
