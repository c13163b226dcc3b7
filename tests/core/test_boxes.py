"""Boxes and parts of made pages: the core's loops against columns of numpy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.core.boxes import around_story
from denoise_scrapy.core.features import NAMES
from denoise_scrapy.core.judge import Neighbours
from denoise_scrapy.core.parts import part_signals
from denoise_scrapy.page import Page
from tests.core.literal_boxes import literal_around_story
from tests.core.literal_parts import literal_signals

TAGS = "article section div ul li p h1 h2 h3 form button footer summary figure figcaption time pre table img".split()
TAGS = ["div class=comment", *TAGS, "blockquote"]
TEXTS = (
    "A story", "2 comments", "Sources", "Buy now", "<a href=/x>All of it</a>", "By Ada", "Leave a comment", "",
    "A paragraph of prose that goes on for a while, so that it is long enough to count as one, and then some.",
)  # fmt: skip
LEAVES = st.tuples(st.sampled_from(TAGS), st.sampled_from(TEXTS)).map(lambda one: f"<{one[0]}>{one[1]}</{one[0]}>")
MARKUP = st.recursive(
    LEAVES,
    lambda inner: st.tuples(st.sampled_from(TAGS[:6]), st.lists(inner, min_size=1, max_size=4), st.integers(1, 3)).map(
        lambda one: one[2] * f"<{one[0]}>{''.join(one[1])}</{one[0]}>"
    ),
    max_leaves=12,
)


def parsed(body: str) -> Page:
    return Page.parse(f"<title>A story</title><body>{body}")


@given(MARKUP, st.data())
def test_boxes_weigh_as_the_literal_rules_do(body, data):
    page = parsed(body)
    m = len(page.blocks)
    chances = data.draw(st.lists(st.sampled_from([0.0, 0.05, 0.2, 0.3, 0.45, 0.6, 0.92, 0.99]), min_size=m, max_size=m))
    found = around_story(page.tree, page.words.titles, chances)
    assert np.allclose(found, literal_around_story(page, np.array(chances, np.float64)))


@given(MARKUP.filter(lambda body: len(parsed(body).blocks) > 0), st.randoms(use_true_random=False))
def test_part_signals_are_the_literal_ones(body, random):
    page = parsed(body)
    m, values = len(page.blocks), np.random.default_rng(random.randrange(1000))
    features, odds = values.random((len(NAMES), m)).astype(np.float32), values.normal(size=m).astype(np.float32)
    seen = Neighbours.of(page.tree).added_to(features, odds)
    found = part_signals(page.tree, page.words, seen, odds)
    np.testing.assert_array_equal(found, literal_signals(page, seen, odds))


def test_arrays_of_another_length_are_refused():
    page = parsed("<article><h1>A story</h1></article><p>Another one.")
    with pytest.raises(ValueError, match="there are 2 blocks"):
        around_story(page.tree, page.words.titles, [0.9])
