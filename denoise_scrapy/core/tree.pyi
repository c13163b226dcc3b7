from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from denoise_scrapy.core.styles import StyleSheet

MAX_ELEMENTS: int
MAX_BLOCKS: int
MAX_DEPTH: int
MAX_TITLE: int
EXACT_TAGS: frozenset[str]

IS_BLOCK: int
IS_SKIPPED: int
IS_BREAK: int
IS_ROOT: int
IS_CONTENT: int

class Tree:
    title: str
    noscript_read: bool
    is_too_large: bool
    element_rows: npt.NDArray[Any]
    block_rows: npt.NDArray[Any]
    token_rows: npt.NDArray[Any]
    word_rows: npt.NDArray[Any]
    noted_values: list[tuple[int, str, str]]
    declared_values: list[tuple[str, str]]
    written_urls: int
    text_size: int
    nbytes: int
    def tags(self) -> list[str]: ...
    def links(self) -> list[str]: ...
    def first_value(self, name: str) -> str: ...
    def slice(self, start: int, end: int) -> str: ...
    def block_text(self, block: int, left_out: npt.NDArray[np.int32] = ...) -> str: ...
    def text_of(self, wanted: npt.NDArray[np.uint8], left_out: npt.NDArray[np.int32] = ...) -> str: ...
    def inherited(self, own: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]: ...
    def nearest(self, marked: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]: ...
    def count_tokens(self, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]: ...
    def inner_hashes(self, urls: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]: ...
    def name_of(self, token: int) -> tuple[str, str, str, str]: ...
    def tokens_named(self, words: list[bytes]) -> list[int]: ...
    def holds_text(self, texts: tuple[bytes, ...]) -> bool: ...
    def short_links(self, most: int) -> list[tuple[int, str]]: ...
    def numbers_of(self, elements: Iterable[Any]) -> list[int]: ...

def tree_of(
    root: Any,
    *,
    sheet: StyleSheet | None = None,
    break_lines: bool = False,
    keep_nodes: bool = False,
    keep_readings: bool = False,
) -> Tree: ...
def name_code(name: str) -> int: ...
