"""What an exact search keeps sets of units in: bit-sliced signatures or the edit-distance tree."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt


class UnitSets(ABC):
    """Sets of units under numbers, found by what they may have in common with a query.

    Attributes:
        visited: Sets read one by one since the start, for measurements.

    """

    def __init__(self) -> None:
        self.visited = 0

    @abstractmethod
    def add(self, numbers: list[int], sets: list[bytes], lengths: list[int]) -> None:
        """Add sets.

        Args:
            numbers: What a search returns for them.
            sets: Sorted uint16 arrays as bytes.
            lengths: Lengths of their texts in units, what `longest` of a search speaks of.

        """

    @abstractmethod
    def search(self, units: npt.NDArray[np.uint16], need: int, longest: int) -> npt.NDArray[np.int64]:
        """Find every set that may have enough in common with a query.

        Args:
            units: The query, uint16, each once, not empty.
            need: Least number of common units, 1 or more.
            longest: Sets of longer texts are left out, in units.

        Returns:
            Sorted int64 numbers: of all sets that have, and of a few that do not.

        """

    @abstractmethod
    def __len__(self) -> int: ...
