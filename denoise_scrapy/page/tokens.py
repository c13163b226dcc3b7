"""Tokens: what depends on an element's own tag and names alone, computed once a process for all sites.

Digits are taken out of class and id, so that `post-1234` is no new token on every page, and so that two pages of one
template meet.
"""

from __future__ import annotations

import hashlib
import re
import struct
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

from denoise_scrapy.page.attributes import TELLS_NOTHING
from denoise_scrapy.page.markup import (
    CONTAINER_TAGS,
    CONTENT_TAGS,
    SKIPPED_TAGS,
    Flag,
    is_block_tag,
    tag_flags,
    word_flags,
)

_DIGITS = re.compile(r"\d+")
_HIDDEN = int(Flag.HIDDEN)
#: Class and id values longer than this are cut: front-end frameworks write pages of class names.
MAX_NAME_LENGTH = 200

ROOT_TAGS = frozenset({"html", "body"})

#: What the event loop does where such an element starts. Most are PLAIN; `events.c` has the same numbers.
PLAIN, LINK, LOOKED_AT, IMAGE, BREAK, META, SKIPPED = range(7)
_KINDS: dict[str, int] = {
    **dict.fromkeys(TELLS_NOTHING, LOOKED_AT),  # attributes may tell what a rendering needs
    **dict.fromkeys(SKIPPED_TAGS, SKIPPED),
    "a": LINK,
    "area": LINK,
    "img": IMAGE,
    "br": BREAK,
    "meta": META,
}

#: Columns of the path table that are a token's, as one string of bytes: tag, class, id, token, own flags,
#: characters of the tags; then block, container, content, br, skipped (`paths.COLUMNS`).
_PACKED = struct.Struct("=IIIQii?????")


class Token(NamedTuple):
    """A kind of element: tag, class, id, role and whether it hides itself.

    Attributes:
        name: What tells it from others: tag, class, id, role, whether it hides itself; itemprop is none of it,
            though it may set flags.
        tag: Its tag.
        kind: What the event loop does with it.
        block: Whether it ends a block of text.
        in_key: Its part of the hash of a path.
        in_shape: The same without the id.
        flags: Bits of `Flag`.
        packed: Its columns of the path table.
    """

    name: tuple[str, str, str, str | None, bool]
    tag: str
    kind: int
    block: bool
    in_key: int
    in_shape: int
    flags: int
    packed: bytes

    @property
    def step(self) -> str:
        """The element as people read it: `div#main.story`."""
        tag, class_, id_, *_ = self.name
        return tag + (f"#{id_}" if id_ else "") + "".join(f".{name}" for name in class_.split())


class _Tag(NamedTuple):
    """What a tag alone tells; `kinds` are those of `_PACKED`."""

    code: int
    kind: int
    kinds: tuple[bool, bool, bool, bool, bool]


@lru_cache(maxsize=1024)
def _of_tag(tag: str) -> _Tag:
    kinds = is_block_tag(tag), tag in CONTAINER_TAGS, tag in CONTENT_TAGS, tag == "br", tag in SKIPPED_TAGS
    return _Tag(name_code(tag), _KINDS.get(tag, PLAIN), kinds)


@lru_cache(maxsize=16_384)
def without_digits(name: str) -> str:
    """A class or id as tokens have it.

    Example:
        >>> without_digits("post-1234  wide2")
        'post- wide'
    """
    return " ".join(_DIGITS.sub("", name[:MAX_NAME_LENGTH]).split())


def name_code(text: str) -> int:
    """The code of a tag, class or id in the columns, 0 for none."""
    return crc32(text.encode("utf-8", "replace"))


@lru_cache(maxsize=16_384)
def token(tag: str, class_: str, id_: str, role: str | None, itemprop: str | None, hides: bool) -> Token:
    """The token of a tag, with class and id `without_digits`.

    Example:
        >>> token("div", "story", "main", None, None, False).step
        'div#main.story'
    """
    flags = tag_flags(tag, role) | (_HIDDEN if hides else 0)
    in_key = own = _hash(f"{tag}\0{class_}\0{id_}")
    if tag in ROOT_TAGS:
        # their names tell of the page ("category-sports"), and would part all paths below; they carry words for the
        # whole site ("has-sidebar"), which say nothing of a block
        in_key = in_shape = _hash(tag)
    else:
        in_shape = _hash(f"{tag}\0{class_}")
        if class_ or id_ or role or itemprop:
            flags |= word_flags(" ".join(filter(None, (class_, id_, role, itemprop))))
    code, kind, kinds = _of_tag(tag)
    markup = 2 * len(tag) + 5 + (len(class_) + 9 if class_ else 0) + (len(id_) + 6 if id_ else 0)
    packed = _PACKED.pack(code, name_code(class_), name_code(id_), own, flags, markup, *kinds)
    return Token((tag, class_, id_, role, hides), tag, kind, kinds[0], in_key, in_shape, flags, packed)


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little")
