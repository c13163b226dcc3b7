from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.tree import Tree

RULES: tuple[str, ...]

def weighed(
    tree: Tree,
    titles: npt.NDArray[np.bool_],
    asides: npt.ArrayLike,
    probability: npt.ArrayLike,
    *,
    without: Collection[str] = (),
) -> npt.NDArray[np.float64]: ...
