import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.features import Words
from denoise_scrapy.core.tree import Tree

_Values = npt.NDArray[np.float32]

def part_signals(tree: Tree, words: Words, seen: _Values, odds: _Values) -> _Values: ...
def page_signals(features: _Values, odds: _Values, tokens: npt.NDArray[np.int64]) -> _Values: ...
