"""Rules of paths with many steps: what compares them all at once finds what climbing finds."""

import pytest
from hypothesis import given, settings

from denoise_scrapy.page import Page
from denoise_scrapy.site import clusters
from denoise_scrapy.site.clusters import Rule, is_block_node, tag_path
from tests.html_strategies import pages


@settings(deadline=None)
@given(pages())
def test_both_ways_find_the_same(source):
    page = Page.parse(source)
    for element in is_block_node(page).nonzero()[0].tolist():
        rule = Rule(path=tag_path(page.path_table, int(page.elements.paths[element])))
        climbed = rule.candidates(page)[2].tolist()
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(clusters, "DEEP", 0)
            assert rule.candidates(page)[2].tolist() == climbed
        assert climbed[element]


def test_a_deep_rule_finds_its_element():
    page = Page.parse("<div>" * 300 + "<p>" * 40 + "<section><div>a</div></section><section>b</section>")
    deepest = page.tags().index("section")
    rule = Rule(path=tag_path(page.path_table, int(page.elements.paths[deepest + 1])))
    assert rule.find(page) == deepest + 1
    assert rule.candidates(page)[2].sum() == 1
