"""Runs and their frequencies as the documentation defines them, on plain lists of words; comparisons of whole texts."""

import html
import re
import unicodedata
from collections import Counter
from itertools import pairwise

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
    read = LEFT_OUT.sub("", unicodedata.normalize("NFKC", html.unescape(text)))
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


def gaps(new: FeatureStrings, kept: Fingerprint, common: list[int]) -> list[float]:
    """What `rules.gaps` finds between some common runs, which are places in the sample."""
    places, _ = sampled_runs(new, kept.limit)
    sizes, before, last = [], 0, -1
    for one in [*common, len(places)]:
        begin = int(places[one]) if one < len(places) else new.n
        gap, missing = max(0, begin - before), one - last - 1
        sizes.append(float(gap) if kept.limit == EVERY else max(0.0, gap * missing / (missing + 1) - 2))
        if one < len(places):
            before, last = begin + (RUN_OF_IDEOGRAPHS if new.kinds[begin] == IDEOGRAPH else RUN), one
    return sizes


def share_new(new: FeatureStrings, kept: Fingerprint) -> float:
    """What `rules.share_new` estimates."""
    common = np.flatnonzero(np.isin(sampled_runs(new, kept.limit)[1], kept.runs)).tolist()
    return 0.0 if new.digest == kept.digest else sum(gaps(new, kept, common)) / max(1, new.n)
