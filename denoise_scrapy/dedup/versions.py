"""The version of an item, its state when it was kept: it shows whether anything has changed when it is scraped again.

Fingerprints are for finding copies: they ignore letter case, accents, punctuation and other fields.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple
from uuid import UUID

import numpy as np

from denoise_scrapy.core.feature_strings import PIECE

_WHOLE_WORDS = re.compile(rf"\S.{{,{PIECE}}}\S*", re.DOTALL)

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
        return cls(0, _hash_words(text), _hash(source) if source else bytes(8), dict(hashed(named)), packed_ids(chunks))

    @property
    def chunk_ids(self) -> tuple[str, ...]:
        """The ids of its chunks."""
        return tuple(str(UUID(bytes=self.chunks[at : at + _ID])) for at in range(0, len(self.chunks), _ID))

    def changes(self, old: Version, names: Sequence[str]) -> tuple[str, ...]:
        """Return what differs from an older version: names of fields, `TEXT` first, `CHUNKS` and `GONE` at the end.

        `names` are those of this version's fields. If the source is the same but the text differs, only its extraction
        has changed, and the text counts as unchanged. `CHUNKS` is only that those of the older one are unknown.
        """
        known = {crc(name): name for name in (*names, OTHERS)}
        same_text = self.text == old.text or (self.source == old.source and any(self.source))
        found = [] if same_text else [TEXT]
        found += [name for hashed, name in known.items() if self.fields.get(hashed) != old.fields.get(hashed)]
        found += [CHUNKS] if self.chunks and not old.chunks else []
        return (*found, GONE) if old.fields.keys() - self.fields.keys() - known.keys() else tuple(found)

    def pack(self) -> bytes:
        """Encode it for a store; `Version.unpack` decodes it."""
        head = _HEAD.pack(self.since, self.text, self.source, len(self.fields))
        return head + packed(self.fields.items()) + self.chunks

    @classmethod
    def unpack(cls, data: bytes) -> Version | None:
        """Decode bytes from a store; None if there are none, or they are damaged."""
        if len(data) < _HEAD.size:
            return None
        since, text, source, count = _HEAD.unpack_from(data)
        end = _HEAD.size + 8 * count
        if end > len(data) or (len(data) - end) % _ID:
            return None
        return cls(since, text, source, unpacked(data[_HEAD.size : end]), data[end:])


def packed(pairs: Iterable[tuple[int, int]]) -> bytes:
    """Return pairs of hashes as stored."""
    return np.array([*pairs], "<u4").tobytes()


def unpacked(pairs: bytes) -> dict[int, int]:
    """Return stored pairs of hashes."""
    return dict(np.frombuffer(pairs, "<u4").reshape(-1, 2).tolist())


def packed_ids(names: Iterable[str]) -> bytes:
    """Return UUIDs as bytes; what is none is left out."""
    packed = []
    for name in names:
        with suppress(ValueError, AttributeError):
            packed.append(UUID(name).bytes)
    return b"".join(packed)


def hashed(fields: Mapping[str, object]) -> list[tuple[int, int]]:
    """Return the hashes of each field's name and value, as stored."""
    return [(crc(name), crc(written(value))) for name, value in fields.items()]


def crc(text: str) -> int:
    """Hash the name or the value of a field."""
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
