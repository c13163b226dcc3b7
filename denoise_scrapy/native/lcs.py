"""The matching of two feature trees in C (`source/lcs.c`); `site/lcs.py` has its twin in numpy."""

from __future__ import annotations

import ctypes
from typing import Protocol

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.calling import address_of, declared
from denoise_scrapy.native.library import Library


class Tree(Protocol):
    """What the matching asks of a feature tree of n nodes (`page/feature_tree.py`)."""

    levels: npt.NDArray[np.int64]
    parent: npt.NDArray[np.int64]
    tag: npt.NDArray[np.generic]
    id: npt.NDArray[np.generic]
    class_: npt.NDArray[np.generic]

    def __len__(self) -> int: ...
    @property
    def inner_hash(self) -> npt.NDArray[np.uint64]:
        """Stands for innerHTML, shape (n,)."""

    @property
    def is_content(self) -> npt.NDArray[np.bool_]:
        """Which nodes are content nodes, shape (n,)."""


class _Tree(ctypes.Structure):
    """`struct lcs_tree`; it holds the arrays that it points to."""

    _fields_ = (
        ("n", ctypes.c_int64),
        ("levels", ctypes.c_int64),
        *((name, ctypes.c_void_p) for name in "first parent tag id class_ inner content boxes".split()),
    )

    @classmethod
    def of(cls, tree: Tree, boxes: npt.NDArray[np.float64] | None) -> _Tree:
        named = {
            "first": (tree.levels, np.int64),
            "parent": (tree.parent, np.int64),
            "tag": (tree.tag, np.uint32),
            "id": (tree.id, np.uint32),
            "class_": (tree.class_, np.uint32),
            "inner": (tree.inner_hash, np.uint64),
            "content": (tree.is_content, np.uint8),
        }
        arrays = {name: np.ascontiguousarray(values, dtype) for name, (values, dtype) in named.items()}
        if boxes is not None:
            arrays["boxes"] = np.ascontiguousarray(boxes, np.float64)
        made = cls(len(tree), len(tree.levels) - 1, **{name: address_of(array) for name, array in arrays.items()})
        made.arrays = arrays
        return made


_POINTER = ctypes.c_void_p
_ARGUMENTS = (_POINTER, _POINTER, ctypes.c_double, ctypes.c_int64, _POINTER, _POINTER)


def match_levels(
    library: Library,
    x: Tree,
    y: Tree,
    boxes: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None,
    similar: float,
    most_cells: int,
) -> tuple[npt.NDArray[np.bool_], float] | None:
    """Match two trees level by level.

    Args:
        library: The compiled library.
        x: The tree of n nodes that is cleaned.
        y: A tree of m nodes.
        boxes: Rounded boxes of both, shape (n, 4) and (m, 4), NaN where unknown; None where one knows none.
        similar: Pairs above this are similar.
        most_cells: Pairs of nodes that a level may have.

    Returns:
        Which nodes of x have a similar partner, shape (n,), and the score; None where a level is too large.
    """
    function = declared(library.arrays.denoise_lcs, *_ARGUMENTS, result=ctypes.c_int)
    left, right = (_Tree.of(tree, None if boxes is None else boxes[i]) for i, tree in enumerate((x, y)))
    matched, score = np.zeros(len(x), np.bool_), ctypes.c_double()
    declined = function(
        ctypes.addressof(left), ctypes.addressof(right), similar, most_cells, address_of(matched), ctypes.byref(score)
    )
    return None if declined else (matched, score.value)
