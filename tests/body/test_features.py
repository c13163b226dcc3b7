"""What features say of a block, against plain loops over the tree."""

import numpy as np
import pytest
from hypothesis import given

from denoise_scrapy.body.features import (
    FAMILIES,
    NAMES,
    RECORD_ELEMENTS,
    RECORD_TOKENS,
    RECORDS,
    View,
    block_features,
)
from denoise_scrapy.body.hand_rule import in_best_container
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics
from tests.html_strategies import SOUP, pages

FRAME = (
    "<title>{0}</title><nav><a href=/>Home page of it</a></nav>"
    "<main><h1>{0}</h1><div><p>{1}</div></main><aside><p>Read this everywhere</aside>"
)
STORY = "Story {} of {} that nobody else tells in these very words, or in any that are like them."


def rows_of(page, others=()):
    return dict(zip(NAMES, block_features(page, SiteStatistics.of(others)), strict=True))


def ancestors(page, element):
    found = [element]
    while page.elements.parent[found[-1]] >= 0:
        found.append(int(page.elements.parent[found[-1]]))
    return found


@given(SOUP | pages(), pages())
def test_features_are_numbers_or_unknown(html, other):
    page = Page.parse(html)
    if not len(page.blocks):
        return
    alone, compared = rows_of(page), rows_of(page, [Page.parse(other)])
    assert not any(np.isinf(row).any() for row in (*alone.values(), *compared.values()))
    unknown = {name for name, row in alone.items() if np.isnan(row).any()}
    assert "repeated" in unknown
    assert unknown <= {*FAMILIES["site"].names, *FAMILIES["headline"].names}


@given(SOUP | pages())
def test_sums_over_boxes_equal_plain_loops(html):
    page = Page.parse(html)
    if not len(page.blocks):
        return
    view, blocks = View(page, SiteStatistics()), page.blocks
    for element in range(len(page.elements)):
        inside = [i for i in range(len(blocks)) if element in ancestors(page, int(blocks.element[i]))]
        assert view.under[:, element] == pytest.approx(view.counts[:, inside].sum(axis=1))


@given(SOUP | pages())
def test_levels_to_another_block_equal_a_climb(html):
    page = Page.parse(html)
    for target in range(len(page.blocks)):
        levels, shared = View(page, SiteStatistics()).levels_to(target)
        way = set(ancestors(page, int(page.blocks.element[target])))
        for block, element in enumerate(page.blocks.element.tolist()):
            climb = ancestors(page, element)
            met = next((level for level, above in enumerate(climb) if above in way), len(climb))
            assert levels[block] == met
            assert met == len(climb) or shared[block] == climb[met]


@given(SOUP | pages())
def test_the_best_container_is_the_one_of_highest_f(html):
    page = Page.parse(html)
    prose = page.blocks.paragraph_tokens
    if not prose.sum():
        assert in_best_container(page, prose).all()
        return
    inside = [page.blocks.inside(element) for element in range(len(page.elements))]
    fit = [2 * prose[some].sum() / (page.blocks.tokens[some].sum() + prose.sum()) for some in inside]
    best = max(range(len(fit)), key=lambda element: (fit[element], element))
    assert in_best_container(page, prose).tolist() == inside[best].tolist()


def test_where_other_pages_have_text_of_their_own():
    stories = [STORY.format(word, 9 * f"{word} ") for word in ("ab", "cd", "ef")]
    page, *others = (Page.parse(FRAME.format(story[:8], story)) for story in stories)
    rows = rows_of(page, others)
    home, heading, story, everywhere = range(4)
    assert rows["own_here"][story] > rows["own_here"][home] == rows["own_here"][everywhere] == 0
    assert rows["in_own_half"].tolist() == [0, 0, 1, 0]
    assert rows["stock"].tolist() == [1, 0, 0, 1]
    assert rows["repeated"].tolist() == [1, 0, 0, 1] and rows["k"].tolist() == [2] * 4
    assert rows["levels_to_title"].tolist() == [1, 0, 2, 2]
    assert heading == rows["from_title"].tolist().index(0)


@given(SOUP | pages())
def test_lists_of_records_equal_plain_loops(html):
    page = Page.parse(html)
    if not len(page.blocks):
        return
    elements, blocks = page.elements, page.blocks
    token = elements.column("token").tolist()
    whole = max(int(blocks.tokens.sum()), 1)

    def texts(element):
        return [i for i in range(len(blocks)) if element <= blocks.element[i] < elements.end[element]]

    def measures(element):
        """(count, share, prose) of the list that an element is a record of, or None."""
        alike = [
            e
            for e in range(len(elements))
            if elements.parent[e] == elements.parent[element] and token[e] == token[element] and texts(e)
        ]
        size = sum(int(elements.end[e]) - e for e in alike)
        tokens = sum(int(blocks.tokens[i]) for e in alike for i in texts(e))
        prose = sum(int(blocks.paragraph_tokens[i]) for e in alike for i in texts(e))
        if len(alike) < RECORDS or size < RECORD_ELEMENTS * len(alike) or tokens < RECORD_TOKENS * len(alike):
            return None
        return np.log1p(len(alike)), tokens / whole, prose / max(tokens, 1)

    rows = rows_of(page)
    for i in range(len(blocks)):
        above = [max(element, 0) for element in blocks.above[:, i].tolist()]
        lists = [found for found in map(measures, above) if found]
        outer = max(lists, key=lambda found: found[1], default=(0, 0, 0))
        inner = lists[0] if lists else (0, 0, 0)
        found = [rows[f"record_outer_{name}"][i] for name in ("count", "share", "prose")]
        assert found == pytest.approx(outer, abs=1e-5)
        assert [rows[f"record_inner_{name}"][i] for name in ("count", "share")] == pytest.approx(inner[:2], abs=1e-5)
