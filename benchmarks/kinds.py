"""Quality by kind of page, and what each knob does there: `python -m benchmarks.kinds [--corpora DIR] [--page FILE]`.

No times are taken, so that a busy machine does no harm. `--names` takes some corpora only.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from benchmarks.corpora import RecordedPage, Site, add_corpora_argument, load
from benchmarks.markdown import table
from benchmarks.peers import peers
from benchmarks.sample import sections
from benchmarks.site_peers import site_peers
from denoise_scrapy.body import DEFAULT_STRATEGY, STRATEGIES, SiteModel, Taste
from denoise_scrapy.page import Page, PathTable
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
    'TITLE = "keep"': Taste(title="keep"),
    'TITLE = "drop"': Taste(title="drop"),
    'COMMENTS = "keep"': Taste(comments="keep"),
    'COMMENTS = "drop"': Taste(comments="drop"),
    'TABLES = "keep"': Taste(tables="keep"),
}
ALONE = "COMPARISON_PAGES = 0"
HEAD = f"""# Scores by kind of page

Token F1, mean over pages of a kind; in brackets precision and recall. The first group is the example portal's
sections, which no model was fitted on, the second recorded pages by their kind. `{DEFAULT_STRATEGY}` was fitted on the
recorded pages: there compare its rows with each other; [combined.md](combined.md) has its scores on publishers left
out. Settings are named without `DENOISE_`; each row changes one. Other extractors read a page alone, deboiler all pages
of a site. Written by `python -m benchmarks.kinds --corpora DIR --page docs/methods/kinds.md`.
"""


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
        return f"{self.f1:.3f} ({self.precision:.2f}, {self.recall:.2f})"


#: Way of extracting -> kind -> marks.
Marks = dict[str, dict[str, list[Mark]]]


def main() -> int:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.kinds", description=__doc__)
    add_corpora_argument(ap)
    ap.add_argument("--names", default="", help="corpora to run, comma-separated; all where none is named")
    ap.add_argument("--page", type=Path, help="write the scores as a page of the documentation")
    args = ap.parse_args()
    made, recorded = _empty(), _empty()
    for name, found in load(args.corpora, tuple(filter(None, args.names.split(",")))):
        print(name, flush=True)
        portal = name == "portal"
        for site in sections(found[0]) if portal else found:
            measure(site, made if portal else recorded, lambda page, name=name: kind_of(page, name))  # type: ignore[misc]
    report = HEAD + "".join(f"\n## {title}\n\n{marks_table(marks)}\n" for title, marks in _groups(made, recorded))
    print(report)
    if args.page:
        args.page.write_text(report, "utf-8")
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
    paths = PathTable()
    pages = [Page.parse(page.html, url=page.url, paths=paths) for page in site]
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
    for strategy in STRATEGIES:
        if strategy != DEFAULT_STRATEGY:
            yield f'STRATEGY = "{strategy}"', model.extract(page, strategy=strategy).text
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
