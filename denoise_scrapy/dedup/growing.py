"""An array that grows at its end."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_FIRST = 64
_FACTOR = 1.5  # a third of the room idle at worst; a copy of 30 MB, which is what a million rows take, costs 10 ms


class Growing:
    """Rows of one type, in the order they came.

    Args:
        dtype: Type of a row, also a structured one.
        width: Values of a row; None where it is one value.

    Example:
        >>> rows = Growing(np.int64)
        >>> rows.extend([3, 5])
        >>> rows.values.tolist(), len(rows)
        ([3, 5], 2)

    """

    def __init__(self, dtype: npt.DTypeLike, width: int | None = None) -> None:
        self._all: npt.NDArray[Any] = np.zeros(_FIRST if width is None else (_FIRST, width), dtype)
        self._used = 0

    def __len__(self) -> int:
        return self._used

    @property
    def values(self) -> npt.NDArray[Any]:
        """The rows so far: a view, valid until more are added."""
        return self._all[: self._used]

    @property
    def nbytes(self) -> int:
        """Bytes held, the idle room included."""
        return self._all.nbytes

    def extend(self, rows: npt.ArrayLike) -> None:
        """Add rows.

        Args:
            rows: What numpy can make an array of the type of.

        """
        added = np.asarray(rows, self._all.dtype)
        end = self._used + len(added)
        if end > len(self._all):
            room = max(end, int(len(self._all) * _FACTOR))
            larger = np.zeros((room, *self._all.shape[1:]), self._all.dtype)
            larger[: self._used] = self.values
            self._all = larger
        self._all[self._used : end] = added
        self._used = end
