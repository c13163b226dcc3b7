"""What a body costs, stage by stage: `python -m benchmarks.stages --corpora DIR` prints tables as Markdown.

All figures are multiples of lxml's plain parse of the same page, timed in the same process in turn with the stages:
on a machine that does other work, ratios can be told and milliseconds cannot. Of a page each stage counts with the
best of some repetitions; path table and text caches are warm then, as in the course of a crawl.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from time import process_time
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from lxml import etree

from benchmarks.corpora import RecordedPage, Site, add_corpora_argument, load
from denoise_scrapy.body.block_model import BlockModel, block_model
from denoise_scrapy.body.context import Context
from denoise_scrapy.body.features import NAMES, block_features
from denoise_scrapy.body.features.matrix import all_features
from denoise_scrapy.body.model import SiteModel
from denoise_scrapy.body.reasons import family
from denoise_scrapy.body.strategies.combined import CombinedStrategy
from denoise_scrapy.page import Page, PathTable

#: Elements of a page, and how far a recorded page may be from it; larger ones are put together.
SIZES = (500, 2000, 10_000)
NEAR = 0.4
COMPARED = (0, 1, 5)
#: Pages of each size, and repetitions of each page.
PAGES, REPETITIONS = 24, 5

Times = dict[str, float]
T = TypeVar("T")


def main() -> None:
    """Measure and print."""
    ap = argparse.ArgumentParser(prog="python -m benchmarks.stages", description=__doc__)
    add_corpora_argument(ap)
    ap.add_argument("--names", default="big9,dragnet,wcxb,zh", help="corpora to take pages of, comma-separated")
    args = ap.parse_args()
    sites = [site for _, corpus in load(args.corpora, tuple(args.names.split(","))) for site in corpus]
    for size in SIZES:
        targets = list(pages_of_size(sites, size))[:PAGES]
        columns = {k: [measure(site, number, k) for site, number in targets] for k in COMPARED}
        print(f"\n{_table(size, columns)}", flush=True)


def pages_of_size(sites: list[Site], size: int) -> Iterator[tuple[Site, int]]:
    """Sites, and the number of the page to measure: one a site, of about so many elements."""
    for site in sites:
        counts = [len(Page.parse(page.html).elements) for page in site[:10]]
        fitting = [i for i, n in enumerate(counts) if abs(n - size) < NEAR * size]
        if fitting:
            yield site, fitting[0]
        elif size > max(SIZES[:-1]) and sum(counts) > size / 4:
            yield [_enlarged(site, size, sum(counts) / len(counts)), *site], 0


def _enlarged(site: Site, size: int, mean: float) -> RecordedPage:
    """The bodies of a site's pages, again and again, as one page."""
    bodies = [page.html for page in site[:10]]
    html = "".join(f"<div>{bodies[i % len(bodies)]}</div>" for i in range(max(round(size / mean), 1)))
    return RecordedPage("http://enlarged.example/", html, "")


def measure(site: Site, number: int, k: int) -> Times:
    """Multiples of lxml's parse by stage, for one page of a site with k comparison pages."""
    table, best = PathTable(), defaultdict[str, float](lambda: np.inf)
    others = [Page.parse(p.html, url=p.url, paths=table).facts for i, p in enumerate(site) if i != number][:k]
    model = SiteModel.fit(others)
    body = site[number].html.encode("utf-8", "replace")
    for _ in range(REPETITIONS):
        start = process_time()
        etree.fromstring(body, etree.HTMLParser(encoding="utf-8"))
        best["lxml"] = min(best["lxml"], process_time() - start)
        for stage, seconds in _stages(site[number], model, table).items():
            best[stage] = min(best[stage], seconds)
    return {stage: seconds / best["lxml"] for stage, seconds in best.items() if stage != "lxml"}


def _stages(recorded: RecordedPage, model: SiteModel, table: PathTable) -> Times:
    """Seconds of each stage of one body, and of a whole one."""
    clock = _Clock()
    times = clock.times
    page = clock("parse", lambda: Page.parse(recorded.html, url=recorded.url, paths=table))
    clock("columns, block counts, hashes", lambda: page.facts if len(page.blocks) else None)
    clock("texts of the blocks", lambda: page.block_texts)
    site = clock("comparison (`for_page`)", lambda: model.statistics.for_page(page).first(5))
    clock.start()
    for names, _ in all_features(page, site):
        clock.stop(f"features: {family(names if isinstance(names, str) else names[0])}")
    features = block_features(page, site)
    blocks = block_model()
    known = features[[NAMES.index(name) for name in blocks.names]]
    context = Context.of(page)  # counts below: selection makes its own
    clock("trees", lambda: blocks.forest.probability(known))
    clock("networks", lambda: blocks.network.probability(known, context))
    told = _Told(blocks.names, blocks.forest, blocks.network, {}, blocks.probability(known, context))
    judged = clock("context, adjustments, selection", lambda: CombinedStrategy(told).judge(page, features))
    clock("text", lambda: "\n".join(page.block_text(i) for i in np.flatnonzero(judged.kept).tolist()))
    clock("**a body, HTML to text**", lambda: _body(recorded, model, table))
    return times


def _body(recorded: RecordedPage, model: SiteModel, table: PathTable) -> str:
    return model.extract(Page.parse(recorded.html, url=recorded.url, paths=table)).text


@dataclass(frozen=True, eq=False)
class _Told(BlockModel):
    """A model that knows its answer, so that what follows it can be measured alone."""

    answer: npt.NDArray[np.float64]

    def probability(self, features: npt.NDArray[np.float32], context: Context) -> npt.NDArray[np.float64]:
        """See `BlockModel.probability`."""
        return self.answer


class _Clock:
    """Adds up the seconds of stages."""

    def __init__(self) -> None:
        self.times: Times = defaultdict(float)
        self._since = 0.0

    def start(self) -> None:
        """The next stage begins."""
        self._since = process_time()

    def stop(self, stage: str) -> None:
        """What began was of this stage; the next one begins."""
        self.times[stage] += process_time() - self._since
        self.start()

    def __call__(self, stage: str, run: Callable[[], T]) -> T:
        """Run a stage."""
        self.start()
        result = run()
        self.stop(stage)
        return result


def _table(size: int, columns: Mapping[int, list[Times]]) -> str:
    """Medians, and from the 10th to the 90th percentile, as a Markdown table."""
    pages = len(next(iter(columns.values())))
    head = [f"{size:,} elements ({pages} pages)", *(f"k = {k}" for k in columns)]
    lines = [" | ".join(head), " | ".join(["---", *["---:"] * len(columns)])]
    for stage in columns[max(columns)][0]:
        cells = [_cell([times.get(stage, 0.0) for times in measured]) for measured in columns.values()]
        lines.append(" | ".join([stage, *cells]))
    return "\n".join(f"| {line} |" for line in lines)


def _cell(values: list[float]) -> str:
    low, median, high = np.percentile(values, [10, 50, 90])
    return f"{median:.2f} ({low:.2f}–{high:.2f})"


if __name__ == "__main__":
    main()
