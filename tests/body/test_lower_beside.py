"""What layout adds to the default strategy."""

import numpy as np
import pytest

from denoise_scrapy.body import SiteModel
from denoise_scrapy.core.choice import choose
from denoise_scrapy.page import Boxes, Page
from denoise_scrapy.page.columns import BlockLayout
from tests.page.test_layout import HTML, LEFT, page_with


def lowered(page, probability):
    layout = BlockLayout.of(page.blocks, page.boxes)
    return choose(Page.parse(HTML).tree, probability, layout=layout).probability


def test_worked_by_hand():
    e = np.e
    expected = [1 / (1 + e), 0.5, 0.5, 1 / (1 + e**0.5), 1 / (1 + e), 1 / (1 + e)]
    assert lowered(page_with(), np.full(6, 0.5)) == pytest.approx(expected)


def test_what_is_sure_stays_so():
    assert lowered(page_with(), np.array([0.0, 1, 0, 1, 1, 0])).tolist() == [0, 1, 0, 1, 1, 0]


def test_what_is_unknown_is_left_as_it_is():
    page = page_with(boxes=Boxes(*[np.full(len(LEFT), np.nan, np.float32)] * 4, page_width=0, page_height=0))
    probability = np.array([0.0, 0.1, 0.5, 0.9, 1.0, 0.3])
    assert lowered(page, probability) == pytest.approx(probability)


def test_the_default_uses_it():
    plain, rendered = (SiteModel.fit([]).extract(page) for page in (Page.parse(HTML), page_with()))
    assert rendered.probability[0] < plain.probability[0]
    assert rendered.probability[4] < plain.probability[4]
    assert "Subscribe" not in rendered.text
