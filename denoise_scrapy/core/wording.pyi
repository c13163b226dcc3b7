import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.tree import Tree

SHORT_CHARS: int
LEAST_LIKELY: float
MOST_CHARS: int
NO_WORDING: npt.NDArray[np.float32]

def letter_sequences(text: str, bits: int) -> npt.NDArray[np.int64]: ...
def odds_of_text(text: str, weights: npt.NDArray[np.float32]) -> float: ...
def amounts_below_headline(tree: Tree, below: int, most_chars: int) -> list[int]: ...
def doubts(tree: Tree, weights: npt.NDArray[np.float32], probability: npt.ArrayLike) -> npt.NDArray[np.float64]: ...
