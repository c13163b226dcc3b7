"""Interned element paths: what depends only on where an element stands is computed once a site.

A path is (parent path, token): tag, class, id, role, hidden (`tokens`).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from sys import getsizeof

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.columns import PathRows
from denoise_scrapy.page.markup import style_hides
from denoise_scrapy.page.path_columns import COLUMNS, ROW, PathColumns
from denoise_scrapy.page.tokens import MAX_NAME_LENGTH, ROOT_TAGS, Token, name_code, token, without_digits

__all__ = ["COLUMNS", "MAX_PATHS", "RARE_NAMES", "ROOT_TAGS", "ROW", "PathTable", "name_code"]

#: A table with more paths, or of more bytes, is not used for further pages. A recorded site of ten pages has 500 paths
#: and .2 MB, at most 10,000 and 4 MB.
MAX_PATHS, MAX_BYTES = 100_000, 50_000_000

#: Attributes beside the class that make another path of an element, or declare what it is.
RARE_NAMES = frozenset(["id", "role", "itemprop", "itemtype", "style", "hidden"])

#: About what a table takes by itself, for a path, for a transition, for a token that no table had before, in bytes:
#: fitted to what tracemalloc tells of 27 recorded sites. Names come on top.
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
            when they are asked for again.
        rows: The same, row by row (`ROW`). Copy what you look at: it cannot grow while an array holds it.
        parent: Path id of the parent, in a list for loops that read single values.
        kinds: What the event loop does at such an element (`tokens.PLAIN` …).
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
        """Whether further pages should get a new table."""
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
        """The same of many paths, each made of the one above it; of one of more characters the end: `…/div/div/p`."""
        told = {0: ""}
        for path in paths:
            climbed, at = list[int](), path
            while at not in told:
                climbed.append(at)
                at = self.parent[at]
            for one in reversed(climbed):
                above = told[self.parent[one]]
                whole = f"{above}/{self.step(one)}" if above else self.step(one)
                told[one] = whole if len(whole) <= most else f"…/{whole[-most:].partition('/')[2]}"
        return told

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
