"""`scrapy denoise extract` of many files: formats, compression, processes, resuming, stopping, outputs."""

import gzip
import io
import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
import zipfile
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from pyarrow import parquet

from denoise_scrapy import extract
from denoise_scrapy.page.parse import MAX_PAGE_BYTES
from denoise_scrapy.support.row_files import zstd
from tests.archive.warcs import members, record
from tests.crawl.conftest import Told
from tests.crawl.web import article, story

ADDRESS = '<head><link rel="canonical" href="https://{}.example/{}">'


def page_of(site: str, number: int) -> bytes:
    return article(number).replace("<head>", ADDRESS.format(site, number)).encode()


def rows_of(name: str | Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(name).read_text("utf-8").splitlines()]


@pytest.fixture
def sites(here: Path) -> Path:
    """A folder with six pages of each of three sites."""
    for site in "abc":
        for number in range(6):
            path = here / "sites" / site / f"{number}.html"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(page_of(site, number))
    return here / "sites"


def test_parquet_is_parquet(sites: Path, told: Told) -> None:
    told("extract sites -o x.jsonl --meta")
    told("extract sites -o x.parquet --meta")
    found = parquet.read_table("x.parquet").to_pylist()
    rows = rows_of("x.jsonl")
    assert [{**row, "meta": None} for row in found] == [{**row, "meta": None} for row in rows]
    assert found[0]["meta"]["title"] == rows[0]["meta"]["title"]
    before = [Path(name).read_bytes() for name in ("x.jsonl", "x.parquet")]
    for name in ("x.jsonl", "x.parquet"):
        told(f"extract sites none/ none.zip -o {name}", 1)
    assert [Path(name).read_bytes() for name in ("x.jsonl", "x.parquet")] == before
    assert told("extract sites --resume -o x.parquet", 2)[1].startswith("scrapy denoise extract: --resume needs")


def test_compressed_pages_and_names_without_a_suffix(here: Path, told: Told) -> None:
    data = [page_of("a", number) for number in range(8)]
    folder = here / "site"
    folder.mkdir()
    for name, content in {
        "0.html": data[0],
        "1.html.gz": gzip.compress(data[1]),
        "2.HTM.zst": zstd.compress(data[2]),
        "3": data[3],
        "4.gz": gzip.compress(data[4]),
        "5.html": gzip.compress(data[5]),  # as some servers send it
        "LICENSE": b"Anyone may <b>read</b> this.",
        ".hidden": data[6],
        "notes.txt.gz": gzip.compress(b"Notes."),
        "cut.html.gz": gzip.compress(data[6])[:-20],
        "bomb.html.gz": gzip.compress(b"<html>" + b" " * 30 * MAX_PAGE_BYTES),
    }.items():
        (folder / name).write_bytes(content)
    lines = b"".join(json.dumps({"url": f"http://j.example/{n}", "html": article(n)}).encode() + b"\n" for n in (0, 1))
    (here / "rows.jsonl.zst").write_bytes(zstd.compress(lines))
    _, err = told("extract site -o out.jsonl --errors errors.jsonl", 1)
    rows = rows_of("out.jsonl")
    urls = {row["url"]: row["text"] for row in rows}
    assert {f"https://a.example/{n}" for n in range(6)} <= urls.keys()
    assert all(story(n).rpartition(". ")[2] in urls[f"https://a.example/{n}"] for n in range(6))
    assert "left out: 2 files (1 .hidden, 1 .gz), as outputs" in err
    problems = {Path(row["file"]).name: row["problem"] for row in rows_of("errors.jsonl")}
    assert problems == {"LICENSE": "no HTML", "cut.html.gz": "damaged", "bomb.html.gz": "too large"}
    assert len(rows) == 6
    told("extract rows.jsonl.zst -o out.jsonl")
    assert [row["url"] for row in rows_of("out.jsonl")] == ["http://j.example/0", "http://j.example/1"]
    assert told("extract site/1.html.gz")[0] == extract(data[1]).text + "\n"


def test_pages_beside_archives_are_left_out_and_the_line_says_so(here: Path, told: Told) -> None:
    (here / "site").mkdir()
    (here / "site" / "0.html.gz").write_bytes(gzip.compress(page_of("a", 0)))
    assert "left out" not in told("extract site -o out.jsonl")[1]
    (here / "site" / "1.jsonl").write_text(json.dumps({"url": "http://j.example/1", "html": article(1)}) + "\n")
    _, err = told("extract site -o out.jsonl")
    assert "left out: 1 file (1 .gz), as outputs, without pages or beside archives" in err
    assert [row["url"] for row in rows_of("out.jsonl")] == ["http://j.example/1"]


