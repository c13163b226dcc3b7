"""The version of an item, its state when it was kept: it shows whether anything has changed when it is scraped again.

Fingerprints are for finding copies: they ignore letter case, accents, punctuation and other fields.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple
from uuid import UUID

import numpy as np

from denoise_scrapy.core.feature_strings import PIECE

_WHOLE_WORDS = re.compile(rf"\S.{{,{PIECE}}}\S*", re.DOTALL)

TEXT, GONE, CHUNKS = "text", "(gone)", "(chunks)"  # in `Version.changes`, in place of field names

_HEAD = struct.Struct("<Q8sII")  # time, text, number of the source's lines, number of fields
_ID = 16  # bytes of a UUID
# Maximum different lines of a source that are compared one by one, 4 bytes each; a longer one counts as one line. Of
# 787 recorded pages two have more.
MOST_LINES = 4096
# A line of a source as stored: 24 bits of its hash, and how often it stands in the source and in the text, up to 15.
_HASH, _OFTEN = 0xFFFFFF00, 15


class Version(NamedTuple):
    """Hashes of an item's text and fields when it was kept."""

    since: int  # when it was kept, in seconds since the epoch; 0 if not kept yet
    text: bytes  # 8-byte hash of its text, ignoring white space
    source: bytes  # lines that its text was made of (`source_of`); empty if unknown
    fields: Mapping[int, int]  # hashes of name and value of its other fields
    chunks: bytes = b""  # UUIDs of its chunks; empty if unknown

    @classmethod
    def of(cls, text: str, fields: Mapping[str, object], source: bytes = b"", chunks: Iterable[str] = ()) -> Version:
        """Return the version of an item that is not kept yet."""
        return cls(0, _hash_words(text), source, dict(hashed(fields)), packed_ids(chunks))

    @property
    def chunk_ids(self) -> tuple[str, ...]:
        """The ids of its chunks."""
        return tuple(str(UUID(bytes=self.chunks[at : at + _ID])) for at in range(0, len(self.chunks), _ID))

    def changes(self, old: Version, names: Sequence[str]) -> tuple[str, ...]:
        """Return what differs from an older version: names of fields, `TEXT` first, `CHUNKS` and `GONE` at the end.

        `names` are those of this version's fields. If texts differ only in lines that both sources have, only the
        extraction has changed, and the text counts as unchanged. `CHUNKS` is only that those of the older one are
        unknown.
        """
        known = {crc(name): name for name in names}
        same_text = self.text == old.text or (self.source and old.source and not _differ(self.source, old.source))
        found = [] if same_text else [TEXT]
        found += [name for hashed, name in known.items() if self.fields.get(hashed) != old.fields.get(hashed)]
        found += [CHUNKS] if self.chunks and not old.chunks else []
        return (*found, GONE) if old.fields.keys() - self.fields.keys() - known.keys() else tuple(found)

    def pack(self) -> bytes:
        """Encode it for a store; `Version.unpack` decodes it."""
        head = _HEAD.pack(self.since, self.text, len(self.source) // 4, len(self.fields))
        return head + self.source + packed(self.fields.items()) + self.chunks

    @classmethod
    def unpack(cls, data: bytes) -> Version | None:
        """Decode bytes from a store; None if there are none, or they are damaged."""
        if len(data) < _HEAD.size:
            return None
        since, text, lines, count = _HEAD.unpack_from(data)
        start = _HEAD.size + 4 * lines
        end = start + 8 * count
        if end > len(data) or (len(data) - end) % _ID:
            return None
        return cls(since, text, data[_HEAD.size : start], unpacked(data[start:end]), data[end:])


def source_of(whole: str, text: str, way: object = "") -> bytes:
    r"""Return the lines of all that a text was made of, such as its page, and how often each stands there and in it.

    Args:
        whole: What the text was made of, a line per block.
        text: The text, of some of these lines.
        way: How it was made: with another way, all lines are others.

    Example:
        >>> page = ["By Ann", "A storm hit the coast.", "41 readers"]
        >>> kept = Version.of("By Ann, A storm …", {}, source_of("\n".join(page), "\n".join(page[:2])))
        >>> for last, text in (("42 readers", page[1]), ("Updated", f"{page[1]}\nUpdated")):
        ...     new = Version.of(text, {}, source_of("\n".join([*page[:2], last]), text))
        ...     new.changes(kept, ())
        ()
        ('text',)
    """
    seed = crc(str(way))
    on_page, in_text = (Counter(_hash_line(line, seed) for line in of.splitlines()) for of in (whole, text))
    on_page |= in_text
    if len(on_page) > MOST_LINES:
        on_page = in_text = Counter([_hash_line(whole, seed)])
    return _packed_lines(on_page, in_text)


def joined_sources(sources: Iterable[bytes]) -> bytes:
    """Return the source of texts that are joined, as those of the pages of an article; empty if any is unknown."""
    on_page, in_text = Counter[int](), Counter[int]()
    for source in sources:
        if not source:
            return b""
        for line, (often, taken) in _unpacked_lines(source).items():
            on_page[line] += often
            in_text[line] += taken
    return _packed_lines(on_page, in_text)


def whole_source(source: bytes, way: str) -> bytes:
    """Return the source of a text that was made, in some way, of all lines of another's source."""
    mixed = crc(way) & _HASH
    lines = {line ^ mixed: often for line, (often, _) in _unpacked_lines(source).items()}
    return _packed_lines(lines, lines)


def _hash_line(line: str, seed: int) -> int:
    return zlib.crc32(line.strip().encode("utf-8", "surrogatepass"), seed) & _HASH


def _packed_lines(on_page: Mapping[int, int], in_text: Mapping[int, int]) -> bytes:
    rows = [line | min(often, _OFTEN) << 4 | min(in_text[line], _OFTEN) for line, often in on_page.items()]
    return np.array(rows, "<u4").tobytes()


def _unpacked_lines(source: bytes) -> dict[int, tuple[int, int]]:
    """Return how often each line stands on the page and in the text."""
    return {row & _HASH: (row >> 4 & _OFTEN, row & _OFTEN) for row in np.frombuffer(source, "<u4").tolist()}


def _differ(new: bytes, old: bytes) -> bool:
    """Return whether a line stands more often in both a page and its text than it did, or less often in both."""
    ours, theirs, none = _unpacked_lines(new), _unpacked_lines(old), (0, 0)
    pairs = ((ours.get(line, none), theirs.get(line, none)) for line in ours.keys() | theirs.keys())
    return any((one[0] - other[0]) * (one[1] - other[1]) > 0 for one, other in pairs)


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
