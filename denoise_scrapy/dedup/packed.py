"""A record as bytes, for stores that keep it as one value."""

from __future__ import annotations

import struct

from denoise_scrapy.dedup.fingerprint import Fingerprint
from denoise_scrapy.dedup.store import Name

_HEAD = struct.Struct("<IIQIIIIII16s")  # n, t, limit, bytes of s1, s2, numbers, bands, scope, group; digest

FORMAT = "2"
"""Raise with any change of the bytes, and change the script of `redis_scripts` that reads them too."""


def pack(name: Name, fingerprint: Fingerprint) -> bytes:
    """Write a record as bytes.

    Args:
        name: The item's name.
        fingerprint: Its fingerprint.

    Returns:
        Some 700 to 1,000 bytes.

    Example:
        >>> unpack(pack(Name("/a", "site"), Fingerprint.of("some text")))[0]
        Name(key='/a', scope='site', group='')

    """
    f, scope, group = fingerprint, name.scope.encode(), name.group.encode()
    sizes = (len(f.s1), len(f.s2), len(f.numbers), len(f.bands), len(scope), len(group))
    head = _HEAD.pack(f.n, f.t, f.limit, *sizes, f.digest)
    return b"".join((head, f.s1, f.s2, f.numbers, f.bands, scope, group, name.key.encode()))


def unpack(data: bytes) -> tuple[Name, Fingerprint]:
    """Read a record.

    Args:
        data: What `pack` gave.

    Returns:
        Name and fingerprint.

    Raises:
        ValueError: The bytes are damaged.

    """
    try:
        n, t, limit, *sizes, digest = _HEAD.unpack_from(data)
    except struct.error as error:
        raise ValueError(f"no record: {error}") from None
    parts, start = [], _HEAD.size
    for size in sizes:
        parts.append(data[start : start + size])
        start += size
    if start > len(data):
        raise ValueError(f"no record: {len(data)} bytes where {start} or more are announced")
    s1, s2, numbers, bands, scope, group = parts
    fingerprint = Fingerprint(n, t, s1, s2, limit, digest, bands, numbers)
    return Name(data[start:].decode(), scope.decode(), group.decode()), fingerprint
