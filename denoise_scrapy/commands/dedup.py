"""`scrapy denoise dedup …`: what is done with an index of texts."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from denoise_scrapy.commands import dedup_check, dedup_forget, dedup_run, dedup_stats, dedup_transfer

if TYPE_CHECKING:
    from scrapy.settings import Settings

STORE = (
    "a SQLite file, a job directory, or redis://HOST:PORT/DB#NAME (#denoise where no name is given); "
    "user and password may stand in the URL"
)
_RUN = "find the near-duplicates in a file of rows"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    subparsers = parser.add_subparsers(title="subcommands", metavar="SUBCOMMAND", required=True)
    rows = subparsers.add_parser("run", help=_RUN, description=_RUN.capitalize() + ".")
    rows.set_defaults(run=dedup_run.run)
    dedup_run.add_arguments(rows)
    for name, meaning, add, run_it in (
        ("stats", "say what an index holds", dedup_stats.add_arguments, dedup_stats.run),
        ("export", "write an index as JSON Lines", dedup_transfer.add_export_arguments, dedup_transfer.export),
        ("import", "add what was exported", dedup_transfer.add_import_arguments, dedup_transfer.import_),
        ("forget", "remove texts by key", dedup_forget.add_arguments, dedup_forget.run),
        ("check", "look for damage", dedup_check.add_arguments, dedup_check.run),
    ):
        one = subparsers.add_parser(name, help=meaning, description=meaning.capitalize() + ".")
        one.set_defaults(run=run_it)
        one.add_argument("store", metavar="STORE", help=STORE, nargs="?" if name == "stats" else None)
        add(one)


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Run the subcommand of this subcommand."""
    code: int = args.run(args, settings)
    return code
