"""The portal is the same in every run, and its truth is true."""

import re
import subprocess
import sys
from urllib.parse import urljoin, urlsplit

import lxml.html
import pytest

from example_project.portal import build

HASH = (
    "import hashlib; from example_project.portal import build;"
    "print(hashlib.sha256(''.join(p.html + str(p.truth) for p in build().pages.values()).encode()).hexdigest())"
)


@pytest.fixture(scope="module")
def portal():
    return build()


def items(portal):
    return [page for page in portal.pages.values() if page.truth is not None]


def squeezed(text):
    return re.sub(r"\s+", "", text)


def test_same_bytes_in_every_process():
    runs = {
        subprocess.run(
            [sys.executable, "-c", HASH],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1


def test_truth_stands_in_the_page_and_is_not_all_of_it(portal):
    for page in items(portal):
        text = squeezed(lxml.html.fromstring(page.html).text_content())
        for line in page.truth.splitlines():
            assert squeezed(line) in text, (page.path, line)
        assert len(squeezed(page.truth)) < 0.95 * len(text)


def test_no_grammar_shows(portal):
    for page in portal.pages.values():
        assert not re.search(r"\{@?\w+\}", page.truth or ""), page.path
        assert "|" not in (page.truth or ""), page.path


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
