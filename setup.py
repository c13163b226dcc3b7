"""Builds the compiled core, `denoise_scrapy/core`: Cython over the tree that lxml has built.

The C++ compiler is that of CXX, of this Python, or any other of this machine.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import lxml
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext

CORE = Path("denoise_scrapy", "core")
WINDOWS, MACOS = sys.platform == "win32", sys.platform == "darwin"
#: The limited API: one build serves this version of Python and all later ones, at no cost that could be measured. 3.10
#: lacks its buffers, and interpreters without the global lock have none.
LIMITED = "" if sys.version_info < (3, 11) or sysconfig.get_config_var("Py_GIL_DISABLED") else "0x030B0000"
# -ffp-contract=off: fused multiply-adds would round otherwise on machines that have them, and move bodies. Flags of the
# environment come last, those of sanitizers for one.
FLAGS = "/O2 /std:c++17" if WINDOWS else "-std=c++17 -O2 -g0 -ffp-contract=off -fno-math-errno -fvisibility=hidden"
FLAGS += " " + os.environ.get("CFLAGS", "")
#: Where more than -O2 pays: without it a body takes an eighth longer, while in other modules it only takes the compiler
#: longer (a fifth).
HOT = {"judge"}
#: The compiler that this Python was built with, whose flags setuptools hands on.
OWN = sysconfig.get_config_var("CXX") or ""
#: What Cython makes for memoryviews, once for all modules: a sixth of the compiler's time.
SHARED = "denoise_scrapy.core.cython_utility"
MISSING = (
    "denoise_scrapy: no C++ compiler. Install one (apt-get install g++, dnf install gcc-c++, apk add g++, xcode-select "
    "--install), or let pip bring one: pip install ziglang; "
    'CXX="python3 -I -m ziglang c++ -mcpu=baseline" pip install ...'
)


def compiler() -> list[str]:
    """The command of a C++ compiler, empty without any."""
    named = [os.environ["CXX"]] if "CXX" in os.environ else [OWN, "c++", "g++", "clang++"]
    return next((command for command in map(shlex.split, named) if command and _runs(command)), [])


def _runs(command: list[str]) -> bool:
    # that of macOS is there before it is installed, and fails
    asked = [*command, "--version"]
    return bool(shutil.which(command[0])) and not subprocess.run(asked, capture_output=True, check=False).returncode


def include_dirs() -> list[str]:
    """Where the headers of lxml and libxml2 are: with lxml, or where that was built from source, with the system."""
    folders: list[str] = lxml.get_include()
    if not any(Path(folder, "libxml", "tree.h").exists() for folder in folders) and shutil.which("pkg-config"):
        command = ["pkg-config", "--cflags-only-I", "libxml-2.0"]
        told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        folders += [flag.removeprefix("-I") for flag in shlex.split(told)]
    return folders


class BuildCore(build_ext):
    """Translates to C++ and compiles, on all cores; says in a line what is missing."""

    def build_extensions(self) -> None:
        """See setuptools."""
        folders = include_dirs()
        if not WINDOWS:  # there setuptools finds one, or says what to install
            self.use(compiler())
        self.need("Python.h", [sysconfig.get_path("include")], "python3-dev")
        self.need("libxml/tree.h", folders, "libxml2-dev and pkg-config")
        options = {"build_dir": "build", "include_path": folders, "compiler_directives": {"embedsignature": True}}
        translated = cythonize(
            self.extensions, nthreads=os.cpu_count(), shared_utility_qualified_name=SHARED, **options
        )
        for extension, made in zip(self.extensions, translated, strict=True):
            extension.sources = made.sources
            extension.include_dirs = folders
        self.parallel = self.parallel or True
        super().build_extensions()

    def use(self, command: list[str]) -> None:
        """Let setuptools use a compiler that is not this Python's, without the flags of that one."""
        if not command:
            raise SystemExit(MISSING)
        if command != shlex.split(OWN):
            name, link = shlex.join(command), "-bundle -undefined dynamic_lookup" if MACOS else "-shared -Wl,-S"
            link += " " + os.environ.get("LDFLAGS", "")
            for cxx in ("", "_cxx"):
                self.compiler.set_executable(f"compiler{cxx}", name)
                self.compiler.set_executable(f"compiler_so{cxx}", f"{name} -fPIC")
                self.compiler.set_executable(f"linker_exe{cxx}", name)
                self.compiler.set_executable(f"linker_so{cxx}", f"{name} {link}")

    @staticmethod
    def need(header: str, folders: list[str], package: str) -> None:
        """End where a header is missing."""
        if not any(Path(folder, header).exists() for folder in folders):
            raise SystemExit(f"denoise_scrapy: no {header}, which compiling it takes. Install it (Debian: {package}).")


# first what may fail: the message is not to be looked for below the names of a hundred files
build.sub_commands.sort(key=lambda one: one[0] != "build_ext")

if __name__ == "__main__":  # not in Cython's processes
    setup(
        cmdclass={"build_ext": BuildCore},
        ext_modules=[
            Extension(
                ".".join(source.with_suffix("").parts),
                [str(source)],
                define_macros=[("Py_LIMITED_API", LIMITED)] if LIMITED else [],
                py_limited_api=bool(LIMITED),
                extra_compile_args=(FLAGS.replace("-O2", "-O3") if source.stem in HOT else FLAGS).split(),
                language="c++" if source.suffix == ".pyx" else None,  # Cython sets that of SHARED
            )
            for source in [Path(*SHARED.split(".")).with_suffix(".cpp"), *sorted(CORE.glob("*.pyx"))]
        ],
        options={
            "bdist_wheel": {"py_limited_api": "cp311" if LIMITED else False},
            # the folder on the path, not a hook at import: type checkers and editors follow no hooks
            "editable_wheel": {"mode": "compat"},
        },
    )
