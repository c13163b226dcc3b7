"""How much work a page may take, in steps that are counted: the same on every machine, in every run.

Nearly all that is done with a page takes time that grows with the page, and no more; what does not is counted before
it is done. A page that wants more than its budget gives all of its text, unjudged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

#: A step is an element: read, in columns, with its features and its part of the body it takes some 10 µs, with all
#: that is drawn by `explain` some 50. As much is done to so many bytes of text: 256 take up to 10 µs (lcs, a text of
#: 5 MB), and a tenth of that in most strategies.
BYTES_A_STEP = 256
#: Open elements that libxml2 looks at to find what an end tag ends: 1.2 ns each.
CLIMBS_A_STEP = 4_000
#: Cells of LCS tables: 5 ns each.
CELLS_A_STEP = 1_000
#: Nodes that an XPath visits, and pairs of nodes that are compared where results are merged: 10 ns, and less.
VISITS_A_STEP = 500
#: What a page may take where nobody says so. Of 1,800 recorded pages the largest takes 24,000 (5 MB, most of it
#: scripts), the one with the most elements (8,400) 13,000: ten times as much is no page that people read.
DEFAULT_WORK = 250_000
#: More steps than this are as good as endless.
ENDLESS = 1e15


class OverBudgetError(Exception):
    """A page wants more work than it may take. Told by a fallback, never to a caller."""


@dataclass(frozen=True)
class Work:
    """The budget of a page. A value: what is asked about a page twice may take as much the second time.

    Attributes:
        limit: Steps that it may take, 0 for any number.
        spent: Steps that reading it took.

    Example:
        >>> work = Work(limit=1000, spent=400)
        >>> work.allows(600), work.allows(601), Work().allows(10**9)
        (True, False, True)
    """

    limit: int = 0
    spent: int = 0

    @property
    def is_over(self) -> bool:
        """Whether reading alone took more than all."""
        return not self.allows(0)

    def allows(self, steps: int) -> bool:
        """Whether so many more may be taken."""
        return not self.limit or self.spent + steps <= self.limit

    def after(self, steps: float) -> Work:
        """The budget when so many more are spent."""
        return replace(self, spent=self.spent + math.ceil(min(steps, ENDLESS)))

    def check(self, steps: int = 0) -> None:
        """Refuse what would take too many.

        Raises:
            OverBudgetError: It would.
        """
        if not self.allows(steps):
            raise OverBudgetError(f"{self.spent + steps:,} steps of {self.limit:,}")
