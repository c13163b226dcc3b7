"""The planted duplicates are duplicates, the rest is not, and originals are met first."""

from collections import Counter
from itertools import pairwise

import pytest

from example_project.portal import build
from example_project.portal.model import tokens
from example_project.scoring import judge_duplicates


@pytest.fixture(scope="module")
def portal():
    return build()


def pairs_of(text):
    words = tokens(text)
    return Counter(pairwise(words))


def containment(part, whole):
    return (part & whole).total() / max(1, part.total())


def test_nothing_else_is_a_near_duplicate(portal):
    pages = [page for page in portal.pages.values() if page.truth and not page.copy_of]
    sets = {page.path: pairs_of(page.truth) for page in pages}
    for page in pages:
        for other in pages:
            longer = len(other.truth) <= 3 * len(page.truth)  # far longer ones may quote or extend it
            if page is not other and longer:
                assert containment(sets[page.path], sets[other.path]) < 0.7, (page.path, other.path)


def test_judging_tells_dropped_missed_and_lost(portal):
    everything = {path for path, page in portal.pages.items() if page.truth is not None}
    planted = {path for path, page in portal.pages.items() if page.copy_of}
    ideal = judge_duplicates(portal, everything - planted)
    assert (set(ideal.dropped), ideal.missed, ideal.wrongly_dropped) == (planted, (), ())
    assert set(judge_duplicates(portal, everything).missed) == planted
    original, (copy, *_) = next(iter(portal.groups.items()))
    swapped = judge_duplicates(portal, (everything - planted - {original}) | {copy})
    assert (len(swapped.dropped), swapped.missed, swapped.wrongly_dropped) == (len(planted), (), ())
    lost = judge_duplicates(portal, everything - planted - {"/about.html"})
    assert lost.wrongly_dropped == ("/about.html",)
