"""`scrapy denoise extract`, `python -m denoise_scrapy`, `scrapy denoise explain`: of files, standard input, the web."""

import gzip
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from denoise_scrapy import extract
from denoise_scrapy.support.formats import FORMS
from tests.archive.warcs import members, record
from tests.crawl.conftest import Told
from tests.crawl.crawling import ONE_BY_ONE, crawl, spider_of
from tests.crawl.test_commands import scrapy
from tests.crawl.web import Web, article, story
from tests.processes import run_python


@pytest.mark.parametrize("form", [*FORMS, "json"])
def test_each_format_is_what_the_library_gives(three: Path, told: Told, form: str) -> None:
    line = f"extract 0.html --compare 1.html 2.html --format {form}"
    told(f"{line} -o 0.out")
    written = (three / "0.out").read_text("utf-8")
    assert told(line)[0] == written
    body = extract(article(0), comparison_pages=[article(1), article(2)])
    if form == "json":
        assert written.count("\n") == 1
        written = json.loads(written)["text"] + "\n"
    assert written == getattr(body, "text" if form == "json" else form) + "\n"


@pytest.mark.parametrize("command", ["extract 0.html", "explain 0.html", "extract 1.html --compare 0.html"])
def test_no_page_is_written_over(three: Path, told: Told, command: str) -> None:
    assert "it is a page as well" in told(f"{command} -o ./0.html", 2)[1]
    assert (three / "0.html").read_text("utf-8") == article(0)


def test_one_page_is_no_file_of_rows(three: Path, told: Told) -> None:
    for name in ("out.parquet", "out.jsonl", "out.csv.gz"):
        assert f"-o {name}: one page is no file of rows" in told(f"extract 0.html -o {name}", 2)[1]
        assert not Path(name).exists()
    told("extract 0.html --format json -o out.jsonl")
    assert json.loads(Path("out.jsonl").read_text("utf-8"))["text"]


TURNED = "\u202atold\u202bin\u202dthe\u202e\u2066other\u2067\u2068side\u2069direction\u202c"
UNSEEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufffe]")


def test_a_terminal_is_shown_nothing_that_it_obeys(three: Path, told: Told) -> None:
    source = article(0).replace("<p>", f"<p>{TURNED}\x1b&#155;\x7f&#xfffe;", 1)
    (three / "0.html").write_text(source, "utf-8")
    written, _ = told("extract 0.html --format json --meta")
    assert not UNSEEN.search(written)
    assert json.loads(written)["text"] == extract(three / "0.html").text
    assert TURNED in json.loads(written)["text"]
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "denoise_scrapy", "0.html"]
    subprocess.run(command, stdout=theirs, cwd=three, timeout=60, check=True)
    written = os.read(ours, 60_000).decode()
    os.close(ours)
    os.close(theirs)
    assert "\\u202dthe\\u202e" in written
    assert not UNSEEN.search(written.replace("\r\n", "\n"))


def test_a_module_for_those_without_a_project(three: Path, web: Web) -> None:
    web.pages["/0"] = article(0)
    for page, code in (("0.html", 0), (web("/0"), 0), (web("/none"), 1), ("none.html", 1), ("ftp://a.example/", 2)):
        done = run_python(three, ["-m", "denoise_scrapy", page], apart=True)
        assert done.returncode == code
        assert story(0).split(".")[0] in done.stdout if code == 0 else done.stderr.startswith("scrapy denoise")
        assert "Traceback" not in done.stderr


def test_metadata_stands_before_the_text(three: Path, told: Told) -> None:
    (three / "0.html").write_text(article(0).replace("<head>", "<head><meta name=author content='Ann Reed'>"), "utf-8")
    front, _, text = told("extract 0.html --meta")[0].removeprefix("---\n").partition("\n---\n\n")
    assert 'authors: ["Ann Reed"]' in front.splitlines()
    assert text == extract(three / "0.html").text + "\n"
    assert json.loads(told("extract 0.html --meta --format json")[0])["meta"]["authors"] == ["Ann Reed"]


def test_explain_writes_a_file_and_prints_a_table(three: Path, told: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = told("explain 0.html --compare 1.html --compare 2.html 0.html")[0].splitlines()
    assert lines[0].startswith("0.html: ")
    left_out = "  0.html: left out: it is the page itself or a copy of it"
    assert lines[1:5] == ["compared with 2 of 3 pages", "  1.html", "  2.html", left_out]
    assert [line.split()[0] for line in lines[5:]] == ["blocks", "kept", "template", "low", "hidden", "written"]
    assert lines[-1] == "written to 0-explained.html"
    assert story(0).split(".")[0] in (three / "0-explained.html").read_text("utf-8")

    assert "judged alone: a page without a URL belongs to no site\n" in told("explain 0.html -o x.html")[0]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((three / "0.html").read_bytes())))
    assert told("explain - --output -")[0] == (three / "x.html").read_text("utf-8").replace("0.html", "-")

    project = {"DENOISE_STRATEGY": "repetition", "DENOISE_REMOVE": ["p"]}
    for given, strategy in (("", "repetition"), ("--strategy block-filter", "block-filter")):
        told(f"explain 0.html {given}", **project)
        assert f"<dd>{strategy}</dd>" in (three / "0-explained.html").read_text("utf-8")


