"""`scrapy denoise dedup run`: real files in every format, valid and damaged."""

import csv
import gzip
import io
import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from denoise_scrapy.support.row_files import zstd
from tests.crawl.conftest import Told
from tests.crawl.web import story
from tests.processes import ROOT

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


def write(name: str, rows: Iterable[Any]) -> None:
    Path(name).write_bytes(b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows))


def keys(name: str) -> list[str]:
    return [json.loads(line)["url"] for line in Path(name).read_bytes().splitlines()]


def of_marks(name: str) -> list[str | None]:
    """The keys of the kept rows in the marks of a file."""
    marks = [json.loads(line)["near_duplicate"] for line in Path(name).read_bytes().splitlines()]
    return [mark and mark["of"] for mark in marks]


@pytest.fixture
def dedup(told: Told) -> Told:
    """A function that runs the command with a file and further arguments; returns stdout and stderr."""
    return lambda words, code=0: told(f"dedup run {words}", code)


@pytest.fixture
def rows(here: Path) -> Path:
    write("rows.jsonl", ROWS)
    return here / "rows.jsonl"


def test_drop_is_the_default_and_lines_stay_as_they_are(rows: Path) -> None:
    lines = rows.read_bytes().splitlines(keepends=True)
    code = "import sys; from denoise_scrapy.commands import run; sys.exit(run(sys.argv[1:], {}))"
    for more in ([], ["-o", "/dev/stdout"]):
        command = [sys.executable, "-c", code, "dedup", "run", "rows.jsonl", *more]
        done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, "PYTHONPATH": str(ROOT)})
        assert done.stdout == lines[0] + lines[1] + lines[4]
        assert done.stderr.startswith(b"6 rows, 3 duplicates, ") and done.returncode == 0


def test_mark(rows: Path, dedup: Told) -> None:
    odd = b'{ "url":"/a4",  "near_duplicate": 7, "body":' + json.dumps(A).encode() + b"}"
    rows.write_bytes(rows.read_bytes().replace(b"\n", b"  \r\n") + odd)
    dedup("rows.jsonl --mark -o out.jsonl")
    before, after = (Path(name).read_bytes().splitlines(keepends=True) for name in ("rows.jsonl", "out.jsonl"))
    assert after[0] == before[0].replace(b"}", b', "near_duplicate": null}')
    assert of_marks("out.jsonl") == [None, None, "/a", "/a", None, "/b", "/a"]
    assert json.loads(after[3])["near_duplicate"]["score"] == 1.0
    unmarked = [[{**json.loads(line), "near_duplicate": 7} for line in lines] for lines in (before, after)]
    assert unmarked[0] == unmarked[1]


def test_pairs(rows: Path, dedup: Told) -> None:
    pairs = [json.loads(line) for line in dedup("rows.jsonl --pairs")[0].splitlines()]
    assert [(one["new"], one["kept"]) for one in pairs] == [("/a2", "/a"), ("/a3", "/a"), ("/b2", "/b")]
    assert all(0.7 < one["score"] <= 1 for one in pairs)
    dedup("rows.jsonl --pairs -o pairs.jsonl.gz")
    assert [*map(json.loads, gzip.decompress(Path("pairs.jsonl.gz").read_bytes()).splitlines())] == pairs


def test_groups_the_largest_first(rows: Path, dedup: Told) -> None:
    write("rows.jsonl", [ROWS[1], ROWS[5], *ROWS])
    assert dedup("rows.jsonl --groups")[0] == (
        '{"kept": "/b", "copies": ["/b2", "/b2"]}\n{"kept": "/a", "copies": ["/a2", "/a3"]}\n'
    )


SITES = [
    {"url": f"http://{page}", "text": A} for page in ("a.example/1", "b.example/1", "b.example/2", "www.b.example:80/1")
]
SHORT = [{"url": key, "text": "some words"} for key in "ab"]
FLAT = "Rooms near the park, bright and quiet, with a view of the river. " + story(7)


