"""The ceilings of counted work, beside the floors of quality in `baseline.json`.

A ceiling belongs to the pages it was measured on. It was set with one version of Python and numpy, which count work
in their own ways: under others it is higher by a margin.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping

import numpy as np

from benchmarks import gate
from benchmarks.corpora import Site

#: Ceilings are so much higher under other versions: 3.12 calls comprehensions inline, 3.13 has other instructions.
OTHER_VERSIONS = 1.5


def versions() -> str:
    """What the counts depend on.

    >>> versions().startswith("python 3.")
    True
    """
    minor = [".".join(version.split(".")[:2]) for version in (platform.python_version(), np.__version__)]
    return f"python {minor[0]}, numpy {minor[1]}"


def write(values: Mapping[str, float], pages: Site) -> None:
    """Set the ceilings.

    Args:
        values: Ceilings by name, margins included.
        pages: What they were measured on.
    """
    baseline, digest = gate.read(), gate.corpus_hash([pages])
    for name, value in values.items():
        baseline[f"work {name}"] = {"corpus": digest, "ceiling": float(f"{value:.4g}"), "versions": versions()}
    gate.BASELINE.write_text(json.dumps(baseline, indent=1, sort_keys=True) + "\n")


def failures(values: Mapping[str, float], pages: Site) -> dict[str, str]:
    """What is above its ceiling, or has none: a sentence for each name."""
    baseline, digest, found = gate.read(), gate.corpus_hash([pages]), dict[str, str]()
    for name, value in values.items():
        entry = baseline.get(f"work {name}")
        if entry is None or entry["corpus"] != digest:
            found[name] = f"work {name}: no ceiling for these pages ({value:.5g}); `make baseline` sets one"
            continue
        told = entry["versions"]
        ceiling = float(str(entry["ceiling"])) * (1 if told == versions() else OTHER_VERSIONS)
        if value > ceiling:
            found[name] = f"work {name}: {value:.5g} is above the ceiling {ceiling:.5g}, set with {told}"
    return found
