"""The scores as the documentation shows them: a row a strategy, a column a corpus."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.markdown import table
from benchmarks.quality import Row
from denoise_scrapy.body import DEFAULT_STRATEGY
from denoise_scrapy.body.model import block_model
from denoise_scrapy.body.strategies.combined import CombinedStrategy

#: The default on publishers that its model was not fitted on: what a user may expect.
UNSEEN = f"`{DEFAULT_STRATEGY}`, unseen publishers"
#: Columns and other extractors of the README's table.
SHORT = ("portal", "big9", "dragnet", "single", "wcxb", "zh68")
PEERS = ("trafilatura", "readability")


def scores_table(rows: Sequence[Row], corpora: Sequence[str] = (), names: Sequence[str] = ()) -> str:
    """Mean F1 as a Markdown table.

    Args:
        rows: What was measured.
        corpora: Columns; all where none is given.
        names: Strategies and extractors; all where none is given.
    """
    found = {(row.strategy, row.corpus): row for row in rows}
    corpora = corpora or list(dict.fromkeys(row.corpus for row in rows))
    names = names or list(dict.fromkeys(row.strategy for row in rows))
    of_default = [found[DEFAULT_STRATEGY, corpus] for corpus in corpora]
    return table(
        ["F1", *corpora],
        [
            ["pages", *(str(row.pages) for row in of_default)],
            [UNSEEN, *(f"{_unseen(row):.3f}" for row in of_default)],
            *([f"`{name}`", *(f"{found[name, corpus].f1:.3f}" for corpus in corpora)] for name in names),
            [f"standard error of `{DEFAULT_STRATEGY}`", *(f"{row.error:.3f}" for row in of_default)],
        ],
    )


def _unseen(row: Row) -> float:
    """The cross-validated F1 of the model file; of the portal, which no model was fitted on, the measured one."""
    scores = block_model().provenance["cross-validated F1"]
    k = CombinedStrategy.comparison_pages if row.comparison_pages else 0
    return float(scores.get(f"{row.corpus} k={k}", row.f1))
