"""Spreading 64-bit keys evenly."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

_A, _B = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_33 = np.uint64(33)


def fmix64(keys: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Spread keys, by the finaliser of MurmurHash3 (public domain). Different keys stay different.

    Args:
        keys: uint64, any shape.

    Returns:
        uint64 of the same shape.

    Example:
        >>> fmix64(np.array([0, 1], np.uint64)).tolist()
        [0, 12994781566227106604]

    """
    keys = (keys ^ (keys >> _33)) * _A
    keys = (keys ^ (keys >> _33)) * _B
    return np.asarray(keys ^ (keys >> _33), np.uint64)
