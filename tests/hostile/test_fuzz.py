"""Damaged and made-up pages through all of the core: no exception, nothing that runs, no text but the page's.

`make explore` tries more of them, and damages recorded pages too where DENOISE_CORPORA names a folder.
"""

import tracemalloc
from contextlib import nullcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy import Page, SiteModel, extract
from denoise_scrapy.body import STRATEGIES
from denoise_scrapy.body.explanation import explain_page
from evaluation.corpora import portal
from tests.body.rendered import MARKUP
from tests.hostile.checks import URL, check_explanation, check_fragment, check_markdown, check_page, over_bounds
from tests.hostile.mutations import ACTIVE, known_sites, round_of
from tests.html_strategies import SOUP, pages

MORE = max(1, settings.default.max_examples // 100)
SITES = known_sites() if MORE > 1 else [portal()]
#: Bytes that all that is made of a page takes at most, for each of its bytes and each of its elements, and at all:
#: elements `<p>word here</p>` were measured with 5,700 each (numpy 6,900), most of it what `explain` draws; a text
#: with 27 a byte, one of a single word with 35.
BYTES_A_BYTE, BYTES_AN_ELEMENT, FIXED_BYTES = 100, 10_000, 8_000_000
SELECTORS = ("p", "div > p", "//div//p[1]", "li:nth-child(2)", "//p[.//a]", "[onclick]", "//*[contains(., 'a')]")
CHARSETS = ("utf-8", "latin1", "utf-16", "gb18030", "hex", "punycode", "klingon")
MADE = st.one_of(
    SOUP, MARKUP, pages(), st.lists(st.sampled_from([*ACTIVE, "<p>", "</p>", "one ", "<", "\0"])).map("".join)
)
SEEDS = st.integers(0, 10**9)
#: How all is made of a page: mostly as usual.
CHECKED = {
    "strategies": st.lists(st.sampled_from(sorted(STRATEGIES)), min_size=1, max_size=2, unique=True),
    "is_too_large": st.sampled_from([False, False, False, True]),
    "charsets": st.none() | st.none() | st.tuples(st.sampled_from(CHARSETS[:4]), st.sampled_from(CHARSETS)),
    "selectors": st.none() | st.none() | st.tuples(st.sampled_from(SELECTORS), st.sampled_from(SELECTORS)),
}


def check(html, others, strategies, is_too_large, charsets, selectors):
    written, declared = charsets or (None, None)
    page = html.encode(written, "replace") if written else html
    with over_bounds() if is_too_large else nullcontext():
        check_page(page, others, strategies=strategies, encoding=declared)
        if selectors is not None:
            body = extract(page, URL, others, keep=selectors[0], remove=selectors[1])
            assert body.text or body.fallback, "an empty body, and no reason"


@settings(deadline=None, max_examples=25 * MORE)
@given(seed=SEEDS, **CHECKED)
def test_a_damaged_page(seed, **how):
    check(*round_of(seed, SITES), **how)


@settings(deadline=None, max_examples=60 * MORE)
@given(html=MADE, other=MADE, **CHECKED)
def test_a_page_that_is_made_up(html, other, **how):
    check(html, [other], **how)


def everything(html):
    """All that is made of a page, unchecked."""
    body = SiteModel().extract(Page.parse(html, url=URL))
    return body, body.html, body.markdown, body.blocks, explain_page(html, URL).html


@settings(deadline=None, max_examples=2 * MORE)
@given(SEEDS)
def test_memory_grows_with_the_page(seed):
    html = round_of(seed, SITES)[0][:15_000]
    everything(html)  # tables and caches are made
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        made = everything(html)
        most = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    del made
    elements, size = len(Page.parse(html).tags()), len(html.encode("utf-8", "replace"))
    allowed = FIXED_BYTES + BYTES_A_BYTE * size + BYTES_AN_ELEMENT * elements
    assert most <= allowed, f"{most:,} bytes for {size:,} with {elements:,} elements"


WRONG = "<script>x</script>|<p onclick=x>y</p>|<a href=' javascript:x'>y</a>|<img src=data:text/html,x>|<svg>"


@pytest.mark.parametrize("wrong", WRONG.split("|"))
def test_what_runs_is_found(wrong):
    with pytest.raises(AssertionError):
        check_fragment(f"<p>text</p>{wrong}")
    with pytest.raises(AssertionError):
        check_markdown(f"text\n\n{wrong}\n\n[x](y)")
    with pytest.raises(AssertionError):
        check_explanation(f"<script>x</script><style>x</style>{wrong}")