@pytest.mark.parametrize(
    ("rows", "options", "left"),
    [
        (ROWS, "--keep longest", "/b /a2 /c"),
        (ROWS, "--keep newest --date day", "/b /a2 /c"),
        (ROWS, "--rule near-copy --threshold 1", "/a /b /a2 /c"),
        (ROWS, "--text url", "/a /b /a2 /a3 /c /b2"),
        (SITES, "", "http://a.example/1 http://b.example/1"),
        (SITES, "--scope global", "http://a.example/1"),
        (SHORT, "", "a b"),
        (ROWS + ROWS[:1], "--store texts.sqlite", "/a /b /c"),
    ],
)
def test_what_is_kept(here: Path, dedup: Told, rows: list[Any], options: str, left: str) -> None:
    write("rows.jsonl", rows)
    for _ in range(2):  # as after a crash: what is in a store by its own key is no duplicate of itself
        dedup(f"rows.jsonl {options} -o out.jsonl")
        assert keys("out.jsonl") == left.split()


def flats(**more: Sequence[str]) -> list[dict[str, Any]]:
    """Two flats and a copy of the second on one site, and a copy of the first on another."""
    urls = ("http://a.example/1", "http://a.example/2", "http://a.example/2?print", "http://b.example/x")
    columns = {"url": urls, "body": [FLAT] * 4, **more}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@pytest.mark.parametrize("keep", ["first", "longest"])
@pytest.mark.parametrize("field", ["title", "headline"])
def test_variants_are_kept_by_their_titles(here: Path, keep: str, field: str, dedup: Told) -> None:
    write("rows.jsonl", flats(**{field: ["Two rooms in Kiel", "Two rooms in Bonn", "Two rooms in Bonn", "To let"]}))
    _, err = dedup(f"rows.jsonl --title {field} --keep {keep} --scope global --mark -o out.jsonl")
    assert of_marks("out.jsonl") == [None, None, "http://a.example/2", "http://a.example/1"]
    assert "4 rows, 2 duplicates, 1 variant kept, " in err


@pytest.mark.parametrize("store", ["", "--store texts.sqlite"])
def test_variants_are_kept_by_what_is_filled_in(here: Path, store: str, dedup: Told) -> None:
    values = (("park", 700), ("sea", 950), ("sea", 950), ("park", 700))
    made = flats(body=[f"Rent {rent} marks, in Kiel.\n{FLAT.replace('park', park)}" for park, rent in values])
    made[3]["title"] = ["no", "text"]
    write("rows.jsonl", made)
    dedup(f"rows.jsonl {store} --scope global -o out.jsonl")
    assert keys("out.jsonl") == ["http://a.example/1", "http://a.example/2"]


def test_rows_without_a_key_have_their_number(here: Path, dedup: Told) -> None:
    write("rows.jl", [{"text": A}, {"text": A}, {"text": B, "url": 7}, {"text": B}])
    Path("rows.jl").write_bytes(b"\n" + Path("rows.jl").read_bytes())
    found = map(json.loads, dedup("rows.jl --pairs")[0].splitlines())
    assert [[*one.values()] for one in found] == [["3", "2", 1.0], ["5", "7", 1.0]]


@pytest.mark.parametrize(("suffix", "packing"), [("gz", gzip), ("zst", zstd)])
def test_compression_is_known_by_the_content_and_made_by_the_name(
    rows: Path, suffix: str, packing: Any, dedup: Told
) -> None:
    for name in (f"a.jsonl.{suffix}", "b.jsonl"):
        Path(name).write_bytes(packing.compress(rows.read_bytes()))
        for keep in ("first", "longest"):
            dedup(f"{name} --keep {keep} -o out.jsonl.{suffix}")
            assert len(packing.decompress(Path(f"out.jsonl.{suffix}").read_bytes()).splitlines()) == 3


