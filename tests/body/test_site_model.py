"""A site model is a value: its bodies say what they rest on, and one of stored pages makes the same."""

import pytest

from denoise_scrapy.body import STRATEGIES, SiteModel, find_strategy
from denoise_scrapy.page import Page
from denoise_scrapy.site import SQLiteFacts
from tests.site.made_sites import LOOSE, page

FACTS_ONLY = [name for name in STRATEGIES if not find_strategy(name).needs_elements]


def facts_of(*numbers):
    return [page(n).facts for n in numbers]


def test_the_whole_text_is_the_last_resort():
    template = "<body><p>All of this is template</p>"
    alone, other = Page.parse(f"{template}<p hidden>But not these words"), Page.parse(f"{template}<p>Other words")
    body = SiteModel([other]).extract(alone, strategy="repetition")
    assert (body.evidence, body.fallback, body.confidence) == ("whole text", "whole text", 0.0)
    assert body.text == "All of this is template\nBut not these words"
    empty = SiteModel(facts_of(1)).extract(Page.parse(""))
    assert (empty.text, empty.evidence, empty.fallback) == ("", "whole text", "whole text")


@pytest.mark.parametrize("strategy", FACTS_ONLY)
def test_a_model_of_stored_pages_makes_the_same_body(tmp_path, strategy):
    pages = [page(1), page(2).facts, page(3), page(4, LOOSE)]
    store = SQLiteFacts(tmp_path / "sites.sqlite")
    store.save({"a": [one.facts for one in reversed(pages)]})
    model, loaded = SiteModel(pages), SiteModel(store.load("a"))
    store.close()
    for target in (page(9), page(2), page(7, LOOSE)):
        one, other = (m.extract(target, strategy=strategy) for m in (model, loaded))
        assert (one.text, one.confidence, one.evidence) == (other.text, other.confidence, other.evidence)
        assert (one.comparison, one.blocks) == (other.comparison, other.blocks)
