"""Compiles the accelerator where it is installed, and tells what is in use: `python -m denoise_scrapy.native`."""

from __future__ import annotations

import subprocess
import sys

from denoise_scrapy.native.compile import compile_library

problem = compile_library()
if problem:
    sys.exit(f"not compiled: {problem}")
# a process of its own: this one may have loaded what was there before
sys.exit(subprocess.call([sys.executable, "-c", "from denoise_scrapy.native import status; print(status())"]))