def test_a_gzip_file_cut_short_leaves_no_output(rows: Path, dedup: Told) -> None:
    Path("out.jsonl").write_text("as before")
    Path("a.jsonl.gz").write_bytes(gzip.compress(rows.read_bytes())[:-20])
    assert "a.jsonl.gz: the compressed file is cut short" in dedup("a.jsonl.gz -o out.jsonl", 1)[1]
    assert Path("out.jsonl").read_text() == "as before"
    assert sorted(path.name for path in Path().iterdir()) == ["a.jsonl.gz", "out.jsonl", "rows.jsonl"]


@pytest.mark.parametrize(("separator", "end"), [(",", "\r\n"), (";", "\n"), ("\t", "\n")])
def test_csv_with_quotes_and_lines_in_cells(here: Path, end: str, separator: str, dedup: Told) -> None:
    said = f'He said "yes{separator} no".\n{A}'
    table = [["url", "body", ""], ["/a", said, "1"], ["/b", B, ""], ['/"c', said, "é"], ["/d", C, "4"]]
    with Path("rows.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=separator, lineterminator=end).writerows(table)
    before = Path("rows.csv").read_bytes()
    marks = ["near_duplicate", "", "", "/a", ""]
    for options, expected in (
        ("", [*table[:3], table[4]]),
        ("--mark --keep longest", [[*row, mark] for row, mark in zip(table, marks, strict=True)]),
    ):
        dedup(f"rows.csv {options} -o out.csv")
        with Path("out.csv").open(encoding="utf-8-sig", newline="") as file:
            assert list(csv.reader(file, delimiter=separator)) == expected
    assert Path("rows.csv").read_bytes() == before


def test_parquet(here: Path, dedup: Told) -> None:
    columns = {name: [row[name] for row in ROWS] for name in ("url", "body")}
    table = pa.table({**columns, "tags": [["x", str(n)] for n in range(6)], "n": pa.array(range(6), pa.int16())})
    table = table.replace_schema_metadata({"made by": "us"})
    pq.write_table(table, "rows.parquet", row_group_size=2)
    dedup("rows.parquet -o out.parquet")
    left = pq.read_table("out.parquet")
    assert left.equals(table.take([0, 1, 4]))
    assert left.schema.equals(pq.read_schema("rows.parquet"), check_metadata=True)
    dedup("rows.parquet --mark --keep longest -o out.parquet")
    marked = pq.read_table("out.parquet")
    assert marked.column("near_duplicate").to_pylist() == ["/a2", None, None, "/a2", None, "/b"]
    assert marked.drop(["near_duplicate"]).equals(table)
    assert "already a column 'near_duplicate'" in dedup("out.parquet --mark -o out.parquet", 1)[1]
    assert json.loads(dedup("rows.parquet --pairs")[0].splitlines()[0])["new"] == "/a2"


@pytest.mark.parametrize(("suffix", "packed"), [("", bytes), (".gz", gzip.compress)])
def test_a_list_of_json_as_scrapy_writes_it(rows: Path, suffix: str, packed: Any, dedup: Told) -> None:
    more = {"n": 10**30, "lone": "\ud800", "城": "渡"}
    name = f"rows.json{suffix}"
    Path(name).write_bytes(packed(json.dumps([row | more for row in ROWS], indent=2).encode()))
    dedup("rows.jsonl --mark -o lines.jsonl")
    dedup(f"{name} --mark -o out.json")
    marked = json.loads(Path("out.json").read_text("utf-8"))
    assert [row["near_duplicate"] and row["near_duplicate"]["of"] for row in marked] == of_marks("lines.jsonl")
    dedup(f"{name} --keep longest -o out.json")
    kept = json.loads(Path("out.json").read_text("utf-8"))
    assert [row for row in kept if row["url"] == "/a2"] == [ROWS[2] | more] and len(kept) == 3
    Path("list.json").write_text("[]")
    assert dedup("list.json")[0] == "[\n]\n"
    for wrong, said in (("[", "not JSON: "), ("{}", "not a list of items"), ("[1]", "no JSON: not an object")):
        Path("list.json").write_text(wrong)
        assert said in dedup("list.json", 1)[1]


def test_empty_files(here: Path, dedup: Told) -> None:
    Path("none.jsonl").touch()
    Path("none.csv").touch()
    Path("header.csv").write_text("url,body\n")
    pq.write_table(pa.table({"body": pa.array([], pa.string())}), "none.parquet")
    for name in ("none.jsonl", "none.csv", "header.csv", "none.parquet"):
        out = f"out{Path(name).suffix}"
        for options in ("", "--mark", "--keep longest"):
            assert dedup(f"{name} {options} -o {out}")[0] == ""
            if name in {"none.jsonl", "none.csv"}:
                assert Path(out).read_bytes() == b""
        assert dedup(f"{name} --groups")[0] == ""
    assert pq.read_table("out.parquet").num_rows == 0


BROKEN = [
    (b"not json", "no JSON: Expecting value: "),
    (b"[1, 2]", "no JSON: not an object"),
    (b'{"url": "/y"}', "no text in field 'body'"),
    (b'{"body": null}', "no text in field 'body'"),
    (b'{"body": 5}', "no text in field 'body'"),
    (b'{"url": "\\ud800", "body": "a"}', "a lone surrogate"),
    (b"[" * 100_000, "no JSON"),
    (b'{"body": "' + b"a", "no JSON: Unterminated string starting at: line 1 column 10"),
]


@pytest.fixture
def bad(rows: Path) -> Path:
    """Each good row is followed by bad ones."""
    lines = rows.read_bytes().splitlines(keepends=True)
    wrong = [line + b"\n" for line, _ in BROKEN]
    Path("bad.jsonl").write_bytes(b"".join([*lines[:3], *wrong, *lines[3:], *wrong[:3]]))
    return Path("bad.jsonl")


@pytest.mark.parametrize(("keep", "good"), [("first", [0, 1, 12]), ("longest", [1, 2, 12])])
def test_they_are_kept_unless_skipped(bad: Path, keep: str, good: list[int], dedup: Told) -> None:
    lines = bad.read_bytes().splitlines(keepends=True)
    wrong = [*range(3, 11), 14, 15, 16]
    _, err = dedup(f"bad.jsonl --keep {keep} -o out.jsonl", 1)
    assert Path("out.jsonl").read_bytes() == b"".join(lines[n] for n in sorted(good + wrong))
    for number, (_, said) in enumerate(BROKEN, 4):
        assert f"line {number}: " in err and said in err
    assert "line 16: " in err and "line 17: " not in err
    assert "17 rows, 3 duplicates, 11 unreadable, " in err
    dedup(f"bad.jsonl --keep {keep} --bad skip -o out.jsonl", 1)
    assert Path("out.jsonl").read_bytes() == b"".join(lines[n] for n in good)
    dedup(f"bad.jsonl --keep {keep} --mark -o out.jsonl", 1)
    marked = Path("out.jsonl").read_bytes().splitlines(keepends=True)
    assert len(marked) == 17 and [marked[n] for n in wrong] == [lines[n] for n in wrong]


@pytest.mark.parametrize("keep", ["first", "longest"])
def test_stop_leaves_what_was_there(bad: Path, keep: str, dedup: Told) -> None:
    Path("out.jsonl").write_text("as before")
    _, err = dedup(f"bad.jsonl --keep {keep} --bad stop -o out.jsonl", 1)
    assert "bad.jsonl: line 4: no JSON: Expecting value: line 1 column 1 (char 0); nothing was written" in err
    assert Path("out.jsonl").read_text() == "as before"
    assert len([*Path().iterdir()]) == 3


def test_of_csv(here: Path, dedup: Told) -> None:
    a, b, never = A.encode(), B.encode(), b'/c,"never ends\n/d,%b\n' % B.encode()
    kept = [b"url,body\n", b"/a,%b\n" % a, b"/x,too,many\n", b"/latin,\xe4\n", b"/d,%b\n" % b]
    content = b"".join([*kept[:4], b"\n", b"/b,%b\n" % a, kept[4]])
    Path("rows.csv").write_bytes(content)
    assert "line 3: 3 cells where the header has 2\n" in dedup("rows.csv -o out.csv", 1)[1]
    assert Path("out.csv").read_bytes() == b"".join(kept)
    dedup("rows.csv --bad skip -o out.csv", 1)
    assert Path("out.csv").read_bytes() == b"".join(kept[:2] + kept[3:])
    Path("rows.csv").write_bytes(kept[0] + never)
    dedup("rows.csv -o out.csv")
    assert list(csv.reader(io.StringIO(Path("out.csv").read_text())))[1] == ["/c", f"never ends\n/d,{B}\n"]


def test_bytes_that_are_no_text_pass_through(here: Path, told: Told) -> None:
    line = b'{"url": "/x", "body": "gr\xfc\xdfe"}\n'
    Path("rows.jsonl").write_bytes(line * 2)
    told("dedup run rows.jsonl -o out.jsonl")
    assert Path("out.jsonl").read_bytes() == line * 2


def test_of_parquet(here: Path, dedup: Told) -> None:
    pq.write_table(pa.table({"url": ["a", "b", "c"], "body": [A, None, A], "n": [1, 2, 3]}), "rows.parquet")
    assert "row 2: no text in field 'body'\n" in dedup("rows.parquet -o out.parquet", 1)[1]
    assert pq.read_table("out.parquet").column("url").to_pylist() == ["a", "b"]
    assert "row 1: no text in field 'n'\n" in dedup("rows.parquet --text n --pairs", 1)[1]


def test_dates(here: Path, dedup: Told) -> None:
    days = ["2026-01-01", 1767312000, "yesterday", "", "2026-01-01T23:00:00-05:00"]
    write("rows.jsonl", ({"url": str(n), "text": A, "day": day} for n, day in enumerate(days)))
    _, err = dedup("rows.jsonl --keep newest --date day -o out.jsonl", 1)
    assert keys("out.jsonl") == ["2", "4"]
    assert "line 3: 'yesterday' is not an ISO date\n" in err


def test_a_number_beyond_all_floats_is_no_date_and_nan_is_the_oldest(here: Path, dedup: Told) -> None:
    rows = [{"url": str(at), "body": A, "day": day} for at, day in enumerate((2, 10**400, 1, float("nan"), 3))]
    write("rows.jsonl", rows)
    _, err = dedup("rows.jsonl --keep newest --date day -o out.jsonl", 1)
    assert keys("out.jsonl") == ["1", "4"]
    assert "line 2: 1000" in err


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        ("rows.jsonl --title none", 2, "has a field 'none'"),
        ("rows.jsonl --text bdoy", 2, "no row of rows.jsonl has a field 'bdoy'; its fields are: url, body, day"),
        ("rows.jsonl --keep newest --date date", 2, "has a field 'date'"),
        ("rows.csv", 2, "has a field 'body' or a field 'text' (--text names another); its fields are: url, day"),
        ("rows.parquet --pairs --text x", 2, "no row of rows.parquet has a field 'x'; its fields are: body"),
        ("none.jsonl", 1, "'none.jsonl'"),
        ("rows.dat", 2, "unknown format: rows.dat: name it *.jsonl, *.json, *.csv or *.parquet"),
        ("rows.jsonl --keep newest", 2, "--keep newest and --date FIELD go together"),
        ("rows.jsonl -o out.csv", 2, "rows of rows.jsonl are written as jsonl or parquet, not as csv\n"),
        ("rows.parquet -o out.jsonl", 2, "rows of rows.parquet are written as parquet, not as jsonl\n"),
        ("rows.jsonl --pairs -o out.parquet", 2, "pairs of rows.jsonl are written as jsonl, not as parquet\n"),
        ("rows.parquet", 2, "Parquet cannot be written to standard output; give -o FILE.parquet"),
        ("rows.jsonl -o no/out.jsonl", 1, "no/out.jsonl: its folder does not exist"),
        ("list.jsonl", 1, "list.jsonl: no readable rows. Line 1: no JSON: not an object"),
        ("wide.jsonl", 1, "wide.jsonl: no readable rows. Line 1: no JSON"),
        ("wide.csv", 2, "no row of wide.csv has a field 'body'"),
        ("latin.csv", 2, "no row of latin.csv has a field 'body'"),
    ],
)
def test_wrong_usage(rows: Path, argv: str, code: int, said: str, dedup: Told) -> None:
    Path("rows.csv").write_text("url,day\n1,2\n")
    pq.write_table(pa.table({"body": [A]}), "rows.parquet")
    Path("list.jsonl").write_text(json.dumps(ROWS))
    Path("wide.jsonl").write_bytes(rows.read_bytes().decode().encode("utf-16"))
    Path("wide.csv").write_bytes("url,body\n/a,rain\n".encode("utf-16"))
    Path("latin.csv").write_bytes("url,bödy\n/a,rain\n".encode("latin-1"))
    out, err = dedup(argv, code)
    assert (out, said in err, err.count("\n")) == ("", True, 1), err


