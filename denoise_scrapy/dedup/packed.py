"""A record as bytes, for stores that keep it as one value."""

from __future__ import annotations

import struct

from denoise_scrapy.dedup.fingerprint import Fingerprint

_HEAD = struct.Struct("<IIQIIII16s")  # n, t, limit, bytes of s1, of s2, of the bands, of the scope, digest

FORMAT = "1"
"""Raise with any change of the bytes."""


def pack(key: str, scope: str, fingerprint: Fingerprint) -> bytes:
    """Write a record as bytes.

    Args:
        key: The item's key.
        scope: Its scope.
        fingerprint: Its fingerprint.

    Returns:
        Some 700 to 1,000 bytes.

    Example:
        >>> unpack(pack("/a", "site", Fingerprint.of("some text")))[:2]
        ('/a', 'site')

    """
    f, where = fingerprint, scope.encode()
    sizes = (len(f.s1), len(f.s2), len(f.bands), len(where))
    head = _HEAD.pack(f.n, f.t, f.limit, *sizes, f.digest)
    return b"".join((head, f.s1, f.s2, f.bands, where, key.encode()))


def unpack(data: bytes) -> tuple[str, str, Fingerprint]:
    """Read a record.

    Args:
        data: What `pack` gave.

    Returns:
        Key, scope and fingerprint.

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
    s1, s2, bands, scope = parts
    fingerprint = Fingerprint(n, t, s1, s2, limit, digest, bands)
    return data[start:].decode(), scope.decode(), fingerprint
