"""Parts of the example portal on a test server, and what a good crawl of them brings."""

from collections import Counter
from collections.abc import Iterable, Mapping
from statistics import mean
from typing import Any

from example_project.portal import build
from example_project.portal.model import PortalPage, tokens
from example_project.scoring import f1
from tests.crawl.web import Reply, Web

HTML = {"Content-Type": "text/html; charset=utf-8"}
# Frames of all the portal's templates: none of it is said in a text.
FRAME = (
    "All rights reserved|The morning letter|store small files on your device|Most read|Front page"
    "|Please switch on scripts|Written by a script|Was this page helpful|版权声明|相关新闻"
).split("|")


def serve(web: Web, *sections: str) -> dict[str, PortalPage]:
    """Put sections on a server, with their list pages and robots.txt; gives the pages with a text, by path.

    Those cut from another story are left out: whether they are duplicates depends on which of the two comes first.
    """
    lists, pages = dict[str, PortalPage](), dict[str, PortalPage]()
    for path, page in build().pages.items():
        if page.section == "index":
            lists[path] = page
        elif page.truth is not None and page.section in sections and page.how != "cut":
            pages[path] = page
    web.pages |= {path: Reply(page.html.encode(), headers=HTML) for path, page in (lists | pages).items()}
    web.pages["/robots.txt"] = Reply(b"User-agent: *\nDisallow: /private/\n", headers={"Content-Type": "text/plain"})
    return pages


def paths_of(items: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Items by the path of their page."""
    return {"/" + item["url"].split("/", 3)[3]: item for item in items}


def check_bodies(items: Mapping[str, Mapping[str, Any]], pages: Mapping[str, PortalPage]) -> None:
    """Assert that the texts of items, by path, say what their pages say, and next to nothing of the frame.

    A site's first texts are made when at most three other pages of it have arrived: beside those, some of the
    portal's lack a caption or a list, up to 10% of their words.
    """
    assert items
    shares = dict[str, float]()
    for path, item in items.items():
        wanted = Counter(tokens(str(pages[path].truth)))
        shares[path] = (wanted & Counter(tokens(item["body"]))).total() / wanted.total()
    assert min(shares.values()) >= 0.9, min(shares, key=lambda path: shares[path])
    assert sum(share < 0.95 for share in shares.values()) <= len(shares) / 5, shares
    framed = [(path, said) for path, item in items.items() for said in FRAME if said in item["body"]]
    assert len(framed) <= len(items) / 10, framed
    assert mean(f1(item["body"], str(pages[path].truth)) for path, item in items.items()) >= 0.88


def check_one_of_each(kept: Iterable[str], pages: Mapping[str, PortalPage]) -> None:
    """Assert that one page of each story was kept, and hardly a second one.

    Which of two comes first depends on the crawl. A reprint with a byline and other words, after the story, may pass as
    a variant: up to two of the portal's at a time.
    """
    originals = {path: page.copy_of or path for path, page in pages.items()}
    told = Counter(originals[path] for path in kept)
    assert told.total() - len(told) <= 2, told
    assert set(told) == set(originals.values())
