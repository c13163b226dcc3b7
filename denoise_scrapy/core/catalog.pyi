from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

TAIL: int
SEGMENT: int
MOST_FINDS: int

class Candidates(NamedTuple):
    same_name: list[int]
    same_words: list[int]
    alike: list[int]

class Catalog:
    def __init__(self, *, bands: bool = True, short: bool = True) -> None: ...
    def __len__(self) -> int: ...
    @property
    def last(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def segments(self) -> list[int]: ...
    def extend(self, listings: Iterable[tuple[int, str, str, int, bytes, bytes, bytes, int]]) -> None: ...
    def discard(self, number: int) -> bool: ...
    def ids_after(self, number: int) -> list[int]: ...
    def find(
        self,
        key: str,
        scope: str,
        digest: bytes,
        bands: bytes,
        most: int = ...,
        query: Callable[[int], tuple[npt.NDArray[np.uint16], int]] | None = None,
    ) -> Candidates: ...
