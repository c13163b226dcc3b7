"""Prints the rules of a site memory: `python -m denoise_scrapy.site FILE [SITE …]`."""

from __future__ import annotations

import argparse
import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path

from denoise_scrapy.site.known_site import KnownSite
from denoise_scrapy.site.sqlite_store import SQLiteSiteStore
from denoise_scrapy.site.urls import site_key


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the rules of each site; the code to exit with."""
    ap = argparse.ArgumentParser(prog="python -m denoise_scrapy.site", description=__doc__)
    ap.add_argument("file", type=Path, help="a file of DENOISE_SITE_MEMORY_PATH")
    ap.add_argument("site", nargs="*", help="URLs of the sites to print; all where none is given")
    args = ap.parse_args(arguments)
    if not args.file.is_file():
        print(f"{args.file}: no such file", file=sys.stderr)
        return 1
    store = SQLiteSiteStore(args.file)
    try:
        store.open()
    except (OSError, ValueError, sqlite3.Error) as error:
        print(error, file=sys.stderr)
        return 1
    for site in [site_key(url) for url in args.site] or store.sites():
        print(site)
        templates, _ = store.load(site)
        for rule in KnownSite(templates).rules():
            print(f"  {rule.template}  {rule}  ({rule.example})")
    store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
