"""What a page's template is recognised by."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.paths import PathTable


def layout_signature(paths: npt.NDArray[np.int32], table: PathTable) -> frozenset[int]:
    """Path hashes of a page's layout containers.

    Source: Wang, Chen and Dai (2018): the set of a page's block paths, here without sibling positions
    and ids, which would keep pages of one template apart.

    Args:
        paths: Path id of each element, shape (n,).
        table: Table of the ids.
    """
    return frozenset(layout_shapes(paths, table).tolist())


def layout_shapes(paths: npt.NDArray[np.int32], table: PathTable) -> npt.NDArray[np.uint64]:
    """The same as an array, the same hash several times, shape (containers,)."""
    containers = paths.compress(np.asarray(table.columns["container"], np.bool_).take(paths))
    return np.asarray(table.columns["shape"], np.uint64).take(containers)
