"""Print the text of a page: `python -m denoise_scrapy URL|FILE|- [--compare …] [--format …]`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from configparser import ConfigParser
from importlib import import_module
from pathlib import Path
from typing import Any

from denoise_scrapy.commands import run


def _settings() -> Mapping[str, Any]:
    """Return the settings of the current project, found as Scrapy does, which takes as long to load as a page."""
    home, here = Path.home(), Path.cwd()
    of_user = os.environ.get("XDG_CONFIG_HOME") or home / ".config"
    of_all = [Path("/etc/scrapy.cfg"), Path("c:/scrapy/scrapy.cfg"), Path(of_user, "scrapy.cfg"), home / ".scrapy.cfg"]
    around = [path for folder in (here, *here.parents) if (path := folder / "scrapy.cfg").exists()][:1]
    files = ConfigParser()
    files.read([*of_all, *around])
    sys.path += [str(path.parent) for path in around]
    project = os.environ.get("SCRAPY_PROJECT", "default")
    name = os.environ.get("SCRAPY_SETTINGS_MODULE") or files.get("settings", project, fallback="")
    found = vars(import_module(name)) if name else {}
    return {key: value for key, value in found.items() if key.isupper()} | {"LOG_ENABLED": False}


if __name__ == "__main__":
    sys.exit(run(["extract", *sys.argv[1:]], _settings()))
