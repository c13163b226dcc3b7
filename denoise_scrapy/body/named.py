"""Named texts of a page, such as its author or a price, found by examples of its site.

An example names a text of its page. A spot is a text between tags, an attribute, or the whole text of a small element;
its place is its path by tags and names without numbers. Each spot that holds the text on the example's page is a
witness of where the text is on another page: in a spot of the same place, between the same words. Witnesses that agree
add up, those that differ take away.

Source: ours.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice, pairwise, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from denoise_scrapy.core.characters import letters, without_unseen
from denoise_scrapy.exceptions import TooLargeError
from denoise_scrapy.page.parse import root_of, to_utf8
from denoise_scrapy.page.selectors import MAX_ELEMENTS, PREFIXES, compile_selector

if TYPE_CHECKING:
    from denoise_scrapy.body.examples import Example

#: Characters of a text, elements in one whose whole text is read, witnesses of a text, and spots of a place: pages are
#: hostile.
MOST_CHARS, MOST_INNER, MOST_WITNESSES, MOST_SPOTS = 500, 12, 12, 100
#: How certain a witness is by what its place and a spot have in common: the whole path, its last three steps, its last
#: two, its tags; what is left of that if only a part of a spot is the text, if the place has several, and if it is
#: the example's own text though other witnesses find another; and the certainty below which nothing is found. A
#: selector that finds one element is as certain as a path. Measured by `python -m benchmarks.teach --fields`.
CERTAIN, PART, SEVERAL, SAME, LEAST = (0.9, 0.9, 0.8, 0.6), 0.9, 0.4, 0.5, 0.75
_ATTRIBUTES = ("content", "datetime", "value", "title", "alt")
_NAMES = ("class", "id", "itemprop", "property", "name", "rel")
_UNREAD = frozenset("script style template noscript svg iframe select textarea".split())
#: A number ends where no more of it follows: of many in a row, each is found in one way.
_NUMBER = r"\d(?:[\d.,:/]*\d)?(?![.,:/]*\d)"
_WORD = r"[^\W\d]+"
_WORDS = re.compile(rf"{_NUMBER}|{_WORD}|[^\w\s]")
#: Characters of scripts that write spaces between words.
_SPACED = r"0-9A-Za-z\u00aa-\u2000"


class Found(NamedTuple):
    """A text of a page, and how certain it is that it is the one that an example names, 0 to 1."""

    text: str
    certainty: float


class _Spot(NamedTuple):
    """A text of a page, its places in the order of `CERTAIN`, the letters before it, and whether a reader sees it."""

    text: str
    places: tuple[int, ...]
    before: str = ""
    is_shown: bool = True


class _Witness(NamedTuple):
    """A spot that holds a text: which one of its place it is, by width; and patterns of the text, the best first."""

    spot: _Spot
    number: tuple[int, ...]
    patterns: tuple[re.Pattern[str], ...]
    is_whole: bool


def _spots_of(root: Any) -> Iterator[_Spot]:
    """Yield the texts of a page's tree in order."""
    paths: dict[Any, tuple[int, int, bytes, bytes]] = {}
    before = ""
    for element in islice(root.iter("*"), MAX_ELEMENTS):
        whole, tags, parent, above = paths.get(element.getparent(), (0, 0, b"", b""))
        given = dict(element.items())
        step = _step(element.tag, " ".join([given[name][:MOST_CHARS] for name in _NAMES if name in given]))
        whole, tags = crc32(step, whole), crc32(element.tag.encode("utf-8", "replace"), tags)
        paths[element] = whole, tags, step, parent
        texts = [(given[name], name) for name in _ATTRIBUTES if name in given]
        if element.tag not in _UNREAD:
            inner = [*islice(element.iter("*"), 1, MOST_INNER + 1)]
            texts.append((element.text or "", "text"))
            if 0 < len(inner) < MOST_INNER:
                texts.append((" ".join(islice(element.itertext(), 2 * MOST_INNER)), "whole"))
            texts += [(one.tail, f"after {one.tag}") for one in inner if one.tail and one.getparent() is element]
        for text, kind in texts:
            if text and (read := _plain(text)):
                of = kind.encode("utf-8", "replace")
                near = crc32(above + parent + step + of), crc32(parent + step + of)
                is_shown = kind not in _ATTRIBUTES and element.tag != "title"
                yield _Spot(read, (crc32(of, whole), *near, crc32(of, tags)), before, is_shown)
                before = re.sub("[0-9]+", "", letters(read))[-MOST_INNER:] if kind != "whole" else before


