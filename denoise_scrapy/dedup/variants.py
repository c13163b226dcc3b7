"""Variants and versions: distinguishing similar texts about different things, and detecting changes of an item.

The pages of a site are more often filled-in forms than copies of each other: jobs, flats, products, notices. Their
texts are as similar as copies, but differ in what readers came for. So a text similar to a kept text of its site is a
variant, and kept, if its title differs, if a field of its item differs, or if words replace others. A text that only
lacks something, or has more at an end, is a copy: a print view, a page without its first paragraph.

Fingerprints are for finding copies: they ignore letter case, accents, punctuation and other fields. The version of an
item, its state when it was kept, shows whether anything has changed when it is scraped again.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.feature_strings import (
    EVERY,
    IDEOGRAPH,
    NUMBER,
    PIECE,
    RUN,
    RUN_OF_IDEOGRAPHS,
    UNIT_BITS,
    FeatureStrings,
    count_common,
    is_stop,
    read_units,
)
from denoise_scrapy.dedup.rules import TITLE_CAP, VALUES_CAP, Comparison, Fingerprint, NewText, Rule, gaps, steps
from denoise_scrapy.dedup.store import Name, Record

# A text is another form if it lacks at least this share of the units that the kept form has and its siblings do not:
# of 4,420 synthetic forms, one in a hundred lacks less than .4; of their copies, which lack dates and view counts, one
# in five lacks more. Lower if the text differs in its middle. Without a common title, one missing unit is enough.
LACKS, LACKS_INSIDE = 0.4, 0.25
# Percent of the common runs to ignore at each end of a text: the line at the top of a print view repeats words of the
# title in its address.
OUTER_PERCENT = 3
# Words replace others unless one side has this many times as many: in the whole texts, and at one place, where words
# of one text are compared with runs of the other.
UNITS_RATIO, MORE_UNITS, PLACE_RATIO = 5, 2, 20.0
# Minimum shares of a kept text that a part must have to be a copy on the same site; below, the kept page has several
# texts. The first applies if only the beginning is missing, as in copies without their first paragraphs.
LEAST_END, LEAST_PART = 0.4, 0.5
# Maximum texts of one site to align with a new one, the most similar first: a copy of one of many variants is most
# similar to its own original.
MOST_ALIGNED = 8

# A text under the same title is edited, not filled in, if at least this many words differ, none of them numbers and
# less than this share of them names. None of 620 synthetic forms with the same title counts as edited; all of the
# portal's reprints do in which some words are replaced by synonyms, with 6 one of them does not.
EDITED, EDITED_NAMES = 5, 0.3
# What a text says beside what it repeats is content from so many words on, within it or at an end, where a correction
# has 13 words and the entry of a list 17. At an end of another view of the page, the address and date of the print have
# up to 28.
SENTENCE, END_SENTENCE, VIEW_SENTENCE = 12, 15, 30
# So many words of content are novel and no numbers, and so large a share of those that are no stop words: new sentences
# have .8 and more; .3 to .6 are found where sentences moved or tables differ.
NOVEL, NOVEL_SHARE = 5, 0.5
# Words per sentence at an end from which it is prose: share and cookie lines have six, news twenty.
PROSE = 10
# Maximum shares of a copy on another site that are content: in the place of text of the kept one, and in one piece. Of
# 757 copies of the streams and 240 made reprints, none has more than .14 and .19; two short texts above one notice have
# .19 and more in the place of others, a wire text below a local paragraph .29 in one piece.
MOST_REPLACED, MOST_APART = 0.16, 0.2
# In another filling of a form on another site, names replace others at `REPLACED` places, of which one with a number
# counts for two: of a date or an hour written in another way there is one. New words are at most `MOST_NOVEL` times as
# many as lost ones, and more places are filled in than have text more or less. Of 567 copies in the streams and among
# recorded pages, one is like that while samples are halved `MOST_HALVED` times at most, as of texts under some
# 1,500 units; of longer ones, a law is as well.
REPLACED, MOST_NOVEL, MOST_HALVED = 4, 2, 3
# Maximum share of values in a line of details, which has labels as well: in those of flats, cars and courses, made
# forms, half of the units are values. Of 1,097 recorded texts below the long bylines of two portals, in which more are,
# 13 are variants.
MOST_FILLED = 0.6
# Numbers that one paper writes as words and another in figures: of 1,097 texts to which a made style sheet was applied,
# with these 175 were variants, and 6 are if a figure has to replace a figure.
SMALL = FeatureStrings(" ".join(map(str, range(13)))).places
# Minimum words of each of two headlines that the other lacks, if they are made anew: names of products differ in three.
ANEW = 4
# Maximum units above a byline below the headline: headlines of news have up to 12 words, or 20 ideographs.
HEADLINE = 20
# Units per word of scripts without spaces, where units have 1.1 to 1.4 characters: elsewhere five and more.
PER_WORD, CHARACTERS = 5 / 3, 2
# Minimum share of a kept text's runs in a text that holds nearly all of it: a few words may be corrected.
HELD = 0.8
_SITE_MARK = re.compile(r"\s[|·•»:–—-]+\s")  # before or after the name of a site in a title
_SENTENCE_END = re.compile(r"[.!?।؟]+(?=\s|$)|[。！？]|\n")
_WHOLE_WORDS = re.compile(rf"\S.{{,{PIECE}}}\S*", re.DOTALL)
_PART = re.compile(r"(?<![^/?&;#])[^/?&;#]+?(?=\.[a-z]{3,5}(?:[/?&;#]|$)|[/?&;#]|$)")
# Labels of a host that name a view of a site, not a site, unless what follows them is no site: m.co.uk is one itself.
_VIEW = re.compile(r"(?<![^.])(?:www\d*|m|mobile|amp|wap|touch)\.(?!(?:com?|org|net|gov|edu|ac)\.\w\w$)(?=.+\.)")


def site_of(key: str) -> str:
    """Return the site of a key that is a URL, else "".

    It is the host without labels such as `www`. The port counts only where there is no domain: at an address or a name
    such as `localhost`, ports are different programs.

    Example:
        >>> site_of("https://www.A.example:8443/jobs/7"), site_of("http://m.a.example/jobs/7"), site_of("sku 7")
        ('a.example', 'a.example', '')
        >>> site_of("http://127.0.0.1:8808/"), site_of("http://localhost:80/")
        ('127.0.0.1:8808', 'localhost')
    """
    if "://" not in key:
        return ""
    try:
        parts = urlsplit(key)
        host, port = (parts.hostname or "").rstrip("."), parts.port
        host = host if host.isascii() else host.encode("idna").decode()
    except ValueError:
        return ""
    if "." in host and not host[-1].isdigit() and ":" not in host:
        return _VIEW.sub("", host)
    return host + ("" if port in {None, 80, 443} else f":{port}")


def is_same_site(one: str, other: str) -> bool:
    """Return whether two hosts belong to one site: they are equal, or one is a subdomain of the other.

    Example:
        >>> is_same_site("a.example", "m.a.example"), is_same_site("a.example", "b.example"), is_same_site("", "")
        (True, False, False)
    """
    return bool(one and other) and (one == other or one.endswith("." + other) or other.endswith("." + one))


def hash_title(title: str) -> bytes:
    """Return a title as stored in a fingerprint: hashes of its units, and 0 if the name of a site may be part of it."""
    if not title:
        return b""
    units = FeatureStrings(title).places[:TITLE_CAP]
    return np.unique(np.append(units, [0] * bool(_SITE_MARK.search(title)))).astype("<u2").tobytes()


def _titles(*titles: bytes) -> Iterator[npt.NDArray[np.uint16]]:
    """Yield the units of titles."""
    for title in titles:
        units = np.frombuffer(title, "<u2")
        yield units[units > 0]


def hash_values(values: Mapping[str, object]) -> bytes:
    """Return an item's other fields as stored in a fingerprint."""
    return _packed(sorted(_hashed(values))[:VALUES_CAP])


