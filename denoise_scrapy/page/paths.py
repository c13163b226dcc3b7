"""Interned element paths: what depends only on where an element stands is computed once a site.

A path is (parent path, token): tag, class, id, role, hidden (`tokens`).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.columns import PathRows
from denoise_scrapy.page.markup import style_hides
from denoise_scrapy.page.tokens import ROOT_TAGS, Token, name_code, token, without_digits

__all__ = ["COLUMNS", "MAX_PATHS", "RARE_NAMES", "ROOT_TAGS", "PathTable", "name_code"]

#: A table with more paths is not used for further pages (about 50 MB); its pages keep it alive.
MAX_PATHS = 100_000

#: Attributes beside the class that make another path of an element, or declare what it is.
RARE_NAMES = frozenset(["id", "role", "itemprop", "itemtype", "style", "hidden"])

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
            when they are asked for again.
        rows: The same, row by row (`ROW`). Copy what you look at: it cannot grow while an array holds it.
        parent: Path id of the parent, in a list for loops that read single values.
        kinds: What the event loop does at such an element (`tokens.PLAIN` …).
        tags: The tag.
        transitions: Path id by parent's id, tag and attributes.
    """

    def __init__(self) -> None:
        self.rows = bytearray(ROW.itemsize)
        self.columns: Mapping[str, npt.NDArray[np.generic]] = _Columns(self.rows)
        self._copied = PathRows()
        self.parent: list[int] = [0]
        self.kinds: list[int] = [0]
        self.tags: list[str] = [""]
        self._tokens: list[Token | None] = [None]
        self.transitions: dict[tuple[object, ...], int] = {}

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def full(self) -> bool:
        """Whether further pages should get a new table."""
        return len(self.parent) > MAX_PATHS or len(self.transitions) > 4 * MAX_PATHS

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
            if found is None:
                found = self.transitions[short] = self._intern((path, tag, class_, None, None, None, False))
            return found
        style = attributes.get("style")
        hides = "hidden" in attributes or (style is not None and style_hides(style))
        raw = (path, tag, class_, attributes.get("id"), attributes.get("role"), attributes.get("itemprop"), hides)
        found = self.transitions.get(raw)
        if found is None:
            found = self.transitions[raw] = self._intern(raw)
        return found

    def describe(self, path: int) -> str:
        """The path as people read it: `html/body/div#main.story/p`."""
        steps = []
        while path:
            steps.append(self.step(path))
            path = self.parent[path]
        return "/".join(reversed(steps))

    def step(self, path: int) -> str:
        """The path's last step: `div#main.story`."""
        own = self._tokens[path]
        return own.step if own else ""

    def _intern(self, raw: tuple[int, str, str | None, str | None, str | None, str | None, bool]) -> int:
        path, tag, class_, id_, role, itemprop, hides = raw
        own = token(
            tag,
            without_digits(class_) if class_ else "",
            without_digits(id_) if id_ else "",
            role,
            itemprop,
            hides,
        )
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


class _Columns(Mapping[str, npt.NDArray[np.generic]]):
    """The columns of a table's rows. Each gets the rows that are new when it is asked for."""

    def __init__(self, rows: bytearray) -> None:
        self._rows = rows
        self._arrays = {name: np.zeros(256, dtype) for name, dtype in COLUMNS.items()}
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
