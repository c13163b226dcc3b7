"""A page is parsed once: the tree of the spider's selectors is read before the spider can change it, or our own."""

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from parsel import selector as parsel_selector
from scrapy import Request, Spider
from scrapy.http import HtmlResponse, TextResponse

from denoise_scrapy.crawl.pages import read_page, selector_root, told_encoding
from denoise_scrapy.page import Page, page
from evaluation.corpora import load, portal
from tests.crawl.crawling import crawl
from tests.crawl.web import Web, article, story
from tests.hostile.mutations import damaged
from tests.hostile.named import CASES, page_of

URL = "http://a.example/"
#: Pages that Scrapy reads as other characters than browsers, or that are cleaned before they are parsed.
OF_OUR_OWN = {
    "another encoding, declared by nobody": "<p>Größe".encode("latin-1"),
    "another one, declared by the page": "<meta charset=koi8-r><p>Привет".encode("koi8-r"),
    "what browsers do not believe": "<meta charset=utf-16><p>Größe".encode(),
    "control characters": b"<p>O\x01ne.",
    "their numbers": b"<p>O&#7;ne.",
    "a declaration of XML": b"<?xml version='1.0'?><html><p>One.",
    "documents within": b"<html><body><p>One.</body><p>Two.</body></html>",
    "too many attributes": b"<p " + b" ".join(b"a%d=1" % n for n in range(30_000)) + b">One.",
}
PLAIN = {
    "as the server says": "<p>Größe".encode(),
    "of ASCII": b"<p>One.",
    "with a mark of the byte order": "\ufeff<p>Größe".encode(),
    "with bytes of no character": b"<p>O\xffne.",
    "with comments": (
        b"<p>One<!-- two --> three.<!-- --><p>  <!--x-->  Four<b>five<!---->six <!-- --> Sev<!-- --><?x ?>en</b>"
    ),
    "with what follows its end": b"<html><body><p>One.</body></html> <p>Two.",
    "with instructions": b"<p>One<?php two ?> three.",
    "with noscript": b"<noscript><p>" + b"Many a word that is seen by robots. " * 9 + b"</noscript>",
}


def response_of(body: bytes, charset: str = "utf-8") -> HtmlResponse:
    return HtmlResponse(URL, body=body, headers={"Content-Type": f"text/html; charset={charset}"})


def all_of(page: Page) -> list[Any]:
    """All that is made of a page."""
    rows = [table[name].tolist() for table in (page.tree.block_rows, page.tree.element_rows) for name in told(table)]
    return [
        *rows,
        page.block_texts,
        page.title,
        page.references,
        page.attributes,
        page.declared_types,
        page.is_too_large,
    ]


def told(table: Any) -> list[str]:
    return [name for name in table.dtype.names if name not in {"marks", "text"}]  # white space at the end moves these


def recorded() -> Iterator[str]:
    yield from (one.html for one in portal())
    folder = os.environ.get("DENOISE_CORPORA")
    for _, sites in load(Path(folder)) if folder else ():
        yield from (site[0].html for site in sites)


@pytest.mark.parametrize("name", PLAIN)
def test_the_selectors_tree_is_read_as_our_own(name: str) -> None:
    for charset in ("utf-8", "") if "server" in name else ("utf-8",):
        response = response_of(PLAIN[name], charset)
        root = selector_root(response, told_encoding(response))
        assert root is response.selector.root
        assert all_of(Page.parse(PLAIN[name], root=root)) == all_of(Page.parse(PLAIN[name], encoding="utf-8"))


@pytest.mark.parametrize("name", OF_OUR_OWN)
def test_the_selectors_tree_is_not_read_where_it_may_be_another(name: str) -> None:
    charset = "" if "declared" in name or "browsers" in name else "utf-8"
    response = response_of(OF_OUR_OWN[name], charset)
    assert selector_root(response, told_encoding(response)) is None
    assert all_of(read_page(response, by_selector=True)) == all_of(read_page(response_of(OF_OUR_OWN[name], charset)))


def test_recorded_and_damaged_and_hostile_pages_are_the_same_both_ways() -> None:
    rng, shared = random.Random(1), 0
    pages = list(recorded())
    for html in [*pages, *(damaged(rng, html) for html in pages), *(page_of(name, 0.001) for name in CASES)]:
        body = html.encode("utf-8", "replace")
        response = response_of(body)
        assert all_of(read_page(response, by_selector=True)) == all_of(read_page(response_of(body)))
        shared += response._cached_selector is not None
    assert shared > len(pages)


@pytest.mark.parametrize("html", [b" \n ", b"<!-- One -->", b"<p>", b"<br>"])
def test_what_has_no_text_has_none_both_ways(html: bytes) -> None:
    for by_selector in (False, True):
        found = read_page(response_of(html), by_selector=by_selector)
        assert (len(found.blocks), found.is_too_large) == (0, False)


def test_a_selector_that_was_made_before_is_not_read() -> None:
    response = response_of(b"<p>One.")
    response.css("p")[0].root.text = "Two."
    assert selector_root(response, "utf-8") is None
    assert read_page(response, by_selector=True).block_texts == ["One."]


def test_a_class_with_a_selector_of_its_own_is_not_asked_for_it() -> None:
    class Own(HtmlResponse):
        @property
        def selector(self) -> Any:
            raise AssertionError

    assert selector_root(Own(URL, body=b"<p>One."), None) is None


def test_what_a_selector_fails_with_costs_a_parse_of_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> None:
        raise ValueError("broken")

    monkeypatch.setattr(parsel_selector, "create_root_node", broken)
    assert read_page(response_of(b"<p>One."), by_selector=True).block_texts == ["One."]


@pytest.fixture
def parses(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often Scrapy has parsed, and how often we have."""
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
    for number in range(3):
        web.pages[f"/{number}"] = article(number)

    class Cutting(Spider):
        name = "cutting"

        async def start(self) -> Any:
            for number in range(3):
                yield Request(web(f"/{number}"), method=method)

        def parse(self, response: TextResponse) -> Any:
            for one in response.css("p"):
                one.drop()
            assert not response.css("p")
            yield {"url": response.url}

    done = crawl(Cutting, {"DENOISE_COMPARISON_FETCH": False})
    assert all(story(n).replace(". ", ".\n") in done.bodies()[web(f"/{n}")] for n in range(3))
    assert parses == {"theirs": 3, "ours": 0 if method == "GET" else 3}
    assert done.stat("errors") == 0
