"""No public output swells: each is bounded by a small multiple of its page, whatever the page is."""

import pytest

from tests.hostile import named
from tests.hostile.outputs import CASES, NAMED_SIZE, page_of, swollen, uncalled


def test_every_public_output_is_in_the_table():
    assert uncalled() == set(), "a new output: make it in tests/hostile/outputs.py"


@pytest.mark.parametrize("case", CASES)
def test_outputs_are_bounded_by_their_page(case):
    assert swollen(page_of(case, 0.05)) == []


@pytest.mark.parametrize("case", named.CASES)
def test_outputs_of_named_cases_are_bounded(case):
    assert swollen(named.page_of(case, NAMED_SIZE)) == []
