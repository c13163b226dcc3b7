from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.tree import Tree

WORDS: int

def words_of(tree: Tree, token: int) -> frozenset[int]: ...
def text_numbers(tree: Tree) -> npt.NDArray[np.uint32]: ...

class Vocabulary:
    class_words: Mapping[int, float]
    text_words: npt.NDArray[np.float32]
    def __init__(
        self, class_words: Mapping[int, float] | None = None, text_words: npt.NDArray[np.float32] | None = None
    ) -> None: ...
