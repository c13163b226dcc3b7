"""Runs and their frequencies as the documentation defines them, on plain lists of words; comparisons of whole texts."""

import math
import re
import unicodedata
from collections import Counter

import numpy as np

from denoise_scrapy.core.feature_strings import (
    EVERY,
    IDEOGRAPH,
    NUMBER,
    RUN,
    RUN_OF_IDEOGRAPHS,
    FeatureStrings,
    is_stop,
    read_units,
)
from denoise_scrapy.dedup.rules import Fingerprint
from denoise_scrapy.dedup.variants import EDITED, EDITED_NAMES, OUTER_PERCENT, units_of

Run = tuple[str, ...]

# ---- units, of texts in some scripts ----

LEFT_OUT = re.compile(
    "[\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u0640\u064b-\u065f\u0670\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff\U000e0020-\U000e01ef]"
)
ALONE = "\u3005-\u3007\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"
UNIT = re.compile(rf"[{ALONE}]|(?:(?![{ALONE}])[\w\u0900-\u094f])+")
SPELLINGS = str.maketrans(dict(zip("ıёىیکہةٱłø", "iеييكههاlo", strict=True)) | {"æ": "ae", "œ": "oe", "ʼ": "'"})


def bare(one: str) -> str:
    """A Latin, Greek or Arabic letter without accents or hamza; other characters as they are."""
    first = unicodedata.normalize("NFD", one)[0]
    return first if re.match("[a-zα-ω\u0620-\u064a]", first, re.IGNORECASE) else one


def units_in(text: str) -> list[str]:
    """What the units of a text are, in one step after the other."""
    read = LEFT_OUT.sub("", unicodedata.normalize("NFKC", text))
    small = "".join(map(bare, read)).casefold().translate(SPELLINGS)
    return UNIT.findall(re.sub(r"\d", lambda digit: str(int(digit[0])), small))


# ---- runs ----


def runs_of(words: list[str]) -> list[Run | None]:
    """The run that begins at each unit: three from an ideograph, else five; None where it would not end."""
    lengths = [3 if "\u4e00" <= word <= "\u9fff" else 5 for word in words]
    return [tuple(words[i : i + k]) if i + k <= len(words) else None for i, k in enumerate(lengths)]


def distinct_runs(words: list[str]) -> set[Run]:
    return {run for run in runs_of(words) if run}


def frequencies(words: list[str]) -> Counter[str]:
    """Of how many different runs each unit is the first; those that begin none count each time."""
    begin_none = [word for word, run in zip(words, runs_of(words), strict=True) if run is None]
    return Counter([run[0] for run in distinct_runs(words)] + begin_none)


def is_stop_word(word: str) -> bool:
    return bool(is_stop(read_units(word).hashes)[0])


# ---- comparisons, with arrays as long as the text ----

NAME = re.compile(r"(?<=[\w,;)] )[^\W\d_a-z]\w+")


def sampled_runs(new: FeatureStrings, limit: int) -> tuple[np.ndarray, np.ndarray]:
    """The places of a text where runs sampled at a limit begin, and the runs."""
    hashes = new.runs >> np.uint64(32)
    places = np.flatnonzero((new.runs > 0) & (hashes < np.uint64(limit)))
    return places, hashes[places].astype(np.uint16)


def share_new(new: FeatureStrings, kept: Fingerprint) -> float:
    """What `rules.share_new` estimates."""
    if new.digest == kept.digest:
        return 0.0
    places, runs = sampled_runs(new, kept.limit)
    missing = ~np.isin(runs, kept.runs)
    share = float(missing.mean()) if len(places) else 0.0
    if not 0 < share < 1:
        return share
    pairs = len(places) - 1
    agree = 1 - np.count_nonzero(missing[1:] != missing[:-1]) / (2 * pairs * share * (1 - share))
    agree = min(max(agree, 0.5 / pairs), 1 - 0.5 / pairs)
    ends = (1 - share) * -math.log(agree) / float(np.diff(places).mean())
    length = RUN + (RUN_OF_IDEOGRAPHS - RUN) * float((new.kinds == IDEOGRAPH).mean())
    return share * max(1 / length, 1 - (length - 1) * ends)


def short_hashes(new: FeatureStrings) -> np.ndarray:
    return (new.hashes * np.uint32(2654435769) >> np.uint32(16)).astype(np.uint16)


def difference(new: FeatureStrings, kept: Fingerprint) -> tuple[list[int], tuple, tuple, list[int]]:
    """What `variants.difference` finds."""
    (theirs, limit), mine = units_of(kept), short_hashes(new)
    novel = np.flatnonzero(~is_stop(new.hashes) & (mine < limit) & ~np.isin(mine, theirs))
    sampled, runs = sampled_runs(new, kept.limit)
    common, there = sampled[np.isin(runs, kept.runs)], np.isin(kept.runs, runs)
    starts = common + np.where(new.kinds[common] == IDEOGRAPH, RUN_OF_IDEOGRAPHS, RUN) - 1
    lost = _zones(np.flatnonzero(~there), *[np.flatnonzero(there)] * 2)
    lacking = theirs[~np.isin(theirs, mine)]
    each = EVERY // kept.limit
    return novel.tolist(), _zones(novel, common, starts), tuple(each * one for one in lost), lacking.tolist()


def _zones(places: np.ndarray, firsts: np.ndarray, lasts: np.ndarray) -> tuple[int, int, int]:
    if not len(firsts):
        return 0, len(places), 0
    outer = OUTER_PERCENT * len(firsts) // 100
    head, tail = int((places < firsts[outer]).sum()), int((places > lasts[-1 - outer]).sum())
    return head, len(places) - head - tail, tail


def is_edited(new: FeatureStrings, places: list[int]) -> bool:
    """What `variants._is_edited` decides."""
    if len(places) < EDITED or (new.kinds[places] == NUMBER).any():
        return False
    names = read_units(" ".join(NAME.findall(new.text))).hashes
    return bool(np.isin(new.hashes[places], names).mean() < EDITED_NAMES)


def other_title(new: FeatureStrings, one: bytes, other: bytes) -> bool:
    """What `variants.other_title` decides."""
    mine, theirs = (np.frombuffer(title, "<u2") for title in (one, other))
    if not len(mine) or not len(theirs) or np.isin(mine, theirs).all() or np.isin(theirs, mine).all():
        return False
    return bool(np.isin(mine, short_hashes(new)).all() or not np.isin(theirs, short_hashes(new)).all())
