"""Every public output on pages made to swell it: sizes are held by tests, times by `python -m tests.hostile.outputs`.

The table of outputs is held to the public API: an output that is not in it fails a test.
"""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from lxml import etree

import denoise_scrapy
from denoise_scrapy import Body, Page
from tests.hostile.named import STORY

URL = "http://a.example/d/page.html"
#: Of a page this size each named case is made: seconds for all of them.
NAMED_SIZE = 0.01
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
    return Made(html, page, denoise_scrapy.SiteModel.fit().extract(page))


def _of(module: str, name: str, *args: Callable[[Made], Any]) -> Callable[[Made], Any]:
    return lambda given: getattr(import_module(f"denoise_scrapy.{module}"), name)(*(arg(given) for arg in args))


#: By name: how many times the length of its page an output may have, and how it is made. What is written anew has tags
#: around, entities in, and marks before each line; what is told of blocks has a path and reasons for each.
OUTPUTS: Mapping[str, tuple[int, Callable[[Made], Any]]] = {
    **{
        f"Body.{name}": (times, lambda given, name=name: getattr(given.body, name))
        for name, times in {
            "text": 2,
            "html": 24,
            "markdown": 16,
            "blocks": 64,
            "title": 1,
            "comparison": 1,
            "url": 1,
            "confidence": 1,
            "evidence": 1,
            "fallback": 1,
            "strategy": 1,
            "probability": 16,
        }.items()
    },
    **{
        f"Page.{name}": (times, lambda given, name=name: getattr(given.page, name))
        for name, times in {
            "links": 16,
            "title": 1,
            "url": 1,
            "base_url": 2,
            "block_texts": 2,
            "declared_types": 1,
        }.items()
    },
    **{
        f"Page.noted.{name}": (times, lambda given, name=name: getattr(given.page.noted, name))
        for name, times in {"references": 4, "attributes": 4, "places": 2, "sizes": 4}.items()
    },
    "sibling_links": (16, _of("site", "sibling_links", lambda given: given.page, lambda given: 10)),
    "language_of": (1, _of("metadata", "language_of", lambda given: given.body.text, lambda given: "en")),
    "metadata_of": (
        2,
        _of("metadata", "metadata_of", lambda given: given.html, lambda given: URL, lambda given: given.body.text),
    ),
    "Body.to_markdown": (16, lambda given: given.body.to_markdown(links="text", images="text")),
    "Body.chunks": (64, lambda given: "".join(map(str, given.body.chunks()))),
    "Body.meta": (1, lambda given: given.body.meta),
}
#: So many characters are no matter.
FREE = 3_000


def public_outputs() -> set[str]:
    """Names of the outputs that the public API has: what a body and a page hold, and what functions make of one."""
    names = {*dir(Body), *getattr(Body, "__dataclass_fields__", ())}
    told = {f"Body.{name}" for name in names if not name.startswith(("_", "make_"))}
    functions = {
        name
        for module in map(import_module, MODULES)
        for name in module.__all__
        if inspect.isfunction(inspect.unwrap(getattr(module, name)))
    }
    texts = {
        f"Page.{name}"
        for name, of in inspect.getmembers(Page)
        if not name.startswith("_")
        and (getter := getattr(of, "func", None) or getattr(of, "fget", None))
        and "str" in str(inspect.signature(getter).return_annotation)
    }
    return told | texts | functions - NO_OUTPUTS


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
    "cells over others, two a row": lambda x: (
        "<table>" + "<tr><td colspan=100 rowspan=100>a<td>b" * int(2500 * x) + "</table>"
    ),
    "a row of cells over others": lambda x: (
        "<table><tr>" + "<td rowspan=99>a" * int(3000 * x) + "<tr><td>b<td>c" * int(4000 * x) + "</table>"
    ),
    "rows of different lengths": lambda x: (
        "<table><tr>" + "<td>a" * int(9000 * x) + "<tr><td>b<td>c" * int(4000 * x) + "</table>"
    ),
    "a long base": lambda x: f"<base href='http://a.example/{'x' * 1900}/'></head>" + "".join(
        f"<a href={n}>y</a> " for n in range(int(5000 * x))
    ),
    "a long base of images": lambda x: f"<base href='http://a.example/{'x' * 1900}/'></head>" + "".join(
        f"<img src={n}>y " for n in range(int(6000 * x))
    ),
    "lines in lists": lambda x: _lists("ol start=999999999", 60) + "<pre>" + "b\n" * int(50_000 * x),
    "headings in headings": lambda x: "".join(f"<h{n % 6 + 1}>word " for n in range(int(11_000 * x))),
    "inline in inline": lambda x: "<a href=x><b><i><code><sup>" * 20 + "<p>a" * int(25_000 * x),
    "lines in quotes": lambda x: "<blockquote>a" * 60 + "<p>" + "b<br>" * int(20_000 * x),
    "short items": lambda x: "<ul>" + "<li>a" * int(20_000 * x),
    "short paragraphs": lambda x: "<p>a" * int(25_000 * x),
    "items in items": lambda x: "<ul><li>a" * int(11_000 * x),
    "words of code": lambda x: "<p>" + "<code>|</code>" * int(7_000 * x),
    "marks": lambda x: "<p>" + "\\`_" * int(33_000 * x),
    "addresses before images": lambda x: "<p>" + "http://b<img src=x alt=y>" * int(4_000 * x),
    "braces in code": lambda x: "<pre>" + "{=" * int(50_000 * x),
    "brackets and spaces": lambda x: "<pre>" + "] " * int(50_000 * x),
    "links of marks": lambda x: "<p>" + "<a href=x>!</a>`" * int(6_000 * x),
    "references to notes": lambda x: "<p>" + "".join(
        f"<a href=#n{n} id=r{n}>1</a>" for n in range(int(3_000 * x))
    ) + "<div id=n0>" * 60 + "".join(f"<p id=n{n}><a href=#r{n % 3}>1</a>a" for n in range(int(3_000 * x))),
    "references to one note": lambda x: (
        "<p>" + "<a href=#n id=r>1</a>" * int(2_500 * x) + "<div id=n>a" + "<a href=#r>b</a>" * int(2_500 * x)
    ),
    "numbers beside code": lambda x: "<div><p>1 2<pre>a\nb</pre>" * int(3_500 * x),
    "numbers before lines": lambda x: "<pre>" + "".join(f"<i>{n}</i> a\n" for n in range(int(6_000 * x))),
    "long names": lambda x: f"<div class='{'x' * 900}'>" * 50 + "<p>a" * int(14_000 * x),
    "a long title": lambda x: f"<title>{'word ' * int(20_000 * x)}</title><h1>a</h1>" + "<p>a" * 20,
}  # fmt: skip


