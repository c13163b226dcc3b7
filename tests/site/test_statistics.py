"""Shares over comparison pages against plain counting."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics
from tests.html_strategies import pages


def rows(page: Page) -> list[tuple[int, int, int]]:
    b = page.blocks
    return list(zip(b.rows["text_hash"].tolist(), b.rows["path"].tolist(), b.tokens.tolist(), strict=True))


@settings(deadline=None)
@given(pages(), st.lists(pages(), max_size=3))
def test_shares_equal_plain_counting(html, others):
    page, site = Page.parse(html), SiteStatistics.of(Page.parse(other) for other in others)
    n, shared = max(len(site.pages), 1), site.shared_with(page)
    carried = [{t for t, _, _ in rows(other)} for other in site.pages]
    placed = [{(t, p) for t, p, _ in rows(other)} for other in site.pages]
    everywhere = [page, *site.pages]
    count = Counter(t for p in everywhere for t in {t for t, _, _ in rows(p)})
    slot, repeated = Counter(), Counter()
    for p in everywhere:
        for text, path, tokens in rows(p):
            slot[path] += tokens
            repeated[path] += tokens * (count[text] > 1)
    assert shared.text_share.tolist() == pytest.approx([sum(t in c for c in carried) / n for t, _, _ in rows(page)])
    assert shared.placed_share.tolist() == pytest.approx(
        [sum((t, p) in c for c in placed) / n for t, p, _ in rows(page)]
    )
    assert shared.slot_share.tolist() == pytest.approx([repeated[p] / max(slot[p], 1) for _, p, _ in rows(page)])
