"""What a path table tells of each path, in columns of numpy made from rows of bytes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

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
    """The columns of a table's rows. Each gets the rows that are new when it is asked for."""

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
