"""Versions of an item: its state when it was kept, and the changes since.

A fingerprint tells copies: it knows no letter case, no signs, no other fields. Of an item that comes again it has to be
known whether anything of it is another.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from denoise_scrapy.core.units import unit_hashes

# Fields that are known one by one, 8 bytes each; of an item with more all others are one. Few items have twenty.
MOST_FIELDS = 64
TEXT, GONE, OTHERS = "text", "(gone)", "(others)"  # in `Version.changes`, in place of names of fields

_HEAD = struct.Struct("<Q8s8s")


class Version(NamedTuple):
    """A version of an item, without its names.

    Attributes:
        since: When it was kept, in seconds since the epoch; 0 where it is none yet.
        text: 8 bytes of its text, but for white space.
        source: 8 bytes of what its text was taken from; all 0 where that is not known.
        fields: Hashes of name and value of its other fields.
    """

    since: int
    text: bytes
    source: bytes
    fields: Mapping[int, int]

    @classmethod
    def of(cls, text: str, fields: Mapping[str, object], source: str = "") -> Version:
        """Make that of an item which was not kept yet.

        Example:
            >>> old = Version.of("A fox.", {"price": 9, "sku": 7}, "A fox. 3 readers")
            >>> new = Version.of("A Fox.", {"price": 8, "colour": "red"}, "A fox. 4 readers")
            >>> new.changes(old, ["price", "colour"])
            ('text', 'price', 'colour', '(gone)')
            >>> again = Version.of("A fox, and more.", {"price": 9, "sku": 7}, "A fox. 3 readers")
            >>> again.changes(old, ["price", "sku"])
            ()
        """
        named = {name: fields[name] for name in sorted(fields)[:MOST_FIELDS]}
        if len(named) < len(fields):
            named[OTHERS] = {name: fields[name] for name in fields.keys() - named.keys()}
        names, values = unit_hashes(list(named)), unit_hashes([written(value) for value in named.values()])
        pairs = dict(zip(names.tolist(), values.tolist(), strict=True))
        return cls(0, _hash(" ".join(text.split())), _hash(source) if source else bytes(8), pairs)

    def changes(self, old: Version, names: Sequence[str]) -> tuple[str, ...]:
        """Return what is another than in an older version: names of fields, `TEXT` first, `GONE` at the end.

        The same text is taken from the same source: where that has not changed, a text that differs tells of the
        taking.

        Args:
            old: The older one.
            names: Those of the fields of this one.
        """
        known = dict(zip(unit_hashes([*names, OTHERS]).tolist(), [*names, OTHERS], strict=True))
        same_text = self.text == old.text or (self.source == old.source and any(self.source))
        found = [] if same_text else [TEXT]
        found += [name for hashed, name in known.items() if self.fields.get(hashed) != old.fields.get(hashed)]
        return (*found, GONE) if old.fields.keys() - self.fields.keys() - known.keys() else tuple(found)

    def pack(self) -> bytes:
        """Write it for a store; `Version.unpack` reads it."""
        pairs = [part for pair in self.fields.items() for part in pair]
        return _HEAD.pack(self.since, self.text, self.source) + struct.pack(f"<{len(pairs)}I", *pairs)

    @classmethod
    def unpack(cls, data: bytes) -> Version | None:
        """Read what a store gives; None where it has none, as of texts that earlier versions have kept.

        Example:
            >>> version = Version.of("A fox.", {"price": 9})
            >>> Version.unpack(version.pack()) == version, Version.unpack(b"")
            (True, None)
        """
        count, rest = divmod(len(data) - _HEAD.size, 8)
        if count < 0 or rest:
            return None
        parts = struct.unpack(f"<{2 * count}I", data[_HEAD.size :])
        since, text, source = _HEAD.unpack_from(data)
        return cls(since, text, source, dict(zip(parts[::2], parts[1::2], strict=True)))


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def written(value: object) -> str:
    """A value as text, the same for equal ones."""
    try:
        return json.dumps(value, default=str, sort_keys=True)
    except (TypeError, ValueError, RecursionError):  # keys of several kinds, a list in itself
        return repr(value)
