"""Quality by kind of page, with each setting and by other extractors: `python -m benchmarks.kinds [--write]`."""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from statistics import mean
from typing import NamedTuple

from benchmarks.ways import Way, others, ours
from denoise_scrapy.body import Taste
from evaluation import figures
from evaluation.corpora import RecordedPage, Site, add_corpora_argument, load, sections
from example_project.portal.model import tokens

#: A kind with fewer pages is left out.
FEW = 5
#: Corpora whose pages are all Chinese.
CHINESE = ("zh", "zh68")
#: The strategy with no fitted part that comes nearest to the default.
HAND_RULE = "repetition"


class Mark(NamedTuple):
    """F1, precision and recall of a text's tokens."""

    f1: float
    precision: float
    recall: float

    @classmethod
    def of(cls, text: str, gold: str) -> Mark:
        """Mark a text by what a person would keep.

        >>> Mark.of("a a", "a b")
        Mark(f1=0.5, precision=0.5, recall=0.5)
        """
        got, wanted = Counter(tokens(text)), Counter(tokens(gold))
        common, n, m = (got & wanted).total(), got.total(), wanted.total()
        if not common:
            return cls(*(float(not n and not m),) * 3)
        return cls(2 * common / (n + m), common / n, common / m)

    @classmethod
    def mean(cls, marks: Sequence[Mark]) -> Mark:
        """Return the mean of each."""
        return cls(*(mean(column) for column in zip(*marks, strict=True)))


#: Way of extracting -> kind -> marks.
Marks = dict[str, dict[str, list[Mark]]]


def ways() -> dict[str, Way]:
    """Return the defaults, other settings as a user writes them, and the other extractors."""
    return {
        "defaults": ours(),
        "COMPARISON_PAGES = 0": ours(0),
        'FAVOR = "precision"': ours(taste=Taste(favor="precision")),
        'FAVOR = "recall"': ours(taste=Taste(favor="recall")),
        'PARTS = {"comments": "keep"}': ours(taste=Taste(comments="keep")),
        'PARTS = {"comments": "drop"}': ours(taste=Taste(comments="drop")),
        f'STRATEGY = "{HAND_RULE}"': ours(strategy=HAND_RULE),
        **others(),
    }


def main() -> None:
    ap = argparse.ArgumentParser(prog="python -m benchmarks.kinds", description=__doc__)
    add_corpora_argument(ap)
    ap.add_argument("--write", action="store_true", help="write the scores into the documentation")
    args = ap.parse_args()
    groups: dict[bool, Marks] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for name, found in load(args.corpora, args.names):
        print(name, flush=True)
        is_portal = name == "portal"
        for site in sections(found[0]) if is_portal else found:
            measure(site, groups[is_portal], lambda page, name=name: kind_of(page, name))  # type: ignore[misc]
    for is_portal, marks in groups.items():
        print(f"{'The example portal' if is_portal else 'Recorded pages'}:\n\n{marks_table(marks)}\n")
    if args.write:
        figures.write("kinds", marks_table(groups.get(False) or groups[True]))


def kind_of(page: RecordedPage, corpus: str) -> str:
    """Return the column of a page: its section of the portal, Chinese, or its kind."""
    if corpus == "portal":
        return page.url.split("/")[3]
    return "Chinese article" if corpus in CHINESE else page.kind


def measure(site: Site, marks: Marks, kind: Callable[[RecordedPage], str]) -> None:
    """Extract all pages of a site in all ways, and add their marks to `marks`."""
    for name, way in ways().items():
        for page, text in zip(site, way(site), strict=True):
            marks[name][kind(page)].append(Mark.of(text, page.gold))


def marks_table(marks: Marks) -> str:
    """Return a table with a row a way, a column a kind."""
    kinds = [kind for kind, found in marks["defaults"].items() if len(found) >= FEW]

    def rows() -> Iterator[list[str]]:
        yield ["pages", *(str(len(marks["defaults"][kind])) for kind in kinds)]
        for name, found in marks.items():
            yield [f"`{name}`", *(f"{Mark.mean(found[kind]).f1:.3f}" for kind in kinds)]

    return figures.table(["set, or tool", *kinds], rows())


if __name__ == "__main__":
    main()
