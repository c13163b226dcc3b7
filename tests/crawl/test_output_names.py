"""`scrapy denoise extract --output-dir`: each page has its own file, in the folder, whatever names an archive has."""

import io
import json
import zipfile
from collections import Counter
from pathlib import Path
from unicodedata import normalize

import pytest

from denoise_scrapy.archive.records import ArchiveRecord
from denoise_scrapy.commands.body_files import FolderOfTexts
from tests.archive.warcs import members, record
from tests.crawl.conftest import Told

pytestmark = pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")

#: Members of a ZIP file that would leave the folder, meet another page's file, or have no file on some system.
MEMBERS = [
    *("../a.html", "../../a.html", "/a.html", "a.html", "//a.html", "./a.html", "x/../a.html", "x//a.html", "x/a.html"),
    *("..\\a.html", "x\\a.html", "C:/a.html", "C:a.html", "%2E%2E/a.html", "%2e%2e/a.html", "%/a.html", "....//a.html"),
    *("A.html", "A.HTML", "a.htm", "X/a.html", "X/A.html", "x/A.html", "ſ.html", "s.html", "S.html", "straße.html"),
    *("STRASSE.html", "é.html", normalize("NFD", "é.html"), "É.html", "ﬁ.html", "fi.html", "日本.html"),
    *("con.html", "CON.html", "nul.html", "aux.x.html", "COM1.html", "lpt¹.html", "con/a.html", "x/nul/a.html"),
    *(
        "a.html.txt/a.html",
        "A.HTML.TXT/a.html",
        "a.html/a.html",
        "a.html.txt.html",
        "x.txt/a.html",
        "a .html",
        " .html",
    ),
    *("a./a.html", "a /a.html", "a/a.html", "a?.html", "a*.html", "a:b.html", "a|b.html", 'a".html', "a<b>.html"),
    *("x" * 300 + ".html", "x" * 301 + ".html", "é" * 150 + ".html", "y/" * 1000 + "a.html", "y/" * 1001 + "a.html"),
    *("\x01.html", "\x7f.html", "a\nb.html", "\u202elmth.html", "*.html", "😀" * 70 + "/a.html", "-.html", "~.html"),
    *(
        "twice.html",
        "twice.html",
        "Twice.html",
        "cut.html\0.html",
        "cut.html\0b.html",
        "crawl.warc/1.html",
        "rows.jsonl/1.html",
    ),
]
PAGE = "<html><head><title>No. {0}</title></head><body><p>The river of page {0} rose on Tuesday.</p></body></html>"


