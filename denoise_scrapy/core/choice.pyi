from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.tree import Tree

_Numbers = npt.ArrayLike

class Choice(NamedTuple):
    kept: npt.NDArray[np.bool_]
    probability: npt.NDArray[np.float64]

def choose(
    tree: Tree,
    probability: _Numbers,
    *,
    stock: _Numbers | None = None,
    layout: _Numbers | None = None,
    unseen: npt.NDArray[np.bool_] | None = None,
    tables: _Numbers | None = None,
) -> Choice: ...
def select_by_expected_f1(
    probability: _Numbers, tokens: _Numbers, *, beta: float = 1.0
) -> tuple[npt.NDArray[np.bool_], float]: ...
def expected_f1(
    kept: npt.NDArray[np.bool_], probability: npt.NDArray[np.float64], tokens: npt.NDArray[np.generic]
) -> float: ...
