"""The shape of a crawl: in the log, in the job directory, and of items; as a table and as a picture."""

import gzip
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.commands.shape_picture import html_page, picture
from denoise_scrapy.crawl.shape import crawl_shape
from denoise_scrapy.crawl.shape.crawl_shape import OTHERS, CrawlShape
from denoise_scrapy.crawl.shape.report import add_to_file, read_shape
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.test_commands import call, scrapy
from tests.crawl.web import Web, article

ITEMS = [
    {"url": "https://a.example/1", "body": "some words", "confidence": 0.9, "kind": "article"},
    {"url": "https://a.example/2", "body": "", "confidence": 0.2, "kind": "listing"},
    {"url": "http://b.example:81/", "body": "x" * 700, "confidence": "0.5", "kind": "article"},
    {"name": "no body"},
]
TABLE = "Where bodies are least sure"


@pytest.fixture
def linked(web: Web) -> Web:
    for n in range(6):
        web.pages[f"/a/{n}"] = article(n, [f"/a/{m}" for m in range(6)])
    web.pages["/empty"] = "<html><body></body></html>"
    return web


def lines_of(path: Path, items: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
    return path.name


def test_the_log_ends_with_the_least_confident_hosts(linked: Web, other_web: Web) -> None:
    other_web.pages["/"] = "<p>Short.</p>"
    done = crawl(spider_of(*(linked(f"/a/{n}") for n in range(4)), linked("/empty"), other_web("/")))
    table = done.log.partition(TABLE)[2].splitlines()[1:4]
    assert table[0].split()[:5] == ["confidence", "pages", "empty", "fallback", "kept"]
    cells = {row.split()[5]: row.split() for row in table[1:]}
    mine = cells[linked.url.partition("://")[2]]
    assert mine[1:3] == ["5", "1"] and mine[6] == linked("/empty")
    assert 50 < int(mine[4].rstrip("%")) < 100
    assert done.log.count(TABLE) == 1


def test_a_crawl_without_bodies_says_nothing(linked: Web, tmp_path: Path) -> None:
    done = crawl(spider_of(linked("/a/1"), denoise_enabled=False), {"JOBDIR": str(tmp_path)})
    quiet = crawl(spider_of(linked("/a/1"), parse=lambda *_: None), {"JOBDIR": str(tmp_path)})
    assert TABLE not in done.log + quiet.log
    assert not (tmp_path / "denoise-shape.json").exists()


def test_runs_of_a_job_are_added_up(linked: Web, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for numbers in ((0, 1, 2), (3, 4)):
        crawl(spider_of(*(linked(f"/a/{n}") for n in numbers)), {"JOBDIR": "job"})
    shape = read_shape(here / "job" / "denoise-shape.json")
    assert (shape.runs, shape.total.pages, shape.total.empty) == (2, 5, 0)
    assert sum(shape.histograms["kept"].values()) == sum(shape.histograms["confidence"].values()) == 5
    capsys.readouterr()
    assert call("stats", "job") == 0
    told = capsys.readouterr()
    assert told.out.startswith("job: 5 pages of 1 host, 2 crawls\n")
    assert "\nsite memory: 5 pages\nindex of texts: 5 texts\n" in told.out
    assert told.err == ""


def test_another_file_in_its_place_stays(linked: Web, tmp_path: Path) -> None:
    (tmp_path / "denoise-shape.json").write_text('{"mine": 1}')
    done = crawl(spider_of(linked("/a/1")), {"JOBDIR": str(tmp_path)})
    assert done.stat("errors/shape") == 1 and TABLE in done.log
    assert (tmp_path / "denoise-shape.json").read_text() == '{"mine": 1}'


@pytest.mark.parametrize("name", ["i.jsonl", "i.jl", "i.json", "i.csv", "i.jl.gz"])
def test_items_of_every_feed(here: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    text = "".join(json.dumps(item) + "\n" for item in ITEMS)
    if name == "i.json":
        text = json.dumps(ITEMS)
    if name == "i.csv":
        rows = [[str(item.get(key, "")) for key in ("url", "body", "confidence", "kind")] for item in ITEMS[:3]]
        text = "\r\n".join(map(",".join, [["url", "body", "confidence", "kind"], *rows]))
    data = text.encode()
    (here / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    assert call("stats", name, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    hosts = found["hosts"]
    assert {name: host["pages"] for name, host in hosts.items()} == {"a.example": 2, "b.example:81": 1}
    assert (hosts["a.example"]["empty"], hosts["a.example"]["least"]) == (1, 0.2)
    assert hosts["a.example"]["url"] == "https://a.example/2"
    assert found["lengths"] == {"0": 1, "4": 1, "10": 1}
    assert found["kinds"] == {"article": 2, "listing": 1}
    assert found["kept"] == {}


def test_the_table_of_items(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("stats", lines_of(here / "i.jl", ITEMS), "--hosts", "1") == 0
    told = capsys.readouterr().out
    assert told.startswith("i.jl: 3 pages of 2 hosts\n354 characters a body, 1 empty, mean confidence 0.53\n")
    assert "kinds: article 2, listing 1\n" in told
    assert "      0.55      2      1         0     -  a.example  https://a.example/2\n" in told
    assert "b.example" not in told
    assert "  512-1023       1\n" in told


def test_other_names_of_fields(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = lines_of(here / "i.jl", [{"link": "http://a.example/", "text": "abc", "sure": 1}])
    fields = {"DENOISE_BODY_FIELD": "text", "DENOISE_URL_FIELD": "link", "DENOISE_CONFIDENCE_FIELD": "sure"}
    assert call("stats", name, "--json", **fields) == 0
    assert json.loads(capsys.readouterr().out)["hosts"]["a.example"]["confidence"] == 1


def test_what_is_wrong_is_told(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines_of(here / "none.jl", [{"text": "abc"}])
    (here / "broken.jl").write_text('{"body": "a"}\n[1]\n{\n\n' + "[" * 9999)
    (here / "job").mkdir()
    (here / "denoise-shape.json").write_text('{"denoise_scrapy": "shape", "format": 1, "hosts": {"a": {"pages": "x"}}}')
    for argv, code, said in (
        (["none.jl"], 1, "no item has text in 'body'"),
        (["broken.jl"], 1, "no items: 3 lines"),
        (["missing.jl"], 1, "missing.jl"),
        (["none.txt"], 1, "valid are .jsonl"),
        (["job"], 1, "has left anything here"),
        (["."], 1, "denoise-shape.json: it is damaged"),
        (["none.jl", "-o", "x.png"], 2, "valid are .html and .svg"),
    ):
        assert call("stats", *argv) == code
        assert said in capsys.readouterr().err


def test_a_job_without_a_shape_says_what_is_there(here: Path, linked: Web, capsys: pytest.CaptureFixture[str]) -> None:
    crawl(spider_of(linked("/a/1")), {"JOBDIR": "job"})
    (here / "job" / "denoise-shape.json").unlink()
    capsys.readouterr()
    assert call("stats", "job") == 0
    told = capsys.readouterr()
    assert "index of texts: 1 text\n" in told.out and "a crawl writes it when it ends" in told.out


def test_hosts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crawl_shape, "MAX_HOSTS", 3)
    shape = CrawlShape()
    for n in range(9):
        shape.add(f"http://h{n}.example/", chars=1, page_chars=2, confidence=n / 10)
    assert list(shape.hosts) == ["h0.example", "h1.example", "h2.example", OTHERS]
    others = shape.hosts[OTHERS]
    assert (others.pages, others.kept, others.url) == (6, 0.5, "http://h3.example/")
    again = CrawlShape.from_dict(json.loads(json.dumps(shape.as_dict())))
    again.merge(shape)
    assert len(again.hosts) == 4 and again.total.pages == 18 and again.runs == 2


HOSTILE = """'"><script>alert(1)</script><img src=x onerror=alert(1)>&lt;\x00\x1b[2J]]>"""


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes += attrs


def test_hostile_names_are_escaped(here: Path) -> None:
    items = [
        {"url": "http://a.example/" + HOSTILE, "body": "a", "confidence": 0.1},
        {"url": "http://b.example/" + HOSTILE.partition("&")[0], "body": "a", "confidence": 0.1},
        {"url": "http://<script>alert(2)</script>/", "body": "a", "confidence": 0.1},
        {"url": "javascript:alert(3)", "body": "a", "confidence": 0, "kind": HOSTILE},
    ]
    assert call("stats", lines_of(here / "i.jl", items), "-o", "page.html") == 0
    page = (here / "page.html").read_text("utf-8")
    for forbidden in ("<script", "<img", "\x1b", "\x00", "]]>"):
        assert forbidden not in page
    assert 'href="javascript' not in page
    assert "default-src 'none'" in page
    read = Tags()
    read.feed(page)
    assert read.names == {*"html meta title style h1 p svg g text path rect table tr th td a".split()}
    links = {value for name, value in read.attributes if name in {"href", "src"}}
    assert links == {items[1]["url"], items[2]["url"]}
    assert not [name for name, _ in read.attributes if name.startswith("on")]
    ElementTree.fromstring(page[page.index("<svg") : page.index("</svg>") + 6])


@given(st.lists(st.tuples(st.text(max_size=30), st.integers(0, 10**7), st.none() | st.floats(0, 1)), max_size=20))
def test_any_shape_is_drawn_and_read_again(pages: list[tuple[str, int, float | None]]) -> None:
    shape = CrawlShape()
    for name, chars, confidence in pages:
        shape.add(f"http://{name}/", chars=chars, page_chars=chars + len(name), confidence=confidence)
    ElementTree.fromstring(picture(shape, "x<y"))
    assert html_page(shape, "x").endswith("</html>\n")
    assert CrawlShape.from_dict(json.loads(json.dumps(shape.as_dict()))).as_dict() == shape.as_dict()


def test_the_picture_has_a_title_for_every_bar(here: Path) -> None:
    shape = CrawlShape()
    for n in range(40):
        shape.add(f"http://h{n % 4}.example/{n}", chars=n * 50, page_chars=4000, confidence=n / 40)
    add_to_file(here / "denoise-shape.json", shape)
    assert call("stats", ".", "-o", "crawl.svg") == 0
    svg = ElementTree.fromstring((here / "crawl.svg").read_text("utf-8"))
    name = "{http://www.w3.org/2000/svg}"
    bars = list(svg.iter(f"{name}rect"))
    assert len(bars) > 40 and all(bar.find(f"{name}title") is not None for bar in bars)
    assert "prefers-color-scheme:dark" in (here / "crawl.svg").read_text("utf-8")


def test_a_real_process(here: Path) -> None:
    done = scrapy("stats", lines_of(here / "i.jl", ITEMS), "-o", "page.html", cwd=here)
    assert (done.returncode, done.stderr) == (0, "")
    assert "mean confidence" in done.stdout
    assert (here / "page.html").stat().st_size < 20_000
