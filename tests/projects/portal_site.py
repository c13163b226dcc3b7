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
    "All rights reserved",
    "The morning letter",
    "store small files on your device",
    "Most read",
    "Front page",
    "Please switch on scripts",
    "Written by a script",
    "Was this page helpful",
    "版权声明",
    "相关新闻",
)


def texts(*sections: str) -> dict[str, PortalPage]:
    """The portal's pages with a text in some sections, by path.

    Those cut from another story are left out: whether they are duplicates depends on which of the two comes first.
    """
    return {
        path: page
        for path, page in build().pages.items()
        if page.truth is not None and page.section in sections and page.how != "cut"
    }


def serve(web: Web, *sections: str) -> dict[str, PortalPage]:
    """Put sections on a server, with their list pages and robots.txt; gives the pages with a text."""
    pages = texts(*sections)
    lists = {path: page for path, page in build().pages.items() if page.section == "index"}
    web.pages |= {path: Reply(page.html.encode(), headers=HTML) for path, page in (lists | pages).items()}
    web.pages["/robots.txt"] = Reply(b"User-agent: *\nDisallow: /private/\n", headers={"Content-Type": "text/plain"})
    return pages


def originals(pages: Mapping[str, PortalPage]) -> Counter[str]:
    """How many pages tell each story, by the path of the original."""
    return Counter(page.copy_of or path for path, page in pages.items())


def paths_of(items: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Items by the path of their page."""
    return {"/" + item["url"].split("/", 3)[3]: item for item in items}


def check_bodies(items: Mapping[str, Mapping[str, Any]], pages: Mapping[str, PortalPage], field: str = "body") -> None:
    """Assert that the texts of items, by path, say what their pages say, and next to nothing of the frame.

    The portal's texts have all words of their page but 0.6% in the worst case, and here and there one lacks its
    title, 3%; their F1 is 0.90 (news) to 0.99 (docs) in the mean of a section: the worst are short ones with a
    list of teasers. A site's first texts are made when only one or two other pages of it have arrived.
    """
    assert items
    scores, framed = [], []
    for path, item in items.items():
        body, truth = item[field], str(pages[path].truth)
        wanted = Counter(tokens(truth))
        assert (wanted & Counter(tokens(body))).total() >= 0.95 * wanted.total(), (path, body)
        framed += [(path, said) for said in FRAME if said in body]
        scores.append(f1(body, truth))
    assert mean(scores) >= 0.88, scores
    assert len(framed) <= len(items) / 10, framed


def check_one_of_each(kept: Iterable[str], pages: Mapping[str, PortalPage]) -> None:
    """Assert that one page of each story was kept, and hardly a second one.

    Which of two comes first depends on the crawl. A reprint with a byline and other words, after the story, may pass as
    a variant: one of the portal's at a time.
    """
    told = originals({path: pages[path] for path in kept})
    assert sum(count - 1 for count in told.values()) <= 1, told
    assert set(told) == set(originals(pages))
