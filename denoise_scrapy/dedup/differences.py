"""How a duplicate differs from the kept text it is one of: the share of it that is new, and its numbers."""

from __future__ import annotations

import math

import numpy as np

from denoise_scrapy.dedup.features import EVERY, RUN, RUN_OF_IDEOGRAPHS, Features
from denoise_scrapy.dedup.fingerprint import Fingerprint
from denoise_scrapy.dedup.tokens import IDEOGRAPH

FORM_NUMBERS, FORM_SHARE = 4, 0.4
"""Of an auction or a notice filled in anew nearly all numbers differ; a reprint or a page with another date differs in
one to three."""

_32 = np.uint64(32)


def share_new(new: Features, kept: Fingerprint) -> float:
    """Estimate the share of a text that a kept one has not.

    A changed word takes five runs with it, a new paragraph about as many as it has words. Which it is, is seen from how
    the missing runs lie: alone or side by side. With the sampled runs as a walk between 'there' and 'missing', the mean
    length of a stretch of missing runs follows from how often neighbours agree; each stretch has a run's length less
    one fewer new units than missing runs.

    Args:
        new: The text.
        kept: The kept text.

    Returns:
        0 to 1.

    Example:
        >>> text = "Bees dance to tell their sisters where clover, lime and heather bloom, and how far it is to fly."
        >>> share_new(Features.read(text), Fingerprint.of(text))
        0.0

    """
    hashes = new.runs.at >> _32
    places = np.flatnonzero((new.runs.at > 0) & (hashes < np.uint64(min(kept.limit, EVERY))))
    missing = ~np.isin(hashes[places].astype(np.uint16), kept.runs)
    share = float(missing.mean()) if len(places) else 0.0
    if not 0 < share < 1 or new.digest == kept.digest:
        return 0.0 if new.digest == kept.digest else share
    pairs = len(places) - 1
    agree = 1 - int(np.count_nonzero(missing[1:] != missing[:-1])) / (2 * pairs * share * (1 - share))
    agree = min(max(agree, 0.5 / pairs), 1 - 0.5 / pairs)  # what so few pairs can tell
    gap = float(np.diff(places).mean())
    ends = (1 - share) * -math.log(agree) / gap  # of a stretch, for each of its runs
    ideographs = float((new.kinds == IDEOGRAPH).mean())
    length = RUN + (RUN_OF_IDEOGRAPHS - RUN) * ideographs
    return share * max(1 / length, 1 - (length - 1) * ends)


def is_form(new: Features, kept: Fingerprint) -> bool:
    """Tell whether a text has other numbers than a kept one: 4 or more, and over two fifths of its own.

    Args:
        new: The text.
        kept: The kept text.

    Returns:
        Whether it has, as far as the sample of the kept one's numbers tells.

    Example:
        >>> form = "Lot {}: sum {}, paid on {}, to account {}."
        >>> kept = Fingerprint.of(form.format(1, 250, 17, 4711))
        >>> is_form(Features.read(form.format(2, 900, 23, 4711)), kept)
        False
        >>> is_form(Features.read(form.format(2, 900, 23, 8000)), kept)
        True

    """
    halved, *theirs = np.frombuffer(kept.numbers or bytes(2), "<u2").tolist()
    limit = EVERY >> halved
    mine = new.numbers if limit == EVERY else new.numbers[: new.numbers.searchsorted(np.uint32(limit))]
    differ = np.count_nonzero(~np.isin(mine.astype(np.uint16), np.array(theirs, np.uint16)))
    return bool(differ << halved >= FORM_NUMBERS and differ > FORM_SHARE * len(mine))
