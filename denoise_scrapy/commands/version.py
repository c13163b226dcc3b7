"""`scrapy denoise version`: the version of this package, and whether the add-on is in use."""

from __future__ import annotations

import argparse
from typing import Any

from scrapy.utils.project import inside_project
from scrapy.utils.python import global_object_name

from denoise_scrapy import __version__
from denoise_scrapy.support.shown import say

#: Import paths of the add-on.
ADDONS = {"denoise_scrapy.DenoiseAddon", "denoise_scrapy.addon.DenoiseAddon"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "`scrapy version -v` prints those of Scrapy, Python and other packages."


def run(args: argparse.Namespace, settings: Any) -> int:
    say(f"denoise_scrapy : {__version__}", f"add-on         : {_add_on(settings)}")
    return 0


def _add_on(settings: Any) -> str:
    """Return whether the project's settings enable the add-on; a second line `ADDONS = …` overrides the first."""
    for addon in settings.getdict("ADDONS"):
        if (addon if isinstance(addon, str) else global_object_name(addon)) in ADDONS:
            return "enabled"
    return "not in ADDONS of this project's settings" if inside_project() else "no project here"
