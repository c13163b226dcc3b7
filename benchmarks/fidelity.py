"""Elements of the main text that Markdown keeps: `python -m benchmarks.fidelity --corpora DIR [DIR ...] [--write]`.

Fifty recorded pages, chosen for as many kinds of elements as they have. trafilatura finds the main text as we do;
html2text and markdownify write the whole page. Each Markdown is read by one reader, with footnotes, lists of
definitions and boxes of tasks. `--lost` names the elements that ours lacks.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import NamedTuple

from markdown_it import MarkdownIt

from benchmarks.markup import Element, Markup
from benchmarks.ways import body, parsed
from evaluation import figures
from evaluation.corpora import RecordedPage, Site, add_folders_argument, recorded
from example_project.portal.model import tokens

PAGES, PAGES_A_SITE = 50, 4
#: Characters of a page, so that no single one has most elements.
MOST_CHARS = 400_000
OURS = "denoise_scrapy"


class Candidate(NamedTuple):
    """A page, others of its site, and the elements of its main text."""

    page: RecordedPage
    site: Site
    elements: Counter[Element]


#: Tool -> kind -> how many elements were kept, and how many there are.
Kept = dict[str, Counter[str]]


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.fidelity", description=__doc__)
    add_folders_argument(ap)
    ap.add_argument("--lost", action="store_true", help="print the elements that ours lacks")
    ap.add_argument("--write", action="store_true", help="write the table into the documentation")
    args = ap.parse_args()
    found = list(candidates(site for _, sites in recorded(args.corpora) for site in sites))
    chosen = choose(found, PAGES)
    print(f"{len(chosen)} of {len(found)} pages:", *(one.page.url for one in chosen), sep="\n")
    text = kept_table(chosen, measure(chosen, lost=args.lost))
    print(text)
    if args.write:
        figures.write("markdown", text)


def candidates(sites: Iterable[Site]) -> Iterator[Candidate]:
    """Yield the pages of some sites, each with its elements."""
    for site in sites:
        for page in site:
            if len(page.html) <= MOST_CHARS and page.url.startswith("http"):
                yield Candidate(page, site, Counter(_without_places(elements_of(page))))


def elements_of(page: RecordedPage) -> Iterator[Element]:
    """Yield the elements of a page's main text: those around which all text is of it."""
    gold = f" {' '.join(tokens(page.gold))} "
    for element in Markup(page.html, page.url).elements():
        if all(element.key) and all(text and f" {text} " in gold for text in element.around):
            yield element


def _without_places(elements: Iterator[Element]) -> Iterator[Element]:
    return (element._replace(around=()) for element in elements)


def choose(found: Sequence[Candidate], most: int) -> list[Candidate]:
    """Choose pages one by one: each adds most to the kinds of which fewest pages were chosen."""
    left = sorted(found, key=lambda one: one.page.url)
    chosen, kinds, sites = list[Candidate](), Counter[str](), Counter[str]()
    while left and len(chosen) < most:
        best = max(left, key=lambda one: sum(1 / (1 + kinds[kind]) ** 2 for kind in {e.kind for e in one.elements}))
        left.remove(best)
        if sites[best.page.site] < PAGES_A_SITE:
            chosen.append(best)
            sites[best.page.site] += 1
            kinds.update({element.kind for element in best.elements})
    return chosen


def measure(chosen: Sequence[Candidate], *, lost: bool = False) -> Kept:
    """Count the elements that each tool keeps, by kind; by "" all there are."""
    kept: Kept = {name: Counter() for name in ("", *TOOLS)}
    for one in chosen:
        kept[""].update(_by_kind(one.elements))
        for name, write in TOOLS.items():
            read = _reader().render(write(one))
            elements = Counter(_without_places(Markup(read, one.page.url, is_reading=True).elements()))
            kept[name].update(_by_kind(one.elements & elements))
            if lost and name == OURS:
                for element, times in (one.elements - elements).items():
                    print(one.page.url, element.kind, times, *(part[:80] for part in element.key), sep=" | ")
    return kept


def _by_kind(elements: Counter[Element]) -> Counter[str]:
    found = Counter[str]()
    for element, times in elements.items():
        found[element.kind] += times
    return found


def _ours(one: Candidate) -> str:
    others = [page for page in one.site if page.url != one.page.url]
    return body(parsed([one.page, *others]), 0).markdown


def _trafilatura(one: Candidate) -> str:
    wanted = dict.fromkeys(["include_formatting", "include_links", "include_images", "include_tables"], True)
    extract = import_module("trafilatura").extract
    return extract(one.page.html, url=one.page.url, output_format="markdown", **wanted) or ""


def _html2text(one: Candidate) -> str:
    return str(import_module("html2text").html2text(one.page.html, baseurl=one.page.url, bodywidth=0))


def _markdownify(one: Candidate) -> str:
    return str(import_module("markdownify").markdownify(one.page.html, heading_style="ATX"))


TOOLS: dict[str, Callable[[Candidate], str]] = {
    OURS: _ours,
    "trafilatura": _trafilatura,
    "html2text": _html2text,
    "markdownify": _markdownify,
}


@cache
def _reader() -> MarkdownIt:
    """Return a reader of all that Markdown may have here; HTML in it counts too."""
    reader = MarkdownIt("commonmark", {"html": True, "maxNesting": 200}).enable(["table", "strikethrough"])
    for name in ("footnote", "deflist", "tasklists"):
        plugin = getattr(import_module(f"mdit_py_plugins.{name}"), f"{name}_plugin")
        reader.use(plugin)
    return reader


def kept_table(chosen: Sequence[Candidate], kept: Kept) -> str:
    """Return a table with a row a kind, a column a tool."""
    pages = Counter(kind for one in chosen for kind in {element.kind for element in one.elements})
    rows = [
        [kind, str(pages[kind]), str(total), *(f"{kept[name][kind] / total:.2f}" for name in TOOLS)]
        for kind, total in kept[""].most_common()
    ]
    return figures.table(["element", "pages", "elements", *(f"`{name}`" for name in TOOLS)], rows)


if __name__ == "__main__":
    main()