def test_what_a_crawl_would_do_with_a_page_of_a_site_that_it_knows(here: Path, web: Web) -> None:
    """The result is that of the next crawl, which compares its only page with the stored ones."""
    others = [f"<{tag} class=frame><p>{story(50)}</p></{tag}>" for tag in ("section", "form")]
    web.pages |= {f"/a/{n}": article(n) for n in range(8)} | dict(zip(("/first", "/last"), others, strict=True))
    settings = {"DENOISE_SITE_MEMORY_PATH": str(here / "sites.sqlite"), "DENOISE_COMPARISON_PAGES": 3}
    crawl(spider_of(web("/first"), *web.urls(range(7)), web("/last")), settings | ONE_BY_ONE)
    project = [
        "ADDONS = {'denoise_scrapy.DenoiseAddon': 500}",
        *(f"{name} = {settings[name]!r}" for name in settings),
    ]
    (here / "conf.py").write_text("\n".join([*project, "SPIDER_MODULES = ['conf_spiders']"]), "utf-8")
    (here / "conf_spiders.py").write_text("", "utf-8")
    (here / "scrapy.cfg").write_text("[settings]\ndefault = conf\n", "utf-8")

    asked = scrapy("explain", web("/a/7"), cwd=here).stdout.splitlines()
    alone = scrapy("explain", web("/a/7"), "--alone", cwd=here).stdout.splitlines()
    elsewhere = scrapy("explain", web("/a/7").replace("127.0.0.1", "localhost"), cwd=here).stdout.splitlines()

    fields = {"DENOISE_FIELDS": {"comparison": "comparison", "confidence": "sure"}, "DENOISE_COMPARISON_SHARE": 0}
    [item] = crawl(spider_of(web("/a/7")), settings | fields).items
    assert len(item["comparison"]) == 3
    assert float(asked[0].rpartition(" ")[2]) == pytest.approx(item["sure"], abs=0.006)  # one rounded twice
    assert asked[1] == f"compared with 3 of 3 pages from the site memory {here / 'sites.sqlite'}"
    assert [line.strip() for line in asked[2:5]] == item["comparison"]
    kept = dict(line.split()[:2] for line in asked if line.startswith(("kept", "template")))
    assert int(kept["template"]) > 0
    assert alone[1] == "judged alone"
    assert [line.split()[1] for line in alone if line.startswith("template")] == ["0"]
    assert elsewhere[1].startswith(
        f"judged alone: the site memory {here / 'sites.sqlite'} has no other page of http://loc"
    )


def test_the_settings_are_those_of_the_spider_that_crawls_the_site(here: Path, web: Web) -> None:
    web.pages["/a"] = article(1)
    (here / "conf.py").write_text("SPIDER_MODULES = ['conf_spiders']\nDENOISE_STRATEGY = 'lcs'", "utf-8")
    (here / "scrapy.cfg").write_text("[settings]\ndefault = conf\n", "utf-8")
    spiders = [
        "import scrapy",
        f"class One(scrapy.Spider):\n    name = 'one'\n    allowed_domains = [{web.url.split('/')[2]!r}]",
        "    custom_settings = {'DENOISE_STRATEGY': 'block-filter'}",
        "    denoise_remove = ['h1']",
        "class Other(scrapy.Spider):\n    name = 'other'",
    ]
    (here / "conf_spiders.py").write_text("\n".join(spiders), "utf-8")
    assert ": strategy block-filter, " in scrapy("explain", web("/a"), cwd=here).stdout
    assert "settings of the spider 'one'\n" in scrapy("explain", web("/a"), cwd=here).stdout
    assert ": strategy lcs, " in scrapy("explain", web("/a"), "--spider", "other", cwd=here).stdout
    wrong = scrapy("explain", web("/a"), "--spider", "othr", cwd=here)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr == "scrapy denoise explain: there is no spider 'othr'; did you mean other?\n"


CANONICAL = '<link rel="canonical" href="https://gazette.example/{}">'


