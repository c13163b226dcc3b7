"""`scrapy denoise version`: versions of this package and its dependencies; whether the add-on is in use."""

from __future__ import annotations

import argparse
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from scrapy.utils.project import inside_project
from scrapy.utils.python import global_object_name

from denoise_scrapy.commands import show

#: Dependencies that matter to bodies and duplicates, the optional ones last.
PACKAGES = ("Scrapy", "lxml", "numpy", "w3lib", "scrapy-playwright", "redis", "pyarrow")

#: Import paths of the add-on.
ADDONS = {"denoise_scrapy.DenoiseAddon", "denoise_scrapy.addon.DenoiseAddon"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace, settings: Any) -> int:
    found = {
        "denoise_scrapy": _version("denoise-scrapy"),
        "Python": platform.python_version(),
        "Platform": platform.platform(),
        **{name: _version(name) for name in PACKAGES},
        "add-on": _add_on(settings),
    }
    width = max(map(len, found))
    show(args, found, (f"{name:{width}} : {value}" for name, value in found.items()))
    return 0


def _add_on(settings: Any) -> str:
    """Return whether the project's settings enable the add-on; a second line `ADDONS = …` overrides the first."""
    for addon in settings.getdict("ADDONS"):
        if (addon if isinstance(addon, str) else global_object_name(addon)) in ADDONS:
            return "enabled"
    return "not in ADDONS of this project's settings" if inside_project() else "no project here"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
