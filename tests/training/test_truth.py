"""Labels: blocks that a gold text keeps, and those of readers, found again on pages that are cut otherwise."""

import numpy as np
import pytest

from denoise_scrapy.page import Page
from evaluation.corpora import RecordedPage
from training.labels import gold_share
from training.tables import below
from training.truth import ReadPage, Truth, block_hashes, read_labels, truths_of

HTML = "<nav><a href=/>Home</a></nav><h1>Flood</h1><p>By Ann</p><p>The river rose.</p><p>Nobody was hurt.</p>"
PAGE = Page.parse(HTML)
TWICE = "buy now|it rained all night long|menu|terms|more|why it rained|it rained all night long|and then it stopped"
STOPPED = "why it rained\nit rained all night long\nand then it stopped"
SHORT = "home|the first part of it|two|the second part of it|home"


@pytest.mark.parametrize(
    ("blocks", "gold", "share"),
    [
        (TWICE, STOPPED, [0, 0, 0, 0, 0, 1, 1, 1]),
        (SHORT, "the first part of it two the second part of it", [0, 1, 1, 1, 0]),
    ],
    ids=["a text that is on the page twice", "a short block between others"],
)
def test_each_text_of_the_gold_is_one_block_among_its_like(blocks, gold, share):
    assert gold_share([block.split() for block in blocks.split("|")], gold).tolist() == share


def test_labels_of_two_readers_become_truths():
    read = ReadPage(block_hashes(PAGE), ("XHBTT", "XHTTX"))
    assert np.array_equal(read.kept(PAGE), [0, 1, np.nan, 1, np.nan], equal_nan=True)
    assert read.texts(PAGE) == ("Flood\nThe river rose.\nNobody was hurt.", "Flood\nBy Ann\nThe river rose.")
    recorded = RecordedPage("http://a.example/1", HTML, "Flood\nThe river rose.\nNobody was hurt.")
    news, said, aside = truths_of("news", recorded, PAGE, read)
    assert (news.corpus, said.corpus, aside.corpus) == ("news", "read", "news parts aside")
    text = "The river rose.\nNobody was hurt."
    assert news.score(text) < aside.score(text) == aside.score(f"Flood\n{text}") == 1.0


def test_labels_find_their_blocks_on_a_page_that_is_cut_otherwise():
    read = ReadPage(block_hashes(PAGE), ("XHBTT",))
    assert read.letters(Page.parse("<p>New</p>" + HTML.replace("Nobody", "<br><br>Nobody"))) == ["", *"XHBTT"]
    assert np.isnan(read.kept(Page.parse("<p>Quite another page.</p>"))).all()


def test_labels_of_the_repository_have_a_letter_for_each_block():
    labels = read_labels()
    assert len(labels) > 600
    assert all(len(letters) == len(read.hashes) for read in labels.values() for letters in read.parts)
    assert sum(len(read.parts) == 2 for read in labels.values()) >= 300


def test_pieces_are_scored_and_scores_held_to_floors():
    assert Truth("web", (), wanted=("rained", "all night"), unwanted=("Share",)).score("It rained. Share") == 0.5
    assert below({"news k=5": 0.9}, {"news k=5": 0.95, "blogs": 1}) == ["news k=5: F1 0.9 is below the floor 0.95"]
