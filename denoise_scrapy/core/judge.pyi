from typing import Any

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.tree import Tree

_Numbers = npt.ArrayLike
_Values = npt.NDArray[np.float32]

FARTHEST: int
NEIGHBOUR_NAMES: tuple[str, ...]

class Network:
    mean: _Values
    def __init__(
        self,
        mean: _Numbers,
        deviation: _Numbers,
        inner: _Numbers,
        inner_bias: _Numbers,
        outer: _Numbers,
        outer_bias: _Numbers,
        last: _Numbers,
        direct: _Numbers,
        bias: _Numbers,
    ) -> None: ...
    def arrays(self) -> dict[str, _Values]: ...
    def odds(self, features: _Numbers) -> _Values: ...

class Neighbours:
    @staticmethod
    def of(tree: Tree) -> Neighbours: ...
    def features(self, odds: _Numbers) -> _Values: ...
    def added_to(self, features: _Values, odds: _Numbers) -> _Values: ...

class Forest:
    feature: npt.NDArray[np.int16]
    threshold: _Values
    value: _Values
    def __init__(self, feature: _Numbers, threshold: _Numbers, value: _Numbers) -> None: ...
    def arrays(self) -> dict[str, npt.NDArray[Any]]: ...
    def odds(self, features: _Numbers) -> _Values: ...
    def probability(self, features: _Numbers) -> npt.NDArray[np.float64]: ...

def judge(
    network: Network, second: Forest, last: Forest, neighbours: Neighbours, features: _Numbers
) -> tuple[npt.NDArray[np.float64], _Values, _Values]: ...