def test_files_have_their_places_below_a_url_once_each(sites: Path, told: Told) -> None:
    told("extract sites/a/1.html sites/b/1.html sites/a/1.html --url https://n.example/x -o out.jsonl")
    assert [row["url"] for row in rows_of("out.jsonl")] == [f"https://n.example/x/{site}/1.html" for site in "ab"]
    told("extract sites/a sites/a/*.html --url https://n.example/x -o out.jsonl")
    assert [row["url"] for row in rows_of("out.jsonl")] == [f"https://n.example/x/{n}.html" for n in range(6)]


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def test_zip_and_wacz(here: Path, told: Told) -> None:
    inner = [(f"news/{n}.html", article(n).encode()) for n in range(3)]
    answers = b"".join(members([record(f"http://w.example/{n}", article(n).encode()) for n in range(3)]))
    rows = b'{"url": "http://j.example/", "html": "<p>Rain.</p>"}\n'
    (here / "a.zip").write_bytes(zipped(*inner, ("x.png", b"\x89PNG"), ("rows.jsonl", rows), ("b.warc.gz", answers)))
    archive = ("archive/data.warc.gz", answers)
    (here / "b.wacz").write_bytes(zipped(archive, ("pages/pages.jsonl", b'{"format": "json-pages-1.0"}\n')))
    told("extract a.zip b.wacz -o out.jsonl --url https://z.example/x")
    found = [(row["file"].removeprefix(f"{here}/"), row["url"]) for row in rows_of("out.jsonl")]
    at = [f"http://w.example/{n}" for n in range(3)]
    assert found == [
        *((f"a.zip/news/{n}.html", f"https://z.example/x/news/{n}.html") for n in range(3)),
        ("a.zip/rows.jsonl", "http://j.example/"),
        *(("a.zip/b.warc.gz", url) for url in at),
        *(("b.wacz/archive/data.warc.gz", url) for url in at),
    ]


def overlapping() -> bytes:
    """A ZIP file with one page that many names stand for."""
    data = zipped(("0.html", b"<html>" + b"a" * 1_000_000))
    (start,) = struct.unpack("<I", data[-6:-2])
    directory, end = data[start:-22] * 200, bytearray(data[-22:])
    struct.pack_into("<HHI", end, 8, 200, 200, len(directory))
    return data[:start] + directory + bytes(end)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (zipped(("0.html", b"<html>" + b" " * 2 * MAX_PAGE_BYTES)), "too large"),
        (zipped(("0.html", page_of("a", 0)), method=zipfile.ZIP_LZMA), "unreadable"),
        (zipped(("0.html", page_of("a", 0)))[:-30], "unreadable"),
        (
            zipped(("0.html", page_of("a", 0))).replace(b"PK\1\2\x14\3\x14\0\0\0", b"PK\1\2\x14\3\x14\0\1\0"),
            "unreadable",
        ),
        (overlapping(), "unreadable"),
    ],
)
def test_a_zip_file_that_cannot_be_read(here: Path, told: Told, data: bytes, problem: str) -> None:
    (here / "a.zip").write_bytes(data)
    (here / "b.html").write_bytes(page_of("a", 1))
    told("extract a.zip b.html -o out.jsonl --errors errors.jsonl", int(problem != "too large"))
    assert [row["problem"] for row in rows_of("errors.jsonl")] == [problem]
    assert len(rows_of("out.jsonl")) == 1


def test_several_processes_write_what_one_writes(sites: Path, told: Told) -> None:
    told("extract sites -o one.jsonl --meta")
    told("extract sites -o two.jsonl --meta --jobs 2")
    one, two = ({row["file"]: row for row in rows_of(name)} for name in ("one.jsonl", "two.jsonl"))
    assert one.keys() == two.keys() and len(one) == 18
    assert one == two
    for site in "abc":  # in order
        names = [row["file"] for row in rows_of("two.jsonl") if f"/{site}/" in row["file"]]
        assert names == sorted(names)
    with pytest.raises(SystemExit):
        told("extract sites --jobs 0")


