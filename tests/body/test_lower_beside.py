"""What layout adds to the default strategy."""

import numpy as np
import pytest

from denoise_scrapy.body import SiteModel
from denoise_scrapy.body.selection import lower_beside
from denoise_scrapy.page import Boxes, Page
from tests.page.test_layout import HTML, LEFT, page_with


def test_a_page_that_was_not_rendered_is_left_as_it_is():
    probability = np.array([0.1, 0.9, 0.9, 0.4, 0.6, 0.5])
    assert lower_beside(Page.parse(HTML), probability) is probability


def test_worked_by_hand():
    lowered = lower_beside(page_with(), np.full(6, 0.5))
    e = np.e
    assert lowered == pytest.approx([1 / (1 + e), 0.5, 0.5, 1 / (1 + e**0.5), 1 / (1 + e), 1 / (1 + e)])


def test_what_is_sure_stays_so():
    assert lower_beside(page_with(), np.array([0.0, 1, 0, 1, 1, 0])).tolist() == [0, 1, 0, 1, 1, 0]


def test_what_is_unknown_is_left_as_it_is():
    page = page_with(boxes=Boxes(*[np.full(len(LEFT), np.nan, np.float32)] * 4, page_width=0, page_height=0))
    probability = np.array([0.0, 0.1, 0.5, 0.9, 1.0, 0.3])
    assert lower_beside(page, probability) == pytest.approx(probability)


def test_the_default_uses_it():
    plain, rendered = (SiteModel.fit([]).extract(page) for page in (Page.parse(HTML), page_with()))
    assert rendered.probability[0] < plain.probability[0]
    assert rendered.probability[4] < plain.probability[4]
    assert "Subscribe" not in rendered.text
