"""Processes that tests start, wait for, and read."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


def run_in(
    folder: Path, command: Sequence[str | Path], environment: Mapping[str, str], seconds: float
) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder to its end; standard error comes with standard output."""
    return subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=seconds,
        check=False,
    )
