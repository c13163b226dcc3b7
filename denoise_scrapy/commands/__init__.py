"""`scrapy denoise …`: the command line.

Every `scrapy` command on a machine with this package loads this module, so slow imports come late.

A subcommand is a module with `add_arguments(parser)` and `run(args, settings) -> int`, named in `SUBCOMMANDS`. It
returns an exit code; `UsageError` and the exceptions of `failures()` become a line on stderr.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

from denoise_scrapy.shown import say

if TYPE_CHECKING:
    from scrapy.settings import Settings

PROGRAM = "scrapy denoise"
FAILED, MISUSED = 1, 2  # exit codes, as of Scrapy and of argparse
STANDARD = "-"  # standard input, standard output

# Modules of this package, what each does, and an example. Their options must not repeat those of all Scrapy commands,
# as --set.
SUBCOMMANDS: Mapping[str, tuple[str, str]] = {
    "dedup": ("look into an index of texts, move it, check it", "dedup stats crawls/news"),
    "compare": ("show why two texts are duplicates, or why not", "compare first.html second.html"),
    "extract": ("print the text of a page", "extract https://example.com/story --format markdown"),
    "explain": ("draw what of a page is kept, and why", "explain story.html --compare other.html -o why.html"),
    "site": ("show the sites of a site memory, forget one", "site example.com crawls/news"),
    "health": ("show what crawls brought of each site, and what is wrong", "health crawls/news -o health.html"),
    "stats": ("show what a crawl counted: a table, a chart of confidence", "stats crawls/news"),
    "version": ("show versions, and whether the add-on is in use", "version --json"),
}

_GLOBAL = "Options of all Scrapy commands work too: -s NAME=VALUE, -L LEVEL, --logfile FILE, --nolog, --pdb, --profile."


class DenoiseCommand(ScrapyCommand):
    """Runs the subcommand that the command line names; Scrapy's parser takes its own options from anywhere."""

    requires_crawler_process = False  # it would load the add-ons and set up logging; `inputs` makes one for URLs
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}  # of the crawl for URLs; -L sets it

    def syntax(self) -> str:
        """Return the command line after `scrapy denoise`."""
        return f"{'|'.join(SUBCOMMANDS)} [options] …"

    def short_desc(self) -> str:
        """Return a line for the list of `scrapy`."""
        return "Look into indexes of texts; compare two texts; explain a body"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Keep -h for the subcommand."""
        super().add_options(parser)
        parser.add_argument("-h", "--help", action="store_true", dest="help_asked")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the subcommand, and keep its exit code."""
        assert self.settings is not None
        self.exitcode = run([*args, "--help"] if opts.help_asked else args, self.settings)


def run(argv: Sequence[str], settings: Settings) -> int:
    """Run a subcommand.

    Returns:
        The exit code.

    Raises:
        SystemExit: The command line is wrong, or asks for help.
    """
    args = _parser().parse_args(argv)
    try:
        code: int = args.run(args, settings)
        sys.stdout.flush()
        return code
    except UsageError as error:
        say(f"{PROGRAM}: {error}", file=sys.stderr)
        return MISUSED
    except BrokenPipeError:  # as of `… | head`; the buffer must not fail at the end of the process
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except failures() as error:
        store = getattr(args, "store", None) if isinstance(error, sqlite3.Error) else None  # SQLite names no file
        say(f"{PROGRAM}: {f'{store}: ' if store else ''}{error or type(error).__name__}", file=sys.stderr)
        return FAILED


def failures() -> tuple[type[Exception], ...]:
    """Return the exceptions for a wrong file, server, setting or URL."""
    known: tuple[type[Exception], ...] = (OSError, ValueError, ImportError, sqlite3.Error)
    if "redis" not in sys.modules:
        return known
    return (*known, import_module("redis").RedisError)


class _Help(argparse.HelpFormatter):
    """Help in which indented lines stay as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = text.split("\n")
        return "\n".join(
            one if one.startswith(" ") else super(_Help, self)._fill_text(one, width, indent) for one in lines
        )


def add_command(
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser], name: str, meaning: str, example: str
) -> argparse.ArgumentParser:
    """Add the parser of a subcommand, whose help shows an example."""
    description = f"{meaning.capitalize()}.\n\nExample:\n  {PROGRAM} {example}"
    return subparsers.add_parser(name, help=meaning, description=description, formatter_class=_Help)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=PROGRAM, description="Near-duplicates and bodies.", epilog=_GLOBAL)
    subparsers = parser.add_subparsers(title="subcommands", metavar="SUBCOMMAND", required=True)
    for name, (meaning, example) in SUBCOMMANDS.items():
        module = import_module(f"{__name__}.{name}")
        one = add_command(subparsers, name, meaning, example)
        one.epilog = _GLOBAL
        one.set_defaults(run=module.run)
        module.add_arguments(one)
    return parser
