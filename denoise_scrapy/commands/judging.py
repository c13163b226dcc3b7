"""Why a new text is a duplicate of a kept one or not, by the rules of words: every count of the decision."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup import RULES, Fingerprint
from denoise_scrapy.dedup.fingerprint import MIN_TOKENS, MIN_UNITS, RUN, RUN_OF_IDEOGRAPHS, Features
from denoise_scrapy.dedup.rules import (
    MIN_RUNS,
    MOST_NEW,
    RATIO_PERCENT,
    NearCopyRule,
    is_form,
    needed,
    share_new,
    shares,
)
from denoise_scrapy.dedup.tokens import IDEOGRAPH, tokens

_A_PART = "too much of the kept text is not in it"  # what is left where all shares are reached
EXAMPLES = 8  # a line of them


@dataclass(frozen=True)
class Share:
    """How much two texts have in common.

    Attributes:
        common: Elements in common.
        of: Elements they are a share of.
        needed: How many must be in common.
        new: Elements of the new text.
        kept: Elements of the kept one.

    """

    common: int
    of: int
    needed: int
    new: int
    kept: int

    @property
    def value(self) -> float:
        """The share, 0 to 1."""
        return self.common / max(1, self.of)

    @property
    def reached(self) -> bool:
        """Whether enough is in common."""
        return self.common >= self.needed


@dataclass(frozen=True)
class Floor:
    """What a text must have to be judged by similarity."""

    what: str
    value: int
    needed: int

    @property
    def reached(self) -> bool:
        """Whether it has."""
        return self.value >= self.needed


@dataclass(frozen=True)
class Judged:
    """A new text against a kept one.

    Attributes:
        duplicate: What an index says that looks at every text.
        why: What decided, for a sentence.
        level: Frequency threshold t of the kept text.
        same_words: Whether both are the same units in the same order.
        floors: What both must have.
        c1: Main units in common.
        c2: Runs in common, of the patent's rule pairs; None where the rule does not look at them.
        bands: MinHash bands in common; None where the rule has none.
        lacking_units: Some main units of the new text that the kept one lacks.
        lacking_runs: Some of its runs, of the patent's rule pairs.
        share_new: Share of the new text that the kept one has not; None where the rule does not estimate it.
        form: Whether other numbers stand in it.

    """

    duplicate: bool
    why: str
    level: int
    same_words: bool
    floors: Sequence[Floor]
    c1: Share
    c2: Share | None
    bands: int | None
    lacking_units: Sequence[str]
    lacking_runs: Sequence[str]
    share_new: float | None = None
    form: bool = False
    most_new: float = MOST_NEW


def judge_words(new_text: str, kept_text: str, rule_name: str, threshold: float, most_new: float = MOST_NEW) -> Judged:
    """Judge a new text against a kept one, by a rule of words.

    Args:
        new_text: The new text.
        kept_text: The kept text.
        rule_name: "part" or "near-copy".
        threshold: Least c1 and c2.
        most_new: Most of the new text that may be new.

    Example:
        >>> judged = judge_words("Bees dance to tell where heather blooms", "Bees dance", "part", 0.7)
        >>> judged.duplicate, judged.c1.common, judged.c1.of, judged.lacking_runs[:2]
        (False, 2, 6, ['bees dance to tell where', 'dance to tell where heather'])

    """
    rule, new = RULES[rule_name], Features.read(new_text)
    own, kept = Fingerprint.of(new), Fingerprint.of(kept_text)
    same = bool(new.n) and new.digest == kept.digest
    both = rule_name == NearCopyRule.name
    c1 = _share(new.main_units(kept.t), kept.s1, threshold, both=both)
    c2 = _share(new.sample(kept.limit), kept.s2, threshold, both=both)
    share = share_new(new, kept)
    floors = _floors(new.n, kept, c1, c2)
    if rule.too_short(own):
        duplicate = False
        why = f"too short to be judged: under {MIN_TOKENS} units, or under {MIN_UNITS} main units"
        why += "; DENOISE_DEDUP_SHORT looks for texts of the same words" if same else ""
    else:
        duplicate = same or rule.judge(new, [kept], threshold, most_new)[0].duplicate
        reasons = "; ".join(_reasons(floors, c1, c2, share if share > most_new else 0.0, duplicate=duplicate))
        why = "the same words in the same order" if same else reasons or _A_PART
    bands = _bands_in_common(own, kept)
    lacking = _lacking(new_text, kept_text, kept.t)
    return Judged(duplicate, why, kept.t, same, floors, c1, c2, bands, *lacking, share, is_form(new, kept), most_new)


def percent(value: float) -> str:
    """Write a share: .84."""
    return f"{value:.2f}".removeprefix("0")


def _share(mine: npt.NDArray[np.uint16], theirs: bytes, threshold: float, *, both: bool) -> Share:
    common, of = shares(mine, [theirs], both=both)[0]
    return Share(common, of, needed(of, threshold), len(mine), len(theirs) // 2)


def _floors(n: int, kept: Fingerprint, c1: Share, c2: Share) -> tuple[Floor, ...]:
    return (
        Floor("units", min(n, kept.n), MIN_TOKENS),
        Floor("per cent of the kept text's length", n * 100 // max(1, kept.n), RATIO_PERCENT),
        Floor("main units", min(c1.of, c1.kept), MIN_UNITS),
        Floor("runs", c2.of, MIN_RUNS),
    )


def _reasons(floors: Sequence[Floor], c1: Share, c2: Share, new: float, *, duplicate: bool) -> Iterator[str]:
    for floor in floors:
        if not floor.reached:
            yield f"{floor.value} {floor.what}, {floor.needed} are needed"
    for name, share in (("c1", c1), ("c2", c2)):
        if share.reached == duplicate:
            yield f"{name} is {percent(share.value)}"
    if c1.reached and c2.reached and new:
        yield f"{percent(new)} of it is new"


def _bands_in_common(one: Fingerprint, other: Fingerprint) -> int:
    if not (one.bands and other.bands):
        return 0
    return int((np.frombuffer(one.bands, "<u4") == np.frombuffer(other.bands, "<u4")).sum())


def _lacking(new_text: str, kept_text: str, t: int) -> tuple[list[str], list[str]]:
    """Words and runs of the new text that the kept one lacks, the most frequent words first, runs as they come."""
    words, new, kept = tokens(new_text), Features.read(new_text), Features.read(kept_text)
    word_of, mine, theirs = dict(zip(new.hashes.tolist(), words, strict=True)), _frequencies(new), _frequencies(kept)
    units = [unit for unit in word_of if mine.get(unit, 0) > t >= theirs.get(unit, 0)]
    units.sort(key=lambda unit: -mine[unit])
    lacking = ~np.isin(new.runs.at >> np.uint64(32), kept.runs.distinct) & (new.runs.at > 0)
    runs: dict[str, None] = {}
    for place in np.flatnonzero(lacking)[: 4 * EXAMPLES].tolist():
        length = RUN_OF_IDEOGRAPHS if new.kinds[place] == IDEOGRAPH else RUN
        runs[" ".join(words[place : place + length])] = None
    return [word_of[unit] for unit in units[:EXAMPLES]], list(runs)[:EXAMPLES]


def _frequencies(text: Features) -> dict[int, int]:
    """How often each unit counts, stop units left out."""
    runs = text.runs
    return dict(zip(runs.units[~runs.stop].tolist(), runs.counts[~runs.stop].tolist(), strict=True))
