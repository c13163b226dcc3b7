"""Quality by kind of page, and what each knob does there: `python -m benchmarks.kinds [--corpora DIR] [--write]`.

No times are taken, so that a busy machine does no harm. `--names` takes some corpora only.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from statistics import mean
from typing import NamedTuple

from benchmarks import figures
from benchmarks.corpora import RecordedPage, Site, add_corpora_argument, load
from benchmarks.markdown import table
from benchmarks.peers import peers
from benchmarks.sample import sections
from benchmarks.site_peers import site_peers
from denoise_scrapy.body import SiteModel, Taste
from denoise_scrapy.page import Page
from denoise_scrapy.site import likest_first
from example_project.portal.model import tokens

#: Comparison pages at most, as in a crawl.
PAGES = 5
#: A kind with fewer pages is left out.
FEW = 5
#: Corpora whose pages are all Chinese.
CHINESE = ("zh", "zh68")
#: What a crawl may set, as a user writes it.
TASTES = {
    'FAVOR = "precision"': Taste(favor="precision"),
    'FAVOR = "recall"': Taste(favor="recall"),
    'PARTS = {"comments": "keep"}': Taste(comments="keep"),
    'PARTS = {"comments": "drop"}': Taste(comments="drop"),
}
ALONE = "COMPARISON_PAGES = 0"
#: The strategy with no fitted part that comes nearest to the default.
HAND_RULE = "repetition"


class Mark(NamedTuple):
    """F1, precision and recall of a text."""

    f1: float
    precision: float
    recall: float

    @classmethod
    def of(cls, text: str, gold: str) -> Mark:
        """Marks of a text by what a person would keep."""
        got, wanted = Counter(tokens(text)), Counter(tokens(gold))
        common, n, m = (got & wanted).total(), got.total(), wanted.total()
        if not common:
            return cls(*(float(not n and not m),) * 3)
        return cls(2 * common / (n + m), common / n, common / m)

    @classmethod
    def mean(cls, marks: Sequence[Mark]) -> Mark:
        """The mean of each."""
        return cls(*(mean(column) for column in zip(*marks, strict=True)))

    def __str__(self) -> str:
        return f"{self.f1:.3f}"


#: Way of extracting -> kind -> marks.
Marks = dict[str, dict[str, list[Mark]]]


def main() -> int:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.kinds", description=__doc__)
    add_corpora_argument(ap)
    ap.add_argument("--names", default="", help="corpora to run, comma-separated; all where none is named")
    ap.add_argument("--write", action="store_true", help="write the scores into the documentation")
    args = ap.parse_args()
    made, recorded = _empty(), _empty()
    for name, found in load(args.corpora, tuple(filter(None, args.names.split(",")))):
        print(name, flush=True)
        portal = name == "portal"
        for site in sections(found[0]) if portal else found:
            measure(site, made if portal else recorded, lambda page, name=name: kind_of(page, name))  # type: ignore[misc]
    print("\n".join(f"{title}:\n\n{marks_table(marks)}\n" for title, marks in _groups(made, recorded)))
    if args.write:
        figures.write("kinds", marks_table(recorded or made))
    return 0


def _empty() -> Marks:
    return defaultdict(lambda: defaultdict(list))


def _groups(made: Marks, recorded: Marks) -> Iterator[tuple[str, Marks]]:
    if made:
        yield "The example portal", made
    if recorded:
        yield "Recorded pages", recorded


def kind_of(page: RecordedPage, corpus: str) -> str:
    """The column of a page: its section of the portal, Chinese, or its kind."""
    if corpus == "portal":
        return page.url.split("/")[3]
    return "Chinese article" if corpus in CHINESE else page.kind


def measure(site: Site, marks: Marks, kind: Callable[[RecordedPage], str]) -> None:
    """Extract all pages of a site in all ways; the marks go to `marks`."""
    pages = [Page.parse(page.html, url=page.url) for page in site]
    for i, recorded in enumerate(site):
        others = likest_first(pages[i], [*pages[:i], *pages[i + 1 :]])[:PAGES]
        for name, text in _texts(pages[i], SiteModel.fit(others), recorded):
            marks[name][kind(recorded)].append(Mark.of(text, recorded.gold))
    for name, extract in site_peers().items():
        for recorded, text in zip(site, extract(site), strict=True):
            marks[name][kind(recorded)].append(Mark.of(text, recorded.gold))


def _texts(page: Page, model: SiteModel, recorded: RecordedPage) -> Iterator[tuple[str, str]]:
    """The text of a page in all ways that read it alone, or with some others."""
    yield "defaults", model.extract(page).text
    yield ALONE, SiteModel.fit().extract(page).text
    for name, taste in TASTES.items():
        yield name, model.extract(page, taste=taste).text
    yield f'STRATEGY = "{HAND_RULE}"', model.extract(page, strategy=HAND_RULE).text
    for name, extract in peers().items():
        yield name, extract(recorded.html)


def marks_table(marks: Marks) -> str:
    """A row a way, a column a kind."""
    kinds = [kind for kind, found in marks["defaults"].items() if len(found) >= FEW]
    numbers = (str(len(marks["defaults"][kind])) for kind in kinds)
    rows = [[f"`{name}`", *(str(Mark.mean(found[kind])) for kind in kinds)] for name, found in marks.items()]
    return table(["set, or tool", *kinds], [["pages", *numbers], *rows])


if __name__ == "__main__":
    sys.exit(main())
