"""`scrapy denoise …`: the command line.

Every `scrapy` command on a machine with this package loads this module, so slow imports are deferred: a run loads only
the module of its subcommand.

A subcommand is a module named in `SUBCOMMANDS`. Its `add_arguments(parser)` declares the command line; its
`run(args, settings) -> int` does the work and returns an exit code. `UsageError` and the exceptions of `failures()`
become a line on stderr.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from denoise_scrapy.exceptions import UsageError as UsageError
from denoise_scrapy.support.lazily import names_of
from denoise_scrapy.support.shown import report, say, say_json

#: Settings of a project, or a mapping with some of them.
Given: TypeAlias = Mapping[Any, Any]
#: The source of a page, the bytes of a file or decoded text; its URL if fetched; whether it was fetched as HTML.
Source: TypeAlias = tuple[str | bytes, str | None, bool]

PROGRAM = "scrapy denoise"
FAILED, MISUSED = 1, 2  # exit codes, as in Scrapy and argparse
STOPPED = 130  # exit code after Ctrl-C, as of shells
STANDARD = "-"  # standard input, standard output
# Problems, copies, names and words that a command prints, of many; seconds between two lines of progress.
SHOWN, PROGRESS_SECONDS = 10, 5

# Modules of this package, with a description and an example. Their options must differ from those of all Scrapy
# commands, such as --set.
SUBCOMMANDS: Mapping[str, tuple[str, str]] = {
    "trial": ("try the plugin on some pages of a spider, without dropping or writing", "trial stories -n 50"),
    "teach": ("give the right text of a page, for the others of its site", "teach page.html --css article --url URL"),
    "dedup": ("find duplicates in a file; inspect an index of texts", "dedup stats crawls/news"),
    "compare": ("show why two texts are duplicates, or why not", "compare first.html second.html"),
    "extract": ("print the main text of one or more pages", "extract https://example.com/story --format markdown"),
    "explain": ("show which blocks of a page are kept, and why", "explain story.html --compare other.html -o why.html"),
    "site": ("list the sites of a site memory, or delete one", "site example.com crawls/news"),
    "health": ("show the results of the last crawls of each site, and its alarms", "health crawls/news"),
}

_GLOBAL = "Scrapy's global options work too: -s NAME=VALUE, -L LEVEL, --logfile FILE, --nolog, --pdb, --profile."


# the entry point: only Scrapy needs it, and loading Scrapy takes as long as a page
__getattr__ = names_of(__name__, {"DenoiseCommand": "scrapy_command"})


def run(argv: Sequence[str], settings: Given) -> int:
    """Run a subcommand with the settings of a project; return its exit code.

    Raises:
        SystemExit: The command line is wrong, or contains --help.
    """
    args = argparse.Namespace()
    try:
        args, unknown = _parser(argv[:1]).parse_known_args(argv)
        if unknown:
            args.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
        code: int = args.run(args, settings)
        sys.stdout.flush()
        return code
    except UsageError as error:
        report(f"{args.parser.prog}: {error}")
        return MISUSED
    except KeyboardInterrupt:
        report(f"{PROGRAM}: stopped")
        return STOPPED
    except BrokenPipeError:  # as with `… | head`; flushing must not fail at the end of the process
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except failures() as error:
        store = getattr(args, "store", None) if isinstance(error, sqlite3.Error) else None  # SQLite's messages omit it
        report(f"{PROGRAM}: {f'{store}: ' if store else ''}{error or type(error).__name__}")
        return FAILED


def failures() -> tuple[type[Exception], ...]:
    """Return the exceptions caused by a wrong file, server, setting or URL."""
    redis = getattr(sys.modules.get("redis"), "RedisError", OSError)  # if it was imported
    return (OSError, ValueError, ImportError, sqlite3.Error, redis)


def check_output(args: argparse.Namespace) -> None:
    """Refuse a file for an HTML page that is named otherwise, or whose folder does not exist."""
    if args.output and (Path(args.output).suffix != ".html" or not Path(args.output).parent.is_dir()):
        raise UsageError(f"-o {args.output}: valid is .html, in a folder that exists")


def show(args: argparse.Namespace, value: object, lines: Iterable[object]) -> None:
    """Print a value as JSON, or lines."""
    if args.json:
        say_json(value)
    else:
        say(*lines)


def add_command(
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser], name: str, meaning: str, example: str
) -> argparse.ArgumentParser:
    """Add the parser of a subcommand, with an example in its help."""
    description = f"{meaning.capitalize()}. Example: {PROGRAM} {example}"
    parser = subparsers.add_parser(name, help=meaning, description=description)
    parser.set_defaults(parser=parser)
    return parser


def _parser(names: Iterable[str] = SUBCOMMANDS) -> argparse.ArgumentParser:
    """Return the parser of the command line, with the arguments of these subcommands."""
    parser = argparse.ArgumentParser(prog=PROGRAM, description="Main texts and near-duplicates.", epilog=_GLOBAL)
    subparsers = parser.add_subparsers(title="subcommands", metavar="SUBCOMMAND", required=True)
    for name, (meaning, example) in SUBCOMMANDS.items():
        one = add_command(subparsers, name, meaning, example)
        if name in names:
            module = import_module(f"{__name__}.{name}")
            one.epilog = _GLOBAL
            one.set_defaults(run=module.run)
            module.add_arguments(one)
    return parser
