"""Every public output on pages made to swell it: tests hold its size, `python -m tests.hostile.outputs` its time."""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib import import_module
from operator import attrgetter
from typing import Any

from lxml import etree

import denoise_scrapy
from denoise_scrapy import Body, Page
from denoise_scrapy.body.extraction import with_source
from denoise_scrapy.metadata import News, language_of, metadata_of
from denoise_scrapy.page.attributes import Noted
from denoise_scrapy.site import sibling_links
from denoise_scrapy.site.urls import likest_links
from tests.hostile.named import repeated, with_story

URL = "http://a.example/d/page.html"
#: Of a page this size each named case is made: seconds for all of them.
NAMED_SIZE = 0.002
MODULES = ("denoise_scrapy", *(f"denoise_scrapy.{name}" for name in ("page", "site", "body", "metadata")))
#: Public functions that give nothing of the length of a page.
NO_OUTPUTS = frozenset(
    "clean_html deduplicate extract extract_pages find_strategy likest_first page_identity site_key "
    "facts_store template_similarity url_likeness".split()
)


@dataclass(frozen=True)
class Made:
    """What outputs are made of."""

    html: str
    page: Page
    body: Body


def made(html: str) -> Made:
    """A page parsed, and a body that keeps all of it."""
    page = Page.parse(html, url=URL, keep="body")
    return Made(html, page, with_source(denoise_scrapy.SiteModel().extract(page), lambda: html))


#: Public functions and methods, and how an output is made by each.
CALLS: Mapping[str, Callable[[Made], Any]] = {
    "sibling_links": lambda given: sibling_links(given.page.url, likest_links(given.page), 10),
    "language_of": lambda given: language_of(given.body.text, "en"),
    "metadata_of": lambda given: metadata_of(given.html, URL, given.body.text),
    "Body.to_markdown": lambda given: given.body.to_markdown(links="text", images="text"),
    "Body.chunks": lambda given: "".join(map(str, given.body.chunks())),
}
#: What is no method of a body, and the texts of a page, are outputs as they are read.
READ = {f"Body.{name}" for name in {*dir(Body), *Body.__dataclass_fields__} if not name.startswith(("_", "make_"))} | {
    f"Page.{name}"
    for name, of in inspect.getmembers(Page)
    if not name.startswith("_")
    and (getter := getattr(of, "func", None) or getattr(of, "fget", None))
    and "str" in str(inspect.signature(getter).return_annotation)
}
READ -= {"Body.news"}
READ |= {f"Body.news.{name}" for name, one in vars(News).items() if isinstance(one, cached_property) and name[0] != "_"}
READ |= {"Page.url", *(f"Page.noted.{name}" for name in Noted._fields)}
OUTPUTS: Mapping[str, Callable[[Made], Any]] = {**{name: attrgetter(name.lower()) for name in sorted(READ)}, **CALLS}
#: How many times the length of its page an output may have, where it is more than once. What is written anew has tags
#: around, entities in, and marks before each line; what is told of blocks has a path and reasons for each.
TIMES = {
    **dict.fromkeys(["Body.blocks", "Body.chunks"], 64),
    **dict.fromkeys(["Body.html"], 24),
    **dict.fromkeys(["Body.markdown", "Body.to_markdown", "Body.probability", "Page.links", "sibling_links"], 16),
    **dict.fromkeys(["Page.noted.references", "Page.noted.attributes", "Page.noted.sizes"], 4),
    **dict.fromkeys(["Body.text", "Page.base_url", "Page.block_texts", "Page.noted.places", "metadata_of"], 2),
}
#: So many characters are no matter.
FREE = 3_000


def uncalled() -> set[str]:
    """Public functions and methods that give an output, and are not in `CALLS`."""
    functions = {
        name
        for module in map(import_module, MODULES)
        for name in module.__all__
        if inspect.isfunction(inspect.unwrap(getattr(module, name)))
    }
    methods = {name for name in READ if callable(getattr(Body, name.partition(".")[2], None))}
    return (functions - NO_OUTPUTS | methods) - set(CALLS)


def length(value: Any) -> int:
    """Characters of a text, of all texts in something, or of its numbers as bytes."""
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(length, value.items()))
    if isinstance(value, tuple | list):
        return sum(map(length, value))
    if hasattr(value, "nbytes"):
        return int(value.nbytes)
    return sum(map(length, vars(value).values())) if hasattr(value, "__dict__") else 1


def _lists(mark: str, depth: int) -> str:
    return f"<{mark}><li>a" * depth


