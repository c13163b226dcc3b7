"""Compiles `source/*.c` into one shared library beside this file; `python -m denoise_scrapy.native` does it by hand.

Run by the build hook (`hatch_build.py`) when the package is built or installed, so it imports nothing but the
standard library. Where there is no compiler nothing is made, and numpy does all.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

FOLDER = Path(__file__).parent
SOURCES = FOLDER / "source"
#: The library's file. Not named after a Python version: it is bound to none (stable ABI, by ctypes).
TARGET = FOLDER / ("_kernels.dylib" if sys.platform == "darwin" else "_kernels.so")
#: -ffp-contract=off: fused multiply-adds would round otherwise than numpy does, and move bodies.
FLAGS = ("-std=c11", "-O3", "-fPIC", "-shared", "-fvisibility=hidden", "-ffp-contract=off", "-fno-math-errno")


def source_digest() -> str:
    """A digest of all sources: the library holds the one it was made of, and is used with no others.

    Example:
        >>> len(source_digest())
        16
    """
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(SOURCES.glob("*.[ch]")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def compiler() -> list[str] | None:
    """The command of a C compiler: that of `CC`, else `cc`, `gcc` or `clang` of this machine; None without one."""
    if os.environ.get("CC"):
        return shlex.split(os.environ["CC"])
    found = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    return [found] if found else None


def compile_library(target: Path = TARGET, flags: Sequence[str] = ()) -> str:
    """Compile the sources.

    Args:
        target: The library to write; replaced as a whole.
        flags: Further flags, such as those of a sanitizer.

    Returns:
        "" where it was made, else why not.
    """
    command = compiler()
    if command is None:
        return "no C compiler"
    if os.name == "nt":
        return "not built on Windows"
    link = (
        ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
    )  # Python's symbols come with the process
    part = target.with_name(f".{target.name}.{os.getpid()}")
    digest = f'-DDENOISE_DIGEST="{source_digest()}"'
    arguments = [*FLAGS, *flags, digest, "-o", str(part), *map(str, sorted(SOURCES.glob("*.c"))), "-lm", *link]
    try:
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=300, check=False)
        if done.returncode:
            return f"{command[0]} failed: {done.stderr.strip()[-500:]}"
        part.replace(target)
    except (OSError, subprocess.SubprocessError) as error:
        return f"{command[0]}: {error}"
    finally:
        part.unlink(missing_ok=True)
    return ""


def wheel_tag() -> str:
    """Tag of a wheel that holds the library: any Python 3, this platform.

    Example:
        >>> wheel_tag().startswith("py3-none-")
        True
    """
    return "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
