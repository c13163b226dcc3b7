"""`scrapy denoise` as a command of Scrapy."""

from __future__ import annotations

import argparse
from typing import Any, ClassVar

from scrapy.commands import ScrapyCommand

from denoise_scrapy.commands import SUBCOMMANDS, run


class DenoiseCommand(ScrapyCommand):
    """Runs the subcommand named on the command line; Scrapy's own options may be anywhere."""

    requires_crawler_process = False  # it would load the add-ons and set up logging; `fetch` creates one for URLs
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}  # for crawls of URLs; -L enables it

    def syntax(self) -> str:
        """Return the command line after `scrapy denoise`."""
        return f"{'|'.join(SUBCOMMANDS)} [options] …"

    def short_desc(self) -> str:
        """Return the description for the list of `scrapy`."""
        return "Extract and explain main texts; inspect indexes of texts"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Leave -h to the subcommand."""
        super().add_options(parser)
        parser.add_argument("-h", "--help", action="store_true", dest="help_asked")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the subcommand and set the exit code."""
        assert self.settings is not None
        self.exitcode = run([*args, "--help"] if opts.help_asked else args, self.settings)