def page_of(case: str, size: float = 1.0) -> str:
    """A case with the story before it, but for what stands in its head."""
    head, end, rest = CASES[case](size).rpartition("</head>")
    return f"<html>{head}{end}<body>{STORY}{rest}"


def swollen(html: str) -> list[str]:
    """Outputs that are longer than their page lets them be."""
    given, found = made(html), []
    for name, (times, make) in OUTPUTS.items():
        size = length(make(given))
        if size > times * len(html) + FREE:
            found.append(f"{name}: {size:,} of {len(html):,}, {size / len(html):.1f} times, not {times}")
    return found


class _Nothing:
    """Takes what lxml finds: its tree would end at some depth, and with it the parse."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None: ...
    def end(self, tag: str) -> None: ...
    def data(self, text: str) -> None: ...
    def close(self) -> None: ...


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
#: What takes longer than it may, and is held where it is: paragraphs of one letter in three elements (measured: 60);
#: and chunks, which read Markdown line by line (measured: 63, 60, 94, and 5,412 where lxml reads one text: 8 s/MB).
SLOWER = {
    ("inline in inline", "Body.markdown"): 80.0,
    ("short items", "Body.chunks"): 85.0,
    ("long names", "Body.chunks"): 85.0,
    ("lines in quotes", "Body.chunks"): 130.0,
    ("lines in lists", "Body.chunks"): 7500.0,
}
#: What seems to take longer is measured again so often, in turn with the parse: other work on the machine slows both.
TURNS = 5


def main() -> int:
    """Fail where an output takes more than its multiple of lxml's parse of the same page."""
    wrong: list[str] = []
    for case in CASES:
        html = page_of(case, 4.0)
        parse, megabytes, given = min(parse_seconds(html) for _ in range(3)), len(html) / 1e6, made(html)
        for name, (_, make) in OUTPUTS.items():
            parses = SLOWER.get((case, name), MOST_PARSES)
            limit = max(parses * parse, MOST_SECONDS_A_MB * megabytes)
            seconds = _seconds(lambda make=make, given=given: make(given))
            if seconds > limit:
                pages = [made(html) for _ in range(TURNS)]
                turns = [(parse_seconds(html), _seconds(lambda make=make, one=one: make(one))) for one in pages]
                fastest, seconds = (min(times) for times in zip(*turns, strict=True))
                limit = max(parses * fastest, MOST_SECONDS_A_MB * megabytes)
                if seconds > limit and all(taken > parses * alone for alone, taken in turns):
                    wrong.append(f"{case}: {name} takes {seconds / fastest:.0f} parses, {seconds / megabytes:.1f} s/MB")
        print(case, flush=True)
    print("\n".join(wrong))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
