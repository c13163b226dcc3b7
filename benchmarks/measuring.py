"""Measures of cost: times beside lxml's plain parse, counted work, the trend of memory.

On a machine that does other work, ratios of processor times taken in turn are stable, and milliseconds are not. Counted
work is the same in every run.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from time import process_time
from types import FrameType
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from lxml import etree

from evaluation.corpora import RecordedPage

T = TypeVar("T")
Values = npt.NDArray[np.floating[Any]]

_CACHED = type(lru_cache(len))
#: Quantile of the normal distribution for an interval of 95%.
Z = 1.96


def spread(values: Iterable[float]) -> str:
    """Return the median of some values, and their 10th and 90th percentile."""
    low, median, high = np.percentile(np.fromiter(values, float), [10, 50, 90]).tolist()
    return f"{median:.2f} ({low:.2f}–{high:.2f})"


def seconds(run: Callable[[], object]) -> float:
    """Return the processor seconds of one run."""
    start = process_time()
    run()
    return max(process_time() - start, 1e-6)


def parse_seconds(page: RecordedPage) -> float:
    """Return the processor seconds of lxml's plain parse of a page: one P."""
    body = page.html.encode("utf-8", "replace")
    return seconds(lambda: etree.fromstring(body, etree.HTMLParser(encoding="utf-8")))


def in_new_thread(run: Callable[[], T]) -> T:
    """Run a function in a thread of its own.

    In one thread the plain parse of the same pages took 15 to 30% longer after 500 to 1,600 others, perhaps because of
    lxml's dictionary of names, shared by all parsers of a thread: multiples measured later would come out lower.
    """
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result()


def forget_caches() -> None:
    """Empty the bounded caches of the package, as at the start of a crawl; unbounded ones hold loaded data."""
    for name, module in list(sys.modules.items()):
        if name.startswith("denoise_scrapy"):
            for value in list(vars(module).values()):
                if isinstance(value, _CACHED) and value.cache_parameters()["maxsize"] is not None:
                    value.cache_clear()


class Counts(NamedTuple):
    """Work of one run: calls of Python and C functions, bytecode instructions, peak of allocated memory."""

    calls: int
    instructions: int
    kilobytes: float


def count(run: Callable[[], object]) -> Counts:
    """Run a function once and count its work: the same each time with the same Python and numpy, except for memory."""
    tally = _Tally()
    hooks = sys.gettrace(), sys.getprofile()
    gc.collect()
    gc.disable()  # its work depends on earlier allocations
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    sys.settrace(tally.trace)
    sys.setprofile(tally.profile)
    try:
        run()
    finally:
        sys.setprofile(hooks[1])
        sys.settrace(hooks[0])
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        gc.enable()
    return Counts(tally.calls, tally.instructions, (peak - before) / 1000)


class _Tally:
    """Counters that the interpreter reports to."""

    def __init__(self) -> None:
        self.calls = self.instructions = 0

    def profile(self, frame: FrameType, event: str, _: Any) -> None:
        if event in ("call", "c_call"):
            self.calls += 1

    def trace(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "opcode":
            self.instructions += 1
        else:
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self.trace


def trend(x: Values, y: Values) -> str:
    """Return the slope of a sampled series (Theil and Sen) with the bounds of its interval of 95% (Sen 1968).

    Successive samples are correlated, and carry less information than independent ones: their effective number is
    n(1 - r)/(1 + r), where r is the correlation of each sample with the next, without the trend.
    """
    first, second = np.triu_indices(len(x), 1)
    slopes, n = np.sort((y[second] - y[first]) / (x[second] - x[first])), len(x)
    middle = float(np.median(slopes))
    rest = y - middle * x
    rest = rest - rest.mean()
    power = float(rest @ rest)
    r = min(max(float(rest[1:] @ rest[:-1]) / power, 0.0), 0.95) if power else 0.0
    width = Z * np.sqrt(n * (n - 1) * (2 * n + 5) / 18 * (1 + r) / (1 - r))
    places = ((len(slopes) - width) / 2, (len(slopes) + width) / 2)
    low, high = (slopes[int(np.clip(place, 0, len(slopes) - 1))] for place in places)
    return f"{middle:,.0f} ({low:,.0f} to {high:,.0f})"
