from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.tree import Tree

STOCK_PAGES: int

class Choice(NamedTuple):
    kept: npt.NDArray[np.bool_]
    probability: npt.NDArray[np.float64]
    f1: float

def choose(
    tree: Tree,
    probability: npt.ArrayLike,
    *,
    bits: npt.ArrayLike | None = None,
    in_place: npt.ArrayLike | None = None,
    stock: npt.ArrayLike | None = None,
    place: npt.ArrayLike | None = None,
    layout: npt.ArrayLike | None = None,
    is_forum: bool = False,
    beta: float = 1.0,
) -> Choice: ...
def select_by_expected_f1(
    probability: npt.ArrayLike, tokens: npt.ArrayLike, *, beta: float = 1.0
) -> tuple[npt.NDArray[np.bool_], float]: ...
def expected_f1(
    kept: npt.NDArray[np.bool_], probability: npt.NDArray[np.float64], tokens: npt.NDArray[np.generic]
) -> float: ...
