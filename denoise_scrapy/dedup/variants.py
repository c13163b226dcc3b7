"""Similar texts that are no copies, and the texts they belong to.

A text similar to a kept one is kept as well if a field of its item differs, if it has another title above the same
words, or if the evidence says so (`dedup/verdicts.py`). An update names the text that it updates, a variant the first
of its form.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np

from denoise_scrapy.core.feature_strings import FeatureStrings, count_common
from denoise_scrapy.dedup.rules import TITLE_CAP, VALUES_CAP, Comparison, Fingerprint, NewText, Rule
from denoise_scrapy.dedup.store import Name, Record
from denoise_scrapy.dedup.verdicts import COPY, VARIANT, Evidence, units_of
from denoise_scrapy.dedup.versions import Version, crc, hashed, packed, unpacked

# Minimum share of a kept text's runs in a text that holds nearly all of it: a few words may be corrected.
HELD = 0.8
# Maximum texts to align with a new one, the most similar first: a copy of one of many variants is most similar to its
# own original.
MOST_ALIGNED = 8
# Minimum length of a copy on the same site, as a share of the kept text: below, the kept page shows several texts. Of
# 19 read pairs below .6, 5 are copies.
LEAST_PART = 0.5
# Minimum share of "copy" of a text that is dropped; `python -m training.pairs` draws the curve.
CERTAINTY = 0.5
_SITE_MARK = re.compile(r"\s[|·•»:–—-]+\s")  # before or after the name of a site in a title
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
    units = {*FeatureStrings(title).places[:TITLE_CAP].tolist(), *[0] * bool(_SITE_MARK.search(title))}
    return np.array(sorted(units), "<u2").tobytes()


def hash_values(values: Mapping[str, object]) -> bytes:
    """Return an item's other fields as stored in a fingerprint."""
    return packed(sorted(hashed(values))[:VALUES_CAP]) if values else b""


def other_title(new: FeatureStrings, one: bytes, kept: Fingerprint, *, one_site: bool) -> bool:
    """Return whether two known titles say that the texts are about different things.

    Words of one title only, if there are any, tell the texts apart if some are among those of its own text only. On one
    site it is enough that each title has a word that the other lacks, unless the text has those of the other but not
    those of its own title, which then belongs to the template; or that one title says more, but for a site's name.
    """
    stored = (np.frombuffer(title, "<u2") for title in (one, kept.title))
    mine, theirs = (units[units > 0] for units in stored)  # 0 stands for the name of a site
    all_mine, all_theirs = set(mine.tolist()), set(theirs.tolist())
    own, lacking = all_mine - all_theirs, all_theirs - all_mine
    if not (all_mine and all_theirs) or not (own or lacking):
        return False
    units, below = units_of(kept)
    # a headline made anew above the text tells nothing of the text
    begin = 2 * len(mine) if all_mine.issubset(new.places[: 2 * len(mine)].tolist()) else 0
    found = new.novel(units, below)
    novel, lost = new.places[found[found >= begin]], units[~new.has(units)]
    told = not any(words and words.isdisjoint(only.tolist()) for words, only in ((own, novel), (lacking, lost)))
    if told or not one_site:
        return told
    if own and lacking:
        return bool(new.has(mine).all() or not new.has(theirs).all())
    return b"\0\0" not in (one[:2], kept.title[:2])


def other_values(one: bytes, other: bytes) -> set[int]:
    """Return the hashes of the names of fields in which two items have different values."""
    mine, theirs = map(unpacked, (one, other))
    return {name for name, value in mine.items() if theirs.get(name, value) != value}


def holds(new: NewText, kept: Fingerprint) -> bool:
    """Return whether nearly all of a kept text is in a longer one."""
    if not isinstance(new, FeatureStrings) or kept.too_short or new.n < kept.n:
        return False
    return count_common(new.sample(kept.limit), kept.s2) >= HELD * len(kept.runs)


def is_view(one: str, other: str) -> bool:
    """Return whether one of two URLs of a site is the other with parts of a path or pairs of a query added.

    Entries of one page, whose URLs differ after the `#`, are not views of each other.
    """
    addresses = [url.partition("#") for url in (one, other) if "://" in url]
    parts = [Counter(_PART.findall(url.partition("://")[2].partition("/")[2])) for url, *_ in addresses]
    entry = len({entry for *_, entry in addresses}) > 1
    return len(parts) == 2 and not entry and (parts[0] <= parts[1] or parts[1] <= parts[0])


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
        self, text: str, title: str, shown: Mapping[str, object], source: bytes, chunks: Iterable[str]
    ) -> ReadText:
        """Add what shows a change of its item, as for `DuplicateIndex.read`."""
        taken = text if "title" in shown else f"{title}\n{text}"
        return self._replace(version=Version.of(taken, shown, source, chunks), field_names=tuple(shown))


