"""`scrapy denoise dedup forget`: remove texts by key. Their copies count as new from then on."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError
from w3lib.url import canonicalize_url

from denoise_scrapy.commands.opening import open_store
from denoise_scrapy.dedup.store import Listing
from denoise_scrapy.site import site_key

if TYPE_CHECKING:
    from scrapy.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    parser.add_argument("keys", metavar="KEY", nargs="*", help="key of an item; an URL in any spelling")
    parser.add_argument("--scope", metavar="S", help="only in this scope; 'all' for the one without a name")
    parser.add_argument("--pattern", metavar="REGEX", help="also keys in which this is found")
    parser.add_argument("--dry-run", action="store_true", help="name them, and remove none")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Remove them.

    Raises:
        UsageError: Nothing says which.

    """
    if not args.keys and args.pattern is None:
        raise UsageError("dedup forget: give a KEY or a --pattern")
    is_meant = _matcher(args.keys, args.pattern)
    scope = "" if args.scope == "all" else args.scope
    with open_store(args.store).store as store:
        found = [
            (one.id, one.key, one.scope)
            for batch in store.newer(0)
            for one in batch
            if scope in {None, one.scope} and is_meant(one)
        ]
        if args.dry_run:
            for _, key, where in found:
                print(f"{where or 'all'}  {key}")
            print(f"would be forgotten: {len(found):,}")
        else:
            print(f"forgotten: {sum(store.remove(number) for number, *_ in found):,}")
    for key in args.keys:
        if not any(one[1] in _spellings(key) for one in found):
            print(f"not there: {key}", file=sys.stderr)
    return 0


def _matcher(keys: list[str], pattern: str | None) -> Callable[[Listing], bool]:
    try:
        search = None if pattern is None else re.compile(pattern).search
    except re.error as error:
        raise UsageError(f"--pattern {pattern!r} is no regular expression: {error}") from None
    wanted = {spelling for key in keys for spelling in _spellings(key)}
    return lambda one: one.key in wanted or (search is not None and search(one.key) is not None)


def _spellings(key: str) -> set[str]:
    """A key as given, and, of an URL, as a crawl writes it."""
    return {key, canonicalize_url(key)} if site_key(key) else {key}
