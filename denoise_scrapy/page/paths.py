"""Interned element paths: what depends only on where an element stands is computed once a site.

A path is (parent path, token). A token is a kind of element: tag, class, id, role, whether it hides itself. Digits are
taken out of class and id, so that `post-1234` is no new token on every page, and two pages of one template meet.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from sys import getsizeof
from typing import NamedTuple
from zlib import crc32

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.reading import PathRows
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
#: A row of all of them.
ROW = np.dtype(list(COLUMNS.items()))


class PathColumns(Mapping[str, npt.NDArray[np.generic]]):
    """The columns of a table's rows. Each gets the rows that are new when it is read."""

    def __init__(self, rows: bytearray) -> None:
        self._rows = rows
        self._arrays = {name: np.zeros(0, dtype) for name, dtype in COLUMNS.items()}
        self._sizes = dict.fromkeys(COLUMNS, 0)  # bytes of `rows` that each column holds already

    def __getitem__(self, name: str) -> npt.NDArray[np.generic]:
        if self._sizes[name] != len(self._rows):
            self._extend(name)
        return self._arrays[name]

    def _extend(self, name: str) -> None:
        size = len(self._rows)
        known, count = self._sizes[name] // ROW.itemsize, size // ROW.itemsize
        column = self._arrays[name]
        if count > len(column):
            self._arrays[name] = np.zeros(max(2 * len(column), count), column.dtype)
            self._arrays[name][:known] = column[:known]
        # a copy: the rows cannot grow while an array looks at them
        self._arrays[name][known:count] = np.frombuffer(self._rows, ROW, offset=self._sizes[name])[name]
        self._sizes[name] = size

    def __iter__(self) -> Iterator[str]:
        return iter(COLUMNS)

    def __len__(self) -> int:
        return len(COLUMNS)


_DIGITS = re.compile(r"\d+")
_HIDDEN = int(Flag.HIDDEN)
#: Class and id values longer than this are cut: front-end frameworks write pages of class names.
MAX_NAME_LENGTH = 200

ROOT_TAGS = frozenset({"html", "body"})

#: What the event loop does where such an element starts. Most are PLAIN; `events.c` has the same numbers.
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

#: Columns of the path table that are a token's, as one string of bytes: tag, class, id, token, own flags,
#: characters of the tags; then block, container, content, br, skipped (`paths.COLUMNS`).
_PACKED = struct.Struct("=IIIQii?????")


