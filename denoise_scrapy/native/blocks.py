"""A page's blocks in C: what they share with other pages, their features, the model.

`source/shared.c`, `source/texts.c`, `source/features.c` and `source/model.c`; the twins in numpy are `site/shared.py`,
`body/features/matrix.py` and `body/model`.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.library import Library, address_of

_WORD, _REAL, _POINTER = ctypes.c_int64, ctypes.c_double, ctypes.c_void_p

#: Rows of what is found, a value a block: shares of the others that have its text, its path, its text under its path;
#: share of its path's tokens in texts that two pages have; mean tokens of the others' blocks of its path; how often the
#: page says its text.
TEXT_SHARE, PATH_SHARE, PLACED_SHARE, SLOT_SHARE, SLOT_TOKENS, TIMES = range(6)
#: More blocks are not numbered by 32 bits.
MAX_BLOCKS = 1 << 30

#: Size of `struct page_facts`.
_FACTS_BYTES = 48


class FactsArrays:
    """The arrays of a page of m blocks as C reads them.

    Args:
        text_hashes: Of its blocks, shape (m,).
        path_keys: Of their paths, shape (m,).
        tokens: Of the blocks, shape (m,).
        shapes: Hashes of the paths of its layout containers, shape (any,); of a page that others are compared with each
            once.

    Raises:
        ValueError: They differ in length.

    Attributes:
        words: `struct page_facts`: addresses and lengths.
    """

    def __init__(
        self,
        text_hashes: npt.NDArray[np.uint64],
        path_keys: npt.NDArray[np.uint64],
        tokens: npt.NDArray[np.int64],
        shapes: npt.NDArray[np.uint64],
    ) -> None:
        if not len(text_hashes) == len(path_keys) == len(tokens):
            raise ValueError(f"arrays differ in length: {len(text_hashes)}, {len(path_keys)} and {len(tokens)}")
        arrays = (text_hashes, np.uint64), (path_keys, np.uint64), (tokens, np.int64), (shapes, np.uint64)
        self._given = text_hashes, path_keys, tokens, shapes
        self._held = [np.ascontiguousarray(array, dtype) for array, dtype in arrays]
        *blocks, containers = map(address_of, self._held)
        self.words = (*blocks, len(tokens), containers, len(shapes))

    def __reduce__(self) -> tuple[type[FactsArrays], tuple[npt.NDArray[Any], ...]]:
        return FactsArrays, self._given  # a copy lies elsewhere


class Shared(NamedTuple):
    """What a page of m blocks shares with k others.

    Attributes:
        rows: `TEXT_SHARE` and so on, shape (6, m).
        carried: The page's tokens, and tokens of prose, in texts that each other has, shape (2, k).
        likeness: Common containers of layout / containers of the page with fewer, 0 to 1, shape (k,).
    """

    rows: npt.NDArray[np.float64]
    carried: npt.NDArray[np.int64]
    likeness: npt.NDArray[np.float64]


def share_blocks(
    library: Library, page: FactsArrays, prose: npt.NDArray[np.int64], others: Sequence[FactsArrays]
) -> Shared | None:
    """What a page of m blocks shares with k others.

    Args:
        library: The compiled library.
        page: The page.
        prose: Tokens of its blocks that are prose, else 0, shape (m,).
        others: The others.

    Returns:
        What they share; None where there are too many blocks.

    Raises:
        ValueError: There are not as many tokens of prose as blocks.
    """
    m, k = page.words[3], len(others)
    blocks = sum(other.words[3] for other in others)
    if m + blocks + page.words[5] > MAX_BLOCKS:
        return None
    if len(prose) != m:
        raise ValueError(f"{m} blocks expected, got {len(prose)}")
    facts = np.array([page.words, *(other.words for other in others)], np.int64)
    prose = np.ascontiguousarray(prose, np.int64)
    rows, sums, likeness = np.empty(6 * m), np.empty(2 * k, np.int64), np.empty(k)
    work = np.empty(library.shared_space(m, page.words[5], blocks), np.uint8)
    own = address_of(facts)
    found = (address_of(array) for array in (work, sums, likeness, rows))
    library.shared(own, address_of(prose), own + _FACTS_BYTES, k, *found)
    return Shared(rows.reshape(6, m), sums.reshape(2, k), likeness)


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
    """What C finds a page's columns by (`PageColumns`)."""

    address: int