#: By name: pages that swell something, each some 100 KB times the size.
CASES: Mapping[str, Callable[[float], str]] = {
    "cells over others, two a row": repeated("<table>", "<tr><td colspan=100 rowspan=100>a<td>b", 2500, "</table>"),
    "a row of cells over others": lambda x: (
        repeated("<table><tr>", "<td rowspan=99>a", 3000)(x) + repeated("", "<tr><td>b<td>c", 4000, "</table>")(x)
    ),
    "rows of different lengths": lambda x: (
        repeated("<table><tr>", "<td>a", 9000)(x) + repeated("", "<tr><td>b<td>c", 4000, "</table>")(x)
    ),
    "a long base": repeated(f"<base href='http://a.example/{'x' * 1900}/'></head>", "<a href=@>y</a> ", 5000),
    "a long base of images": repeated(f"<base href='http://a.example/{'x' * 1900}/'></head>", "<img src=@>y ", 6000),
    "lines in lists": repeated("<ol start=999999999><li>a" * 60 + "<pre>", "b\n", 50_000),
    "headings in headings": lambda x: "".join(f"<h{n % 6 + 1}>word " for n in range(int(11_000 * x))),
    "inline in inline": repeated("<a href=x><b><i><code><sup>" * 20, "<p>a", 25_000),
    "lines in quotes": repeated("<blockquote>a" * 60 + "<p>", "b<br>", 20_000),
    "short items": repeated("<ul>", "<li>a", 20_000),
    "short paragraphs": repeated("", "<p>a", 25_000),
    "items in items": repeated("", "<ul><li>a", 11_000),
    "words of code": repeated("<p>", "<code>|</code>", 7_000),
    "marks": repeated("<p>", "\\`_", 33_000),
    "addresses before images": repeated("<p>", "http://b<img src=x alt=y>", 4_000),
    "braces in code": repeated("<pre>", "{=", 50_000),
    "brackets and spaces": repeated("<pre>", "] ", 50_000),
    "links of marks": repeated("<p>", "<a href=x>!</a>`", 6_000),
    "references to notes": lambda x: (
        repeated("<p>", "<a href=#n@ id=r@>1</a>", 3_000, "<div id=n0>" * 60)(x)
        + "".join(f"<p id=n{n}><a href=#r{n % 3}>1</a>a" for n in range(int(3_000 * x)))
    ),
    "references to one note": lambda x: (
        repeated("<p>", "<a href=#n id=r>1</a>", 2_500)(x) + repeated("<div id=n>a", "<a href=#r>b</a>", 2_500)(x)
    ),
    "numbers beside code": repeated("", "<div><p>1 2<pre>a\nb</pre>", 3_500),
    "numbers before lines": repeated("<pre>", "<i>@</i> a\n", 6_000),
    "long names": repeated(f"<div class='{'x' * 900}'>" * 50, "<p>a", 14_000),
    "hidden below long names": repeated(f"<div class='{'x' * 150}'>" * 60, "<p style=display:none>a", 4_000),
    "dates": repeated("<p class=date>", "12 foo 2011 ", 8_000),
    "bylines": repeated("", "<p>by A by b, c and d", 5_000),
    "marks of authors and dates": repeated("", "<span class='author date'>12 foo 2011</span>", 2_300),
    "a long title": repeated("<title>", "word ", 20_000, "</title><h1>a</h1>" + "<p>a" * 20),
}


def page_of(case: str, size: float = 1.0) -> str:
    """A case with the story."""
    return with_story(CASES[case](size))


def swollen(html: str) -> list[str]:
    """Outputs that are longer than their page lets them be."""
    given, found = made(html), []
    for name, make in OUTPUTS.items():
        times, size = TIMES.get(name, 1), length(make(given))
        if size > times * len(html) + FREE:
            found.append(f"{name}: {size:,} of {len(html):,}, {size / len(html):.1f} times, not {times}")
    return found


class _Nothing:
    """Takes what lxml finds: its tree would end at some depth, and with it the parse."""

    def start(self, *found: object) -> None: ...

    end = data = close = start


def _seconds(what: Callable[[], object]) -> float:
    start = time.process_time()
    what()
    return time.process_time() - start


def parse_seconds(html: str) -> float:
    """Seconds that lxml takes for the whole page."""
    body = html.encode()
    return _seconds(lambda: etree.fromstring(body, etree.HTMLParser(target=_Nothing(), huge_tree=True)))


#: Multiples of lxml's parse that an output may take, or seconds a megabyte.
MOST_PARSES, MOST_SECONDS_A_MB = 50.0, 0.5
#: What takes longer than it may, and is held where it is: lxml reads one text of these. Chunks read each line of code
#: in lists (measured: 583, 1.7 s/MB), and Markdown calls Python for each letter that it escapes (131 and 159, .3 s/MB).
SLOWER = {
    ("lines in lists", "Body.chunks"): 2500.0,
    ("marks", "Body.chunks"): 600.0,
    ("marks", "Body.markdown"): 500.0,
    ("marks", "Body.to_markdown"): 500.0,
}
#: What seems to take longer is measured again so often, in turn with the parse: other work on the machine slows both.
TURNS = 5


def main() -> int:
    """Fail where an output takes more than its multiple of lxml's parse of the same page."""
    wrong: list[str] = []
    for case in CASES:
        html = page_of(case, 2.0)
        parse, megabytes, given = min(parse_seconds(html) for _ in range(3)), len(html) / 1e6, made(html)
        for name, make in OUTPUTS.items():
            parses = SLOWER.get((case, name), MOST_PARSES)
            limit = max(parses * parse, MOST_SECONDS_A_MB * megabytes)
            # a new body has not made Markdown for another output yet
            seconds = _seconds(partial(make, replace(given, body=replace(given.body))))
            if seconds > limit:
                pages = [made(html) for _ in range(TURNS)]
                turns = [(parse_seconds(html), _seconds(partial(make, one))) for one in pages]
                fastest, seconds = (min(times) for times in zip(*turns, strict=True))
                limit = max(parses * fastest, MOST_SECONDS_A_MB * megabytes)
                if seconds > limit and all(taken > parses * alone for alone, taken in turns):
                    wrong.append(f"{case}: {name} takes {seconds / fastest:.0f} parses, {seconds / megabytes:.1f} s/MB")
        print(case, flush=True)
    print("\n".join(wrong))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
