"""What bodies keep of foreign content: `python -m benchmarks.made --corpora DIR [DIR …] [--pages N] [--peers]`.

Recorded pages get further stories, lists of teasers, galleries, biographies, appeals, comments and advertisements put
in (`training.made`), and go through the default strategy before and after, with no comparison pages and with five.
The foreign text that is kept is counted in 3-grams that the recorded page has nowhere.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple
from unittest.mock import patch

from benchmarks.corpora import Site, load
from benchmarks.kinds import Mark
from benchmarks.markdown import table
from benchmarks.peers import peers
from benchmarks.sample import evenly
from denoise_scrapy.body import SiteModel
from denoise_scrapy.body.model import BlockModel, block_model
from denoise_scrapy.page import Page
from denoise_scrapy.site import likest_first
from example_project.portal.model import tokens
from training.labels import GRAM
from training.made import KINDS, made_of

#: Numbers of comparison pages.
KS = (0, 5)
#: Pages of a site at most, so that none counts for a corpus.
SITE_PAGES = 4


class Kept(NamedTuple):
    """What became of one page: share of the foreign text that was kept, and marks without it and with it."""

    foreign: float
    before: Mark
    after: Mark


#: (kind, extractor) -> pages.
Found = dict[tuple[str, str], list[Kept]]


def main() -> None:
    """Measure and print."""
    ap = argparse.ArgumentParser(prog="python -m benchmarks.made", description=__doc__)
    ap.add_argument("--corpora", type=Path, nargs="+", required=True, help="folders of *.jsonl.gz")
    ap.add_argument("--names", default="", help="corpora to run, comma-separated; all where none is named")
    ap.add_argument("--pages", type=int, default=300, help="recorded pages in all")
    ap.add_argument("--peers", action="store_true", help="also the installed extractors that read one page alone")
    ap.add_argument("--model", type=Path, help="a blocks.npz that was fitted without these pages; else the package's")
    args = ap.parse_args()
    names = tuple(filter(None, args.names.split(",")))
    corpora = {name: sites for folder in args.corpora for name, sites in load(folder, names) if name != "portal"}
    found: Found = defaultdict(list)
    model = BlockModel.load(args.model) if args.model else block_model()
    with patch("denoise_scrapy.body.strategies.combined.block_model", lambda: model):
        for sites in corpora.values():
            for site in chosen(sites, args.pages // len(corpora)):
                for kind, name, outcome in measure(site, sites, peers() if args.peers else {}):
                    found[kind, name].append(outcome)
    print(made_table(found))


def chosen(sites: Sequence[Site], pages: int) -> list[Site]:
    """Sites, evenly taken, whose pages, `SITE_PAGES` of each at most, are about so many."""
    each = mean(min(len(site), SITE_PAGES) for site in sites)
    return evenly(sites, max(round(pages / each), 1))


def measure(
    site: Site, sites: Sequence[Site], others: dict[str, Callable[[str], str]]
) -> Iterator[tuple[str, str, Kept]]:
    """Kind, extractor and outcome of all pages made of a site."""
    pages = [Page.parse(page.html, url=page.url) for page in site]
    for i, plain in enumerate(pages[:SITE_PAGES]):
        own = "\n".join(plain.block_texts)
        alone = {name: extract(site[i].html) for name, extract in others.items()}
        for made in made_of(site, i, sites):
            rest = likest_first(made.page, [other for j, other in enumerate(pages) if j != i and j not in made.donors])
            models = {f"k = {k}": SiteModel.fit(rest[:k]) for k in KS}
            bodies = {name: (one.extract(plain).text, one.extract(made.page).text) for name, one in models.items()}
            bodies |= {name: (alone[name], extract(made.html)) for name, extract in others.items()}
            foreign = made.page.text_of(made.foreign)
            for name, (before, after) in bodies.items():
                marks = Mark.of(before, site[i].gold), Mark.of(after, site[i].gold)
                yield made.kind, name, Kept(foreign_share(after, foreign, own), *marks)


def foreign_share(body: str, foreign: str, own: str) -> float:
    r"""Share of the foreign text's 3-grams that stand in a body, those of the recorded page left out.

    >>> foreign_share("it rained all night. Buy one now", "buy one now\nit rained all\nget two free", "it rained all")
    0.5
    """
    wanted = {gram for line in foreign.splitlines() for gram in _grams(line)} - _grams(own)
    return len(wanted & _grams(body)) / len(wanted) if wanted else 0.0


def _grams(text: str) -> set[tuple[str, ...]]:
    words = tokens(text)
    return {tuple(words[i : i + GRAM]) for i in range(len(words) - GRAM + 1)}


def made_table(found: Found) -> str:
    """A row a kind and extractor; F1, recall and precision of the recorded page and of the made one."""
    rows = []
    names = list(dict.fromkeys(name for _, name in found))
    for kind, name in ((kind, name) for kind in KINDS for name in names if (kind, name) in found):
        some = found[kind, name]
        before, after = Mark.mean([one.before for one in some]), Mark.mean([one.after for one in some])
        most = mean(one.foreign > 0.5 for one in some)
        marks = [f"{b:.3f} → {a:.3f}" for b, a in zip(before, after, strict=True)]
        rows.append([kind, name, str(len(some)), f"{mean(one.foreign for one in some):.3f}", f"{most:.2f}", *marks])
    head = ["foreign content", "", "pages", "kept", "most of it kept", "F1", "precision", "recall"]
    return table(head, rows)


if __name__ == "__main__":
    main()
