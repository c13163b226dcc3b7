"""`scrapy denoise version`: versions of this package and of what it needs, and whether the accelerator is in use."""

from __future__ import annotations

import argparse
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from denoise_scrapy.native import status
from denoise_scrapy.shown import say, say_json

if TYPE_CHECKING:
    from scrapy.settings import Settings

#: What bodies and duplicates depend on, the optional ones last.
PACKAGES = ("Scrapy", "lxml", "numpy", "datasketch", "w3lib", "scrapy-playwright", "redis", "pyarrow")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.epilog = "The accelerator is switched off by DENOISE_NATIVE=0 in the environment."


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print them."""
    found = versions()
    width = max(map(len, found))
    if args.json:
        say_json(found)
    else:
        say(*(f"{name:{width}} : {value}" for name, value in found.items()))
    return 0


def versions() -> dict[str, str]:
    """Everything by name, as it is printed."""
    return {
        "denoise_scrapy": _version("denoise-scrapy"),
        "accelerator": status(),
        "Python": platform.python_version(),
        "Platform": platform.platform(),
        **{name: _version(name) for name in PACKAGES},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
