"""`scrapy denoise site`: what was learned of sites, and the rules that a person pins."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from denoise_scrapy.commands import site_changes
from denoise_scrapy.commands.indexes import refuse_missing_file
from denoise_scrapy.commands.site_listing import site_as_dict, site_lines, sites_lines
from denoise_scrapy.crawl.sites_place import SITES_FILE, SitesPlace, sites_place
from denoise_scrapy.setting_values import nearest_hint
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.shown import say
from denoise_scrapy.site import SiteStore, site_key
from denoise_scrapy.storage.redis_link import SCHEMES

if TYPE_CHECKING:
    from scrapy.settings import Settings

_NO_STORE = (
    "no STORE is given, and the settings name none: DENOISE_SITE_MEMORY_PATH, a folder, by DENOISE_DEDUP_PATH or "
    "JOBDIR, or DENOISE_DEDUP_STORE = 'redis'"
)
_WHICH = "a template's number, a rule's (1.2), or a rule: #id, .class, html/body/div"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command line."""
    parser.add_argument("host", metavar="HOST", nargs="?", help="host, or any URL, of a site; without one: all sites")
    parser.add_argument(
        "store",
        metavar="STORE",
        nargs="?",
        help="a site memory, a job directory, or redis://…#name; default: that of the settings",
    )
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.add_argument("--yes", action="store_true", help="do not ask before anything is forgotten")
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--pin", metavar="N|RULE", help=f"let a rule decide: {_WHICH}")
    ways.add_argument("--unpin", metavar="all|N|RULE", help="let it decide no more")
    ways.add_argument("--forget", metavar="all|N", help="forget what was learned of the site, or of a template of it")
    ways.add_argument("--export", metavar="FILE", help="write the rules as JSON; -: standard output")
    ways.add_argument("--import", metavar="FILE", dest="import_", help="pin the rules that are pinned there")
    parser.epilog = f"A single HOST that is a file, a folder or a server is taken for STORE. {parser.epilog}"


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Show it, or change it."""
    if args.store is None and args.host is not None and _is_store(args.host):
        args.host, args.store = None, args.host
    place = _place(args.store, settings)
    args.store = str(place)  # for messages of SQLite
    store = place.store()
    try:
        _refuse_missing(place, store)
        store.open()
        return _run(args, store)
    finally:
        store.close()


def sites_of(host: str, store: SiteStore) -> list[str]:
    """Give the known sites of a host or an URL.

    Raises:
        ValueError: There is none.

    """
    known = store.sites()
    found = [site for site in known if site_changes.is_of(site, host)]
    if not found:
        raise ValueError(f"{store.place}: nothing is known of {host!r}{nearest_hint(host, known)}")
    return found


def _run(args: argparse.Namespace, store: SiteStore) -> int:
    if args.import_ is not None:
        return site_changes.import_(store, args.host, args.import_)
    sites = store.sites() if args.host is None else sites_of(args.host, store)
    if args.export is not None:
        return site_changes.export(store, sites, args.export)
    if args.pin is not None or args.unpin is not None or args.forget is not None:
        site = _only(args, sites)
        if args.forget is not None:
            return site_changes.forget(store, site, args.forget, ask=not args.yes)
        if args.pin is not None:
            return site_changes.pin(store, site, args.pin)
        return site_changes.unpin(store, site, args.unpin)
    if args.json:
        say(*json.dumps([site_as_dict(store, site) for site in sites], ensure_ascii=False, indent=2).split("\n"))
    elif args.host is None:
        say(*sites_lines(store))
    else:
        say(*"\n\n".join("\n".join(site_lines(store, site)) for site in sites).split("\n"))
    return 0


def _only(args: argparse.Namespace, sites: list[str]) -> str:
    if args.host is None:
        raise UsageError("site: --pin, --unpin and --forget need a HOST")
    if len(sites) > 1:
        raise UsageError(f"site: {args.host} is several sites, name one: {', '.join(sites)}")
    return sites[0]


def _is_store(name: str) -> bool:
    if name.startswith(SCHEMES):
        return True
    return not site_key(name) and (Path(name).exists() or Path(name).suffix in {".sqlite", ".db"})


def _place(name: str | None, settings: Settings) -> SitesPlace:
    read = DenoiseSettings.from_settings(settings)
    if name is not None:
        return SitesPlace.of(str(Path(name, SITES_FILE)) if Path(name).is_dir() else name, read.dedup_redis_name)
    place = sites_place(read, settings.get("JOBDIR"))  # as it is: Scrapy's own function makes the folder
    if place is None:
        raise UsageError(_NO_STORE)
    return place


def _refuse_missing(place: SitesPlace, store: SiteStore) -> None:
    """See that there is something to open, for opening would make it.

    Raises:
        OSError: There is nothing.

    """
    if place.path is not None:
        refuse_missing_file(place.path)
    elif not store.exists():
        raise FileNotFoundError(f"{place}: there is no site memory of that name")
