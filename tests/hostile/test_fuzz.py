"""The fuzz of all of the core, for some seconds: the command runs it for longer."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from denoise_scrapy.body import STRATEGIES
from evaluation.corpora import portal
from tests.hostile.checks import check_explanation, check_fragment, check_markdown
from tests.hostile.fuzz import MADE, Round, check, check_memory, round_from

SITES = [portal()]
#: The same pages in every run; a seed that found something is added.
SEEDS = range(100, 120)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_damaged_page(seed):
    check(round_from(seed, SITES))


@settings(deadline=None, max_examples=60)
@given(MADE, MADE, st.sampled_from(sorted(STRATEGIES)), st.booleans())
def test_a_page_that_is_made_up(html, other, strategy, is_too_large):
    check(Round(html, (other,), (strategy,), is_too_large))


def test_memory_grows_with_the_page():
    check_memory(round_from(2, SITES).html[:15_000])


ACTIVE = "<script>x</script>|<p onclick=x>y</p>|<a href=' javascript:x'>y</a>|<img src=data:text/html,x>|<svg>"


@pytest.mark.parametrize("wrong", ACTIVE.split("|"))
def test_what_runs_is_found(wrong):
    with pytest.raises(AssertionError):
        check_fragment(f"<p>text</p>{wrong}")
    with pytest.raises(AssertionError):
        check_markdown(f"text\n\n{wrong}\n\n[x](y)")
    with pytest.raises(AssertionError):
        check_explanation(f"<script>x</script><style>x</style>{wrong}")
