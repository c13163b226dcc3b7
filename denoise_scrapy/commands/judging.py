"""Why a new text is a duplicate of a kept one or not, by the rules of words: every count of the decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from denoise_scrapy.dedup import RULES, Fingerprint
from denoise_scrapy.dedup.decision import MIN_PAIRS, RATIO_PERCENT, Question, needed, shares
from denoise_scrapy.dedup.features import Features
from denoise_scrapy.dedup.fingerprint import MIN_TOKENS, MIN_UNITS
from denoise_scrapy.dedup.rule import NearCopyRule
from denoise_scrapy.dedup.stop_units import is_stop
from denoise_scrapy.dedup.tokens import tokens, unit_hashes

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
        c2: Pairs in common; None where the rule does not look at them.
        bands: MinHash bands in common; None where the rule has none.
        lacking_units: Some main units of the new text that the kept one lacks.
        lacking_pairs: Some of its pairs.

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
    lacking_pairs: Sequence[str]


def judge_words(new_text: str, kept_text: str, rule_name: str, threshold: float) -> Judged:
    """Judge a new text against a kept one, by a rule of words.

    Args:
        new_text: The new text.
        kept_text: The kept text.
        rule_name: "part" or "near-copy".
        threshold: Least c1 and c2.

    Example:
        >>> judged = judge_words("Bees dance to tell where heather blooms", "Bees dance", "part", 0.7)
        >>> judged.duplicate, judged.c1.common, judged.c1.of, judged.lacking_pairs[:2]
        (False, 2, 6, ['dance to', 'to tell'])

    """
    rule, new = RULES[rule_name], Features.read(new_text)
    own, kept = Fingerprint.of(new), Fingerprint.of(kept_text)
    same = bool(new.n) and new.digest == kept.digest
    question = Question.COPY if rule_name == NearCopyRule.name else Question.PART
    cut = new.cut(kept.t)
    c1, c2 = (
        _share(mine, theirs, threshold, question)
        for mine, theirs in ((cut.s1, kept.s1), (cut.sample(kept.limit), kept.s2))
    )
    floors = _floors(new.n, kept, c1, c2)
    if rule.too_short(own):
        duplicate = False
        why = f"too short to be judged: under {MIN_TOKENS} units, or under {MIN_UNITS} main units"
        why += "; DENOISE_DEDUP_SHORT looks for texts of the same words" if same else ""
    else:
        duplicate = same or rule.judge(new, [kept], threshold)[0].duplicate
        why = "the same words in the same order" if same else "; ".join(_reasons(floors, c1, c2, duplicate=duplicate))
    bands = _bands_in_common(own, kept)
    return Judged(duplicate, why, kept.t, same, floors, c1, c2, bands, *_lacking(new_text, kept_text, kept.t))


def percent(value: float) -> str:
    """Write a share: .84."""
    return f"{value:.2f}".removeprefix("0")


def _share(mine: npt.NDArray[np.uint16], theirs: bytes, threshold: float, question: Question) -> Share:
    common, of = shares(mine, [theirs], question)[0]
    return Share(common, of, needed(of, threshold), len(mine), len(theirs) // 2)


def _floors(n: int, kept: Fingerprint, c1: Share, c2: Share) -> tuple[Floor, ...]:
    return (
        Floor("units", min(n, kept.n), MIN_TOKENS),
        Floor("per cent of the kept text's length", n * 100 // max(1, kept.n), RATIO_PERCENT),
        Floor("main units", min(c1.of, c1.kept), MIN_UNITS),
        Floor("pairs", c2.of, MIN_PAIRS),
    )


def _reasons(floors: Sequence[Floor], c1: Share, c2: Share, *, duplicate: bool) -> Iterator[str]:
    for floor in floors:
        if not floor.reached:
            yield f"{floor.value} {floor.what}, {floor.needed} are needed"
    for name, share in (("c1", c1), ("c2", c2)):
        if share.reached == duplicate:
            yield f"{name} is {percent(share.value)}"


def _bands_in_common(one: Fingerprint, other: Fingerprint) -> int:
    if not (one.bands and other.bands):
        return 0
    return int((np.frombuffer(one.bands, "<u4") == np.frombuffer(other.bands, "<u4")).sum())


def _lacking(new_text: str, kept_text: str, t: int) -> tuple[list[str], list[str]]:
    """Words and pairs of the new text that the kept one lacks, the most frequent words first, pairs as they come."""
    words, theirs = tokens(new_text), tokens(kept_text)
    counts, their_counts = Counter(words), Counter(theirs)
    units = [word for word, count in counts.most_common() if count > t >= their_counts[word]]
    stop = is_stop(unit_hashes(units)).tolist()
    units = [word for word, is_one in zip(units, stop, strict=True) if not is_one]
    pairs = Counter(pair for pair in pairwise(words) if counts[pair[0]] > t)
    pairs -= Counter(pairwise(theirs))
    return units[:EXAMPLES], [" ".join(pair) for pair in list(pairs)[:EXAMPLES]]
