import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.feature_strings import FeatureStrings

ROWS: tuple[tuple[str, str], ...]
NAMES: tuple[str, ...]

_Units = npt.NDArray[np.uint16]

def evidence(
    new: FeatureStrings,
    units: _Units,
    below: int,
    main: _Units,
    t: int,
    runs: _Units,
    limit: int,
    n: float,
) -> npt.NDArray[np.float32]: ...
