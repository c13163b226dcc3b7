"""Build hook: compiles the accelerator where there is a C compiler, and leaves it out without complaint elsewhere."""

from __future__ import annotations

import os
import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# by path: the package itself imports what a build has not installed
_COMPILE = Path(__file__).parent / "denoise_scrapy" / "native" / "compile.py"


class CompileHook(BuildHookInterface):  # type: ignore[type-arg]
    """Puts the library beside its loader, in wheels and in editable installs."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """See hatchling. A wheel with the library is of this platform, one without of any.

        On Windows, where no library is made, one without is of this platform too, so that it can be published beside
        the others: pip prefers a wheel of any platform to the source distribution, and would leave the library out
        where there is a compiler.
        """
        build = runpy.run_path(str(_COMPILE))
        problem = build["compile_library"]()
        if problem:
            build["TARGET"].unlink(missing_ok=True)  # of an earlier build
            self.app.display_info(f"accelerator left out: {problem}")
        if version != "editable" and (not problem or os.name == "nt"):
            build_data["pure_python"] = False
            build_data["tag"] = build["wheel_tag"]()