@lru_cache(1_000)  # lists repeat theirs
def _step(tag: str, names: str) -> bytes:
    """Return a step to an element: its tag, and the words of its names without digits."""
    return f"{tag} {' '.join(sorted(re.sub('[0-9]+', '', names).split()))}".encode("utf-8", "replace")


def _plain(text: str) -> str:
    return " ".join(without_unseen(text[:MOST_CHARS]).split())


def _patterns(text: str, prefix: str, suffix: str) -> Iterator[re.Pattern[str]]:
    """Yield patterns of a text between the words around it, with fewer and fewer of these; of a number by its form."""
    is_number = 4 * sum(map(str.isdigit, text)) >= len(letters(text))
    form = _joined([_form(word) for word in _WORDS.findall(text)]) if is_number else ".+?"
    before, behind = _WORDS.findall(prefix), _WORDS.findall(suffix)
    for most in (3, 1):
        start = rf"(?:^|\W)\s?{_joined([_same(word) for word in before[-most:]])}\s?" if before else "^"
        end = rf"\s?{_joined([_same(word) for word in behind[:most]])}" if behind else "$"
        yield re.compile(f"{start}({form}){end}")
    if is_number:
        yield re.compile(rf"(?<!\d)({form})(?!\d)")


def _joined(patterns: Sequence[str]) -> str:
    """Join patterns of words; a space is between two numbers, and between two of any words."""
    spaces = (r"\s" if one == other in (_NUMBER, _WORD) else r"\s?" for one, other in pairwise(patterns))
    return "".join(chain.from_iterable(zip_longest(patterns, spaces, fillvalue="")))


def _form(word: str) -> str:
    return _NUMBER if word[0].isdigit() else _WORD if word.isalnum() else re.escape(word)


def _same(word: str) -> str:
    return _NUMBER if word[0].isdigit() else re.escape(word)


def _witnesses_of(spots: Sequence[_Spot], text: str) -> tuple[_Witness, ...]:
    """Return the spots of an example's page that hold a text, those that are it first; none if it is not there."""
    met, found = defaultdict[int, int](int), list[_Witness]()
    pattern = re.compile(rf"(?<![{_SPACED}]){re.escape(text)}(?![{_SPACED}])")
    for spot in spots:
        number = tuple([met[place] for place in spot.places])
        for place in {*spot.places}:
            met[place] += 1
        if match := pattern.search(spot.text):
            around = spot.text[: match.start()], spot.text[match.end() :]
            found.append(_Witness(spot, number, tuple(_patterns(text, *around)), not "".join(around).strip()))
    return tuple(sorted(found, key=lambda one: (not one.is_whole, not one.spot.is_shown))[:MOST_WITNESSES])


def _told(witness: _Witness, known: Mapping[int, Sequence[_Spot]]) -> Found | None:
    """Return what a witness finds on a page, given its spots by their places."""
    at = next((width for width, place in enumerate(witness.spot.places) if place in known), None)
    if at is None:
        return None
    every = known[witness.spot.places[at]]
    for weaker, pattern in enumerate(witness.patterns):
        matches = [(spot, match) for spot in every for match in pattern.finditer(spot.text) if letters(match[1])]
        if matches:
            same = [match for spot, match in matches if spot.before == witness.spot.before]
            match = (same or [match for _, match in matches][witness.number[at] :] or [matches[0][1]])[0]
            certainty = CERTAIN[at] * PART ** (weaker + (not witness.is_whole))
            return Found(match[1].strip(), certainty * (SEVERAL if len(matches) > 1 else 1))
    return None


