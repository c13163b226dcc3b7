from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.tree import Tree

Numbers = npt.ArrayLike
Values = npt.NDArray[np.float32]

NEIGHBOUR_NAMES: tuple[str, ...]
STOCK_PAGES: int

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

class Choice(NamedTuple):
    kept: npt.NDArray[np.bool_]
    probability: npt.NDArray[np.float64]
    f1: float

def choose(
    tree: Tree,
    probability: Numbers,
    *,
    in_place: Numbers | None = None,
    stock: Numbers | None = None,
    place: Numbers | None = None,
    layout: Numbers | None = None,
    unseen: npt.NDArray[np.bool_] | None = None,
    tables: Numbers | None = None,
    beta: float = 1.0,
) -> Choice: ...
def select_by_expected_f1(
    probability: Numbers, tokens: Numbers, *, beta: float = 1.0
) -> tuple[npt.NDArray[np.bool_], float]: ...
def expected_f1(
    kept: npt.NDArray[np.bool_], probability: npt.NDArray[np.float64], tokens: npt.NDArray[np.generic]
) -> float: ...
