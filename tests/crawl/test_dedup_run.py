"""`scrapy denoise dedup run`: real files of every format, good and bad, as a user runs it."""

import csv
import gzip
import io
import json
import subprocess
import sys
import tracemalloc
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrapy.settings import Settings

from denoise_scrapy.commands import run
from tests.crawl.web import story

A, B, C = story(1), story(2), story(3)
LONGER_A = f"From our correspondent at the lake. {A}"
ROWS = [
    {"url": "/a", "body": A, "day": "2026-01-02"},
    {"url": "/b", "body": B, "day": "2026-01-03T10:00:00Z"},
    {"url": "/a2", "body": LONGER_A, "day": "2026-03-01"},
    {"url": "/a3", "body": A, "day": None},
    {"url": "/c", "body": C, "day": "2025-12-31"},
    {"url": "/b2", "body": B, "day": "2026-01-03T11:00:00+02:00"},
]


def call(*argv: str) -> int:
    return run(["dedup", "run", *argv], Settings({"JOBDIR": None}))


def written(rows: Iterable[Any], *argv: str, out: str = "out.jsonl") -> list[str]:
    """Write rows, run the command over them; return the keys of the rows that it leaves."""
    Path("rows.jsonl").write_bytes(lines_of(rows))
    assert call("rows.jsonl", *argv, "-o", out) == 0
    return keys(out)


def lines_of(rows: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def keys(path: Path | str) -> list[str]:
    return [json.loads(line)["url"] for line in Path(path).read_bytes().splitlines()]


@pytest.fixture
def rows(here: Path) -> str:
    (here / "rows.jsonl").write_bytes(lines_of(ROWS))
    return "rows.jsonl"


def test_drop_is_the_default_and_lines_stay_as_they_are(rows: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "denoise", "dedup", "run", rows], capture_output=True, check=False
    )
    lines = Path(rows).read_bytes().splitlines(keepends=True)
    assert done.stdout == lines[0] + lines[1] + lines[4]
    assert done.stderr.startswith(b"6 rows, 3 duplicates, ") and done.returncode == 0


def test_mark(rows: str) -> None:
    odd = b'{ "url":"/a4",  "near_duplicate": 7, "body":' + json.dumps(A).encode() + b"}"
    Path(rows).write_bytes(Path(rows).read_bytes().replace(b"\n", b"  \r\n") + odd)
    assert call(rows, "--mark", "-o", "out.jsonl") == 0
    before, after = (Path(name).read_bytes().splitlines(keepends=True) for name in (rows, "out.jsonl"))
    assert after[0] == before[0].replace(b"}", b', "near_duplicate": null}')
    marks = [json.loads(line)["near_duplicate"] for line in after]
    assert [mark and mark["of"] for mark in marks] == [None, None, "/a", "/a", None, "/b", "/a"]
    assert marks[3]["score"] == 1.0
    assert [{**json.loads(line), "near_duplicate": 7} for line in before] == [
        {**json.loads(line), "near_duplicate": 7} for line in after
    ]


def test_pairs(rows: str) -> None:
    assert call(rows, "--pairs", "-o", "pairs.jsonl") == 0
    pairs = [json.loads(line) for line in Path("pairs.jsonl").read_text().splitlines()]
    assert [(one["new"], one["kept"]) for one in pairs] == [("/a2", "/a"), ("/a3", "/a"), ("/b2", "/b")]
    assert all(0.7 < one["score"] <= 1 for one in pairs)
    assert call(rows, "--pairs", "-o", "pairs.csv.gz") == 0
    table = list(csv.reader(io.StringIO(gzip.decompress(Path("pairs.csv.gz").read_bytes()).decode())))
    assert table == [["new", "kept", "score"], *([*map(str, one.values())] for one in pairs)]


def test_groups_the_largest_first(rows: str) -> None:
    Path(rows).write_bytes(lines_of([ROWS[1], ROWS[5], *ROWS]))
    assert call(rows, "--groups", "-o", "groups.jsonl") == 0
    assert Path("groups.jsonl").read_text() == (
        '{"kept": "/b", "copies": ["/b2", "/b", "/b2"]}\n{"kept": "/a", "copies": ["/a2", "/a3"]}\n'
    )
    assert call(rows, "--groups", "-o", "groups.csv") == 0
    assert Path("groups.csv").read_text().splitlines()[:3] == ["kept,copy", "/b,/b2", "/b,/b"]


SITES = [{"url": f"http://{page}", "text": A} for page in ("a.example/1", "b.example/1", "b.example/2")]
SHORT = [{"url": key, "text": "some words"} for key in "ab"]
FLAT = "Rooms near the park, bright and quiet, with a view of the river. " + story(7)