#: Rows of what is told of the blocks beside their columns, in the order of `struct feature_inputs`.
INPUTS = ("titles", "bits", "times", "text_share", "placed_share", "slot_share", "path_share", "slot_tokens")


class Told(NamedTuple):
    """What is told of a page of m blocks beside its columns.

    Attributes:
        blocks: Rows as in `INPUTS`, shape (INPUTS, m), contiguous.
        paths: Number of each block's path, below m, shape (m,), contiguous.
        pages: How many comparison pages there are; without one the last five rows are not read.
        declared: What the page declares to be, a bit each.
    """

    blocks: npt.NDArray[np.float64]
    paths: npt.NDArray[np.int64]
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
    if told.blocks.shape != (len(INPUTS), m) or len(told.paths) != m or rows != settings.rows:
        raise ValueError(f"shapes of {m} blocks expected, got {told.blocks.shape} and {matrix.shape}")
    given, paths, out = (address_of(array) for array in (told.blocks, told.paths, matrix))
    constants = ctypes.addressof(settings)
    failed = library.features(page.address, constants, given, paths, m, told.pages, told.declared, out)
    if failed:
        raise ValueError("the page's columns do not fit") if failed == -1 else MemoryError("features of a page")


_COUNTS = ("features", "splits", "above", "levels", "nodes", "trees", "leaves")
_ARRAYS: Mapping[str, type[np.generic]] = {
    "split_feature": np.int32,
    "threshold": np.float32,
    "level_size": np.int32,
    "node_split": np.int32,
    "node_come": np.int32,
    "leaf": np.int32,
    "value": np.float64,
    **dict.fromkeys("mean low high first bias near page path inner last".split(), np.float32),
}
#: Networks, outputs of their first and second layers, and what the second looks at: the one form that C is made for.
FORM = (3, 32, 16, 7)
_MOST_LEAVES = 256


class PreparedModel(ctypes.Structure):
    """`struct model`; it holds the arrays that it points to."""

    _fields_ = (
        *((name, _WORD) for name in _COUNTS),
        *((name, _POINTER) for name in _ARRAYS),
        ("trees_share", _REAL),
        ("most", ctypes.c_float),
    )

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> PreparedModel | None:
        """Lay a model out.

        Args:
            values: All fields of `struct model` by name; arrays of the shapes that stand there.

        Returns:
            None where a number of it points nowhere.
        """
        values = {**values, "first": _padded(values["first"]), "bias": _padded(values["bias"])}
        arrays = {name: np.ascontiguousarray(values[name], dtype) for name, dtype in _ARRAYS.items()}
        numbers = {name: value for name, value in values.items() if name not in arrays}
        made = cls(**numbers, **{name: address_of(array) for name, array in arrays.items()})
        made.arrays = arrays
        made.address = ctypes.addressof(made)
        return made if _is_sound(numbers, arrays) else None


