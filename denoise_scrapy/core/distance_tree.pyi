from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

class DistanceTree:
    visited: int
    @property
    def nbytes(self) -> int: ...
    @property
    def halvings(self) -> list[int]: ...
    def __len__(self) -> int: ...
    def add(self, number: int, units: bytes, length: int, runs: bytes = b"", halved: int = 33) -> None: ...
    def drop(self, number: int) -> None: ...
    def search(
        self,
        units: npt.NDArray[np.uint16],
        need: int,
        longest: int,
        runs: Mapping[int, tuple[npt.NDArray[np.uint16], int]],
        at_most: int,
    ) -> list[int]: ...
    def parts(
        self,
        units: npt.NDArray[np.uint16],
        longest: int,
        share: float,
        runs: Mapping[int, npt.NDArray[np.uint16]],
        at_most: int,
    ) -> list[int]: ...
