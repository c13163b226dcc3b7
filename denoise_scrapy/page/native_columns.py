"""Hands a page to C, which computes all columns of its elements and blocks at once."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native import library
from denoise_scrapy.native.reading import CharacterTables, PageColumns, read_page
from denoise_scrapy.page.characters import class_table, hash_table
from denoise_scrapy.page.paths import PathTable


def read_natively(data: bytes, wide: bool, paths: npt.NDArray[np.int32], table: PathTable) -> PageColumns | None:
    """All columns of a page, None where numpy must compute them.

    Args:
        data: The marked text (`MarkedText`).
        wide: Whether it is UTF-16.
        paths: Path id of each element, shape (n,).
        table: Table of the ids.
    """
    lib = library()
    return None if lib is None else read_page(lib, (data, wide), paths, table.copied(), _characters())


@cache
def _characters() -> CharacterTables:
    return CharacterTables.of(class_table(), hash_table())
