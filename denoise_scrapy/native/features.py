"""Features of a page's blocks in C (`source/features.c`); `body/features/matrix.py` has the twin in numpy.

All families but the words', which `texts.fill_lexical` fills in.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.calling import address_of, declared
from denoise_scrapy.native.library import Library

_WORD, _REAL, _POINTER = ctypes.c_int64, ctypes.c_double, ctypes.c_void_p


class Settings(ctypes.Structure):
    """`struct feature_settings`: the constants of the features and of the hand rule, and where families stand."""

    _fields_ = (
        ("rows", _WORD),
        ("start", _WORD * 14),
        *(("tags", _WORD * 19), ("levels", _WORD * 6), ("nodes", _WORD * 6), ("link", _WORD), ("image", _WORD)),
        *(("spread", _WORD * 6), ("points", _WORD * 25)),
        *((f"{name}_points", _WORD) for name in "prose block outside teaser title slot".split()),
        *((name, _WORD) for name in "far price_tokens records record_elements record_tokens most_pages".split()),
        *((name, _REAL) for name in "alpha linked repeated template_slot framed hidden teasers".split()),
        *((name, _REAL) for name in "sparse_tokens sparse".split()),
    )

    @classmethod
    def of(cls, values: Mapping[str, float | Sequence[int]]) -> Settings:
        """All of them, by name.

        Raises:
            ValueError: A sequence is not as long as C expects, or a name is missing.
        """
        made, types = cls(), {name: kind for name, kind, *_ in cls._fields_}
        if types.keys() != values.keys():
            raise ValueError(f"settings expected: {sorted(types)}, got {sorted(values)}")
        for name, value in values.items():
            if not isinstance(value, Sequence):
                setattr(made, name, value)
            elif len(value) == len(getattr(made, name)):
                setattr(made, name, types[name](*value))
            else:
                raise ValueError(f"{name}: {len(getattr(made, name))} values expected, got {len(value)}")
        return made


class Page(Protocol):
    """What C finds a page's columns by (`columns.PageColumns`)."""

    @property
    def address(self) -> int:
        """Address of `struct page_columns`."""


#: Rows of what is told of the blocks beside their columns, in the order of `struct feature_inputs`.
INPUTS = ("titles", "bits", "times", "text_share", "placed_share", "slot_share", "path_share", "slot_tokens")


class Told(NamedTuple):
    """What is told of a page of m blocks beside its columns.

    Attributes:
        blocks: Rows as in `INPUTS`, shape (INPUTS, m), contiguous.
        pages: How many comparison pages there are; without one the last five rows are not read.
        declared: What the page declares to be, a bit each.
    """

    blocks: npt.NDArray[np.float64]
    pages: int
    declared: int


def fill_features(
    library: Library, page: Page, settings: Settings, told: Told, matrix: npt.NDArray[np.float32]
) -> None:
    """Fill in the matrix of a page's m blocks.

    Args:
        library: The compiled library.
        page: The page's columns.
        settings: The constants.
        told: What is told of the page.
        matrix: Shape (settings.rows, m), contiguous.

    Raises:
        ValueError: The sizes do not fit each other.
        MemoryError: There is not enough.
    """
    rows, m = matrix.shape
    if told.blocks.shape != (len(INPUTS), m) or rows != settings.rows:
        raise ValueError(f"shapes of {m} blocks expected, got {told.blocks.shape} and {matrix.shape}")
    given, out = address_of(told.blocks), address_of(matrix)
    failed = _function(library)(page.address, settings, given, m, told.pages, told.declared, out)
    if failed:
        raise ValueError("the page's columns do not fit") if failed == -1 else MemoryError("features of a page")


def _function(library: Library) -> Any:
    settings, numbers = ctypes.POINTER(Settings), (_WORD, _WORD, _WORD)
    types = (_POINTER, settings, _POINTER, *numbers, _POINTER)
    return declared(library.arrays.denoise_features, *types, result=ctypes.c_int)
