"""Labels of readers: written down, found again on pages that are cut otherwise, and turned into truths."""

import json

import numpy as np
import pytest

from denoise_scrapy.page import Page
from evaluation.corpora import RecordedPage
from training import reading
from training.reading import ReadPage, block_hashes, collect, faults, letters, read_labels, write
from training.truth import truths_of

HTML = "<nav><a href=/>Home</a></nav><h1>Flood</h1><p>By Ann</p><p>The river rose.</p><p>Nobody was hurt.</p>"


@pytest.fixture
def sheets(tmp_path, monkeypatch):
    """A folder with one page to be read, which two readers have read."""
    monkeypatch.setattr(reading, "LABELS", tmp_path / "labels.jsonl")
    recorded = RecordedPage("http://a.example/1", HTML, "Flood\nThe river rose.\nNobody was hurt.")
    write(tmp_path, [("news", recorded, Page.parse(HTML))])
    key = reading.key_of("news", recorded)
    for reader, runs in (("a", "1X 2H 3B 4-5T"), ("b", "1X 2H 3-4T 5X")):
        (tmp_path / reader).mkdir()
        (tmp_path / reader / "01.txt").write_text(f"{key} article {runs}\n", "utf-8")
    return tmp_path, recorded, key


def test_what_two_readers_say_becomes_labels(sheets):
    folder, recorded, key = sheets
    assert "4 p: The river rose." in (folder / "01.txt").read_text("utf-8")
    assert list(faults(folder, "a")) == []
    collect(folder, ["a", "b"])
    read = read_labels(reading.LABELS)[key]
    assert read.parts == ("XHBTT", "XHTTX")
    assert "river" not in reading.LABELS.read_text("utf-8")
    page = Page.parse(recorded.html)
    assert np.array_equal(read.kept(page), [0, 1, np.nan, 1, np.nan], equal_nan=True)
    assert read.texts(page) == ("Flood\nThe river rose.\nNobody was hurt.", "Flood\nBy Ann\nThe river rose.")
    news, said, aside = truths_of("news", recorded, page, read)
    assert (news.corpus, said.corpus, aside.corpus) == ("news", "read", "news parts aside")
    assert (
        news.score(text := "The river rose.\nNobody was hurt.")
        < aside.score(text)
        == aside.score(f"Flood\n{text}")
        == 1.0
    )


def test_labels_find_their_blocks_on_a_page_that_is_cut_otherwise():
    page = Page.parse(HTML)
    read = ReadPage("news/1", ("article",), block_hashes(page), ("XHBTT",))
    assert read.letters(Page.parse("<p>New</p>" + HTML.replace("Nobody", "<br><br>Nobody"))) == ["", *"XHBTT"]
    assert np.isnan(read.kept(Page.parse("<p>Quite another page.</p>"))).all()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1X 2H 4T", "4T does not follow block 2"),
        ("1-5Q", "1-5Q is no run"),
    ],
)
def test_faults_of_a_sheet_are_named(sheets, line, said):
    folder, _, key = sheets
    (folder / "a" / "01.txt").write_text(f"{key} article {line}\n", "utf-8")
    assert [said in fault for fault in faults(folder, "a")] == [True]
    with pytest.raises(ValueError, match=said.split()[0]):
        letters(line, 5)


def test_labels_of_the_repository_can_be_read():
    labels = read_labels()
    assert len(labels) > 600
    assert all(len(letters) == len(read.hashes) for read in labels.values() for letters in read.parts)
    assert sum(len(read.parts) == 2 for read in labels.values()) >= 300
    assert not {len(json.loads(line)) for line in reading.LABELS.read_text("utf-8").splitlines()} - {4}