def other_title(new: FeatureStrings, one: bytes, other: bytes) -> bool:
    """Return whether two titles differ: each has a unit that the other lacks.

    False if one is unknown, or if the text has the units of the other title but not of its own, which then belongs to
    the template.
    """
    mine, theirs = _titles(one, other)
    if np.isin(mine, theirs).all() or np.isin(theirs, mine).all():  # as of an unknown one
        return False
    return bool(new.has(mine).all() or not new.has(theirs).all())


def longer_title(one: bytes, other: bytes, *, same_text: bool) -> bool:
    """Return whether one of two titles is the other and says more: with the same text, not the name of a site."""
    less, more = sorted(_titles(one, other), key=len)
    mark = same_text and b"\0\0" in (one[:2], other[:2])
    return 0 < len(less) < len(more) and bool(np.isin(less, more).all()) and not mark


def told_title(
    new: FeatureStrings, one: bytes, other: bytes, found: Difference, aligned: Sequence[Stretch], lines: Lines
) -> bool:
    """Return whether two known titles differ in units that tell the two texts apart as well.

    Words of one title only, if there are any, must be among those of its own text only: a headline made anew, or the
    name of a site, is not, even if it stands above the text.
    """
    mine, theirs = _titles(one, other)
    own, lacking = np.setdiff1d(mine, theirs), np.setdiff1d(theirs, mine)
    if not (len(own) or len(lacking)):
        return False
    anew = min(len(own), len(lacking)) >= ANEW * per_word(new)
    begin = next((one.end for one in aligned[:anew] if not one.start and lines.alone(one)), 0)
    told = not len(own) or np.isin(own, new.places[found.places[found.places >= begin]]).any()
    return bool(told and (not len(lacking) or np.isin(lacking, found.lacking).any()))