@pytest.mark.parametrize(
    ("rows", "options", "left"),
    [
        (ROWS, "--keep longest", "/b /a2 /c"),
        (ROWS, "--keep newest --date day", "/b /a2 /c"),
        ([row | {"day": row["day"] or "2026-01-02"} for row in ROWS], "--scope day", "/a /b /a2 /c /b2"),
        (ROWS, "--rule near-copy --threshold 1", "/a /b /a2 /c"),
        (ROWS, "--text url", "/a /b /a2 /a3 /c /b2"),
        (SITES, "--scope site", "http://a.example/1 http://b.example/1"),
        (SHORT, "", "a b"),
        (SHORT, "--short", "a"),
        (ROWS + ROWS[:1], "--store texts.sqlite", "/a /b /c"),
    ],
)
def test_what_is_kept(here: Path, rows: list[Any], options: str, left: str) -> None:
    for _ in range(2):  # as after a crash: what is in a store by its own key is no duplicate of itself
        assert written(rows, *options.split()) == left.split()


def flats(**more: Sequence[str]) -> list[dict[str, str]]:
    """Two flats and a copy of the second on one site, and a copy of the first on another."""
    urls = ("http://a.example/1", "http://a.example/2", "http://a.example/2?print", "http://b.example/x")
    columns = {"url": urls, "body": [FLAT] * 4, **more}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@pytest.mark.parametrize("keep", ["first", "longest"])
@pytest.mark.parametrize("field", ["title", "headline"])
def test_variants_are_kept_by_their_titles(
    here: Path, keep: str, field: str, capsys: pytest.CaptureFixture[str]
) -> None:
    titles = ["Two rooms in Kiel", "Two rooms in Bonn", "Two rooms in Bonn", "Rooms to let"]
    written(flats(**{field: titles}), "--title", field, "--keep", keep, "--mark")
    marks = [json.loads(line)["near_duplicate"] for line in Path("out.jsonl").read_bytes().splitlines()]
    assert [mark and mark["of"] for mark in marks] == [None, None, "http://a.example/2", "http://a.example/1"]
    assert "4 rows, 2 duplicates, 1 variant kept, " in capsys.readouterr().err


@pytest.mark.parametrize("store", [[], ["--store", "texts.sqlite"]])
def test_variants_are_kept_by_what_is_filled_in(here: Path, store: list[str]) -> None:
    made = flats(body=[FLAT.replace("park", park) for park in ("park", "sea", "sea", "park")])
    made[3]["title"] = ["no", "text"]  # type: ignore[assignment]
    assert written(made, *store) == ["http://a.example/1", "http://a.example/2"]


def test_rows_without_a_key_have_their_number(here: Path) -> None:
    Path("rows.jl").write_bytes(b"\n" + lines_of([{"text": A}, {"text": A}, {"text": B, "url": 7}, {"text": B}]))
    assert call("rows.jl", "--pairs", "-o", "out.csv") == 0
    assert Path("out.csv").read_text() == "new,kept,score\n3,2,1.0\n5,7,1.0\n"


def test_gzip_is_known_by_its_content(rows: str) -> None:
    Path("a.jsonl.gz").write_bytes(gzip.compress(Path(rows).read_bytes()))
    Path("b.jsonl").write_bytes(Path("a.jsonl.gz").read_bytes())
    for name in ("a.jsonl.gz", "b.jsonl"):
        for keep in ("first", "longest"):
            assert call(name, "--keep", keep, "-o", "out.jsonl.gz") == 0
            assert len(gzip.decompress(Path("out.jsonl.gz").read_bytes()).splitlines()) == 3


