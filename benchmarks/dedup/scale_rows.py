"""What `scale` measures of one way of searching, and how."""

from __future__ import annotations

import ctypes
import gc
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Row:
    """One way of searching at one count. Milliseconds are of a whole call, the text's reading included.

    Attributes:
        count: Texts kept.
        way: Store and search.
        open_s: Seconds to open the index, or to fill it where there is no file.
        read_ms: Median of the text's reading alone.
        check_ms: Median of a check of a new text.
        check_p90_ms: The 90th percentile.
        copy_ms: Median of a check of a copy.
        worst_ms: The longest check.
        insert_ms: Median of keeping a text, the check included.
        memory: Bytes of the process for each kept text.
        disk: Bytes of the file for each kept text; 0 without a file.
        candidates: Kept texts compared with a new one, mean.
        visited: Share of the kept texts that the exact search read one by one.
        found: Copies found.
        copies: Copies asked about.
        wrong: New texts called copies; of LSH those that it finds any text for.
    """

    count: int
    way: str
    open_s: float
    read_ms: float
    check_ms: float
    check_p90_ms: float
    copy_ms: float
    worst_ms: float
    insert_ms: float
    memory: float
    disk: float
    candidates: float
    visited: float
    found: int
    copies: int
    wrong: int


class Question(NamedTuple):
    """A text that is asked about; `of` is the number of the text it is a copy of, -1 for a new one."""

    text: str
    of: int


def timed(call: Callable[[int, Question], T], asked: Sequence[Question]) -> tuple[Floats, list[T]]:
    """Milliseconds of each call, and what it gave."""
    ms: list[float] = []
    found: list[T] = []
    for number, one in enumerate(asked):
        start = time.perf_counter()
        found.append(call(number, one))
        ms.append((time.perf_counter() - start) * 1e3)
    return np.array(ms), found


def spread(ms: Floats, copy: npt.NDArray[np.bool_]) -> tuple[float, float, float, float]:
    """Median and 90th percentile of new texts, median of copies, the longest."""
    new = ms[~copy]
    return float(np.median(new)), float(np.percentile(new, 90)), float(np.median(ms[copy])), float(ms.max())


def memory_in_use() -> int:
    """Bytes of this process in memory; what was freed before would hide what is taken now."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()