def test_a_second_file_is_compared_with_the_first(rows: Path, dedup: Told, told: Told) -> None:
    dedup("rows.jsonl --store texts.sqlite -o out.jsonl")
    assert keys("out.jsonl") == ["/a", "/b", "/c"]
    write("more.jsonl", [{"url": "/n", "body": A}, {"url": "/m", "body": story(9)}])
    dedup("more.jsonl --store texts.sqlite -o out.jsonl")
    assert keys("out.jsonl") == ["/m"]
    assert told("dedup stats texts.sqlite")[0].startswith("texts.sqlite: 4 texts, ")


def test_in_a_store_each_row_needs_a_key(here: Path, dedup: Told) -> None:
    write("rows.jsonl", [{"text": A}, {"text": A}])
    _, err = dedup("rows.jsonl --store texts.sqlite -o out.jsonl", 1)
    assert len(Path("out.jsonl").read_bytes().splitlines()) == 2
    assert "line 1: no key in field 'url', which --store requires" in err


@pytest.mark.parametrize("keep", ["first", "longest"])
def test_memory_does_not_grow_with_rows_that_pass(here: Path, keep: str, dedup: Told) -> None:
    """20 MB of rows, 200 KB each: only the index stays in memory, not the rows."""
    write("rows.jsonl", ({"url": str(n), "body": (A, B)[n % 2], "html": "x" * 200_000} for n in range(100)))
    dedup("rows.jsonl --pairs -o warm.jsonl")
    tracemalloc.start()
    try:
        dedup(f"rows.jsonl --keep {keep} -o out.jsonl")
        assert tracemalloc.get_traced_memory()[1] < 8e6
    finally:
        tracemalloc.stop()
    assert len(keys("out.jsonl")) == 2


@pytest.mark.parametrize("keep", ["first", "longest"])
def test_standard_input(rows: Path, keep: str, dedup: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(rows.read_bytes())))
    dedup(f"- --keep {keep} -o out.jsonl")
    assert keys("out.jsonl") == (["/a", "/b", "/c"] if keep == "first" else ["/b", "/a2", "/c"])


def test_a_row_that_parquet_has_no_place_for_is_not_lost_in_silence(rows: Path, dedup: Told) -> None:
    with rows.open("a", encoding="utf-8") as file:
        file.write('{"url": "/no-text"}\n{oops\n')
    _, err = dedup("rows.jsonl -o out.parquet", 1)
    assert "line 8: no JSON" in err.splitlines()[-1]
    assert not Path("out.parquet").exists()
    dedup("rows.jsonl --bad skip -o out.parquet", 1)
    assert pq.read_table("out.parquet").column("url").to_pylist() == ["/a", "/b", "/c"]
