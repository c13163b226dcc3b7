"""A page is parsed once: the tree of the spider's selectors is read before the spider can change it, or our own."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from parsel import selector as parsel_selector
from scrapy import Request
from scrapy.http import HtmlResponse

from denoise_scrapy.crawl.pages import selector_root, told_encoding
from denoise_scrapy.page import Page, page
from evaluation.corpora import portal
from tests.crawl.crawling import crawl, spider_of
from tests.crawl.responses import read_page
from tests.crawl.web import Web, article, story
from tests.hostile.mutations import damaged
from tests.hostile.named import CASES, page_of

URL = "http://a.example/"
#: Pages by name, with the charset of the server: those that may share the selector's tree, and those that Scrapy reads
#: as other characters than browsers, or that are cleaned before they are parsed.
SHARED = {
    "as the server says": ("<p>Größe".encode(), "utf-8"),
    "as nobody says": ("<p>Größe".encode(), ""),
    "of ASCII": (b"<p>One.", "utf-8"),
    "with a mark of the byte order": ("\ufeff<p>Größe".encode(), "utf-8"),
    "with bytes of no character": (b"<p>O\xffne.", "utf-8"),
    "with comments": (
        b"<p>One<!-- two --> three.<!-- --><p>  <!--x-->  Four<b>five<!---->six <!-- --> Sev<!-- --><?x ?>en</b>",
        "utf-8",
    ),
    "with what follows its end": (b"<html><body><p>One.</body></html> <p>Two.", "utf-8"),
    "with instructions": (b"<p>One<?php two ?> three.", "utf-8"),
    "with noscript": (b"<noscript><p>" + b"Many a word that is seen by robots. " * 9 + b"</noscript>", "utf-8"),
}
OF_OUR_OWN = {
    "another encoding, declared by nobody": ("<p>Größe".encode("latin-1"), ""),
    "another one, declared by the page": ("<meta charset=koi8-r><p>Привет".encode("koi8-r"), ""),
    "what browsers do not believe": ("<meta charset=utf-16><p>Größe".encode(), ""),
    "control characters": (b"<p>O\x01ne.", "utf-8"),
    "their numbers": (b"<p>O&#7;ne.", "utf-8"),
    "a declaration of XML": (b"<?xml version='1.0'?><html><p>One.", "utf-8"),
    "documents within": (b"<html><body><p>One.</body><p>Two.</body></html>", "utf-8"),
    "too many attributes": (b"<p " + b" ".join(b"a%d=1" % n for n in range(30_000)) + b">One.", "utf-8"),
}


def response_of(body: bytes, charset: str = "utf-8") -> HtmlResponse:
    return HtmlResponse(URL, body=body, headers={"Content-Type": f"text/html; charset={charset}"})


def all_of(page: Page) -> list[Any]:
    """Return everything computed from a page."""
    tables = page.tree.block_rows, page.tree.element_rows  # white space at the end moves marks and text
    rows = [table[name].tolist() for table in tables for name in table.dtype.names if name not in {"marks", "text"}]
    made = page.block_texts, page.title, page.noted, page.declared_types, page.is_too_large
    return [*rows, *made]


@pytest.mark.parametrize("name", [*SHARED, *OF_OUR_OWN])
def test_the_selectors_tree_is_read_unless_it_may_be_another(name: str) -> None:
    body, charset = (SHARED | OF_OUR_OWN)[name]
    response = response_of(body, charset)
    root = selector_root(response, told_encoding(response))
    assert root is (response.selector.root if name in SHARED else None)
    assert all_of(read_page(response_of(body, charset), by_selector=True)) == all_of(read_page(response))


def test_recorded_and_damaged_and_hostile_pages_are_the_same_both_ways() -> None:
    rng, shared = random.Random(1), 0
    pages = [one.html for one in portal()]
    for html in [*pages, *(damaged(rng, html) for html in pages), *(page_of(name, 0.001) for name in CASES)]:
        body = html.encode("utf-8", "replace")
        response = response_of(body)
        assert all_of(read_page(response, by_selector=True)) == all_of(read_page(response_of(body)))
        shared += response._cached_selector is not None
    assert shared > len(pages)


class Own(HtmlResponse):
    """A response with its own selector."""

    @property
    def selector(self) -> Any:
        raise AssertionError


def test_a_selector_that_is_made_before_of_another_class_or_fails_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = response_of(b"<p>One.")
    changed.css("p")[0].root.text = "Two."
    monkeypatch.setattr(parsel_selector, "create_root_node", None)
    for response in (changed, Own(URL, body=b"<p>One."), response_of(b"<p>One.")):
        assert selector_root(response, "utf-8") is None
        assert read_page(response, by_selector=True).block_texts == ["One."]


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Count the parses by Scrapy and by us."""
    counts = {"theirs": 0, "ours": 0}

    def counted(name: str, made: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*args: Any, **more: Any) -> Any:
            counts[name] += 1
            return made(*args, **more)

        return counting

    for name, holder, function in (("theirs", parsel_selector, "create_root_node"), ("ours", page, "root_of")):
        monkeypatch.setattr(holder, function, counted(name, getattr(holder, function)))
    return counts


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_spider_may_do_with_its_tree_what_it_likes(method: str, web: Web, parses: dict[str, int]) -> None:
    web.pages = {f"/a/{number}": article(number) for number in range(3)}

    def parse(self: Any, response: Any) -> Any:
        for one in response.css("p"):
            one.drop()
        assert not response.css("p")
        yield {"url": response.url}

    spider = spider_of(*(Request(url, method=method) for url in web.urls(range(3))), parse=parse)
    done = crawl(spider, {"DENOISE_COMPARISON_SHARE": 0})
    assert all(story(n).replace(". ", ".\n") in done.bodies()[web(f"/a/{n}")] for n in range(3))
    assert parses == {"theirs": 3, "ours": 0 if method == "GET" else 3}
    assert done.stat("errors") == 0
