"""Runs and their frequencies as the documentation defines them, on plain lists of words; comparisons of whole texts."""

import html
import re
import unicodedata
from collections import Counter
from string import ascii_lowercase
from zlib import crc32

import numpy as np

from denoise_scrapy.core.feature_strings import (
    EVERY,
    IDEOGRAPH,
    NUMBER,
    RUN,
    RUN_OF_IDEOGRAPHS,
    STOP_WORDS,
    FeatureStrings,
    read_units,
    tokens,
)
from denoise_scrapy.dedup.rules import Fingerprint
from denoise_scrapy.dedup.verdicts import units_of

Run = tuple[str, ...]

# ---- units, of texts in some scripts ----

LEFT_OUT = re.compile(
    "[\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u0640\u064b-\u065f\u0670\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff\U000e0020-\U000e01ef]"
)
ALONE = "\u3005-\u3007\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"
UNIT = re.compile(rf"[{ALONE}]|(?:(?![{ALONE}])[\w\u0900-\u094f])+")
#: Letters that look like Latin ones.
LIKE_LATIN = str.maketrans("аеорсухіјѕԁԛԝһοναιρτυχκεηγωϲϳ", "aeopcyxijsdqwhovaiptuxkenywcj")
SPELLINGS = str.maketrans(dict(zip("ıёىیکہةٱłø", "iеييكههاlo", strict=True)) | {"æ": "ae", "œ": "oe", "ʼ": "'"})


def bare(one: str) -> str:
    """A Latin, Greek or Arabic letter without accents or hamza; other characters as they are."""
    first = unicodedata.normalize("NFD", one)[0]
    return first if re.match("[a-zα-ω\u0620-\u064a]", first, re.IGNORECASE) else one


def units_in(text: str) -> list[str]:
    """What the units of a text are, in one step after the other."""
    read = LEFT_OUT.sub("", unicodedata.normalize("NFKC", html.unescape(text)))
    small = "".join(map(bare, read)).casefold().translate(SPELLINGS).translate(LIKE_LATIN)
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


#: Hashes of the stop units.
STOPS = read_units(" ".join(STOP_WORDS)).hashes


def is_stop_word(word: str) -> bool:
    return word in STOP_WORDS


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


def short_hashes(new: FeatureStrings) -> np.ndarray:
    return (new.hashes * np.uint32(2654435769) >> np.uint32(16)).astype(np.uint16)


# ---- evidence, from lists of units ----


