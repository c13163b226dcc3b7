"""Print the text of a page: `python -m denoise_scrapy URL|FILE|- [--compare …] [--format …]`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from denoise_scrapy.commands import run

if TYPE_CHECKING:
    from scrapy.settings import Settings


def _settings() -> Settings | Mapping[str, Any]:
    """Settings of the project around; where there is none, Scrapy, which takes as long as a page, is not loaded."""
    if not _in_project():
        return {"LOG_ENABLED": False}
    from scrapy.utils.project import get_project_settings  # noqa: PLC0415 - see above

    settings = get_project_settings()
    settings.set("LOG_ENABLED", False, priority="cmdline")
    return settings


def _in_project() -> bool:
    """Return whether Scrapy would find settings: named by a variable, or in one of its files."""
    home, here = Path.home(), Path.cwd()
    of_user = os.environ.get("XDG_CONFIG_HOME") or home / ".config"
    folders = [*map(Path, ("/etc", "c:/scrapy", of_user)), here, *here.parents]
    files = [home / ".scrapy.cfg", *(folder / "scrapy.cfg" for folder in folders)]
    return any(name.startswith("SCRAPY_") for name in os.environ) or any(file.exists() for file in files)


if __name__ == "__main__":
    sys.exit(run(["extract", *sys.argv[1:]], _settings()))
