"""Indexes of texts on the command line: opening one that is named, and its records as lines of JSON."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, unquote

import numpy as np
from scrapy.exceptions import UsageError

from denoise_scrapy.crawl.duplicates.index import INDEX_FILE
from denoise_scrapy.dedup import RULES, Fingerprint, RedisStore, SQLiteStore, Store, StoreMismatch
from denoise_scrapy.dedup.features import EVERY
from denoise_scrapy.dedup.fingerprint import LEVELS
from denoise_scrapy.dedup.prefilter import BANDS
from denoise_scrapy.dedup.store import Name, Record
from denoise_scrapy.setting_values import is_path
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.storage.redis_link import SCHEMES, RedisLink

if TYPE_CHECKING:
    from scrapy.settings import Settings

    from denoise_scrapy.dedup.rule import Rule

SERVER_NAME = "denoise"  # default of DENOISE_DEDUP_REDIS_NAME
DIGEST_BYTES = 16
BANDS_BYTES = 4 * BANDS
MOST_UNITS = 1 << 32  # a packed record has 32 bits for a length

_HALVED = bytes(2)  # how often the sample of numbers was halved, before it
_TEXTS = ("key", "scope", "group")
_NUMBERS = ("n", "t", "limit")
_BYTES = ("digest", "s1", "s2", "bands", "numbers")
_NO_STORE = (
    "no STORE is given, and the settings name none: DENOISE_DEDUP_PATH, JOBDIR, or DENOISE_DEDUP_STORE = 'redis'"
)


class Opened(NamedTuple):
    """An index.

    Attributes:
        store: Open; to be closed.
        rule: One that reads it: "part" also where it was "near-copy", for they keep the same.
        path: Its file; None on a server.

    """

    store: Store
    rule: Rule
    path: Path | None


def named_in(settings: Settings) -> str:
    """Return the name of the index in a project's settings.

    Raises:
        UsageError: They name none.
        ConfigurationError: They are wrong.

    """
    read = DenoiseSettings.from_settings(settings)
    directory = settings.get("JOBDIR")  # as it is: Scrapy's own function makes the folder
    if read.dedup_store == "redis":
        return f"{read.dedup_redis_url}#{quote(read.dedup_redis_name)}"
    if is_path(read.dedup_store):
        raise UsageError(f"DENOISE_DEDUP_STORE = {read.dedup_store!r}: these commands open files and servers only")
    if read.dedup_store == "memory" or not (read.dedup_path or directory):
        raise UsageError(_NO_STORE)
    return read.dedup_path or str(Path(directory, INDEX_FILE))


def open_store(name: str, *, damaged: bool = False) -> Opened:
    """Open an index that is there.

    Args:
        name: Path of a file or a job directory, or URL of a server with "#" and the name of the index.
        damaged: Whether to open it also where texts are damaged.

    Returns:
        The index.

    Raises:
        StoreMismatch: It is of another version, or none of ours.
        OSError: It is not there. SQLite and redis-py have errors of their own.

    """
    _refuse_missing(name)
    mismatch: StoreMismatch | None = None
    for rule in RULES.values():
        try:
            return open_with(name, rule, damaged=damaged)
        except StoreMismatch as error:  # rules differ in their constants: the message is about the default
            mismatch = mismatch or error
    assert mismatch is not None
    raise mismatch


def open_with(name: str, rule: Rule, *, damaged: bool = False) -> Opened:
    """Open an index of a rule; a missing one is made.

    Raises:
        StoreMismatch: It is of another rule or version, or none of ours.

    """
    store = open_or_make(name)
    if isinstance(store, SQLiteStore):
        store.opens_damaged = damaged
    try:
        store.open(rule.constants)
    except BaseException:
        store.close()
        raise
    return Opened(store, rule, path_of(name))


def open_or_make(name: str) -> Store:
    """Return a store, not yet open; a missing one is made when it is opened.

    Raises:
        ValueError: It is another kind of URL.

    """
    path = path_of(name)
    if path is not None:
        return SQLiteStore(path)
    url, key = _server_name(name)
    return RedisStore(url, name=key)


def path_of(name: str) -> Path | None:
    """Return the file of an index; None for one on a server.

    Raises:
        ValueError: It is another kind of URL.

    """
    if name.startswith(SCHEMES):
        return None
    if "://" in name:
        raise ValueError(f"{name}: no such kind of store; there are files and {', '.join(SCHEMES)}")
    return Path(name, INDEX_FILE) if Path(name).is_dir() else Path(name)


def refuse_missing_file(path: Path) -> None:
    """Raise where there is no file to open, as SQLite would make one.

    Raises:
        OSError: There is none, or it is empty.

    """
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file")
    if not path.is_file():
        raise OSError(f"{path}: this is no file")
    if not path.stat().st_size:
        raise OSError(f"{path}: the file is empty")


def _refuse_missing(name: str) -> None:
    path = path_of(name)
    if path is not None:
        refuse_missing_file(path)
        return
    url, key = _server_name(name)
    link = RedisLink(url)
    with link.named() as client:
        try:
            if not client.exists(f"{{{key}}}:meta"):
                raise FileNotFoundError(f"{link.place}: there is no index named {key!r}")
        finally:
            client.close()


def _server_name(name: str) -> tuple[str, str]:
    """Split a URL into that of the server and the name of the index."""
    url, _, key = name.partition("#")
    return url, unquote(key) or SERVER_NAME


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
        elif value.encode(errors="ignore").decode() != value:
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
