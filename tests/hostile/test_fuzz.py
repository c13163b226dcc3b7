"""The fuzz of all of the core, for some seconds: the command runs it for longer."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.corpora import portal
from denoise_scrapy.body import STRATEGIES
from denoise_scrapy.native import switched_off
from tests.hostile import fuzz
from tests.hostile.checks import check_explanation, check_fragment, check_markdown
from tests.hostile.fuzz import MADE, Round, check, check_growth, check_memory, round_from

SITES = [portal()]
#: The same pages in every run; a seed that found something is added.
SEEDS = range(100, 120)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_damaged_page(seed):
    told = round_from(seed, SITES)
    if seed % 2:
        check(told)
    else:
        with switched_off():
            check(told)


@settings(deadline=None, max_examples=60)
@given(MADE, MADE, st.sampled_from(sorted(STRATEGIES)), st.sampled_from([fuzz.MAX_ELEMENTS, 3]))
def test_a_page_that_is_made_up(html, other, strategy, elements):
    check(Round(html, (other,), (strategy,), elements, piece=64))


def test_work_and_memory_grow_with_the_page():
    check_growth(round_from(1, SITES).html[:800])
    check_memory(round_from(2, SITES).html[:15_000])


def test_growth_that_is_faster_is_found(monkeypatch):
    def quadratic(html, others=()):
        return [n + 1 for n in range(len(html) ** 2 // 9)]

    monkeypatch.setattr(fuzz, "everything", quadratic)
    with pytest.raises(AssertionError, match="of two copies"):
        check_growth("<p>word" * 30)


def test_memory_beyond_its_bound_is_found(monkeypatch):
    monkeypatch.setattr(fuzz, "everything", lambda html, others=(): ("x" * 20_000_000, None))
    with pytest.raises(AssertionError, match="bytes for"):
        check_memory("<p>word")


def test_a_round_that_fails_is_named(monkeypatch, capsys):
    def fails(told):
        assert "body" not in told.html

    monkeypatch.setattr(fuzz, "check", fails)
    monkeypatch.setattr(sys, "argv", ["fuzz", "--seed", "7", "--rounds", "1"])
    monkeypatch.delenv("DENOISE_CORPORA", raising=False)
    with pytest.raises(AssertionError):
        fuzz.main()
    assert "round 7: " in capsys.readouterr().out


def test_rounds_without_fault_end_with_0(monkeypatch, capsys):
    monkeypatch.setattr(fuzz, "check", lambda told: None)
    monkeypatch.setattr(fuzz, "check_growth", lambda html: None)
    monkeypatch.setattr(fuzz, "check_memory", lambda html: None)
    monkeypatch.setattr(sys, "argv", ["fuzz", "--rounds", "3", "--seed", "1"])
    assert fuzz.main() == 0
    assert "3 rounds, all holds" in capsys.readouterr().out


@pytest.mark.parametrize(
    "wrong",
    [
        "<script>x</script>",
        "<p onclick=x>y</p>",
        "<a href=' javascript:x'>y</a>",
        "<img src=data:text/html,x>",
        "<svg>",
    ],
)
def test_what_runs_is_found(wrong):
    with pytest.raises(AssertionError):
        check_fragment(f"<p>text</p>{wrong}")
    with pytest.raises(AssertionError):
        check_markdown(f"text\n\n{wrong}\n\n[x](y)")
    with pytest.raises(AssertionError):
        check_explanation(f"<script>x</script><style>x</style>{wrong}")