def test_a_gzip_file_cut_short_leaves_no_output(rows: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("out.jsonl").write_text("as before")
    Path("a.jsonl.gz").write_bytes(gzip.compress(Path(rows).read_bytes())[:-20])
    assert call("a.jsonl.gz", "-o", "out.jsonl") == 1
    assert "cut short" in capsys.readouterr().err
    assert Path("out.jsonl").read_text() == "as before"
    assert sorted(path.name for path in Path().iterdir()) == ["a.jsonl.gz", "out.jsonl", "rows.jsonl"]


@pytest.mark.parametrize(("separator", "end"), [(",", "\r\n"), (";", "\n"), ("\t", "\n")])
def test_csv_with_quotes_and_lines_in_cells(here: Path, end: str, separator: str) -> None:
    said = f'He said "yes{separator} no".\n{A}'
    table = [["url", "body", "n"], ["/a", said, "1"], ["/b", B, ""], ['/"c', said, "é"], ["/d", C, "4"]]
    with Path("rows.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=separator, lineterminator=end).writerows(table)
    before = Path("rows.csv").read_bytes()
    assert call("rows.csv", "-o", "out.csv") == 0
    with Path("out.csv").open(encoding="utf-8-sig", newline="") as file:
        assert list(csv.reader(file, delimiter=separator)) == [*table[:3], table[4]]
    assert call("rows.csv", "--mark", "--keep", "longest", "-o", "out.csv") == 0
    with Path("out.csv").open(encoding="utf-8-sig", newline="") as file:
        marked = list(csv.reader(file, delimiter=separator))
    assert marked == [[*row, mark] for row, mark in zip(table, ["near_duplicate", "", "", "/a", ""], strict=True)]
    assert Path("rows.csv").read_bytes() == before


def test_parquet(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    columns = {name: [row[name] for row in ROWS] for name in ("url", "body")}
    table = pa.table({**columns, "tags": [["x", str(n)] for n in range(6)], "n": pa.array(range(6), pa.int16())})
    table = table.replace_schema_metadata({"made by": "us"})
    pq.write_table(table, "rows.parquet", row_group_size=2)
    assert call("rows.parquet", "-o", "out.parquet") == 0
    left = pq.read_table("out.parquet")
    assert left.equals(table.take([0, 1, 4])) and left.schema.equals(
        pq.read_schema("rows.parquet"), check_metadata=True
    )
    assert call("rows.parquet", "--mark", "--keep", "longest", "-o", "out.parquet") == 0
    marked = pq.read_table("out.parquet")
    assert marked.column("near_duplicate").to_pylist() == ["/a2", None, None, "/a2", None, "/b"]
    assert marked.drop(["near_duplicate"]).equals(table)
    assert call("out.parquet", "--mark", "-o", "out.parquet") == 1
    assert "a column 'near_duplicate' already" in capsys.readouterr().err
    assert call("out.parquet", "--mark", "--mark-field", "again", "-o", "out.parquet") == 0
    assert pq.read_table("out.parquet").num_rows == 6
    assert call("rows.parquet", "--pairs") == 0
    assert json.loads(capsys.readouterr().out.splitlines()[0])["new"] == "/a2"


def test_empty_files(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("none.jsonl").touch()
    Path("none.csv").touch()
    Path("header.csv").write_text("url,body\n")
    pq.write_table(pa.table({"body": pa.array([], pa.string())}), "none.parquet")
    for name in ("none.jsonl", "none.csv", "header.csv", "none.parquet"):
        for options in ([], ["--mark"], ["--keep", "longest"]):
            out = f"out{Path(name).suffix}"
            assert call(name, *options, "-o", out) == 0
            if name.startswith("none.") and not name.endswith("parquet"):
                assert Path(out).read_bytes() == b""
        assert call(name, "--groups") == 0
    assert capsys.readouterr().out == ""
    assert pq.read_table("out.parquet").num_rows == 0


BROKEN = [
    (b"not json", "no JSON: Expecting value at column 1"),
    (b"[1, 2]", "no JSON object, but a list"),
    (b'{"url": "/y"}', "no field 'body'"),
    (b'{"body": null}', "field 'body' is null, not a text"),
    (b'{"body": 5}', "field 'body' is a number, not a text"),
    (b'{"url": "\\ud800", "body": "a"}', "half a character"),
    (b"[" * 100_000, "no JSON"),
    (b'{"body": "' + b"a", "no JSON: Unterminated string starting at column 10"),
]


@pytest.fixture
def bad(rows: str) -> str:
    """Each good row is followed by bad ones."""
    lines = Path(rows).read_bytes().splitlines(keepends=True)
    wrong = [line + b"\n" for line, _ in BROKEN]
    Path("bad.jsonl").write_bytes(b"".join([*lines[:3], *wrong, *lines[3:], *wrong[:3]]))
    return "bad.jsonl"


@pytest.mark.parametrize("keep", ["first", "longest"])
def test_they_are_kept_unless_skipped(bad: str, keep: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = Path(bad).read_bytes().splitlines(keepends=True)
    good = {"first": [0, 1, 12], "longest": [1, 2, 12]}[keep]
    wrong = [*range(3, 11), 14, 15, 16]
    assert call(bad, "--keep", keep, "-o", "out.jsonl") == 1
    assert Path("out.jsonl").read_bytes() == b"".join(lines[n] for n in sorted(good + wrong))
    err = capsys.readouterr().err
    for number, (_, said) in enumerate(BROKEN, 4):
        assert f"line {number}: " in err and said in err
    assert "line 16: " in err and "line 17: " not in err
    assert "17 rows, 3 duplicates, 11 that cannot be read, " in err
    assert call(bad, "--keep", keep, "--bad", "skip", "-o", "out.jsonl") == 1
    assert Path("out.jsonl").read_bytes() == b"".join(lines[n] for n in good)
    assert call(bad, "--keep", keep, "--mark", "-o", "out.jsonl") == 1
    marked = Path("out.jsonl").read_bytes().splitlines(keepends=True)
    assert len(marked) == 17 and [marked[n] for n in wrong] == [lines[n] for n in wrong]


@pytest.mark.parametrize("keep", ["first", "longest"])
def test_stop_leaves_what_was_there(bad: str, keep: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("out.jsonl").write_text("as before")
    assert call(bad, "--keep", keep, "--bad", "stop", "-o", "out.jsonl") == 1
    assert "bad.jsonl, line 4: no JSON: Expecting value at column 1; nothing was written" in capsys.readouterr().err
    assert Path("out.jsonl").read_text() == "as before"
    assert len([*Path().iterdir()]) == 3


def test_of_csv(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b, never = A.encode(), B.encode(), b'/c,"never ends\n/d,%b\n' % B.encode()
    kept = [b"url,body\n", b"/a,%b\n" % a, b"/x,too,many\n", b"/latin,\xe4\n", b"/d,%b\n" % b]
    content = b"".join([*kept[:4], b"\n", b"/b,%b\n" % a, kept[4]])
    Path("rows.csv").write_bytes(content)
    assert call("rows.csv", "-o", "out.csv") == 1
    assert "line 3: 3 cells where the header has 2\n" in capsys.readouterr().err
    assert Path("out.csv").read_bytes() == b"".join(kept)
    assert call("rows.csv", "--bad", "skip", "-o", "out.csv") == 1
    assert Path("out.csv").read_bytes() == b"".join(kept[:2] + kept[3:])
    Path("rows.csv").write_bytes(kept[0] + never)
    assert call("rows.csv", "-o", "out.csv") == 0
    assert list(csv.reader(io.StringIO(Path("out.csv").read_text())))[1] == ["/c", f"never ends\n/d,{B}\n"]


def test_bytes_that_are_no_text_pass_through(here: Path) -> None:
    line = b'{"url": "/x", "body": "gr\xfc\xdfe"}\n'
    Path("rows.jsonl").write_bytes(line * 2)
    assert call("rows.jsonl", "--short", "-o", "out.jsonl") == 0
    assert Path("out.jsonl").read_bytes() == line
    Path("wide.jsonl").write_bytes(lines_of(ROWS).decode().encode("utf-16"))
    assert call("wide.jsonl", "--encoding", "utf-16", "--pairs", "-o", "out.csv") == 0
    assert len(Path("out.csv").read_text().splitlines()) == 4


def test_of_parquet(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pq.write_table(pa.table({"url": ["a", "b", "c"], "body": [A, None, A], "n": [1, 2, 3]}), "rows.parquet")
    assert call("rows.parquet", "-o", "out.parquet") == 1
    assert "row 2: field 'body' is null, not a text\n" in capsys.readouterr().err
    assert pq.read_table("out.parquet").column("url").to_pylist() == ["a", "b"]
    assert call("rows.parquet", "--text", "n", "--pairs") == 1
    assert "row 1: field 'n' is a number, not a text\n" in capsys.readouterr().err


def test_dates(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    days = ["2026-01-01", 1767312000, "yesterday", "", "2026-01-01T23:00:00-05:00"]
    Path("rows.jsonl").write_bytes(lines_of({"url": str(n), "text": A, "day": day} for n, day in enumerate(days)))
    assert call("rows.jsonl", "--keep", "newest", "--date", "day", "-o", "out.jsonl") == 1
    assert keys("out.jsonl") == ["2", "4"]
    assert "line 3: 'yesterday' is no ISO date\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["rows.jsonl", "--title", "none"], "has a field 'none'"),
        (["rows.jsonl", "--text", "bdoy"], "no row of rows.jsonl has a field 'bdoy'; there are: url, body, day"),
        (["rows.jsonl", "--keep", "newest", "--date", "date"], "has a field 'date'"),
        (["rows.csv"], "has a field 'body' or a field 'text' (--text names another); there are: url, day"),
        (["rows.parquet", "--pairs", "--text", "x"], "no row of rows.parquet has a field 'x'; there are: body"),
        (["none.jsonl"], "'none.jsonl'"),
        (["rows.dat"], "what is rows.dat? Name it *.jsonl, *.csv or *.parquet, or give --format"),
        (["rows.jsonl", "--keep", "newest"], "--keep newest and --date FIELD go together"),
        (["rows.jsonl", "-o", "out.csv"], "rows are written as they are read: rows.jsonl is jsonl"),
        (["rows.jsonl", "--pairs", "-o", "out.parquet"], "not as Parquet"),
        (["rows.parquet"], "Parquet is not written to standard output: give -o FILE.parquet"),
        (["rows.jsonl", "--encoding", "no-such"], "there is no encoding 'no-such'"),
        (["rows.jsonl", "-o", "no/out.jsonl"], "no/out.jsonl: its folder does not exist"),
        (["list.jsonl"], "list.jsonl: no row can be read. Line 1: no JSON object, but a list"),
    ],
)
def test_wrong_usage(rows: str, argv: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("rows.csv").write_text("url,day\n1,2\n")
    pq.write_table(pa.table({"body": [A]}), "rows.parquet")
    Path("list.jsonl").write_text(json.dumps(ROWS))
    failed = said == "'none.jsonl'" or "its folder" in said or "no row can be read" in said
    assert call(*argv) == (1 if failed else 2)
    out, err = capsys.readouterr()
    assert (out, said in err) == ("", True), err
    assert err.count("\n") == 1


def test_a_second_file_is_compared_with_the_first(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert written(ROWS, "--store", "texts.sqlite") == ["/a", "/b", "/c"]
    more = [{"url": "/n", "body": A}, {"url": "/m", "body": story(9)}]
    assert written(more, "--store", "texts.sqlite") == ["/m"]
    assert run(["dedup", "groups", "texts.sqlite", "/n"], Settings()) == 0
    assert capsys.readouterr().out.splitlines() == ["/a", "   /a2", "   /a3", "   /n"]


def test_in_a_store_each_row_needs_a_key(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("rows.jsonl").write_bytes(lines_of([{"text": A}, {"text": A}]))
    assert call("rows.jsonl", "--store", "texts.sqlite", "-o", "out.jsonl") == 1
    assert len(Path("out.jsonl").read_bytes().splitlines()) == 2
    assert "line 1: no key in field 'url', and in a store each text needs one" in capsys.readouterr().err


@pytest.mark.parametrize("keep", ["first", "longest"])
def test_memory_does_not_grow_with_rows_that_pass(here: Path, keep: str) -> None:
    """60 MB of rows, 200 KB each: what is kept is the index's, what passes through is nothing."""
    rows = ({"url": str(n), "body": (A, B)[n % 2], "html": "x" * 200_000} for n in range(300))
    Path("rows.jsonl").write_bytes(lines_of(rows))
    assert call("rows.jsonl", "--pairs", "-o", "warm.jsonl") == 0
    tracemalloc.start()
    try:
        assert call("rows.jsonl", "--keep", keep, "-o", "out.jsonl") == 0
        assert tracemalloc.get_traced_memory()[1] < 8e6
    finally:
        tracemalloc.stop()
    assert len(keys("out.jsonl")) == 2


@pytest.mark.parametrize("keep", ["first", "longest"])
@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_standard_input(rows: str, kind: str, keep: str, monkeypatch: pytest.MonkeyPatch) -> None:
    content = Path(rows).read_bytes()
    if kind == "csv":
        content = b"url,text\n" + b"".join(f'{row["url"]},"{row["body"]}"\n'.encode() for row in ROWS)
    elif kind == "parquet":
        pq.write_table(pa.table({"body": [row["body"] for row in ROWS]}), "rows.parquet")
        content = Path("rows.parquet").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    options = [] if kind == "jsonl" else ["--format", kind]
    assert call("-", *options, "--keep", keep, "-o", f"out.{kind}") == 0
    if kind == "jsonl":
        assert keys("out.jsonl") == (["/a", "/b", "/c"] if keep == "first" else ["/b", "/a2", "/c"])


def test_a_row_that_parquet_has_no_place_for_is_not_lost_in_silence(
    rows: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Path(rows).open("a", encoding="utf-8") as file:
        file.write('{"url": "/no-text"}\n{oops\n')
    assert call(rows, "-o", "out.parquet") == 1
    assert "line 8: no JSON" in capsys.readouterr().err.splitlines()[-1]
    assert not Path("out.parquet").exists()
    assert call(rows, "--bad", "skip", "-o", "out.parquet") == 1
    assert pq.read_table("out.parquet").column("url").to_pylist() == ["/a", "/b", "/c"]
