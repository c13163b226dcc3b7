"""The portal is the same in every run, its truth is true, and the planted duplicates alone are duplicates."""

import re
import subprocess
import sys
from collections import Counter
from itertools import pairwise, permutations
from urllib.parse import urljoin, urlsplit

import lxml.html
import pytest

from example_project.portal import build
from example_project.portal.model import tokens
from example_project.scoring import judge_duplicates

HASH = (
    "import hashlib; from example_project.portal import build;"
    "print(hashlib.sha256(''.join(p.html + str(p.truth) for p in build().pages.values()).encode()).hexdigest())"
)


@pytest.fixture(scope="module")
def portal():
    return build()


def squeezed(text):
    return re.sub(r"\s+", "", text)


def test_same_bytes_in_every_process():
    command = [sys.executable, "-c", HASH]
    seeds = ({"PYTHONHASHSEED": seed, "PYTHONPATH": "."} for seed in "12")
    one, other = (subprocess.run(command, env=env, capture_output=True, check=True).stdout for env in seeds)
    assert one == other


def test_truth_stands_in_the_page_without_grammar_and_is_not_all_of_it(portal):
    for page in portal.pages.values():
        if page.truth is not None:
            text = squeezed(lxml.html.fromstring(page.html).text_content())
            assert [line for line in page.truth.splitlines() if squeezed(line) not in text] == [], page.path
            assert len(squeezed(page.truth)) < 0.95 * len(text)
            assert not re.search(r"\{@?\w+\}|[|]", page.truth), page.path


def links(portal, page):
    for _, _, link, _ in lxml.html.fromstring(page.html).iterlinks():
        url = urlsplit(urljoin(f"http://portal{page.path}", link))
        if not url.path.startswith("/i/"):  # pictures, which nobody asks for
            yield url.path


def test_links_lead_somewhere_save_the_planted_ones(portal):
    known = {*portal.pages, *portal.redirects}
    missing = {path for page in portal.pages.values() for path in links(portal, page)} - known
    assert missing == portal.dead


def test_all_pages_are_reached_from_the_front_page(portal):
    seen, todo = {"/"}, ["/"]
    while todo:
        for link in links(portal, portal.pages[todo.pop()]):
            path = portal.redirects.get(link, link)
            if path in portal.pages and path not in seen and not path.startswith("/private/"):
                seen.add(path)
                todo.append(path)
    assert seen == {path for path in portal.pages if not path.startswith("/private/")}


def test_nothing_else_is_a_near_duplicate(portal):
    pages = [page for page in portal.pages.values() if page.truth and not page.copy_of]
    pairs = {page.path: Counter(pairwise(tokens(page.truth))) for page in pages}
    for page, other in permutations(pages, 2):
        if len(other.truth) <= 3 * len(page.truth):  # far longer ones may quote or extend it
            mine, theirs = pairs[page.path], pairs[other.path]
            assert (mine & theirs).total() < 0.7 * max(1, mine.total()), (page.path, other.path)


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
