"""Nearest marked ancestors against a walk up the parents."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from denoise_scrapy.page import Page
from tests.html_strategies import pages


@given(pages(), st.randoms(use_true_random=False))
def test_nearest_equals_a_walk_up(html, random):
    elements = Page.parse(html).elements
    marked = np.array([random.random() < 0.4 for _ in range(len(elements))], bool)

    def walk(i: int) -> int:
        while i >= 0 and not marked[i]:
            i = int(elements.parent[i])
        return i

    assert elements.nearest(marked).tolist() == [walk(i) for i in range(len(elements))]
