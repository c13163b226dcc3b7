from typing import Any

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.tree import Tree

Numbers = npt.ArrayLike
Values = npt.NDArray[np.float32]

NEIGHBOUR_NAMES: tuple[str, ...]

class Network:
    mean: Values
    def __init__(
        self,
        mean: Numbers,
        deviation: Numbers,
        inner: Numbers,
        inner_bias: Numbers,
        outer: Numbers,
        outer_bias: Numbers,
        last: Numbers,
        direct: Numbers,
        bias: Numbers,
    ) -> None: ...
    def arrays(self) -> dict[str, Values]: ...
    def inputs(self, features: Numbers) -> Values: ...
    def odds(self, features: Numbers) -> Values: ...

class Neighbours:
    around: npt.NDArray[np.int32]
    def __init__(self, around: Numbers) -> None: ...
    @staticmethod
    def of(tree: Tree) -> Neighbours: ...
    def __len__(self) -> int: ...
    def features(self, odds: Numbers) -> Values: ...

class Forest:
    feature: npt.NDArray[np.int16]
    threshold: Values
    value: Values
    def __init__(self, feature: Numbers, threshold: Numbers, value: Numbers) -> None: ...
    def arrays(self) -> dict[str, npt.NDArray[Any]]: ...
    def probability(self, features: Numbers) -> npt.NDArray[np.float64]: ...

def judge(
    network: Network, forest: Forest, neighbours: Neighbours, features: Numbers
) -> tuple[npt.NDArray[np.float64], Values]: ...
