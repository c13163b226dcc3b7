import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.tree import Tree

def around_story(tree: Tree, titles: npt.NDArray[np.bool_], probability: npt.ArrayLike) -> npt.NDArray[np.float64]: ...