@pytest.mark.parametrize("jobs", ["", "--jobs 2"])
def test_a_run_is_resumed(sites: Path, told: Told, jobs: str) -> None:
    answers = [record(f"http://w.example/{n}", article(n).encode()) for n in range(4)]
    (sites.parent / "w.warc.gz").write_bytes(b"".join(members(answers)))
    command = f"extract sites w.warc.gz -o out.jsonl {jobs}"
    told(command)
    lines = sorted(Path("out.jsonl").read_bytes().splitlines(keepends=True))
    Path("out.jsonl").write_bytes(b"".join(lines[:8] + lines[18:20]) + lines[9][:40])
    _, err = told(command + " --resume")
    assert "12 pages, 10 of an earlier run, " in err
    assert sorted(Path("out.jsonl").read_bytes().splitlines(keepends=True)) == lines
    command = command.removesuffix(jobs)
    assert "\n0 pages, 22 of an earlier run, " in "\n" + told(command + " --resume")[1]
    whole = lines[0].decode()
    rewritten = '{"file":"sites/a/0.html","url":""}'  # as another program writes it, without a line end
    other_rows = ('{"title": "Something else"}\n', '{"title": "Something else"}', rewritten)
    for other in (*other_rows, whole + "My notes", whole + "\n1"):
        Path("out.jsonl").write_text(other)
        assert "cannot be continued" in told(command + " --resume", 1)[1]
        assert Path("out.jsonl").read_text() == other


def test_a_file_for_each_text(sites: Path, told: Told) -> None:
    evil = [
        ("../../out.html", page_of("e", 0)),
        ("/etc/1.html", page_of("e", 1)),
        ("C:\\x/..\\2.html", page_of("e", 2)),
    ]
    long = ("a" * 300, page_of("e", 3))
    (sites / "evil.zip").write_bytes(zipped(*evil, long))
    told("extract sites --output-dir texts --format markdown")
    found = sorted(str(path.relative_to("texts")) for path in Path("texts").rglob("*") if path.is_file())
    assert {f"{site}/{n}.html.md" for site in "abc" for n in range(6)} <= {*found}
    assert len(found) == 22 and all(len(path.encode()) < 255 for path in found)
    assert sorted(path.name for path in sites.parent.iterdir()) == ["sites", "texts"]
    assert story(3).split(".")[0] in Path("texts/a/3.html.md").read_text("utf-8")
    Path("texts/b/3.html.md").unlink()
    Path("texts/b/4.html.md").write_text("mine")
    assert "1 page, 21 of an earlier run" in told("extract sites --output-dir texts --format markdown --resume")[1]
    assert Path("texts/b/4.html.md").read_text() == "mine" and Path("texts/b/3.html.md").exists()
    assert told("extract sites --output-dir texts -o x.jsonl", 2)[0] == ""
    assert told("extract sites/a/0.html --output-dir texts", 2)[0] == ""


STORY = """<html><head><title>Rain - Courier</title><meta name=author content="Ann Reed"></head><body><article>
<h1>Rain</h1><p>It rained for <b>forty days</b>, <a href="/flood">the council</a> said,\x0b and the river rose.</p>
<table><tr><th>Day<th>Level</tr><tr><td>Monday<td colspan=2>4 metres and a half</tr></table>
<h2>What to do</h2><ul><li>Move cars to the hill before the evening.<ul><li>Not to the market.</li></ul></li>
<li>Keep the drains of the houses free of leaves.</li></ul>
<pre>pump --all\n  --fast</pre><h3>Later</h3>
<blockquote><p>We will rebuild the bridge, the mayor said on Friday.</p></blockquote>
<h2>Thanks</h2><p>To all who carried sand, of whom there were many.</p></article></body></html>"""


def test_tei(here: Path, told: Told) -> None:
    (here / "a.html").write_text(STORY, "utf-8")
    told("extract a.html --url https://a.example/1 --format tei --meta -o a.xml")
    root = etree.parse("a.xml").getroot()
    names = {"t": root.nsmap[None]}
    assert root.nsmap[None] == "http://www.tei-c.org/ns/1.0"

    def found(path: str) -> list[str]:
        return [" ".join(str(one.xpath("string()")).split()) for one in root.xpath(path, namespaces=names)]

    assert found("t:teiHeader/t:fileDesc/t:titleStmt/t:author") == ["Ann Reed"]
    assert root.xpath("//t:ptr/@target", namespaces=names) == ["https://a.example/1"]
    assert found("//t:div/t:head") == ["Rain", "What to do", "Later", "Thanks"]
    assert found("//t:div[t:head='Rain']/t:div/t:head") == ["What to do", "Thanks"]
    assert found("//t:p/t:hi[@rend='bold']") == ["forty days"]
    assert root.xpath("//t:ref/@target", namespaces=names) == ["https://a.example/flood"]
    assert found("//t:item//t:item") == ["Not to the market."]
    assert root.xpath("string(//t:ab)", namespaces=names) == "pump --all\n  --fast"
    assert found("//t:cell") == ["Day", "Level", "Monday", "4 metres and a half"]
    (here / "site").mkdir()
    (here / "site" / "b.html").write_text(STORY, "utf-8")
    told("extract site --format tei --output-dir texts")
    assert etree.parse("texts/b.html.xml").getroot().tag == root.tag
    for html in ("", "<p>Only a <q>paragraph</q> of a few words stands here, in the rain.", "Bare & <b>bold</b> words"):
        (here / "a.html").write_text(html, "utf-8")
        told("extract a.html --format tei -o a.xml")
        whole = " ".join(str(etree.parse("a.xml").xpath("string(//*[local-name()='body'])")).split())
        assert whole == " ".join(extract(html).text.split())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("jobs", [[], ["--jobs", "2"]])
