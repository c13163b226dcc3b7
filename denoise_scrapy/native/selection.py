"""The choice of blocks in C (`source/selection.c`); its twin in numpy: `body/selection.py`."""

from __future__ import annotations

import ctypes

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.calling import address_of, declared
from denoise_scrapy.native.library import Library

_POINTER = ctypes.c_void_p
_ARGUMENTS = (_POINTER, _POINTER, ctypes.c_int64, ctypes.c_double, _POINTER)


def select(
    library: Library,
    probability: npt.NDArray[np.float64],
    tokens: npt.NDArray[np.int64],
    beta: float,
    kept: npt.NDArray[np.bool_] | None = None,
) -> float:
    """The expected F1 of the set of blocks with the highest expected F_beta.

    Args:
        library: The compiled library.
        probability: How likely each block is content, shape (m,).
        tokens: Its tokens, shape (m,).
        beta: How much more recall counts than precision.
        kept: Receives the set, contiguous, shape (m,).

    Raises:
        MemoryError: There is not enough memory.
    """
    function = declared(library.arrays.denoise_select, *_ARGUMENTS, result=ctypes.c_double)
    probability, tokens = np.ascontiguousarray(probability, np.float64), np.ascontiguousarray(tokens, np.int64)
    if not len(probability) == len(tokens) == (len(tokens) if kept is None else len(kept)):
        raise ValueError("probabilities, tokens and choice are of different lengths")
    where = [None if array is None else address_of(array) for array in (probability, tokens, kept)]
    f1: float = function(where[0], where[1], len(tokens), beta * beta, where[2])
    if f1 < 0:
        raise MemoryError
    return f1
