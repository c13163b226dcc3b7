"""The accelerator under AddressSanitizer and UBSan: `python -m tests.native.sanitize [--fuzz SECONDS]`.

Compiles a library of its own, and lets every test of this folder, whole pages and what hypothesis invents, go
through it, then mutated pages (`fuzz.py`). A read or write outside an array, or undefined behaviour, ends the process
with a report.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from denoise_scrapy.native.compile import compile_library, compiler

FOLDER = Path(__file__).parent
FLAGS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer", "-g", "-O1")
_OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1",  # Python itself leaves memory behind
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "PYTHONMALLOC": "malloc",  # so that Python's own objects are watched too
}


def runtime() -> str:
    """Path of the sanitizer's library, which must be in the process before Python is."""
    command = compiler() or ["cc"]
    found = subprocess.run([*command, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    return found.stdout.strip()


def run(seconds: int) -> int:
    """Compile, run pytest, then mutated pages for some seconds; give the exit code of what failed."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "sanitized.so"
        problem = compile_library(target, FLAGS)
        if problem:
            print(f"not compiled: {problem}", file=sys.stderr)
            return 1
        environment = {**os.environ, **_OPTIONS, "LD_PRELOAD": runtime(), "DENOISE_NATIVE": str(target)}
        compiling = str(FOLDER / "test_library.py")  # what it starts is no Python
        commands = (
            ["pytest", "-q", "-p", "no:cacheprovider", f"--ignore={compiling}", str(FOLDER)],
            ["tests.native.fuzz", f"--seconds={seconds}"],
        )
        return next(filter(None, (subprocess.call([sys.executable, "-m", *c], env=environment) for c in commands)), 0)


if __name__ == "__main__":
    ap = argparse.ArgumentParser(prog="python -m tests.native.sanitize", description=__doc__)
    ap.add_argument("--fuzz", type=int, default=60, metavar="SECONDS", help="time for mutated pages")
    sys.exit(run(ap.parse_args().fuzz))