def test_ctrl_c_is_a_line(here: Path, jobs: list[str]) -> None:
    (here / "site").mkdir()
    for number in range(99):
        (here / "site" / f"{number:03}.html").write_bytes(page_of("a", number % 20))
    os.mkfifo(here / "wait.html")  # opening it waits
    command = [sys.executable, "-m", "denoise_scrapy", "site", "wait.html", "-o", "out.jsonl", *jobs]
    command += ["--url", "http://a.example/"]
    options: dict[str, Any] = {"stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # ignored where tests run in the background
    with subprocess.Popen(command, preexec_fn=heard, **options) as process:  # noqa: PLW1509 - tests have one thread
        try:
            limit = time.monotonic() + 40
            while not (Path("out.jsonl").exists() and Path("out.jsonl").stat().st_size) and time.monotonic() < limit:
                time.sleep(0.1)
            time.sleep(0.5)  # until it waits: a signal just before that is heard only afterwards
            os.killpg(process.pid, signal.SIGINT)
            _, err = process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode == 130
    # before it stands how far it is, on a machine that is busy
    stopped = re.search(r"^stopped after (\d+) pages?, which (?:is|are) in out.jsonl\n\Z", err, re.M)
    assert stopped and len(rows_of("out.jsonl")) == int(stopped[1]) > 0


OUTPUTS = [
    "-o site/out.jsonl",
    "-o site/out.jsonl --format html --errors site/errors.jsonl",
    "-o site/sub/out.parquet",
    "-o site/out.jsonl.gz",
    "-o site/out.zst",
    "--output-dir site/texts --format html",
    "--output-dir site/texts --format json",
    "--output-dir site",
    "-o link/out.jsonl",
]


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("name", ["site", "site/**/*"])
def test_what_we_have_written_is_no_page(here: Path, told: Told, output: str, name: str) -> None:
    """By its path in the same run again, by its content in another; other rows without HTML are none either."""
    (here / "site" / "sub").mkdir(parents=True)
    (here / "link").symlink_to("site")
    for number in range(3):
        (here / "site" / f"{number}.html").write_text(page_of("a", number).decode())
    for row in ({"url": "https://a.example/9", "body": "An item."}, {"op": "delete", "id": "7", "url": "/"}):
        (here / "site" / f"{len(row)}.jsonl").write_text(json.dumps(row) + "\n")
    told(f"extract {name} {output}")
    if output.endswith((".gz", ".zst")):
        written = Path(output.split()[1]).read_bytes()
        lines = gzip.decompress(written) if output.endswith(".gz") else zstd.decompress(written)
        assert lines.count(b"\n") == 3
    first = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    told(f"extract {name} {output}")
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file()} == first
    _, err = told(f"extract {name} -o other.jsonl")
    extra = 3 if output == OUTPUTS[5] else 0  # HTML of pages is HTML: only its place tells
    assert len(rows_of("other.jsonl")) == 3 + extra
    assert "left out: " in err


def test_an_output_is_no_input_and_has_its_format(here: Path, told: Told) -> None:
    row = json.dumps({"url": "https://a.example/", "html": "<p>Rain.</p>"}) + "\n"
    (here / "rows.jsonl").write_text(row)
    for end in ("rows.jsonl", "x.zip", "x.wacz", "x.warc.gz", "x.html"):
        said = "it is the output as well" if end == "rows.jsonl" else f"-o {end}: several pages are written as .jsonl ("
        assert said in told(f"extract rows.jsonl -o {end}", 2 if end != "rows.jsonl" else 1)[1]
    assert (here / "rows.jsonl").read_text() == row and [*here.iterdir()] == [here / "rows.jsonl"]
    assert "their HTML needs another folder" in told("extract . --output-dir . --format html", 2)[1]
    (here / "rows.jsonl").write_text('{"url": "/", "evidence": "", "html": ""}\n')
    assert "there are no pages in it" in told("extract .", 1)[1]
