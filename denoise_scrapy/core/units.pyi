from collections.abc import Iterable
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
def unit_hashes(words: Iterable[str]) -> npt.NDArray[np.uint32]: ...
def is_stop(units: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]: ...
