"""`scrapy denoise version`: the version of this package, and whether the add-on is in use."""

from __future__ import annotations

import argparse
from typing import Any

from scrapy.utils.project import inside_project

from denoise_scrapy import __version__
from denoise_scrapy.crawl.parts import has_addon
from denoise_scrapy.support.shown import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "`scrapy version -v` prints those of Scrapy, Python and other packages."


def run(args: argparse.Namespace, settings: Any) -> int:
    # a second line `ADDONS = …` overrides the first
    lacks = "not in ADDONS of this project's settings" if inside_project() else "no project here"
    say(f"denoise_scrapy : {__version__}", f"add-on         : {'enabled' if has_addon(settings) else lacks}")
    return 0