def rows_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def folder(here: Path) -> Path:
    """A folder `site` with six articles in two folders, without addresses, and a file that is not a page."""
    for number in range(6):
        path = here / "site" / "ab"[number % 2] / f"{number}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(article(number, [f"/{number}"]), "utf-8")
    (here / "site" / "notes.txt").write_text("no page")
    return here / "site"


def test_a_folder_is_compared_with_itself(folder: Path, told: Told) -> None:
    _, err = told("extract site -o out.jsonl")
    left, lacking, end = err.splitlines()
    assert left == "left out: 1 file (1 .txt), as outputs, without pages or beside archives"
    assert lacking.startswith(f"no address: 6 of 6 files ({folder / 'a' / '0.html'}, ") and "--url" in lacking
    assert end.startswith("6 pages, ")
    rows = rows_of(Path("out.jsonl").read_text("utf-8"))
    assert [row["file"] for row in rows] == sorted(str(path) for path in folder.rglob("*.html"))
    for row in rows:
        assert (row["url"], row["evidence"]) == ("", "comparison pages")
        assert row["text"].endswith(story(int(Path(row["file"]).stem)).rpartition(". ")[2])
    rows = rows_of(told("extract 'site/*/*.html' --format markdown --meta")[0])
    assert {row["markdown"].splitlines()[0] for row in rows} == {f"# Heading of {number}" for number in range(6)}
    urls = [row["url"] for row in rows_of(told("extract site --url https://gazette.example/news")[0])]
    assert urls[:2] == ["https://gazette.example/news/a/0.html", "https://gazette.example/news/a/2.html"]


def test_a_file_has_the_address_that_it_declares_or_that_is_named(three: Path, told: Told) -> None:
    link = '<p>The keeper <a href="/more">wrote down a story of the harbour and the castle</a> on Monday.</p>'
    source = article(0).replace("<head>", "<head>" + CANONICAL.format(7)).replace("<p>", link + "<p>", 1)
    (three / "0.html").write_text(source, "utf-8")
    assert "](https://gazette.example/more)" in told("extract 0.html --format markdown")[0]
    assert "](http://other.example/more)" in told("extract 0.html --url http://other.example/1 --format markdown")[0]
    assert [row["url"] for row in rows_of(told("extract 0.html 1.html")[0])] == ["https://gazette.example/7", ""]


def test_archives_and_a_file(three: Path, told: Told) -> None:
    lines = [json.dumps({"url": f"http://a.example/{n}", "html": article(n)}) for n in range(3)]
    (three / "pages.jsonl").write_text("\n".join([*lines, "no JSON"]))
    answers = [record(f"http://b.example/{n}", article(n).encode()) for n in range(3)]
    (three / "crawl.warc.gz").write_bytes(b"".join(members([*answers, record(status="301 Moved")])))
    told("extract crawl.warc.gz")
    out, err = told("extract pages.jsonl crawl.warc.gz 0.html", 1)
    sites = [f"http://{site}.example/{n}" for site in "ab" for n in range(3)]
    rows = [(row["url"], row["evidence"]) for row in rows_of(out)]
    assert rows[:6] == [(url, "comparison pages") for url in sites] and len(rows) == 7
    assert re.fullmatch(
        r"no address: 1 of 1 file .*\n.*/pages.jsonl, 4: no JSON, Expecting.*\n7 pages, 1 .*, 1 .*, [\d,]+ pages/s\n",
        err,
    )


@pytest.mark.parametrize(
    "command",
    [
        "extract cut.html.gz",
        "extract 0.html --compare 1.html cut.html.gz",
        "explain cut.html.gz",
        "teach cut.html.gz --url http://a.example/ --css p",
        "compare 0.html cut.html.gz",
    ],
)
def test_a_page_that_is_cut_short_is_named(three: Path, told: Told, command: str) -> None:
    (three / "cut.html.gz").write_bytes(gzip.compress((three / "0.html").read_bytes())[:-20])
    assert told(command, 1)[1].startswith("scrapy denoise: cut.html.gz: the compressed file is cut short")


@pytest.mark.parametrize("name", ["page.gz", "page.png", "page.html"])
def test_what_is_no_page_is_refused_in_a_line(three: Path, told: Told, name: str) -> None:
    (three / name).write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    archive = "nor named as an archive (.warc, .jsonl, .parquet)"
    assert told(f"extract {name}", 1) == ("", f"scrapy denoise: {name}: image/png, neither HTML nor text, {archive}\n")
    out, err = told(f"extract {name} 0.html")
    assert len(out.splitlines()) == 1
    kind = "" if name == "page.gz" else ", image/png"  # a file without a suffix must begin like a page
    assert f"\n{name}: no HTML{kind}\n1 page, 1 no HTML, " in err
