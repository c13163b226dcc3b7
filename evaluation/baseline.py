"""Floors and ceilings that CI holds figures to, in `benchmarks/baseline.json`.

A bound is valid only for the data it was measured on, identified by a hash. Counted work also depends on the versions
of Python and numpy: under other versions its ceiling is higher by a margin.
"""

from __future__ import annotations

import argparse
import json
import platform
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

BASELINE = Path(__file__).parents[1] / "benchmarks" / "baseline.json"
#: Margin of ceilings under other versions: 3.12 inlines comprehensions, 3.13 has other instructions.
OTHER_VERSIONS = 1.5


class Figure(NamedTuple):
    """A measured figure.

    Attributes:
        name: Its name in the baseline.
        value: The figure.
        corpus: Hash of the data.
        bound: The floor, or ceiling, that this measurement sets.
        side: "floor" or "ceiling".
        versions: Versions that the figure depends on; empty if none.
    """

    name: str
    value: float
    corpus: str
    bound: float
    side: str = "floor"
    versions: str = ""


def versions() -> str:
    """Return the versions that counted work depends on."""
    minor = [".".join(version.split(".")[:2]) for version in (platform.python_version(), np.__version__)]
    return f"python {minor[0]}, numpy {minor[1]}"


def read() -> dict[str, dict[str, Any]]:
    """Return the baseline: {figure: {"corpus": hash, "floor" or "ceiling": bound}}."""
    return dict(json.loads(BASELINE.read_text())) if BASELINE.exists() else {}


def write(figures: Iterable[Figure]) -> None:
    """Set the bounds of some figures, and leave the others unchanged."""
    baseline = read()
    for one in figures:
        baseline[one.name] = {"corpus": one.corpus, one.side: one.bound}
        if one.versions:
            baseline[one.name]["versions"] = one.versions
    BASELINE.write_text(json.dumps(baseline, indent=1, sort_keys=True) + "\n")


def failures(figures: Iterable[Figure]) -> dict[str, str]:
    """Return a sentence for each figure that is worse than its bound, or has none."""
    baseline, found = read(), dict[str, str]()
    for one in figures:
        entry = baseline.get(one.name)
        if entry is None or entry["corpus"] != one.corpus or one.side not in entry:
            found[one.name] = f"{one.name}: no {one.side} for this data ({one.value:.5g}); `make baseline` sets one"
            continue
        told = entry.get("versions", "")
        bound = entry[one.side] * (OTHER_VERSIONS if told != one.versions else 1)
        if one.value < bound if one.side == "floor" else one.value > bound:
            where = "below" if one.side == "floor" else "above"
            since = f", set with {told}" if told else ""
            found[one.name] = f"{one.name}: {one.value:.5g} is {where} the {one.side} {bound:.5g}{since}"
    return found


def add_gate_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare `--gate` and `--set-baseline`."""
    parser.add_argument("--gate", action="store_true", help="fail where a figure is worse than baseline.json allows")
    parser.add_argument("--set-baseline", action="store_true", help="write the bounds")


def held(figures: list[Figure], args: argparse.Namespace) -> int:
    """Set the bounds, or compare with them, depending on `args`; print the outcome, and return the exit code."""
    if args.set_baseline:
        write(figures)
    wrong = list(failures(figures).values()) if args.gate else []
    print("\n".join(wrong) or f"{len(figures)} figures" + (", none worse than its bound" if args.gate else ""))
    return int(bool(wrong))