def other_values(one: bytes, other: bytes) -> set[int]:
    """Return the hashes of the names of fields in which two items have different values."""
    mine, theirs = map(_unpacked, (one, other))
    return {name for name, value in mine.items() if theirs.get(name, value) != value}


def is_view(one: str, other: str) -> bool:
    """Return whether one of two URLs of a site is the other with parts of a path or pairs of a query added.

    Entries of one page, whose URLs differ after the `#`, are not views of each other.
    """
    addresses = [url.partition("#") for url in (one, other) if "://" in url]
    parts = [Counter(_PART.findall(url.partition("://")[2].partition("/")[2])) for url, *_ in addresses]
    entry = len({entry for *_, entry in addresses}) > 1
    return len(parts) == 2 and not entry and (parts[0] <= parts[1] or parts[1] <= parts[0])


class Zones(NamedTuple):
    """Counts before the first run that two texts have in common, after the last, and in between."""

    head: float
    inner: float
    tail: float


class Difference(NamedTuple):
    """The alignment of a new text with a kept one."""

    places: npt.NDArray[np.intp]  # places in the new text of units missing from the kept one: (m,)
    novel: Zones  # counts of these places
    lost: Zones  # runs of the kept text missing from the new one, estimated from its sample
    lacking: npt.NDArray[np.uint16]  # units of the kept text missing from the new one: (k,)

    @property
    def inner(self) -> npt.NDArray[np.intp]:
        """The places within the common part: bylines at the ends have numbers and names."""
        return self.places[self.novel.head : len(self.places) - self.novel.tail]


def difference(new: FeatureStrings, kept: Fingerprint) -> Difference:
    """Align a text with a kept one."""
    theirs, limit = units_of(kept)
    novel = new.novel(theirs, limit)
    places, found = new.sampled(kept.runs, kept.limit)
    common, there = places[found], np.isin(kept.runs, new.sample(kept.limit))
    starts = common + np.where(new.kinds[common] == IDEOGRAPH, RUN_OF_IDEOGRAPHS, RUN) - 1
    lost = _zones(np.flatnonzero(~there), *[np.flatnonzero(there)] * 2)
    each = EVERY // kept.limit
    zones = Zones(*(each * one for one in lost))
    return Difference(novel, _zones(novel, common, starts), zones, theirs[~new.has(theirs)])


class Stretch(NamedTuple):
    """The part of a new text between two runs that a kept one has as well, before the first, or after the last."""

    start: int  # place where the run before ends
    end: int  # place where the run after begins
    size: float  # units that are new, estimated
    words: Sequence[int]  # places of novel units that are no numbers
    lost: int  # runs of the kept text missing there, estimated
    inner: bool  # whether both runs are neighbours in the kept text as well

    @property
    def replaces(self) -> bool:
        """True if it stands in the place of about as much of the kept text."""
        return 2 * self.lost >= self.size


