"""Counts the work that a function does in Python, and the memory it takes."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple


class Counts(NamedTuple):
    """Work of one run: calls of Python and C functions, bytecode instructions, peak of what was allocated."""

    calls: int
    instructions: int
    kilobytes: float


def count(run: Callable[[], object]) -> Counts:
    """Run a function once and count its work: with the same Python and numpy the same each time, but for memory.

    Example:
        >>> count(lambda: [abs(n) for n in range(1000)]).calls // 1000
        1
    """
    tally = _Tally()
    hooks = sys.gettrace(), sys.getprofile()
    gc.collect()
    gc.disable()  # what it calls depends on what was made before
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
    """What the interpreter reports to."""

    def __init__(self) -> None:
        self.calls = self.instructions = 0

    def profile(self, frame: FrameType, event: str, _: Any) -> None:
        """A function is called, or left."""
        if event in ("call", "c_call"):
            self.calls += 1

    def trace(self, frame: FrameType, event: str, _: Any) -> Any:
        """An instruction is executed, or a function entered."""
        if event == "opcode":
            self.instructions += 1
        else:
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self.trace
