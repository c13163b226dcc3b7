from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.announcements import Words
from denoise_scrapy.core.tree import Tree
from denoise_scrapy.core.vocabulary import Vocabulary

Rows = Mapping[str, npt.NDArray[np.float32]]
FloatArray = npt.NDArray[np.float64]

class Family(NamedTuple):
    names: tuple[str, ...]
    say: Callable[[Rows, int], str]

FAMILIES: dict[str, Family]
NAMES: tuple[str, ...]
NO_WORDS: Vocabulary

class Compared(NamedTuple):
    pages: int
    text_share: FloatArray
    placed_share: FloatArray
    slot_share: FloatArray
    own_tokens: FloatArray
    stock: FloatArray

class View:
    features: npt.NDArray[np.float32]
    def __init__(
        self,
        tree: Tree,
        vocabulary: Vocabulary = ...,
        compared: Compared | None = None,
        *,
        words: Words | None = None,
        declares_article: bool = False,
        declares_forum: bool = False,
    ) -> None: ...

def in_best_container(tree: Tree, prose: FloatArray) -> npt.NDArray[np.bool_]: ...
