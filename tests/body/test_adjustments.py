"""The fixed rules around the model, each on a page made for it."""

import numpy as np

from denoise_scrapy.body.selection import cut_comments, lower_hidden, lower_repeated, lower_stock, move_to_list
from denoise_scrapy.body.words import read_words
from denoise_scrapy.page import Page

PROSE = "<p>A paragraph of prose that goes on for a while, so that it is long enough to count as one.</p>"
OFFER = PROSE.replace("p>", "aside>")
UNKNOWN = np.zeros(6)


def test_after_the_heading_of_the_comments():
    page = Page.parse(PROSE + "<h3>3 comments</h3>" + "<p>Ann says:</p><p>Good.</p>" * 3)
    assert cut_comments(page, np.ones(len(page.blocks)), read_words(page)).tolist() == [1.0] + [0.1] * 7
    page = Page.parse(PROSE + "<h3>3 comments</h3>" + "<p>Good.</p>" * 6)
    assert cut_comments(page, np.ones(len(page.blocks)), read_words(page)).tolist() == [1.0] * 8


def test_a_link_to_the_comments_above_the_story_cuts_nothing():
    page = Page.parse("<h3>3 comments</h3>" + PROSE + "<p>Ann says:</p>" * 3)
    assert cut_comments(page, np.ones(5), read_words(page)).tolist() == [1.0] * 5


def test_hidden_blocks_unless_they_are_the_page():
    page = Page.parse(PROSE * 3 + f"<div hidden>{PROSE}</div>")
    assert lower_hidden(page, np.ones(4)).tolist() == [1.0, 1.0, 1.0, 0.2]
    streamed = Page.parse(f"<p>Loading</p><div hidden>{PROSE * 3}</div>")
    assert lower_hidden(streamed, np.ones(4)).tolist() == [1.0] * 4


def test_what_all_pages_say_on_a_page_of_few_blocks():
    page, in_place = Page.parse("<p>One.</p><p>Two.</p><h2>Three</h2>"), np.array([1.0, 0.5, 1.0], np.float32)
    assert lower_repeated(page, np.ones(3), in_place).tolist() == [0.4, 1.0, 1.0]
    assert lower_repeated(page, np.ones(3), np.full(3, np.nan, np.float32)).tolist() == [1.0] * 3
    long = Page.parse("<p>One.</p>" * 30)
    assert lower_repeated(long, np.ones(30), np.ones(30, np.float32)).tolist() == [1.0] * 30


def test_a_text_of_a_common_stock_among_texts_of_the_page():
    page = Page.parse(PROSE + OFFER + PROSE + "<p>Short.</p>" + PROSE * 2)
    stock = np.array([0, 0.5, 0, 0.5, 0, 0.5], np.float32)
    assert lower_stock(page, np.ones(6), stock, UNKNOWN).tolist() == [1, 0.3, 1, 1, 1, 1]
    assert lower_stock(page, np.ones(6), np.array([0.5, 0.5, 0, 0, 0, 0], np.float32), UNKNOWN).tolist() == [1] * 6
    assert lower_stock(page, np.ones(6), np.full(6, np.nan, np.float32), UNKNOWN).tolist() == [1] * 6


def test_a_text_in_a_place_of_common_stock_beside_its_label_or_on_no_other_page():
    page = Page.parse(PROSE + "<p>Sponsor</p>" + OFFER + PROSE * 3)
    place = np.array([0, 0.9, 0.9, 0, 0, 0])
    for found in (0.9, 0):
        stock = np.array([0, 0.9, found, 0, 0, 0], np.float32)
        assert lower_stock(page, np.ones(6), stock, place).tolist() == [1, 1, 0.3, 1, 1, 1]
        assert lower_stock(page, np.ones(6), stock, UNKNOWN).tolist() == [1] * 6


def test_a_paragraph_that_an_earlier_story_has_too_is_no_stock():
    page = Page.parse(PROSE * 6)
    assert lower_stock(page, np.ones(6), np.array([0, 0, 0.5, 0, 0, 0], np.float32), UNKNOWN).tolist() == [1] * 6


def test_a_text_that_is_most_of_the_page_is_no_stock():
    page = Page.parse(PROSE + "<p>Short.</p>" * 5)
    assert lower_stock(page, np.ones(6), np.array([0.5, 0, 0, 0, 0, 0], np.float32), UNKNOWN).tolist() == [1] * 6


def test_a_list_whose_blocks_agree_moves_to_their_mean():
    page = Page.parse("<p>One.</p><ul><li>Two.<li>Three.<ul><li>Four.</ul></ul><ul><li>Five.<li>Six.</ul>")
    found = move_to_list(page, np.array([0.1, 0.9, 0.9, 0.6, 0.2, 0.8]))
    assert np.allclose(found, [0.1, 0.8, 0.8, 0.8, 0.2, 0.8])
