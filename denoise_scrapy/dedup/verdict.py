"""What the index answers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer for one item.

    Attributes:
        duplicate: True where a kept text says the same; the item was not kept then.
        of: Key of that kept text, the earliest that passes; None for no duplicate.
        score: Share of the text's runs of units found in it (c2), 0 to 1; 0 for no duplicate.
        c1: Share of the text's main units found in it, 0 to 1; 0 for no duplicate.
        new: Share of the text that is not in it, 0 to 1, as estimated from the runs; 0 for no duplicate.
        form: True for a duplicate in which other numbers stand: 4 or more, over two fifths of its own. It may be a form
            filled in anew, or an update.
        reason: One short sentence for a log.
        too_short: True for a text that similarity cannot judge.
        updated: True where the key was kept with another text, which this one replaced.
        extends: Key of a kept text that is a part of this one, where the index looks for such; the
            item is none the less new. `score` and `c1` are the shares of that text found in this one.
        pending: True for a duplicate of a text that is claimed, not settled: the item it came with may
            still be lost. Ask again later.

    Example:
        >>> Verdict().duplicate
        False

    """

    duplicate: bool = False
    of: str | None = None
    score: float = 0.0
    c1: float = 0.0
    new: float = 0.0
    form: bool = False
    reason: str = "new"
    too_short: bool = False
    updated: bool = False
    extends: str | None = None
    pending: bool = False