def stretches(new: FeatureStrings, kept: Fingerprint, novel: npt.NDArray[np.intp]) -> list[Stretch]:
    """Return what a text has beside what it repeats, given the places of the units that the kept one lacks.

    A run that stands alone, and in another order than the runs around it, is common by chance: one in 400 is.
    """
    places, found = new.sampled(kept.runs, kept.limit)
    common, order = np.flatnonzero(found), kept.runs.argsort()
    runs = (new.runs[places[common]] >> np.uint64(32)).astype(np.uint16)
    theirs = order[kept.runs.searchsorted(runs, sorter=order)]
    stray = np.flatnonzero(theirs[2:] - theirs[:-2] == 1) + 1  # known from elsewhere, between two neighbours
    theirs[stray] = theirs[stray + 1]
    there = np.unique(theirs)
    ranks = there.searchsorted(theirs)
    linked = (steps(common, len(found)) == 1) | (steps(ranks, len(there)) == 1)
    real = linked[1:] | linked[:-1]
    between, inner = gaps(new, kept, common[real]), steps(ranks[real], -1) == 1
    inner[[0, -1]] = False
    lost = (steps(there, len(kept.runs)) - 1)[np.append(0, ranks[real] + 1)] * (EVERY // kept.limit)
    told, made = novel[new.kinds[novel] != NUMBER], []
    for start, end, size, runs_lost, within in zip(
        *(column.tolist() for column in (*between, lost, inner)), strict=True
    ):
        if size or runs_lost:
            words = told[slice(*told.searchsorted((start, end)))].tolist()
            most = words[-1] + 1 - words[0] if kept.limit < EVERY and words else size  # the rest was not sampled
            made.append(Stretch(start, end, min(size, most), words, runs_lost, within))
    return made


def per_word(new: FeatureStrings) -> float:
    """Return the units of a word, which are characters in scripts without spaces."""
    return PER_WORD if len(new.text) < CHARACTERS * new.n else 1.0


def is_prose(new: FeatureStrings, one: Stretch) -> bool:
    """Return whether a stretch has a sentence of novel words at least."""
    if len(one.words) < NOVEL or one.size < SENTENCE * per_word(new):
        return False
    plain = np.count_nonzero(~is_stop(new.hashes[one.words[0] : one.words[-1] + 1]))
    return bool(len(one.words) >= NOVEL_SHARE * plain)


def is_content(new: FeatureStrings, one: Stretch, lines: Lines, *, view: bool) -> bool:
    """Return whether a stretch of a text of the same site is content: a sentence or more; of lines, twice as much."""
    if not is_prose(new, one):
        return False
    first, last = (len(new.text) * place // new.n for place in (one.start, one.end))
    words = one.size / per_word(new)
    short = words < PROSE * len(_SENTENCE_END.findall(new.text, first, last))
    inner = one.inner and not lines.headed(one)
    least = SENTENCE * (1 + lines.alone(one)) if inner else VIEW_SENTENCE if view else END_SENTENCE
    return words >= least * (1 + short)


def _run(new: FeatureStrings) -> int:
    """Return the units of most runs."""
    return RUN_OF_IDEOGRAPHS if 2 * new.ideographs > new.n else RUN


def adds_words(new: FeatureStrings, kept: Fingerprint, one: Stretch, lines: Lines) -> bool:
    """Return whether a line has a few words more in one of two texts of a site, or others that are not novel.

    The words of a sampled text must be novel: others may be at another place.
    """
    run = _run(new)
    if one.words or (new.kinds[one.start : one.end] == NUMBER).any():
        few = one.lost < run and (one.words or kept.limit == EVERY)
    else:
        least = 0 if one.size else run
        few = kept.limit == EVERY and least <= one.lost < run + SENTENCE * per_word(new)
    return bool(one.inner and few and not (lines.alone(one) or lines.headed(one)))


def has_other_values(
    new: FeatureStrings, kept: Fingerprint, found: Difference, aligned: Sequence[Stretch], lines: Lines
) -> bool:
    """Return whether numbers and names replace others in several places, one within a line, and little else differs.

    A line of details, longer than a byline, has labels that both texts have beside its numbers. Versions of a text have
    sentences more or less as well. In a sample of a text, what a number replaces may be missing.
    """
    edited, filled, inside = 0, 0, False
    small = np.isin(found.lacking, SMALL).any()
    for one in aligned:
        places = found.places[slice(*found.places.searchsorted((one.start, one.end)))]
        numbers = (new.kinds[places] == NUMBER) & (small | ~np.isin(new.places[places], SMALL))
        size, has_number = one.end - one.start, numbers.any()
        replaces = len(places) > 0 and (one.lost > 0 or (kept.limit < EVERY and has_number and size <= SENTENCE))
        edited += -1 if replaces else 1
        if replaces and one.end < new.n and (has_number or are_names(new, places).any()):
            filled += (1 + has_number) * (1 + np.count_nonzero(np.diff(places) > 1))
            inside |= one.inner and lines.length(places) > (min(PROSE, size) if has_number else size) + PROSE
            last = places[numbers][REPLACED - 1 : REPLACED]
            if len(last) and len(places) <= MOST_FILLED * one.size:
                inside |= lines.length(last) > HEADLINE
    few = len(np.unique(new.places[found.places])) <= MOST_NOVEL * len(found.lacking)
    return bool(few and inside and filled >= REPLACED and edited < 0 and kept.limit >= EVERY >> MOST_HALVED)


def stands_apart(new: FeatureStrings, found: Sequence[Stretch]) -> bool:
    """Return whether a text has too much of its own for a copy on another site."""
    own = [one for one in found if is_prose(new, one)]
    replaced, most = sum(one.size for one in own if one.replaces), max((one.size for one in own), default=0)
    return replaced >= MOST_REPLACED * new.n or most >= MOST_APART * new.n


class Lines:
    """The lines of a text: captions, advertisements and bylines are lines of their own."""

    def __init__(self, new: FeatureStrings) -> None:
        self._text = new.text

    @cached_property
    def _places(self) -> npt.NDArray[np.intp]:
        """The places where lines begin, and the end of the text."""
        return np.cumsum([0, *(len(read_units(line).hashes) for line in self._text.splitlines())])

    def alone(self, one: Stretch) -> bool:
        """Return whether a stretch has lines of its own only."""
        begin, end = (one.words[0], one.words[-1] + 1) if one.words else (one.start, one.end)
        return bool(one.size or one.words) and self._begin(begin) >= one.start and self._end(end) <= one.end

    def length(self, places: npt.NDArray[np.intp]) -> int:
        """Return the units of the lines that the first and the last of some places are in, and of those in between."""
        return self._end(places[-1] + 1) - self._begin(places[0])

    def headed(self, one: Stretch) -> bool:
        """Return whether a stretch begins the line below a headline."""
        return one.start <= HEADLINE and self._begin(one.words[0] if one.words else one.start) >= one.start > 0

    def _begin(self, place: int | np.intp) -> int:
        return int(self._places[self._places.searchsorted(place, "right") - 1])

    def _end(self, place: int | np.intp) -> int:
        return int(self._places[self._places.searchsorted(place)])


def holds(new: NewText, kept: Fingerprint) -> bool:
    """Return whether nearly all of a kept text is in a longer one."""
    if not isinstance(new, FeatureStrings) or kept.too_short or new.n < kept.n:
        return False
    return count_common(new.sample(kept.limit), kept.s2) >= HELD * len(kept.runs)


def _zones(places: npt.NDArray[Any], firsts: npt.NDArray[Any], lasts: npt.NDArray[Any]) -> Zones:
    """Count places before, within and after the part of the text between the first and the last common run."""
    if not len(firsts):
        return Zones(0, len(places), 0)
    outer = OUTER_PERCENT * len(firsts) // 100
    head = int(np.count_nonzero(places < firsts[outer]))
    tail = int(np.count_nonzero(places > lasts[-1 - outer]))
    return Zones(head, len(places) - head - tail, tail)


def units_of(kept: Fingerprint) -> tuple[npt.NDArray[np.uint16], int]:
    """Return the stored units of a text except stop units, and the hash below which they are complete."""
    rare = np.frombuffer(kept.rare, "<u2")
    limit = 1 << UNIT_BITS >> int(rare[0]) if len(rare) else 1 << UNIT_BITS
    units = np.concatenate([kept.units, rare[1:]])
    return units[units < limit], limit


def _is_edited(new: FeatureStrings, places: npt.NDArray[np.intp]) -> bool:
    """Return whether the words at some places look like an editor's changes: many, no numbers, few names."""
    if len(places) < EDITED or (new.kinds[places] == NUMBER).any():
        return False
    return bool(are_names(new, places).mean() < EDITED_NAMES)


def are_names(new: FeatureStrings, places: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
    """Return which words, by their places, are names."""
    return np.isin(new.hashes[places], new.names)


def is_filled_in(
    new: FeatureStrings,
    kept: Fingerprint,
    siblings: Sequence[Fingerprint],
    found: Difference,
    *,
    same_site: bool,
    same_title: bool,
    view: bool,
) -> bool:
    """Return whether a text, as similar to a kept one as a copy, is the same form filled in differently.

    It is if each of the two has units that the other lacks at the same place: before the common part, after it, or
    within it. `siblings`, other kept texts of the form, show which units only the kept one has: a copy has most of
    them, another form does not. On another site, differences at the ends are a byline or a notice, and three texts are
    needed to establish a form. `same_title` means that both titles are known and equal. `view` means that one address
    is the other with something added: differences at the ends then belong to the template.
    """
    places, novel, lost, lacking = found
    if same_site and not same_title and new.n < (LEAST_PART if lost.tail else LEAST_END) * kept.n:
        return True
    fewer, more = sorted((len(places), len(lacking)))
    if not fewer or more > MORE_UNITS + UNITS_RATIO * fewer or (not novel.inner and (view or not same_site)):
        return False
    zones = zip(novel, lost, strict=True)
    apart = not any(there and there <= PLACE_RATIO * here <= PLACE_RATIO**2 * there for here, there in zones)
    if (any(lost) and apart) or (same_site and same_title and _is_edited(new, found.inner)):
        return False
    if len(siblings) < (1 if same_site else 2):
        return same_site
    units = units_of(kept)[0]
    alone = units[~np.all([np.isin(units, units_of(one)[0]) for one in siblings], axis=0)]
    lacks = int(np.count_nonzero(np.isin(alone, lacking)))
    if same_site and not same_title:
        return lacks > 0
    return lacks >= (LACKS_INSIDE if novel.inner and same_site else LACKS) * max(1, len(alone))


class ReadText(NamedTuple):
    """A text read by `DuplicateIndex.read`, which the index accepts in place of the text, and its item's name."""

    text: NewText
    fingerprint: Fingerprint
    version: Version | None = None
    field_names: Sequence[str] = ()  # names of its version's fields
    name: Name = Name("")
    is_short: bool = False  # whether it is too short to be judged by similarity
    value_names: Sequence[str] = ()  # names of its item's other fields

    def of_item(self, title: str, values: Mapping[str, object]) -> ReadText:
        """Add the title and the other fields of its item."""
        if not title and not values:
            return self
        made = replace(self.fingerprint, title=hash_title(title), values=hash_values(values))
        return self._replace(fingerprint=made, value_names=tuple(values))

    def of_version(
        self, text: str, title: str, shown: Mapping[str, object], source: str, chunks: Iterable[str]
    ) -> ReadText:
        """Add what shows a change of its item, as for `DuplicateIndex.read`."""
        taken = text if "title" in shown else f"{title}\n{text}"
        return self._replace(version=Version.of(taken, shown, source, chunks), field_names=tuple(shown))


def read_text(rule: Rule, text: str) -> ReadText:
    """Read a text by a rule: what does not depend on the fields of its item."""
    new = rule.read(text)
    made = rule.fingerprint(new)
    return ReadText(new, made, is_short=rule.too_short(made))


OTHER_VALUES, ANOTHER_TITLE, SAYS_MORE = "other values", "another title", "it says more"
STANDS_APART = "much of it is its own"  # such a text is no variant either


class Like(NamedTuple):
    """A kept text that a new one repeats, according to the rule."""

    record: Record
    proof: Comparison
    own: bool  # True if it is from the same site
    siblings: Sequence[Fingerprint] = ()  # other texts of its form that the new one repeats as well

    @property
    def in_a_form(self) -> bool:
        """True if it may be a variant: it is from the same site, or one of several texts of a form."""
        return self.own or bool(self.siblings)


def likest(item: ReadText, likes: Iterable[Like]) -> list[Like]:
    """Return the texts to align with a text: with its title first, then with the most runs in common."""

    def rank(like: Like) -> tuple[bool, float, float, int]:
        other_title = like.record.fingerprint.title != item.fingerprint.title
        return other_title, -like.proof.c2, like.proof.new, like.record.id

    return sorted(likes, key=rank)[:MOST_ALIGNED]


def why_variant(item: ReadText, like: Like) -> str:
    """Return why a text is not a copy of a kept one that it repeats; "" if it is a copy."""
    return next(_reasons(item, like), "")


# Maximum fields that are named if nothing else tells a variant from a copy: a rank or the number of a visit, of which
# items seldom have more.
MOST_NAMED = 2


def lone_fields(item: ReadText, like: Like) -> tuple[str, ...]:
    """Return the names of the few fields but for whose values an item would be a copy of a kept one; none otherwise."""
    other = other_values(item.fingerprint.values, like.record.fingerprint.values)
    named = tuple(name for name in item.value_names if _crc(name) in other)
    alike = item._replace(fingerprint=replace(item.fingerprint, values=b""))
    return named if 0 < len(named) <= MOST_NAMED and not why_variant(alike, like) else ()


def _reasons(item: ReadText, like: Like) -> Iterator[str]:
    """Yield the reasons, those that are found first at the start."""
    mine, theirs, new = item.fingerprint, like.record.fingerprint, item.text
    if other_values(mine.values, theirs.values):
        yield OTHER_VALUES
    if not isinstance(new, FeatureStrings):
        return
    one_site = like.own or not (item.name.site or like.record.name.site)
    if one_site and other_title(new, mine.title, theirs.title):
        yield ANOTHER_TITLE
    view, same_text = like.own and is_view(item.name.key, like.record.name.key), mine.digest == theirs.digest
    if one_site and not view and longer_title(mine.title, theirs.title, same_text=same_text):
        yield ANOTHER_TITLE
    if same_text:
        return
    same_title = bool(mine.title and theirs.title)
    found = difference(new, theirs)
    aligned, lines = stretches(new, theirs, found.places), Lines(new)
    if same_title and not view and told_title(new, mine.title, theirs.title, found, aligned, lines):
        yield ANOTHER_TITLE
    own = [one for one in aligned if like.own and is_content(new, one, lines, view=view)]
    if not all(one.replaces for one in own):
        yield SAYS_MORE
    if like.in_a_form and is_filled_in(
        new, theirs, like.siblings, found, same_site=like.own, same_title=same_title, view=view
    ):
        yield "something else is filled in"
    if not like.own and has_other_values(new, theirs, found, aligned, lines):
        yield "other values are filled in"
    if own or (not like.own and stands_apart(new, aligned)):
        yield STANDS_APART
    edited = same_title and UNITS_RATIO * len(found.lacking) >= len(found.inner) and _is_edited(new, found.inner)
    if like.own and not (view or edited) and any(adds_words(new, theirs, one, lines) for one in aligned):
        yield "words are added, left out or exchanged"


def related(item: ReadText, held: Sequence[Record]) -> tuple[str | None, tuple[str, ...]]:
    """Return the key of the kept text that a text updates, and the keys of those that it contains, which it holds.

    An update is at most twice as long, or has the same title and holds nothing else but older versions.
    """
    mine, new = item.fingerprint, item.text
    longest = max(held, key=lambda one: (one.fingerprint.n, one.id), default=None)
    if longest is None or not isinstance(new, FeatureStrings):
        return None, ()
    theirs = longest.fingerprint
    if _may_update(new, mine, theirs):
        return longest.name.key, ()
    if mine.title and mine.title == theirs.title:
        begin, end = _where(new, theirs)
        if all(begin <= sum(_where(new, one.fingerprint)) / 2 <= end for one in held):
            return longest.name.key, ()
    return None, tuple(one.name.key for one in held)


def _may_update(new: FeatureStrings, mine: Fingerprint, theirs: Fingerprint) -> bool:
    """Return whether a text that holds another one may be its update by length and title."""
    return 2 * theirs.n >= mine.n and not other_title(new, mine.title, theirs.title)


def _where(new: FeatureStrings, kept: Fingerprint) -> tuple[float, float]:
    """Return about where a kept text begins and ends in one that holds it; runs are common by chance elsewhere."""
    places, found = new.sampled(kept.runs, kept.limit)
    first, third = np.quantile(places[found], (0.25, 0.75))
    return 1.5 * first - 0.5 * third, 1.5 * third - 0.5 * first


def latest(item: ReadText, like: Like, others: Iterable[Like]) -> Like:
    """Return the update that stands for a kept text, of the further texts that a copy of it repeats; else the text."""
    for other in others:
        old, one, new = like.record, other.record, item.text
        says_more = one.id > old.id and one.fingerprint.n >= old.fingerprint.n + SENTENCE
        if (
            says_more
            and other.proof.duplicate
            and isinstance(new, FeatureStrings)
            and is_same_site(old.name.site, one.name.site)
            and _may_update(new, one.fingerprint, old.fingerprint)
            and not why_variant(item, other)
        ):
            like = other
    return like


# Maximum fields compared one by one, 8 bytes each; further fields of an item count as one. Few items have twenty.
MOST_FIELDS = 64
TEXT, GONE, OTHERS, CHUNKS = "text", "(gone)", "(others)", "(chunks)"  # in `Version.changes`, in place of field names

_HEAD = struct.Struct("<Q8s8sI")  # time, text, source, number of fields
_ID = 16  # bytes of a UUID


class Version(NamedTuple):
    """Hashes of an item's text and fields when it was kept."""

    since: int  # when it was kept, in seconds since the epoch; 0 if not kept yet
    text: bytes  # 8-byte hash of its text, ignoring white space
    source: bytes  # 8-byte hash of the source of its text; all 0 if unknown
    fields: Mapping[int, int]  # hashes of name and value of its other fields
    chunks: bytes = b""  # UUIDs of its chunks; empty if unknown

    @classmethod
    def of(cls, text: str, fields: Mapping[str, object], source: str = "", chunks: Iterable[str] = ()) -> Version:
        """Return the version of an item that is not kept yet."""
        named = {name: fields[name] for name in sorted(fields)[:MOST_FIELDS]}
        if len(named) < len(fields):
            named[OTHERS] = {name: fields[name] for name in fields.keys() - named.keys()}
        return cls(
            0, _hash_words(text), _hash(source) if source else bytes(8), dict(_hashed(named)), packed_ids(chunks)
        )

    @property
    def chunk_ids(self) -> tuple[str, ...]:
        """The ids of its chunks."""
        return tuple(str(UUID(bytes=self.chunks[at : at + _ID])) for at in range(0, len(self.chunks), _ID))

    def changes(self, old: Version, names: Sequence[str]) -> tuple[str, ...]:
        """Return what differs from an older version: names of fields, `TEXT` first, `CHUNKS` and `GONE` at the end.

        `names` are those of this version's fields. If the source is the same but the text differs, only its extraction
        has changed, and the text counts as unchanged. `CHUNKS` is only that those of the older one are unknown.
        """
        known = {_crc(name): name for name in (*names, OTHERS)}
        same_text = self.text == old.text or (self.source == old.source and any(self.source))
        found = [] if same_text else [TEXT]
        found += [name for hashed, name in known.items() if self.fields.get(hashed) != old.fields.get(hashed)]
        found += [CHUNKS] if self.chunks and not old.chunks else []
        return (*found, GONE) if old.fields.keys() - self.fields.keys() - known.keys() else tuple(found)

    def pack(self) -> bytes:
        """Encode it for a store; `Version.unpack` decodes it."""
        head = _HEAD.pack(self.since, self.text, self.source, len(self.fields))
        return head + _packed(self.fields.items()) + self.chunks

    @classmethod
    def unpack(cls, data: bytes) -> Version | None:
        """Decode bytes from a store; None if there are none, or they are damaged."""
        if len(data) < _HEAD.size:
            return None
        since, text, source, count = _HEAD.unpack_from(data)
        end = _HEAD.size + 8 * count
        if end > len(data) or (len(data) - end) % _ID:
            return None
        return cls(since, text, source, _unpacked(data[_HEAD.size : end]), data[end:])


def _packed(pairs: Iterable[tuple[int, int]]) -> bytes:
    """Return pairs of hashes as stored."""
    return np.array([*pairs], "<u4").tobytes()


def _unpacked(pairs: bytes) -> dict[int, int]:
    return dict(np.frombuffer(pairs, "<u4").reshape(-1, 2).tolist())


def packed_ids(names: Iterable[str]) -> bytes:
    """Return UUIDs as bytes; what is none is left out."""
    packed = []
    for name in names:
        with suppress(ValueError, AttributeError):
            packed.append(UUID(name).bytes)
    return b"".join(packed)


def _hashed(fields: Mapping[str, object]) -> list[tuple[int, int]]:
    """Return the hashes of each field's name and value, as stored."""
    return [(_crc(name), _crc(written(value))) for name, value in fields.items()]


def _crc(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _hash_words(text: str) -> bytes:
    """Hash a text with its white space collapsed, in pieces: all words of a long one take ten times its memory."""
    made = hashlib.blake2b(digest_size=8)
    for piece in _WHOLE_WORDS.finditer(text):
        made.update((" ".join(piece[0].split()) + " ").encode("utf-8", "surrogatepass"))
    return made.digest()


def written(value: object) -> str:
    """Return a value as text, the same for equal values."""
    try:
        return json.dumps(value, default=str, sort_keys=True)
    except Exception:  # keys of several types, a list that contains itself, an object that raises any error
        with suppress(Exception):
            return repr(value)
        return type(value).__name__
