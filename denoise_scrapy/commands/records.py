"""A record as a line of JSON, and what may be wrong with one."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from denoise_scrapy.dedup import Fingerprint
from denoise_scrapy.dedup.features import EVERY
from denoise_scrapy.dedup.fingerprint import LEVELS
from denoise_scrapy.dedup.prefilter import BANDS
from denoise_scrapy.dedup.store import Name, Record

if TYPE_CHECKING:
    from denoise_scrapy.dedup.rule import Rule

DIGEST_BYTES = 16
BANDS_BYTES = 4 * BANDS
_HALVED = bytes(2)  # how often the sample of numbers was halved, before it
MOST_UNITS = 1 << 32  # a packed record has 32 bits for a length

_TEXTS = ("key", "scope", "group")
_NUMBERS = ("n", "t", "limit")
_BYTES = ("digest", "s1", "s2", "bands", "numbers")


def to_line(record: Record, seen: float | None = None) -> str:
    """Write a record as JSON, without the end of the line.

    Args:
        record: The record.
        seen: When it was last kept or seen again, in seconds since the epoch; None where that is not known.

    Example:
        >>> line = to_line(Record(1, Name("/a"), Fingerprint.of("some text")))
        >>> json.loads(line)["key"], from_line(line) == (Name("/a"), Fingerprint.of("some text"))
        ('/a', True)

    """
    f = record.fingerprint
    found: dict[str, Any] = {"id": record.id, **record.name._asdict()}
    found |= {name: getattr(f, name) for name in _NUMBERS}
    found |= {name: base64.b64encode(getattr(f, name)).decode("ascii") for name in _BYTES}
    if seen is not None:
        found["seen"] = int(seen)
    return json.dumps(found, ensure_ascii=False)


def seen_in(line: str) -> float | None:
    """Read when the text of a line was last seen; None where it does not say so."""
    seen = json.loads(line).get("seen")
    return float(seen) if isinstance(seen, int) and 0 <= seen < 1 << 40 else None


def from_line(line: str) -> tuple[Name, Fingerprint]:
    """Read a record; its id is not given back, for stores give their own.

    Raises:
        ValueError: It is no JSON, or lacks something.

    """
    found = json.loads(line)
    if not isinstance(found, dict):
        raise ValueError("no JSON object")
    for names, kind in ((_TEXTS + _BYTES, str), (_NUMBERS, int)):
        for name in names:
            if not isinstance(found.get(name), kind) or isinstance(found[name], bool):
                raise ValueError(f"{name!r} is {'missing' if name not in found else 'of a wrong type'}")
    values: dict[str, Any] = {name: found[name] for name in _NUMBERS}
    values |= {name: base64.b64decode(found[name], validate=True) for name in _BYTES}
    return Name(*(found[name] for name in _TEXTS)), Fingerprint(**values)


def flaws(name: Name, fingerprint: Fingerprint, rule: Rule) -> Iterator[str]:
    """Yield what is wrong with a record, a few words each.

    Args:
        name: Its name.
        fingerprint: Its fingerprint.
        rule: The rule of its store.

    Example:
        >>> from denoise_scrapy.dedup import RULES
        >>> list(flaws(Name(""), Fingerprint.of("some text"), RULES["part"]))
        ['the key is empty']

    """
    wrong = [*_name_flaws(name), *_type_flaws(fingerprint)]
    yield from wrong or _value_flaws(fingerprint, rule)


def _name_flaws(name: Name) -> Iterator[str]:
    for part, value in name._asdict().items():
        if not isinstance(value, str):
            yield f"the {part} is no text"
            continue
        try:
            value.encode()
        except UnicodeEncodeError:
            yield f"the {part} is text UTF-8 cannot write"
    if not name.key:
        yield "the key is empty"


def _type_flaws(fingerprint: Fingerprint) -> Iterator[str]:
    for names, kind, what in ((_NUMBERS, int, "whole number"), (_BYTES, bytes, "bytes")):
        for name in names:
            if type(getattr(fingerprint, name)) is not kind:
                yield f"{name} is no {what}"


def _value_flaws(fingerprint: Fingerprint, rule: Rule) -> Iterator[str]:
    f, damaged = fingerprint, False
    if not 0 <= f.n < MOST_UNITS or f.t not in LEVELS or not 0 <= f.limit <= EVERY:
        yield f"n = {f.n}, t = {f.t} or limit = {f.limit} is out of range"
    if len(f.digest) != DIGEST_BYTES:
        yield f"the digest has {len(f.digest)} bytes instead of {DIGEST_BYTES}"
    if len(f.bands) not in {0, BANDS_BYTES}:
        yield f"the bands have {len(f.bands)} bytes instead of none or {BANDS_BYTES}"
    for name, kind, each_once in (("s1", "<u2", True), ("s2", "<u2" if rule.has_bands else "<u4", False)):
        if not _is_sorted(getattr(f, name), kind, each_once=each_once):
            damaged = True
            yield f"{name} is damaged"
    if len(f.numbers) == len(_HALVED) or not _is_sorted(f.numbers[len(_HALVED) :], "<u2", each_once=True):
        yield "the numbers are damaged"
    if rule.has_bands and not damaged and bool(f.bands) == rule.too_short(f):
        yield "it has bands and is too short for them, or has none and should"


def _is_sorted(data: bytes, kind: str, *, each_once: bool) -> bool:
    """Whether bytes are whole numbers in ascending order."""
    if len(data) % np.dtype(kind).itemsize:
        return False
    values = np.frombuffer(data, kind)
    return bool(np.all(values[1:] > values[:-1] if each_once else values[1:] >= values[:-1]))
