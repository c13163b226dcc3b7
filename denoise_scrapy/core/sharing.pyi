from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.tree import Tree

HEADER_BYTES: int
CONTAINER_BYTES: int
BLOCK_BYTES: int

class Shared:
    text_share: npt.NDArray[np.float64]
    placed_share: npt.NDArray[np.float64]
    slot_share: npt.NDArray[np.float64]
    own_tokens: npt.NDArray[np.float64]
    carried: npt.NDArray[np.float64]
    likeness: npt.NDArray[np.float64]
    def originals(self) -> list[int]: ...
    def likest(self) -> list[int]: ...
    def only(self, numbers: Sequence[int]) -> Shared: ...

def facts_of(tree: Tree, url: str = "") -> bytes: ...
def checked(data: bytes, url: str) -> bytes: ...
def columns_of(
    data: bytes,
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64], npt.NDArray[np.uint64], npt.NDArray[np.uint32]]: ...
def similarities(data: bytes, others: Iterable[bytes]) -> list[float]: ...
def share(own: bytes, others: Iterable[bytes]) -> Shared: ...