def zipped(names: list[str], more: dict[str, bytes]) -> bytes:
    """Return a ZIP file of pages that hold their number, and of other files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number, name in enumerate(names):
            info = zipfile.ZipInfo("a")
            info.filename = name  # as it is: it is cut at a null character when it is read
            archive.writestr(info, PAGE.format(number))
        for name, data in more.items():
            archive.writestr(name, data)
    return out.getvalue()


def texts() -> dict[str, str]:
    return {str(path.relative_to("out")): path.read_text("utf-8") for path in Path("out").rglob("*") if path.is_file()}


def rows(first: int, count: int) -> list[dict[str, str]]:
    return [{"url": f"http://r.example/{n}", "html": PAGE.format(n)} for n in range(first, first + count)]


@pytest.mark.parametrize("jobs", ["", "--jobs 2"])
def test_each_page_has_its_own_file(here: Path, told: Told, jobs: str) -> None:
    honest = {"in/a.html": 1000, "in/x/a.html": 1001, "in/B.html": 1002, "in/b.html": 1004, "in/evil.html": 1003}
    for name, number in honest.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(PAGE.format(number))
    answers = [record(row["url"], row["html"].encode()) for row in rows(2000, 2)]
    more = {
        "crawl.warc": b"".join(members(answers)),
        "CRAWL.WARC": b"".join(members(answers)).replace(b"Tuesday", b"Wednesd"),
        "rows.jsonl": "\n".join(map(json.dumps, rows(3000, 2))).encode(),
    }
    Path("in/evil.zip").write_bytes(zipped(MEMBERS, more))
    before = set(here.rglob("*"))
    _, err = told(f"extract in --output-dir out --url http://a.example/ {jobs}")
    found = texts()
    numbers = Counter(int(text.split("page ")[1].split()[0]) for text in found.values())
    assert set(range(len(MEMBERS))) <= set(numbers) and {1000, 1001, 1002, 1003, 1004, 3000, 3001} <= set(numbers), err
    assert len(found) == len(MEMBERS) + 5 + 4 + 2 and max(numbers.values()) <= 2
    assert "1000 rose" in found["a.html.txt"] and "1001 rose" in found["x/a.html.txt"]
    assert {path for path in here.rglob("*") if "out" not in path.relative_to(here).parts} == before
    folded = {normalize("NFKC", name).casefold() for name in found}
    assert len(folded) == len(found)
    for part in {part for name in found for part in name.split("/")}:
        assert len(part.encode()) <= 255 and not set(part) & {*map(chr, range(32)), "\x7f"}
        assert not part.endswith((".", " ")) and not set(part) & set('<>:"|?*\\')
        assert part.partition(".")[0].strip().lower() not in {"con", "nul", "aux", "com1", "lpt¹"}
    stamps = {name: Path("out", name).stat().st_mtime_ns for name in found}
    assert "0 pages, " in told(f"extract in --output-dir out --url http://a.example/ --resume {jobs}")[1]
    assert {name: Path("out", name).stat().st_mtime_ns for name in texts()} == stamps


def test_a_foreign_page_counts_for_no_other(here: Path, told: Told) -> None:
    Path("in").mkdir()
    Path("in/evil.zip").write_bytes(zipped(["../a.html", "../b.html", "../x/a.html", "..\\a.html", "/a.html"], {}))
    told("extract in --output-dir out --url http://a.example/")
    Path("in/a.html").write_text(PAGE.format(77))
    assert "1 page, 5 of an earlier run" in told("extract in --output-dir out --url http://a.example/ --resume")[1]
    assert "77 rose" in Path("out/a.html.txt").read_text("utf-8")


def test_places_are_below_what_a_pattern_begins_with(here: Path, told: Told) -> None:
    Path("in/x").mkdir(parents=True)
    Path("in/x/a.html").write_text(PAGE.format(7))
    told("extract in/*/a.html --output-dir out")
    assert "7 rose" in Path("out/x/a.html.txt").read_text("utf-8")


def test_addresses_and_places_given_in_a_command(tmp_path: Path) -> None:
    urls = [
        "http://a.example/x",
        "http://a.example/x/",
        "http://a.example//x",
        "https://a.example/x",
        "http://a.example/X",
    ]
    files = ["pages/a.html", "pages/../pages/b.html", "../up.html", "../../up.html", *urls]
    for suffix in (".txt", ".md"):
        folder = FolderOfTexts(str(tmp_path / "out"), str(Path.cwd() / "pages"), suffix, resume=False)
        paths = [folder._path(ArchiveRecord(file, 0)) for file in files]
        assert paths == [folder._path(ArchiveRecord(file, 0)) for file in files], "the same when asked again"
        folded = {str(path).casefold() for path in paths}
        assert len(folded) == len(files)
        assert all(path.is_relative_to(tmp_path / "out") and ".." not in path.parts for path in paths)
        assert paths[0] == tmp_path / "out" / f"a.html{suffix}" and paths[1] == tmp_path / "out" / f"b.html{suffix}"


def test_offsets_of_one_archive_are_files_of_one_folder(tmp_path: Path) -> None:
    folder = FolderOfTexts(str(tmp_path), str(Path.cwd()), ".txt", resume=False)
    for offset in range(1000):
        path = folder._path(ArchiveRecord("a.warc.gz", offset))
        assert path == tmp_path / "a.warc.gz" / f"{offset}.txt"
    other = folder._path(ArchiveRecord("A.warc.gz", 7))
    assert other.name == "7.txt" and other.parent.name.startswith("A.warc.gz%-")
    assert len(folder._taken) == 1, "no entry for each page"


def test_a_page_is_done_only_if_its_own_name_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system to which both cases are the same finds `a.html.txt` under the name `A.html.txt`."""
    (tmp_path / "a.html.txt").touch()
    monkeypatch.setattr(Path, "exists", lambda path: (tmp_path / path.name.lower()).is_file())
    for name in ("A.html", "a.html", "b.html", "c/a.html"):
        folder = FolderOfTexts(str(tmp_path), str(Path.cwd()), ".txt", resume=True)
        assert folder.is_done(ArchiveRecord(name, 0)) == (name == "a.html")