def _is_sound(numbers: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bool:
    """Whether all numbers of a model point into it: C does not look."""
    size, rows = arrays["level_size"], 2 * numbers["nodes"]
    row = 2 * (size.cumsum() - size).repeat(size)  # rows above each node's level; the root's is every block
    come, leaves = arrays["node_come"], numbers["leaves"]
    return bool(
        size.sum() == numbers["nodes"] == len(come)
        and ((come >= 0) & ((come < row) | (come == rows))).all()
        and _within(arrays["node_split"], numbers["splits"])
        and _within(arrays["split_feature"], numbers["features"])
        and _within(arrays["leaf"], rows + 2)
        and 0 <= numbers["above"] <= numbers["splits"]
        and leaves <= _MOST_LEAVES
        and leaves & (leaves - 1) == 0
    )


def _within(places: npt.NDArray[Any], end: int) -> bool:
    return bool(((places >= 0) & (places < end)).all())


def _padded(rows: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Rows of first layers in whole vectors, as wide as those of `struct model`."""
    return np.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(0, 16 - FORM[0])])


def probability(
    library: Library,
    model: PreparedModel,
    features: npt.NDArray[np.float32],
    tokens: npt.NDArray[np.int64],
    paths: npt.NDArray[np.int64],
) -> npt.NDArray[np.float64]:
    """Probability of each of m blocks of a page, shape (m,).

    Args:
        library: The compiled library.
        model: The model.
        features: Shape (features, m), NaN where unknown.
        tokens: Tokens of each block, shape (m,).
        paths: Number of each block's path, below m, shape (m,).

    Raises:
        ValueError: The arrays do not fit each other.
        MemoryError: There is not enough memory.
    """
    features = np.ascontiguousarray(features, np.float32)
    tokens, paths = np.ascontiguousarray(tokens, np.int64), np.ascontiguousarray(paths, np.int64)
    m = len(tokens)
    if features.shape != (model.features, m) or paths.shape != (m,):
        raise ValueError(f"features {features.shape}, paths {paths.shape} do not fit {model.features} and {m} blocks")
    found = np.empty(m)
    where = [address_of(array) for array in (features, tokens, paths, found)]
    problem = library.model_probability(model.address, where[0], m, *where[1:])
    if problem == -1:
        raise MemoryError
    if problem:
        raise ValueError("a path's number is not below the number of blocks")
    return found


#: What is left to do for a block: it is unseen; its share of the title's words is unknown.
UNSEEN, TITLE = 1, 2


class _Known(ctypes.Structure):
    _fields_ = (
        *(("mask", _WORD), ("seed", ctypes.c_uint64), ("keys", _POINTER), ("bits", _POINTER)),
        *(("short_tokens", _WORD), ("known_tokens", _WORD)),
    )


class AskedTexts(NamedTuple):
    """What is known of the texts of m blocks; arrays of shape (m,).

    Attributes:
        keys: Key of each block that is looked up, anything for others.
        share: Share of its words that stand in the title.
        bits: What it announces.
        left: What is left to do: `UNSEEN`, `TITLE`.
        waiting: For how many blocks something is.
    """

    keys: npt.NDArray[np.uint64]
    share: npt.NDArray[np.float64]
    bits: npt.NDArray[np.uint8]
    left: npt.NDArray[np.uint8]
    waiting: int


class KnownTexts:
    """What short texts announce, by a hash with a seed of this process.

    Args:
        most: Texts that are remembered, a power of two; where there are more, all are forgotten.
        short: Blocks of fewer tokens are compared with the title.
        known: Blocks of fewer tokens are looked up.

    Attributes:
        forgotten: How many have been forgotten.
    """

    def __init__(self, most: int, short: int, known: int) -> None:
        self.most, self.forgotten, self._used = most, 0, 0
        self._keys, self._bits = np.zeros(2 * most, np.uint64), np.zeros(2 * most, np.uint8)
        seed = int.from_bytes(os.urandom(8), "little")
        self._struct = _Known(2 * most - 1, seed, address_of(self._keys), address_of(self._bits), short, known)

    def ask(self, library: Library, page: Page, m: int, lower: npt.NDArray[np.uint16], title: str) -> AskedTexts:
        """What is known of a page's m blocks.

        Args:
            library: The compiled library.
            page: The page's columns.
            m: How many blocks it has.
            lower: What each code is worth, shape (65536,); see `texts.c`.
            title: The page's title in lower case.
        """
        out, codes = np.empty(18 * m + 1, np.uint8), title.encode("utf-16-le", "surrogatepass")
        struct = ctypes.addressof(self._struct)
        waiting = library.texts_ask(page.address, struct, address_of(lower), codes, len(codes) // 2, address_of(out))
        keys, share = out[: 8 * m].view(np.uint64), out[8 * m : 16 * m].view(np.float64)
        return AskedTexts(keys, share, out[16 * m : 17 * m], out[17 * m : 18 * m], waiting)

    def learn(self, library: Library, keys: npt.NDArray[np.uint64], bits: npt.NDArray[np.uint8]) -> None:
        """Remember what some texts announce; both of shape (any,)."""
        if self._used + len(keys) > self.most:
            self.clear()
        keys, bits = keys[: self.most], bits[: self.most]
        if len(keys):
            library.texts_learn(ctypes.addressof(self._struct), len(keys), address_of(keys), address_of(bits))
        self._used += len(keys)

    def clear(self) -> None:
        """Forget all."""
        self._keys[:] = 0
        self.forgotten += self._used
        self._used = 0
