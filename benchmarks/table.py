"""The scores as the documentation shows them: a row a strategy, a column a corpus."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.quality import Row

HEAD = """# Scores

Token F1, mean over a corpus' pages ± one standard error. Strategies compare a page with up to five others of its site,
likest template first; the other extractors read the page alone. `combined` was fitted on these pages, the example
portal apart: its scores on publishers left out are in [combined.md](combined.md). Written by `make scores`.

"""


def scores_page(rows: Sequence[Row]) -> str:
    """The Markdown page."""
    corpora = list(dict.fromkeys(row.corpus for row in rows))
    found = {(row.strategy, row.corpus): row for row in rows}
    names = list(dict.fromkeys(row.strategy for row in rows))
    first = {corpus: next(row for row in rows if row.corpus == corpus) for corpus in corpora}
    f1 = [[f"`{name}`", *(_score(found[name, corpus]) for corpus in corpora)] for name in names]
    pages = ["pages", *(str(first[corpus].pages) for corpus in corpora)]
    cost = [[f"`{name}`", *(f"{found[name, corpus].parses:.1f}" for corpus in corpora)] for name in names]
    return (
        HEAD
        + _table(["F1", *corpora], [pages, *f1])
        + "\nMedian CPU time of a body in multiples of lxml's plain parse of the same page, same run:\n\n"
        + _table(["× parse", *corpora], cost)
    )


def _score(row: Row) -> str:
    return f"{row.f1:.3f} ±{row.error:.3f}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
