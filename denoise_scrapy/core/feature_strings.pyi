from typing import NamedTuple

import numpy as np
import numpy.typing as npt

UNIT_HASH: str
TOKEN_RULE: int
PIECE: int
IDEOGRAPH: int
NUMBER: int
STOP_WORDS: list[str]
STOP_LIST_DIGEST: str

class Units(NamedTuple):
    hashes: npt.NDArray[np.uint32]
    kinds: npt.NDArray[np.uint8]
    joined: bytes

def read_units(text: str) -> Units: ...
def tokens(text: str) -> list[str]: ...

UNIT_BITS: int
RUN: int
RUN_OF_IDEOGRAPHS: int
RUN_HASH: str
EVERY: int
SHINGLE: int

_Sample = npt.NDArray[np.uint16]

class FeatureStrings:
    def __init__(self, text: str) -> None: ...
    n: int
    ideographs: int
    digest: bytes
    text: str
    names: npt.NDArray[np.uint32]
    hashes: npt.NDArray[np.uint32]
    kinds: npt.NDArray[np.uint8]
    places: _Sample
    runs: npt.NDArray[np.uint64]
    frequencies: dict[int, int]
    def main_units(self, t: int) -> _Sample: ...
    def rare_units(self, t: int, most: int) -> bytes: ...
    def sample(self, limit: int = 1 << 32) -> _Sample: ...
    def repeated_sample(self, limit: int) -> _Sample: ...
    def sample_of(self, most: int) -> tuple[_Sample, int]: ...
    def shingles(self) -> npt.NDArray[np.uint32]: ...
    def sampled(self, theirs: _Sample, limit: int) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.bool_]]: ...
    def novel(self, theirs: _Sample, below: int) -> npt.NDArray[np.int64]: ...
    def has(self, units: _Sample) -> npt.NDArray[np.bool_]: ...

def count_common(mine: _Sample, theirs: bytes) -> int: ...
