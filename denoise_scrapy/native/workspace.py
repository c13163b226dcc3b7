"""Memory that C fills with several arrays at once: allocated in one piece, looked at when somebody asks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.calling import address_of

Array = npt.NDArray[Any]
Shape = Callable[[int], tuple[int, ...]]


def one(count: int) -> tuple[int, ...]:
    """Shape of one value a thing."""
    return (count,)


def two(count: int) -> tuple[int, ...]:
    """Shape of two values a thing."""
    return (2 * count,)


def two_and_end(count: int) -> tuple[int, ...]:
    """Shape of two values a thing, and one more."""
    return (2 * count + 1,)


class Layout:
    """Where arrays stand in a workspace.

    Args:
        unit: Things are padded to a multiple of it, beyond the last one: all arrays begin at whole words then.
        arrays: Name, type, and shape for a number of things of each, in the order of `lay_out` in C.
    """

    def __init__(self, unit: int, arrays: Iterable[tuple[str, type[np.generic], Shape]]) -> None:
        self.unit, self.bytes = unit, 0  # so many for each thing
        self.arrays: dict[str, tuple[int, np.dtype[np.generic], Shape]] = {}
        for name, dtype, shape in arrays:
            self.arrays[name] = self.bytes, np.dtype(dtype), shape
            self.bytes += np.dtype(dtype).itemsize * (math.prod(shape(1000)) // 1000)


class Workspace:
    """Memory for arrays of so many things, which C writes and numpy looks at.

    Args:
        layout: What there is of each thing.
        count: How many things there are.
    """

    def __init__(self, layout: Layout, count: int) -> None:
        self._layout, self._count, self._padded = layout, count, (count + layout.unit) & -layout.unit
        self._words = np.empty(layout.bytes * self._padded // 8, np.int64)

    @property
    def address(self) -> int:
        """Where it begins."""
        return address_of(self._words)

    def get(self, name: str) -> Array | None:
        """An array by its name, a view; None where there is no such."""
        found = self._layout.arrays.get(name)
        if found is None:
            return None
        at, dtype, shape = found
        array: Array = np.ndarray(shape(self._count), dtype, self._words, at * self._padded)
        return array