def _selected(root: Any, selector: str) -> str:
    """Return the text of the first element that a selector finds on a page, "" without one."""
    with suppress(TooLargeError):
        found = compile_selector(selector).find(root)
        first = next((element for element in root.iter("*") if element in found), None) if found else None
        if first is not None:
            texts = ("".join(islice(first.itertext(), MOST_CHARS)), *(first.get(name, "") for name in _ATTRIBUTES))
            return next(filter(None, map(_plain, texts)), "")
    return ""


def _read(html: str | bytes) -> tuple[Any, list[_Spot]]:
    root = root_of(to_utf8(html), for_selectors=True)
    return root, [] if root is None else [*_spots_of(root)]


class _Names(NamedTuple):
    """What an example names: a mark of its page, its texts, and their witnesses."""

    mark: int
    texts: Mapping[str, str]
    witnesses: Mapping[str, tuple[_Witness, ...]]


@lru_cache(256)
def _names_of(example: Example) -> _Names:
    root, spots = _read(example.html)
    given = {} if root is None else example.fields
    texts = {name: _selected(root, one) if one.startswith(PREFIXES) else _plain(one) for name, one in given.items()}
    found = {name: _witnesses_of(spots, text) for name, text in texts.items() if text}
    return _Names(_mark_of(spots), {name: texts[name] for name, some in found.items() if some}, found)


def _mark_of(spots: Iterable[_Spot]) -> int:
    return crc32("\n".join(spot.text for spot in spots).encode("utf-8", "replace"))


def named_texts(html: str | bytes, examples: Iterable[Example]) -> dict[str, Found]:
    """Return the texts of a page that examples of its site name, where they are certain.

    Raises:
        ValueError: A selector of an example is invalid.
    """
    root, spots = _read(html)
    known = defaultdict[int, list[_Spot]](list)
    votes = defaultdict[str, dict[str, Found]](dict)
    for spot in spots:
        for place in {*spot.places}:
            if len(known[place]) < MOST_SPOTS:
                known[place].append(spot)
    mark, own = _mark_of(spots), dict[str, Found]()
    for example in examples if root is not None else ():
        names = _names_of(example)
        if names.mark == mark:
            own |= {name: Found(text, 1.0) for name, text in names.texts.items()}
        told = {name: [_told(one, known) for one in some] for name, some in names.witnesses.items()}
        for name, one in example.fields.items():
            if one.startswith(PREFIXES):
                told.setdefault(name, []).append(Found(_selected(root, one), CERTAIN[0]))
        for name, some in told.items():
            for text, certainty in _doubted(some, names.texts.get(name, "")):
                first, sure = votes[name].get(letters(text), Found(text, 0.0))
                votes[name][letters(text)] = Found(first, 1 - (1 - sure) * (1 - certainty))
    found = {name: _likeliest(some.values()) for name, some in votes.items()}
    return {name: best for name, best in found.items() if best.certainty >= LEAST} | own


def _doubted(told: Iterable[Found | None], example: str) -> list[Found]:
    """Return what witnesses find; the example's own text is less certain if others find another."""
    found = [one for one in told if one is not None and one.text]
    is_same = [letters(one.text) == letters(example) for one in found]
    weight = 1 if all(is_same) else SAME
    return [Found(one.text, one.certainty * (weight if same else 1)) for one, same in zip(found, is_same, strict=True)]


def _likeliest(some: Iterable[Found]) -> Found:
    """Return the most certain of texts that differ, as certain as it is beside the others."""
    odds = {one.text: one.certainty / max(1 - one.certainty, 1e-9) for one in some}
    text = max(odds, key=odds.__getitem__)
    return Found(text, round(odds[text] / (1 + sum(odds.values())), 4))
