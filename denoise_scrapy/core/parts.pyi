import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.features import Words
from denoise_scrapy.core.judge import Neighbours
from denoise_scrapy.core.tree import Tree

_Values = npt.NDArray[np.float32]

def part_signals(tree: Tree, words: Words, features: _Values, neighbours: Neighbours, odds: _Values) -> _Values: ...
