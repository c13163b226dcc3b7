from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.sharing import Shared
from denoise_scrapy.core.tree import Tree

Rows = Mapping[str, npt.NDArray[np.float32]]
_FloatArray = npt.NDArray[np.float64]

ANNOUNCING_TOKENS: int
COMMENTS_BIT: int
META_BIT: int
COMMENTS_PATTERNS: tuple[str, ...]
META_PATTERNS: tuple[str, ...]

class Words(NamedTuple):
    bits: npt.NDArray[np.uint8]
    title_share: _FloatArray
    titles: npt.NDArray[np.bool_]

def read_words(tree: Tree) -> Words: ...

WORDS: int

def words_of(tree: Tree, token: int) -> frozenset[int]: ...
def text_numbers(tree: Tree) -> npt.NDArray[np.uint32]: ...

class Vocabulary:
    class_words: Mapping[int, float]
    text_words: npt.NDArray[np.float32]
    def __new__(
        cls, class_words: Mapping[int, float] | None = None, text_words: npt.NDArray[np.float32] | None = None
    ) -> Vocabulary: ...

NO_WORDS: Vocabulary

class Family(NamedTuple):
    names: tuple[str, ...]
    say: Callable[[Rows, int], str]

FAMILIES: dict[str, Family]
NAMES: tuple[str, ...]

class View:
    features: npt.NDArray[np.float32]
    def __init__(
        self,
        tree: Tree,
        vocabulary: Vocabulary = ...,
        shared: Shared | None = None,
        *,
        words: Words | None = None,
        declares_article: bool = False,
        declares_forum: bool = False,
    ) -> None: ...

def best_box(prose: _FloatArray, tokens: _FloatArray, whole: float) -> int: ...
