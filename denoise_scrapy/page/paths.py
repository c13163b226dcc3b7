"""Interned element paths: what depends only on where an element stands is computed once a site.

A path is (parent path, token). A token is a kind of element: tag, class, id, role, whether it hides itself. Digits are
taken out of class and id, so that `post-1234` is no new token on every page, and two pages of one template meet.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from sys import getsizeof
from zlib import crc32

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.attributes import TELLS_NOTHING
from denoise_scrapy.page.markup import (
    CONTAINER_TAGS,
    CONTENT_TAGS,
    SKIPPED_TAGS,
    Flag,
    is_block_tag,
    style_hides,
    tag_flags,
    word_flags,
)

#: dtype of each column of the table, indexed by path id. First what depends on the path, then what on its token.
COLUMNS: dict[str, type[np.generic]] = {
    "parent": np.int32,  # path id of the parent; the virtual root (0) is its own
    "depth": np.int32,  # 0 is the virtual root, 1 html
    "key": np.uint64,  # hash of the path of such tokens, the same in every process
    "shape": np.uint64,  # the same without ids, which are a page's own at times: section#how-to-install
    "flags": np.int32,  # Flag bits of the element itself and of all its ancestors
    "block_path": np.int32,  # nearest block-level path, itself included
    "tag": np.uint32,  # crc32 of the string, 0 for none: equal where the strings are, in every table
    "class_": np.uint32,
    "id": np.uint32,
    "token": np.uint64,  # hash of (tag, class, id), the same in every process
    "own_flags": np.int32,  # Flag bits of the element itself
    "markup": np.int32,  # characters of its start and end tags, without URLs
    "block": np.bool_,  # ends a block of text
    "container": np.bool_,  # a frame of the layout
    "content": np.bool_,  # Song's content tags
    "br": np.bool_,
    "skipped": np.bool_,  # shows nothing: its subtree is not read, but for a noscript's at times
}
#: A row of all of them; `native/source/columns.c` reads the same.
ROW = np.dtype(list(COLUMNS.items()))
#: The columns of a path, and as one string of bytes those of its token.
_TOKEN = struct.Struct("=IIIQii?????")
_ROW = struct.Struct(f"=iiQQii{_TOKEN.size}s")

_DIGITS = re.compile(r"\d+")
_HIDDEN = int(Flag.HIDDEN)
#: Class and id values longer than this are cut: front-end frameworks write pages of class names.
MAX_NAME_LENGTH = 200

ROOT_TAGS = frozenset({"html", "body"})

#: What the event loop does where such an element starts. Most are PLAIN; `native/source/reader.c` has the same numbers.
PLAIN, LINK, LOOKED_AT, IMAGE, BREAK, META, SKIPPED = range(7)
_KINDS: dict[str, int] = {
    **dict.fromkeys(TELLS_NOTHING, LOOKED_AT),  # attributes may hold what a rendering needs
    **dict.fromkeys(SKIPPED_TAGS, SKIPPED),
    "a": LINK,
    "area": LINK,
    "img": IMAGE,
    "br": BREAK,
    "meta": META,
}


@dataclass(slots=True, eq=False)
class Token:
    """A kind of element: tag, class and id `without_digits`, role and whether it hides itself."""

    tag: str
    class_: str
    id: str
    #: Its identity, the end of a key of `PathTable.transitions`; itemprop is none of it, though it may set flags.
    key: tuple[object, ...]
    kind: int
    block: bool
    in_key: int  # its part of the hash of a path
    in_shape: int  # the same without the id
    flags: int
    packed: bytes
    counted: bool = False  # whether a table counts its memory

    @property
    def step(self) -> str:
        """The element as people read it: `div#main.story`."""
        return self.tag + (f"#{self.id}" if self.id else "") + "".join(f".{name}" for name in self.class_.split())


@lru_cache(maxsize=16_384)
def without_digits(name: str) -> str:
    """A class or id as tokens have it.

    Example:
        >>> without_digits("post-1234  wide2")
        'post- wide'
    """
    return " ".join(_DIGITS.sub("", name).split())


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
        # their names are of the page ("category-sports"), and would part all paths below; they carry words for the
        # whole site ("has-sidebar"), which say nothing of a block
        in_key = in_shape = _hash(tag)
    else:
        in_shape = _hash(f"{tag}\0{class_}")
        if class_ or id_ or role or itemprop:
            flags |= word_flags(" ".join(filter(None, (class_, id_, role, itemprop))))
    kinds = is_block_tag(tag), tag in CONTAINER_TAGS, tag in CONTENT_TAGS, tag == "br", tag in SKIPPED_TAGS
    markup = 2 * len(tag) + 5 + (len(class_) + 9 if class_ else 0) + (len(id_) + 6 if id_ else 0)
    packed = _TOKEN.pack(name_code(tag), name_code(class_), name_code(id_), own, flags, markup, *kinds)
    if id_ or role is not None or hides:
        key: tuple[object, ...] = (tag, class_ or None, id_ or None, role, None, hides)
    else:
        key = (tag, class_) if class_ else (tag,)
    return Token(tag, class_, id_, key, _KINDS.get(tag, PLAIN), kinds[0], in_key, in_shape, flags, packed)


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little")


#: A table with more paths, or of more bytes, is not used for further pages. A recorded site of ten pages has 500 paths
#: and .2 MB, at most 10,000 and 4 MB.
MAX_PATHS, MAX_BYTES = 100_000, 50_000_000

#: Attributes beside the class that make another path of an element, or declare what it is.
RARE_NAMES = frozenset(["id", "role", "itemprop", "itemtype", "style", "hidden"])

#: About what a table takes by itself, for a path, for a transition, for a token that no table had before, in bytes:
#: by tracemalloc.s figures of 14 recorded sites. Names come on top.
EMPTY_BYTES, PATH_BYTES, TRANSITION_BYTES, TOKEN_BYTES = 10_000, 150, 150, 750
#: Tag, class, id, role, itemprop as written, and whether it hides itself.
_Raw = tuple[str, str | None, str | None, str | None, str | None, bool]
_MASK = (1 << 64) - 1
_CHAIN = 0x9E3779B97F4A7C15


class PathColumns:
    """The columns of a table, at least as long as it was when they were read. They are copies, to be read only."""

    def __init__(self, table: PathTable) -> None:
        self._table = table
        self._arrays: dict[str, npt.NDArray[np.generic]] = {}

    def __getitem__(self, name: str) -> npt.NDArray[np.generic]:
        found = self._arrays.get(name)
        if found is None or len(found) < len(self._table):
            found = self._arrays[name] = np.ascontiguousarray(self._table.packed()[name])
        return found


class PathTable:
    """The interned paths of one site's pages, with a numpy column for each fact about a path.

    Pages parsed with one table share its work; pages of different tables still compare, for what crosses
    pages are the columns `key` and `token`, which do not depend on the table.

    Attributes:
        columns: The columns by name, at least as long as the table. Those of paths interned meanwhile are in them
            when they are read again.
        parent: Path id of the parent, in a list for loops that read single values.
        kinds: What the event loop does at such an element (`PLAIN` …).
        tags: The tag.
        transitions: Path id by parent's id, tag and attributes.
    """

    def __init__(self) -> None:
        self.columns = PathColumns(self)
        self._rows = bytearray(64 * ROW.itemsize)  # never resized: a larger one takes its place
        self.parent: list[int] = [0]
        self.kinds: list[int] = [0]
        self.tags: list[str] = [""]
        self._tokens: list[Token | None] = [None]
        self.transitions: dict[tuple[object, ...], int] = {}
        self._name_bytes = 0

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def nbytes(self) -> int:
        """About what it occupies in memory, in bytes; tokens that other tables had before are not counted."""
        keys = TRANSITION_BYTES * len(self.transitions)
        return EMPTY_BYTES + PATH_BYTES * len(self.parent) + keys + self._name_bytes

    @property
    def full(self) -> bool:
        """Whether further pages should be parsed with a new table."""
        return len(self.parent) > MAX_PATHS or self.nbytes > MAX_BYTES

    def read(self) -> tuple[bytearray, int]:
        """The rows as bytes (`ROW`), and how many there are; they are never written anew, and never move."""
        count = len(self.parent)  # first: a row is there before its parent is
        return self._rows, count

    def packed(self) -> npt.NDArray[np.void]:
        """The rows as an array of `ROW`, shape (paths,)."""
        rows, count = self.read()
        return np.frombuffer(rows, ROW, count)

    def part(self, paths: npt.NDArray[np.int32]) -> tuple[PathTable, npt.NDArray[np.int32]]:
        """A table of some paths and those above them, for no others; and the ids of these in it."""
        rows = self.packed()
        wanted = np.zeros(len(rows), bool)
        wanted[0], above = True, paths
        while len(above := above[~wanted[above]]):
            wanted[above] = True
            above = rows["parent"][above]
        kept, number = np.flatnonzero(wanted), np.cumsum(wanted, dtype=np.int32) - np.int32(1)
        some, ids = rows[kept], kept.tolist()
        some["parent"], some["block_path"] = number[some["parent"]], number[some["block_path"]]
        table = PathTable()
        table._rows = bytearray(some.tobytes())
        table.parent = some["parent"].tolist()
        table.kinds, table.tags, table._tokens = (
            [column[i] for i in ids] for column in (self.kinds, self.tags, self._tokens)
        )
        return table, number[paths]

    def child(self, path: int, tag: str, attributes: Mapping[str, str]) -> int:
        """Path id of a child element of `path`, interned where it is new."""
        class_ = attributes.get("class")
        key: tuple[object, ...]
        if RARE_NAMES.isdisjoint(attributes):  # 87% of those with attributes: .27 µs in place of .32
            raw: _Raw = (tag, class_, None, None, None, False)
            key = (path, tag) if class_ is None else (path, tag, class_)
        else:
            style = attributes.get("style")
            hides = "hidden" in attributes or (style is not None and style_hides(style))
            raw = (tag, class_, attributes.get("id"), attributes.get("role"), attributes.get("itemprop"), hides)
            key = (path, *raw)
        found = self.transitions.get(key)
        return self._learn(path, key, raw) if found is None else found

    def _learn(self, path: int, key: tuple[object, ...], raw: _Raw) -> int:
        """Path id of a new transition; elements of one token, whatever is written in them, have one path."""
        tag, class_, id_, role, itemprop, hides = raw
        own = token(
            tag,
            without_digits(class_[:MAX_NAME_LENGTH]) if class_ else "",
            without_digits(id_[:MAX_NAME_LENGTH]) if id_ else "",
            role and role[:MAX_NAME_LENGTH],
            itemprop and itemprop[:MAX_NAME_LENGTH],
            hides,
        )
        own_key = (path, *own.key)
        found = self.transitions.get(own_key)
        if found is None:
            found = self.transitions[own_key] = self._append(path, own)
        if key != own_key:
            self.transitions[key] = found
            self._name_bytes += sum([getsizeof(part) for part in key[1:] if part is not None])
        return found

    def _append(self, parent: int, own: Token) -> int:
        new = len(self.parent)
        if not own.counted:
            own.counted = True
            self._name_bytes += TOKEN_BYTES + 2 * sum([len(name) for name in own.key if isinstance(name, str)])
        _, depth, key, shape, flags, block_path, _ = _ROW.unpack_from(self._rows, parent * _ROW.size)
        if (new + 1) * _ROW.size > len(self._rows):  # others may be reading this one
            self._rows = self._rows + bytes(len(self._rows))
        _ROW.pack_into(
            self._rows,
            new * _ROW.size,
            parent,
            depth + 1,
            (key * _CHAIN + own.in_key) & _MASK,
            (shape * _CHAIN + own.in_shape) & _MASK,
            flags | own.flags,
            new if own.block else block_path,
            own.packed,
        )
        self._tokens.append(own)
        self.kinds.append(own.kind)
        self.tags.append(own.tag)
        self.parent.append(parent)
        return new

    def describe(self, paths: Iterable[int], most: int = 10_000) -> dict[int, str]:
        """Paths as people read them, `html/body/div#main.story/p`; of one of more characters the end: `…/div/div/p`."""
        known = {0: ""}
        for path in paths:
            climbed, at = list[int](), path
            while at not in known:
                climbed.append(at)
                at = self.parent[at]
            for one in reversed(climbed):
                above = known[self.parent[one]]
                whole = f"{above}/{self.step(one)}" if above else self.step(one)
                known[one] = whole if len(whole) <= most else f"…/{whole[-most:].partition('/')[2]}"
        return known

    def step(self, path: int) -> str:
        """The path's last step: `div#main.story`."""
        own = self._tokens[path]
        return own.step if own else ""

    def names(self, path: int) -> tuple[str, str]:
        """Id and class of the path's element, digits left out, "" for none."""
        own = self._tokens[path]
        return (own.id, own.class_) if own else ("", "")
