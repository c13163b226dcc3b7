"""Print the text of a page: `python -m denoise_scrapy URL|FILE|- [--compare …] [--format …]`."""

from __future__ import annotations

import sys

from scrapy.utils.project import get_project_settings

from denoise_scrapy.commands import run

if __name__ == "__main__":
    settings = get_project_settings()
    settings.set("LOG_ENABLED", False, priority="cmdline")
    sys.exit(run(["extract", *sys.argv[1:]], settings))
