from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.tree import Tree

ANNOUNCING_TOKENS: int
COMMENTS_BIT: int
META_BIT: int
COMMENTS_PATTERNS: tuple[str, ...]
META_PATTERNS: tuple[str, ...]

class Words(NamedTuple):
    bits: npt.NDArray[np.uint8]
    title_share: npt.NDArray[np.float64]
    titles: npt.NDArray[np.bool_]

def read_words(tree: Tree) -> Words: ...
def level_one(tree: Tree) -> npt.NDArray[np.int32]: ...