def chain(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest chain of (place, rank) with rising ranks; of several, that whose ends have the lowest ranks."""
    best: list[list[tuple[int, int]]] = []  # of each length, the chain with the lowest last rank, the newest of them
    for place, rank in pairs:
        length = sum(one[-1][1] < rank for one in best)
        found = [*(best[length - 1] if length else []), (place, rank)]
        best[length : length + 1] = [found]
    return best[-1] if best else []


def evidence(new: FeatureStrings, kept: Fingerprint) -> dict[str, float]:
    """Evidence by its name, one after the other, as the table of it says in words."""
    units, below = units_of(kept)
    places, hashes = sampled_runs(new, kept.limit)
    ranks = {run: rank for rank, run in enumerate(kept.runs.tolist())}
    common = [(int(at), ranks[run]) for at, run in zip(places, hashes.tolist(), strict=True) if run in ranks]
    kept_chain = chain(common)
    stops, mine, names = np.isin(new.hashes, STOPS), new.places, set(new.names.tolist())
    novel = [i for i in range(new.n) if not stops[i] and mine[i] < below and mine[i] not in units]
    numbers = {int(mine[i]) for i in novel if new.kinds[i] == NUMBER}
    named = {int(mine[i]) for i in novel if new.kinds[i] != NUMBER and int(new.hashes[i]) in names}
    per = 5 / 3 if len(new.text) < 2 * new.n else 1
    distinct, lost = {int(mine[i]) for i in novel}, set(units.tolist()) - set(mine.tolist())
    often = Counter(int(new.hashes[i]) for i in novel)
    edges = [(0, -1), *((place + length_of_run(new, place), rank) for place, rank in kept_chain)]
    ends = [*kept_chain, (new.n, len(kept.runs))]
    sizes, gone = [], []
    for number, ((start, rank), (end, following)) in enumerate(zip(edges, ends, strict=True)):
        missing = sum(start <= at < end for at in places)
        size = max(0, end - start)
        if kept.limit < EVERY:
            size = max(0.0, (end - start) * missing / (missing + 1) - 2)
        runs = (following - rank - 1) * EVERY / kept.limit
        broken = length_of_run(new, end) - 1 if 0 < number < len(kept_chain) else 0
        sizes.append(size)
        gone.append(max(0.0, runs - broken))
    main = kept.units.tolist()
    differing = len(distinct) + len(lost)
    told = len(respelt(new, kept, novel, lost)) if lost and differing <= 16 else 0
    return {
        "runs in common": len(common) / max(1, len(places)),
        "kept runs in common": min(1, len(kept_chain) / max(1, len(kept.runs))),
        "new share": sum(sizes) / max(1, new.n),
        "moved runs": 1 - len(kept_chain) / max(1, len(common)),
        "new words": np.log1p(len(distinct) / per),
        "share of new words": len(novel) / max(1, new.n),
        "new numbers": np.log1p(len(numbers)),
        "lost words": np.log1p(len(lost) / per),
        "share of lost words": len(lost) / max(1, len(units)),
        "lost main units": sum(one not in mine for one in main) / max(1, len(main)),
        "repeated new words": np.log1p(sum(count > 1 for count in often.values()) / per),
        "most frequent new word": np.log1p(max(often.values(), default=0)),
        "share of respelt words": told / max(1, differing),
        "longest new": np.log1p(max(sizes) / per),
        "longest lost": np.log1p(max(gone) / per),
        "new before": np.log1p(sizes[0] / per),
        "new names": np.log1p(len(named)),
    }


def spellings(word: str, letters: list[str]) -> set[str]:
    """A word without a letter, with one more or another one, with two neighbours exchanged."""
    cuts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    made = {head + tail[1:] for head, tail in cuts} | {head + tail[1] + tail[0] + tail[2:] for head, tail in cuts[:-2]}
    return made | {head + one + tail[i:] for head, tail in cuts for one in letters for i in (0, 1)}


def respelt(new: FeatureStrings, kept: Fingerprint, novel: list[int], lost: set[int]) -> set[int]:
    """Novel and lost units that are told by another spelling: the kept text has it there, in a run at least."""
    words, found = tokens(new.text), set()
    letters = sorted({*ascii_lowercase, *filter(str.isalpha, "".join(words))})[:64]
    for place, word in enumerate(words):
        spelt = place in novel and new.kinds[place] != NUMBER and 4 <= len(word) <= 32
        ways = [(way, 1) for way in spellings(word, letters)] if spelt else []
        if place + 1 < len(words):
            ways.append((word + words[place + 1], 2))
        for way, length in ways:
            unit = (crc32(way.encode()) * 2654435769 >> 16) % (1 << 16)
            if unit not in lost:
                continue
            other = FeatureStrings(" ".join([*words[:place], way, *words[place + length :]]))
            begins = [at for at in range(max(0, place - 4), place + 1) if other.runs[at]]
            there = [other.runs[at] >> 32 & 0xFFFF in kept.runs for at in begins if other.kinds[at] != IDEOGRAPH]
            if any(there):
                found |= {unit, *(int(new.places[at]) for at in range(place, place + length) if at in novel)}
    return found


def length_of_run(new: FeatureStrings, place: int) -> int:
    """Units of the run that begins there."""
    return RUN_OF_IDEOGRAPHS if place < new.n and new.kinds[place] == IDEOGRAPH else RUN
