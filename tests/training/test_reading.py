"""Pages are listed for readers, and their marks become labels."""

import gzip
import json

import pytest

from training import reading, truth
from training.reading import main
from training.truth import read_labels

MENU = "".join(f"<li><a href=/{i}>Part {i}</a>" for i in range(7))
HTML = f"<title>Fox</title><ul class=menu>{MENU}</ul><div id=story><h1>Fox</h1><p>{'A fox ran. ' * 20}</div><p>Imprint"


@pytest.fixture
def corpora(tmp_path, monkeypatch):
    row = {"site": "a", "page": "p", "url": "http://a.example/p", "html": HTML, "gold": "A fox ran."}
    with gzip.open(tmp_path / "made.jsonl.gz", "wt") as lines:
        lines.write(json.dumps(row))
    for module in (reading, truth):
        monkeypatch.setattr(module, "LABELS", tmp_path / "labels.jsonl")
    (tmp_path / "labels.jsonl").write_text("")
    return tmp_path


def run(monkeypatch, *args):
    monkeypatch.setattr("sys.argv", ["reading", *map(str, args)])
    main()


def test_a_page_is_listed_marked_and_read_again(corpora, monkeypatch):
    run(monkeypatch, "list", corpora / "lists", "--corpora", corpora)
    [head, menu, title, text, end] = (corpora / "lists/0000.txt").read_text().splitlines()
    key = head.split()[1]
    assert menu.startswith("1-7 links [ul.menu")
    assert title == "8 h1 [div#story] Fox"
    assert text.startswith("9 p A fox ran.") and "…[219]…" in text
    assert end.startswith("10 p ")
    marks = corpora / "marks.jsonl"
    for parts in ("1-7X 8H 9T 10X", "1-7X 8-9T 10X"):
        marks.write_text(json.dumps({"key": key, "kind": "article", "parts": parts}))
        run(monkeypatch, "add", marks, "--corpora", corpora)
    assert read_labels()[key].parts == ("XXXXXXXHTX", "XXXXXXXTTX")
    run(monkeypatch, "list", corpora / "more", "--corpora", corpora)
    assert (corpora / "more/0000.txt").read_text() == "\n"


@pytest.mark.parametrize("parts", ["1-7X 8H 9T", "1-7X 9-10T", "1-8X 8H 9-10T", "1-7X 8H 9-10Z", "1-10X 11T", "7-1X"])
def test_marks_cover_a_page(corpora, monkeypatch, parts):
    run(monkeypatch, "list", corpora / "lists", "--corpora", corpora)
    key = (corpora / "lists/0000.txt").read_text().split()[1]
    (corpora / "marks.jsonl").write_text(json.dumps({"key": key, "kind": "article", "parts": parts}))
    with pytest.raises(SystemExit, match="does not cover its 10 blocks"):
        run(monkeypatch, "add", corpora / "marks.jsonl", "--corpora", corpora)
