"""The model of blocks in C (`source/model.c`); its twins in numpy: `body/forest.py`, `body/network.py`."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.calling import address_of, declared
from denoise_scrapy.native.library import Library

_POINTER, _INT = ctypes.c_void_p, ctypes.c_int64
_ARGUMENTS = (_POINTER, _POINTER, _INT, _POINTER, _POINTER, _POINTER)
_COUNTS = ("features", "splits", "above", "levels", "nodes", "trees", "leaves")
_ARRAYS: Mapping[str, type[np.generic]] = {
    "split_feature": np.int32,
    "threshold": np.float32,
    "level_size": np.int32,
    "node_split": np.int32,
    "node_come": np.int32,
    "leaf": np.int32,
    "value": np.float64,
    **dict.fromkeys("mean low high first bias near page path inner last".split(), np.float32),
}
#: Networks, outputs of their first and second layers, and what the second looks at: the one form that C is made for.
FORM = (3, 32, 16, 7)


class PreparedModel(ctypes.Structure):
    """`struct model`; it holds the arrays that it points to."""

    _fields_ = (
        *((name, _INT) for name in _COUNTS),
        *((name, _POINTER) for name in _ARRAYS),
        ("trees_share", ctypes.c_double),
        ("most", ctypes.c_float),
    )

    @classmethod
    def of(cls, library: Library, values: Mapping[str, Any]) -> PreparedModel | None:
        """Lay a model out.

        Args:
            library: The compiled library.
            values: All fields of `struct model` by name; arrays of the shapes that stand there.

        Returns:
            None where a number of it points nowhere.
        """
        values = {**values, "first": _padded(values["first"]), "bias": _padded(values["bias"])}
        arrays = {name: np.ascontiguousarray(values[name], dtype) for name, dtype in _ARRAYS.items()}
        numbers = {name: value for name, value in values.items() if name not in arrays}
        made = cls(**numbers, **{name: address_of(array) for name, array in arrays.items()})
        made.arrays = arrays
        made.address = ctypes.addressof(made)
        sound = declared(library.arrays.denoise_model_sound, _POINTER, result=ctypes.c_int)
        return made if sound(made.address) else None


def _padded(rows: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Rows of first layers in whole vectors, as wide as those of `struct model`."""
    return np.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(0, 16 - FORM[0])])


def probability(
    library: Library,
    model: PreparedModel,
    features: npt.NDArray[np.float32],
    tokens: npt.NDArray[np.int64],
    paths: npt.NDArray[np.int64],
) -> npt.NDArray[np.float64]:
    """Probability of each of m blocks of a page, shape (m,).

    Args:
        library: The compiled library.
        model: The model.
        features: Shape (features, m), NaN where unknown.
        tokens: Tokens of each block, shape (m,).
        paths: Number of each block's path, below m, shape (m,).

    Raises:
        ValueError: The arrays do not fit each other.
        MemoryError: There is not enough memory.
    """
    features = np.ascontiguousarray(features, np.float32)
    tokens, paths = np.ascontiguousarray(tokens, np.int64), np.ascontiguousarray(paths, np.int64)
    m = len(tokens)
    if features.shape != (model.features, m) or paths.shape != (m,):
        raise ValueError(f"features {features.shape}, paths {paths.shape} do not fit {model.features} and {m} blocks")
    function, found = library.arrays.denoise_model_probability, np.empty(m)
    if function.argtypes is None:
        function.argtypes, function.restype = _ARGUMENTS, ctypes.c_int
    where = [address_of(array) for array in (features, tokens, paths, found)]
    problem = function(model.address, where[0], m, *where[1:])
    if problem == -1:
        raise MemoryError
    if problem:
        raise ValueError("a path's number is not below the number of blocks")
    return found