def read_text(rule: Rule, text: str) -> ReadText:
    """Read a text by a rule: what does not depend on the fields of its item."""
    new = rule.read(text)
    made = rule.fingerprint(new)
    return ReadText(new, made, is_short=rule.too_short(made))


OTHER_VALUES, ANOTHER_TITLE = "other values", "another title"


class Like(NamedTuple):
    """A kept text that a new one repeats, according to the rule."""

    record: Record
    proof: Comparison
    own: bool  # True if it is from the same site


def likest(item: ReadText, likes: Iterable[Like]) -> list[Like]:
    """Return the texts to align with a text: with its words, with its title, then with the most runs in common."""
    mine = item.fingerprint

    def rank(like: Like) -> tuple[bool, bool, float, float, int]:
        theirs = like.record.fingerprint
        return theirs.digest != mine.digest, theirs.title != mine.title, -like.proof.c2, like.proof.new, like.record.id

    return sorted(likes, key=rank)[:MOST_ALIGNED]


class Judged(NamedTuple):
    """What a text is beside a kept one: a kind of `verdicts.KINDS`, how likely it is, 0 to 1, and why."""

    kind: str
    share: float = 1.0
    reason: str = ""


def judged(item: ReadText, like: Like, certainty: float = CERTAINTY) -> Judged:  # noqa: PLR0911 - in this order
    """Judge a text beside a kept one that it repeats; `certainty` is the least share of a copy."""
    new, mine, theirs = item.text, item.fingerprint, like.record.fingerprint
    if other_values(mine.values, theirs.values):
        return Judged(VARIANT, reason=OTHER_VALUES)
    if not isinstance(new, FeatureStrings):
        return Judged(COPY)
    one_site = like.own or not (item.name.site or like.record.name.site)
    if other_title(new, mine.title, theirs, one_site=one_site) and not (
        like.own and is_view(item.name.key, like.record.name.key)
    ):
        return Judged(VARIANT, reason=ANOTHER_TITLE)
    if mine.digest == theirs.digest:
        return Judged(COPY)
    if like.own and mine.n < LEAST_PART * theirs.n:
        return Judged(VARIANT, reason="the kept text has several")
    found = Evidence.of(new, theirs)
    shares = found.shares()
    if shares.copy >= certainty:
        return Judged(COPY, shares.copy)
    kind = shares.other
    return Judged(kind, getattr(shares, kind), found.reason(kind))


# Maximum fields that are named if nothing else tells a variant from a copy: a rank or the number of a visit, of which
# items seldom have more.
MOST_NAMED = 2


def lone_fields(item: ReadText, like: Like, certainty: float) -> tuple[str, ...]:
    """Return the names of the few fields but for whose values an item would be a copy of a kept one; none otherwise."""
    other = other_values(item.fingerprint.values, like.record.fingerprint.values)
    named = tuple(name for name in item.value_names if crc(name) in other)
    alike = item._replace(fingerprint=replace(item.fingerprint, values=b""))
    return named if 0 < len(named) <= MOST_NAMED and judged(alike, like, certainty).kind == COPY else ()


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
    return 2 * theirs.n >= mine.n and not other_title(new, mine.title, theirs, one_site=True)


def _where(new: FeatureStrings, kept: Fingerprint) -> tuple[float, float]:
    """Return about where a kept text begins and ends in one that holds it; runs are common by chance elsewhere."""
    places, found = new.sampled(kept.runs, kept.limit)
    first, third = np.quantile(places[found], (0.25, 0.75))
    return 1.5 * first - 0.5 * third, 1.5 * third - 0.5 * first


def latest(item: ReadText, like: Like, others: Iterable[Like], certainty: float) -> Like:
    """Return the update that stands for a kept text, of the further texts that a copy of it repeats; else the text."""
    for other in others:
        old, one, new = like.record, other.record, item.text
        says_more = one.id > old.id and one.fingerprint.n > old.fingerprint.n
        if (
            says_more
            and other.proof.duplicate
            and isinstance(new, FeatureStrings)
            and is_same_site(old.name.site, one.name.site)
            and _may_update(new, one.fingerprint, old.fingerprint)
            and judged(item, other, certainty).kind == COPY
        ):
            like = other
    return like
