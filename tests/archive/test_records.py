"""Records of damaged files: each is a page or a bad record, and nothing is missing."""

import datetime
import gzip
import io
import json
import re
import time
import tracemalloc
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from fastwarc.warc import ArchiveIterator
from hypothesis import example, given
from hypothesis import strategies as st
from pyarrow import parquet

from denoise_scrapy.archive import archive_files, warc
from denoise_scrapy.archive.archive_files import (
    files_of,
    page_format,
    read_records,
    records_of,
)
from denoise_scrapy.archive.records import PROBLEMS, ArchiveRecord
from denoise_scrapy.page.parse import MAX_PAGE_BYTES
from denoise_scrapy.support import row_files
from denoise_scrapy.support.row_files import zstd
from tests.archive.warcs import ODD, members, record

PLAIN = [record(f"http://a.example/{number}", b"<html><p>Rain %d." % number * 40) for number in range(6)]
MEMBERS = members(PLAIN)
ALL = list(range(6))


def read(data: bytes, name: str = "a.warc.gz") -> list[ArchiveRecord]:
    return list(read_records(name, io.BytesIO(data)))


def zipped(*files: Any) -> bytes:
    """A ZIP file of one file, given its name and bytes, or of pages."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        named = [files] if isinstance(files[0], str) else [(f"{n}.html", data) for n, data in enumerate(files)]
        for name, data in named:
            archive.writestr(name, data)
    return out.getvalue()


def pages(found: list[ArchiveRecord]) -> list[int]:
    return [int(one.url.rpartition("/")[2]) for one in found if not one.problem]


def problems(found: list[ArchiveRecord]) -> list[str]:
    return [one.problem for one in found if one.problem]


@pytest.mark.parametrize("data", [b"".join(MEMBERS), b"".join(PLAIN), gzip.compress(b"".join(PLAIN))])
def test_a_whole_file(data: bytes) -> None:
    found = read(data)
    assert pages(found) == ALL and problems(found) == []
    assert (found[3].html, found[3].date) == ("<html><p>Rain 3." * 40, "2031-05-01T00:00:00Z")
    for one in found if data == b"".join(MEMBERS) else []:
        assert pages(read(data[one.offset :]))[0] == int(one.url[-1])


@pytest.mark.parametrize("name", ODD)
def test_an_odd_record(name: str) -> None:
    problem, data = ODD[name]
    others = [record(warc_type=kind) for kind in ("request", "metadata", "warcinfo")]  # of no page
    for around in (b"".join, lambda records: b"".join(members(records))):
        found = read(around([*others, PLAIN[0], data, PLAIN[1], *others]))
        assert problem in {"", *PROBLEMS}
        assert [one.problem for one in found] == ["", problem, ""]
        assert str(found[1].html or "").startswith(("<html><p>Rain.", "<!doctype html><p>Rain.") if not problem else "")


def test_encodings_of_pages() -> None:
    by_meta = record(body="<html><meta charset=gbk><p>雨天".encode("gbk"))
    by_header = record(kind="text/html; charset=ISO-8859-2", body="<html><p>Łódź".encode("iso-8859-2"))
    found = [one.html for one in read(b"".join(members([by_meta, by_header])))]
    assert found == ["<html><meta charset=gbk><p>雨天", "<html><p>Łódź"]


@example(149)  # after "Content-Length:"
@given(st.integers(1, sum(map(len, MEMBERS)) - 1))
def test_a_file_cut_anywhere(end: int) -> None:
    """Complete records are read; the rest of the next one is one bad record."""
    found = read(b"".join(MEMBERS)[:end])
    whole = [number for number in ALL if sum(map(len, MEMBERS[: number + 1])) <= end]
    left = end - sum(len(MEMBERS[number]) for number in whole)
    # all but the checksum of a member may be there, and with it the whole record
    assert pages(found) in (whole, [*whole, len(whole)])
    assert len(found) == len(whole) + (left > 0)
    assert set(problems(found)) <= {"truncated", "unreadable"}


@given(st.integers(0, 5), st.binary(min_size=1, max_size=300).filter(lambda junk: b"\x1f\x8b" not in junk))
def test_garbage_between_records(before: int, junk: bytes) -> None:
    found = read(b"".join([*MEMBERS[:before], junk, *MEMBERS[before:]]))
    assert pages(found) == ALL
    assert problems(found) == ["damaged"]


@given(st.integers(0, 5), st.data())
def test_a_damaged_record(which: int, data: st.DataObject) -> None:
    """There is at most one bad record for it; the others are read."""
    damaged = bytearray(MEMBERS[which])
    start = data.draw(st.integers(0, len(damaged) - 1))
    junk = data.draw(st.binary(min_size=1, max_size=40))
    damaged[start : start + len(junk)] = junk[: len(damaged) - start]
    found = read(b"".join([*MEMBERS[:which], bytes(damaged), *MEMBERS[which + 1 :]]))
    others = [number for number in ALL if number != which]
    assert [number for number in pages(found) if number != which] == others
    assert len(found) == 6


def test_damage_in_a_file_that_is_not_compressed() -> None:
    found = read(b"".join([*PLAIN[:2], b"Some lines\nof something else\n" * 9, *PLAIN[2:]]))
    assert pages(found) == ALL and problems(found) == ["damaged"]
    found = read(b"".join(PLAIN)[:-300])
    assert pages(found) == ALL[:-1] and problems(found) == ["truncated"]


FALSE = b"WARC/1.0\n"
LONG = b"WARC/1.0\r\nWARC-Type: request\r\nContent-Length: 999999999\r\n\r\n"
BEGINNINGS = [FALSE, FALSE + b"A: b\n", LONG, gzip.compress(FALSE), gzip.compress(FALSE)[:-6], b"\x1f\x8b\x08"]


@pytest.mark.parametrize(
    "beginning", BEGINNINGS, ids=["bare", "a header", "too long", "gzip", "cut gzip", "magic bytes"]
)
def test_false_beginnings_are_not_tried_one_by_one(beginning: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = []

    def iterator(*args: Any, **more: Any) -> Any:
        opened.append(1)
        return ArchiveIterator(*args, **more)

    monkeypatch.setattr(warc, "ArchiveIterator", iterator)
    around = MEMBERS if beginning.startswith(b"\x1f") else PLAIN
    assert {*pages(read(around[0] + beginning * 5 + around[1]))} == {0, 1}, "a few hide nothing"
    found = read(around[0] + beginning * 20_000 + b"".join(around[1:] * 100))
    assert len(opened) < 100
    assert len(pages(found)) >= 2 and len(problems(found)) < 100


def test_a_bomb_is_skipped_in_bounded_memory() -> None:
    head = record("http://a.example/9").partition(b"Content-Length")[0] + b"Content-Length: 100000000\r\n\r\n"
    packed = gzip.compress(head + bytes(100_000_000), 1)
    file = io.BytesIO(MEMBERS[0] + packed)
    tracemalloc.start()
    found = list(read_records("a.warc.gz", file))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (pages(found), problems(found)) == ([0], ["too large"])
    assert peak < 2_000_000


def bomb(member: str, unit: bytes, times: int) -> bytes:
    """A ZIP file of a member that repeats a MB."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive, archive.open(member, "w") as file:
        for _ in range(times):
            file.write(unit * ((1 << 20) // len(unit)))
    return out.getvalue()


PAGES = [{"url": f"http://a.example/{n}", "html": "<p>Rain."} for n in range(3)]
LINES = "\n".join(map(json.dumps, PAGES)).encode() + b"\n"
#: Names and contents of what unpacks to far more than its size, the pages that are read, and a part of the problem.
BOMBS: dict[str, tuple[str, Callable[[], bytes], int, str]] = {
    "WARC in a ZIP": ("a.zip", lambda: bomb("a.warc", b"a", 60), 0, "far more than its size"),
    "WARC in WACZ": ("a.wacz", lambda: bomb("archive/a.warc", b"WARC/1.0\r\n", 60), 0, "far more than its size"),
    "rows in a ZIP": ("a.zip", lambda: bomb("a.jsonl", b"{}\n", 60), 0, "far more than its size"),
    "packed rows in a ZIP": (
        "a.zip",
        lambda: zipped("a.jsonl.gz", gzip.compress(LINES + b"{}\n" * 900_000)),
        3,
        "far more than its size",
    ),
    "rows": ("a.jsonl.gz", lambda: gzip.compress(LINES + b"{}\n" * 500_000), 3, "far more than its size"),
    "rows, zstd": ("a.jsonl.zst", lambda: zstd.compress(LINES + b"{}\n" * 500_000), 3, "far more than its size"),
    "empty lines": ("a.jsonl.gz", lambda: gzip.compress(LINES + b"\n" * 3_000_000), 3, "far more than its size"),
    "a line": ("a.jsonl.gz", lambda: gzip.compress(b'{"html": "' + b"a" * 50_000_000), 0, "far more than its size"),
    "many pages": ("a.zip", lambda: zipped(*[b"<html>" + b"a" * 7_000_000] * 9), 2, "far more than its size"),
    "packed twice": (
        "a.html.gz",
        lambda: gzip.compress(gzip.compress(b"<p>" + b"a" * 90_000_000)),
        0,
        "application/gzip",
    ),
    "WARC packed twice": (
        "a.warc.gz",
        lambda: gzip.compress(gzip.compress(b"WARC/1.0\r\n" + b"a" * 90_000_000)),
        0,
        "WARC",
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_what_unpacks_to_far_more_than_its_size_is_not_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file, make, pages_read, problem = BOMBS[name]
    data = make()
    written = [0]

    def copy(source: Any, target: Any, size: int) -> None:
        shutil_copy(source, target, size)
        written[0] += target.tell()

    monkeypatch.setattr(row_files, "_SMALL", 1000)  # so that it takes less time
    shutil_copy = archive_files.shutil.copyfileobj
    monkeypatch.setattr(archive_files.shutil, "copyfileobj", copy)
    start = time.process_time()
    tracemalloc.start()
    found = Counter(
        one.problem if one.problem == "empty" else (one.problem, one.detail)
        for one in read_records(file, io.BytesIO(data), "http://a.example/")
    )
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found["", ""] == pages_read
    [said] = [key for key in found if key not in {"empty", ("", "")}]
    assert problem in said[1]
    # a page of 10 MB may be there as bytes and as text, once each
    assert peak < 6 * MAX_PAGE_BYTES and written[0] < 2 * MAX_PAGE_BYTES
    assert time.process_time() - start < 10, "traced, it takes five times as long"


def test_packed_archives_of_pages_are_read_whole() -> None:
    """Also pages of one template, which pack to a hundredth, if they have some MB."""
    html = "<html><body>" + "<nav><a href=/x>Section of the paper</a></nav>" * 300 + "<p>{}</p></body></html>"
    rows = [{"url": f"http://a.example/{n}", "html": html.format(f"Rain {n:x} " * 20)} for n in range(200)]
    lines = "\n".join(map(json.dumps, rows)).encode()
    for name, data in {
        "a.jsonl.gz": gzip.compress(lines),
        "a.jsonl.zst": zstd.compress(lines),
        "a.zip": zipped("a.jsonl", lines),
        "b.zip": zipped(*[row["html"].encode() for row in rows]),
    }.items():
        found = read(data, name) if name != "b.zip" else list(read_records(name, io.BytesIO(data), "http://a.example/"))
        assert len(found) == 200 and not problems(found)
        assert len(lines) > 30 * len(data)


@pytest.mark.parametrize("length", [b"1000000000000", b"9" * 18, b"5000"])
@pytest.mark.parametrize("kind", ["response", "metadata", "revisit"])
def test_a_false_length_hides_no_record(length: bytes, kind: str) -> None:
    false = record("http://a.example/9", warc_type=kind)
    false = re.sub(rb"(?m)^(Content-Length: )\d+", rb"\g<1>" + length, false, count=1)
    for after in (PLAIN[1:3], []):
        found = read(b"".join([PLAIN[0], false, *after]), "a.warc")
        assert pages(found) == [0, 1, 2][: len(after) + 1]
        assert len(problems(found)) <= 1


def test_what_is_no_warc_file() -> None:
    assert problems(read(b"A letter, not an archive." * 9)) == ["unreadable"]
    assert problems(read(gzip.compress(b"A letter, not an archive." * 9))) == ["unreadable"]
    assert read(b"") == []


def test_json_lines() -> None:
    rows = [
        {"url": "http://a.example/1", "html": "<p>Rain.", "date": "2031-05-01"},
        {"url": "http://a.example/2", "html": "<p>Ha\ud800lf."},
        {"url": "http://a.example/3"},
        {"html": "<p>Whose?"},
        {"url": "http://a.example/5", "html": ["<p>"]},
        {"url": "http://a.example/6", "html": "No page."},
        {"url": "http://a.example/7", "html": "<p>" + "a" * MAX_PAGE_BYTES},
    ]
    lines = [*map(json.dumps, rows), '{"url": ', "[1]", "", '{"url": "http://a.example/9", "html": "<p>End."}']
    found = read("\n".join(lines).encode(), "a.jsonl")
    expected = ["", "", "empty", "no URL", "no HTML", "no HTML", "too large", "no JSON", "no JSON", ""]
    assert [one.problem for one in found] == expected
    assert [one.offset for one in found] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 11]
    assert found[0].date == "2031-05-01"
    assert found[1].row["html"] == b"<p>Ha?lf."
    cut = read(gzip.compress("\n".join(lines[:6] * 50).encode())[:-30], "a.jsonl.gz")
    assert cut[-1].problem == "truncated" and len(cut) > 100


def test_parquet(tmp_path: Path) -> None:
    day = datetime.datetime(2031, 5, 1)
    rows = [
        {"url": "http://a.example/1", "html": "<p>Rain é.".encode(), "date": day},
        {"url": None, "html": b"<p>", "date": None},
        {"url": "http://a.example/3", "html": None, "date": None},
        {"url": "http://a.example/4", "html": b"\0\1", "date": None},
    ]
    parquet.write_table(pyarrow.Table.from_pylist(rows * 20), tmp_path / "a.parquet")
    found = list(records_of(str(tmp_path / "a.parquet")))
    assert Counter(one.problem for one in found) == {"": 20, "no URL": 20, "empty": 20, "no HTML": 20}
    assert (found[0].html, found[0].date, found[-1].offset) == ("<p>Rain é.", "2031-05-01T00:00:00", 80)
    assert problems(read(b"PAR1 and no more", "a.parquet")) == ["unreadable"]
    parquet.write_table(pyarrow.Table.from_pylist(rows * 20), tmp_path / "a.parquet", row_group_size=40)
    second = parquet.read_metadata(tmp_path / "a.parquet").row_group(1).column(0).dictionary_page_offset
    whole = (tmp_path / "a.parquet").read_bytes()
    damaged = read(whole[:second] + b"\xff" * 60 + whole[second + 60 :], "a.parquet")
    assert damaged[-1].problem == "damaged" and 20 < len(damaged) < 80


def test_files_by_names_folders_and_patterns(tmp_path: Path) -> None:
    for name in ("b.warc.gz", "a.warc", "c/d.jsonl", "c/notes.txt", "e[1].parquet"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    folder = str(tmp_path)

    def names(*patterns: str) -> list[str]:
        return [one.removeprefix(f"{folder}/") for one in files_of(list(patterns))]

    assert names(folder) == ["a.warc", "b.warc.gz", "c/d.jsonl", "e[1].parquet"]
    several = names(f"{folder}/*.warc*", f"{folder}/a.warc", f"{folder}/e[1].parquet")
    assert several == ["a.warc", "b.warc.gz", "e[1].parquet"]
    url = (tmp_path / "c").as_uri()
    assert files_of([url]) == files_of([f"{url}/*.jsonl"]) == files_of([f"{url}/d.jsonl"]) == {f"{url}/d.jsonl": ""}
    for wrong in (f"{folder}/c/notes.txt", f"{folder}/none.warc", f"{url}/*.warc"):
        with pytest.raises(ValueError, match=r"no such file|neither"):
            files_of([wrong])
    with pytest.raises(ValueError, match=r"neither \.warc"):
        page_format("a.csv")


def test_files_of_html(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "a b").mkdir(parents=True)
    own = b"<link rel=canonical href=https://a.example/7><p>Rain.</p>"
    for name, data in {"1.html": own, "a b/2.HTM": b"<p>Snow.</p>", "3.xhtml": b"\x00\x01", "4.txt": own}.items():
        (site / name).write_bytes(data)
    files = files_of([str(site)])
    assert [one.removeprefix(f"{site}/") for one in files] == ["1.html", "3.xhtml", "a b/2.HTM"]

    def found(url: str) -> list[tuple[str, str]]:
        records = [one for file, at in files_of([str(site)], url=url).items() for one in records_of(file, at)]
        return [(one.url, one.problem) for one in records]

    assert found("") == [("https://a.example/7", ""), ("", "no HTML"), ("", "no URL")]
    (wrong,) = records_of([*files][2], "ftp://b.example/")
    assert (wrong.problem, wrong.detail) == ("no URL", "ftp://b.example/")
    at = "http://b.example/x/"
    assert found(at) == [(f"{at}1.html", ""), (f"{at}3.xhtml", "no HTML"), (f"{at}a%20b/2.HTM", "")]
    assert files_of([str(site / "1.html")], url=at) == {str(site / "1.html"): at}
    assert files_of([f"{site}/*/*"], url=at) == {str(site / "a b" / "2.HTM"): f"{at}2.HTM"}
    (tmp_path / "both").mkdir()
    for name in ("a.jsonl", "b.html"):
        (tmp_path / "both" / name).write_bytes(own)
    assert files_of([str(tmp_path / "both")]) == {str(tmp_path / "both" / "a.jsonl"): ""}