class Token(NamedTuple):
    """A kind of element: tag, class, id, role and whether it hides itself.

    Attributes:
        name: Its identity: tag, class, id, role, whether it hides itself; itemprop is none of it,
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
    """Part of a token that depends on its tag alone; `kinds` are those of `_PACKED`."""

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
        # their names are of the page ("category-sports"), and would part all paths below; they carry words for the
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


#: A table with more paths, or of more bytes, is not used for further pages. A recorded site of ten pages has 500 paths
#: and .2 MB, at most 10,000 and 4 MB.
MAX_PATHS, MAX_BYTES = 100_000, 50_000_000

#: Attributes beside the class that make another path of an element, or declare what it is.
RARE_NAMES = frozenset(["id", "role", "itemprop", "itemtype", "style", "hidden"])

#: About what a table takes by itself, for a path, for a transition, for a token that no table had before, in bytes:
#: fitted to tracemalloc's figures of 27 recorded sites. Names come on top.
EMPTY_BYTES, PATH_BYTES, TRANSITION_BYTES, TOKEN_BYTES = 10_000, 60, 140, 700
#: Parent's path id, tag, class, id, role, itemprop as written, and whether it hides itself.
_Raw = tuple[int, str, str | None, str | None, str | None, str | None, bool]
#: The columns of a row that depend on the path.
_PLACE = struct.Struct("=iiQQii")
_MASK = (1 << 64) - 1
_CHAIN = 0x9E3779B97F4A7C15


class PathTable:
    """The interned paths of one site's pages, with a numpy column for each fact about a path.

    Pages parsed with one table share its work; pages of different tables still compare, for what crosses
    pages are the columns `key` and `token`, which do not depend on the table.

    Attributes:
        columns: The columns by name, at least as long as the table. Those of paths interned meanwhile are in them
            when they are read again.
        rows: The same, row by row (`ROW`). Copy what you look at: it cannot grow while an array holds it.
        parent: Path id of the parent, in a list for loops that read single values.
        kinds: What the event loop does at such an element (`PLAIN` …).
        tags: The tag.
        transitions: Path id by parent's id, tag and attributes.
    """

    def __init__(self) -> None:
        self._set_rows(bytearray(ROW.itemsize))
        self.parent: list[int] = [0]
        self.kinds: list[int] = [0]
        self.tags: list[str] = [""]
        self._tokens: list[Token | None] = [None]
        self.transitions: dict[tuple[object, ...], int] = {}
        self._name_bytes = 0

    def _set_rows(self, rows: bytearray) -> None:
        self.rows = rows
        self.columns: Mapping[str, npt.NDArray[np.generic]] = PathColumns(rows)
        self._copied = PathRows()

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

    def part(self, paths: npt.NDArray[np.int32]) -> tuple[PathTable, npt.NDArray[np.int32]]:
        """A table of some paths and those above them, for no others; and the ids of these in it.

        Args:
            paths: Path ids, shape (any,).
        """
        rows = np.frombuffer(bytes(self.rows), ROW)
        wanted = np.zeros(len(rows), bool)
        wanted[0], above = True, paths
        while len(above := above[~wanted[above]]):
            wanted[above] = True
            above = rows["parent"][above]
        kept, number = np.flatnonzero(wanted), np.cumsum(wanted, dtype=np.int32) - np.int32(1)
        some, ids = rows[kept].copy(), kept.tolist()
        some["parent"], some["block_path"] = number[some["parent"]], number[some["block_path"]]
        table = PathTable()
        table._set_rows(bytearray(some.tobytes()))
        table.parent = some["parent"].tolist()
        table.kinds, table.tags, table._tokens = (
            [column[i] for i in ids] for column in (self.kinds, self.tags, self._tokens)
        )
        return table, number[paths]

    def copied(self) -> PathRows:
        """A copy of the rows for C to read: they may move when the table grows."""
        if self._copied.paths != len(self.parent):
            self._copied = self._copied.grown(self.rows)
        return self._copied

    def child(self, path: int, tag: str, attributes: Mapping[str, str]) -> int:
        """Path id of a child element of `path`, interned where it is new."""
        class_ = attributes.get("class")
        if RARE_NAMES.isdisjoint(attributes):  # 87% of those with attributes: .27 µs in place of .32
            short = (path, tag) if class_ is None else (path, tag, class_)
            found = self.transitions.get(short)
            return self._learn(short, (path, tag, class_, None, None, None, False)) if found is None else found
        style = attributes.get("style")
        hides = "hidden" in attributes or (style is not None and style_hides(style))
        raw = (path, tag, class_, attributes.get("id"), attributes.get("role"), attributes.get("itemprop"), hides)
        found = self.transitions.get(raw)
        return self._learn(raw, raw) if found is None else found

    def _learn(self, key: tuple[object, ...], raw: _Raw) -> int:
        """Path id of a new transition. Its key holds the token's own names, where they are the same."""
        found = self._intern(raw)
        own = self._tokens[found]
        names = {name: name for name in own.name if isinstance(name, str)} if own else {}
        self._name_bytes += sum(getsizeof(part) for part in key if isinstance(part, str) and part not in names)
        self.transitions[tuple([names.get(part, part) if isinstance(part, str) else part for part in key])] = found
        return found

    def describe(self, path: int) -> str:
        """The path as people read it: `html/body/div#main.story/p`."""
        steps = []
        while path:
            steps.append(self.step(path))
            path = self.parent[path]
        return "/".join(reversed(steps))

    def describe_ends(self, paths: Iterable[int], most: int) -> dict[int, str]:
        """Describe many paths, each from the one above it; of one of more characters the end: `…/div/div/p`."""
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

    def _intern(self, raw: _Raw) -> int:
        path, tag, class_, id_, role, itemprop, hides = raw
        made = token.cache_info().misses
        own = token(
            tag,
            without_digits(class_[:MAX_NAME_LENGTH]) if class_ else "",
            without_digits(id_[:MAX_NAME_LENGTH]) if id_ else "",
            role and role[:MAX_NAME_LENGTH],
            itemprop and itemprop[:MAX_NAME_LENGTH],
            hides,
        )
        if token.cache_info().misses > made:
            self._name_bytes += TOKEN_BYTES + 2 * sum(len(name) for name in own.name if isinstance(name, str))
        key = (path, own.name)  # never a raw key: these hold no tuples
        found = self.transitions.get(key)
        if found is None:
            found = self.transitions[key] = self._append(path, own)
        return found

    def _append(self, parent: int, own: Token) -> int:
        """A new path. Its columns are packed, and unpacked many at a time: 17 writes to arrays take 5 times as long."""
        new = len(self.parent)
        _, depth, key, shape, flags, block_path = _PLACE.unpack_from(self.rows, parent * ROW.itemsize)
        self.rows += _PLACE.pack(
            parent,
            depth + 1,
            (key * _CHAIN + own.in_key) & _MASK,
            (shape * _CHAIN + own.in_shape) & _MASK,
            flags | own.flags,
            new if own.block else block_path,
        )
        self.rows += own.packed
        self.parent.append(parent)
        self.kinds.append(own.kind)
        self.tags.append(own.tag)
        self._tokens.append(own)
        return new
