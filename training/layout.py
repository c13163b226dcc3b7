"""What layout gives the default: `python -m training.layout --corpora DIR … --rendered DIR`.

RENDERED is what `python -m training.render` wrote. Each rendered page is judged without boxes and with them, by a block
model that saw none of its publisher's pages.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import mean, pstdev

import numpy as np

from denoise_scrapy.body.features import block_features
from denoise_scrapy.body.model import BlockModel
from denoise_scrapy.body.strategies.combined import CombinedStrategy
from denoise_scrapy.crawl.geometry import boxes_on
from denoise_scrapy.page import Page
from denoise_scrapy.site import SiteStatistics, likest_first
from evaluation.corpora import RecordedPage, read
from example_project.scoring import f1
from training.__main__ import KS, SEED
from training.dataset import PAGES, read_corpora, read_examples, site_publisher
from training.model import by_fold, model_without


def main() -> None:
    """Run it."""
    ap = argparse.ArgumentParser(prog="python -m training.layout", description=__doc__)
    ap.add_argument("--corpora", type=Path, nargs="+", required=True, help="folders of *.jsonl.gz")
    ap.add_argument("--rendered", type=Path, required=True, help="folder of rendered corpora of the same names")
    ap.add_argument("--jobs", type=int, default=2)
    args = ap.parse_args()
    corpora, folds = read_corpora(args.corpora)
    examples = read_examples(corpora, folds, KS, args.jobs)
    models = by_fold(examples, partial(model_without, seed=SEED), args.jobs)
    print("corpus | pages | without boxes | with | difference ± its standard error")
    for path in sorted(args.rendered.glob("*.jsonl.gz")):
        pairs = [pair for site in read(path) for pair in _judged(site, folds, models)]
        gains = [after - before for before, after in pairs]
        told = (mean(p[0] for p in pairs), mean(p[1] for p in pairs), mean(gains), pstdev(gains) / len(gains) ** 0.5)
        print(
            f"{path.name.split('.')[0]} | {len(pairs)} | {told[0]:.4f} | {told[1]:.4f} | {told[2]:+.4f} ± {told[3]:.4f}"
        )


def _judged(
    site: list[RecordedPage], folds: Mapping[str, int], models: Sequence[BlockModel]
) -> Iterator[tuple[float, float]]:
    """F1 of each page of a site that has boxes, without them and with."""
    fold = folds[site_publisher(site)]
    model = models[fold]
    pages = [Page.parse(one.html, url=one.url) for one in site]
    for i, (page, recorded) in enumerate(zip(pages, site, strict=True)):
        boxes = boxes_on(page, recorded.layout)
        if boxes is None or not len(page.blocks):
            continue
        others = likest_first(page, [*pages[:i], *pages[i + 1 :]])[:PAGES]
        statistics = SiteStatistics.of(other.facts for other in others).for_page(page)
        before = _f1(model, page, statistics, recorded.gold)
        page.drop_columns()
        page.boxes = boxes
        yield before, _f1(model, page, statistics, recorded.gold)
        page.boxes = None
        page.drop_columns()


def _f1(model: BlockModel, page: Page, statistics: SiteStatistics, gold: str) -> float:
    kept = CombinedStrategy(model).judge(page, block_features(page, statistics, model.vocabulary)).kept
    return f1("\n".join(page.block_texts[i] for i in np.flatnonzero(kept).tolist()), gold)


if __name__ == "__main__":
    main()
