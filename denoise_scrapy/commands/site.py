"""`scrapy denoise site`: list or delete the sites whose pages are kept for the next crawl."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import date
from pathlib import Path
from typing import Any

from denoise_scrapy.body.example_files import read_examples
from denoise_scrapy.body.examples import Example, lesson_of
from denoise_scrapy.commands import Given, UsageError, show
from denoise_scrapy.crawl.sites import PLACES, SITES_FILE, sites_place
from denoise_scrapy.page import Page, PageFacts
from denoise_scrapy.settings import DenoiseSettings
from denoise_scrapy.site import FactsStore, facts_store, site_key, template_similarity
from denoise_scrapy.site.memory import SAME_TEMPLATE
from denoise_scrapy.support.shown import MAX_CELL, counted, nearest_hint, say, shown, text_table
from denoise_scrapy.support.storage import SCHEMES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_places(parser)
    parser.add_argument("--forget", action="store_true", help="delete the pages of HOST")


def add_places(parser: argparse.ArgumentParser) -> None:
    """Declare HOST, STORE and --json of a command about stored sites."""
    parser.add_argument("host", metavar="HOST", nargs="?", help="host or any URL of a site; default: all sites")
    parser.add_argument(
        "store",
        metavar="STORE",
        nargs="?",
        help="a site memory, a job directory, or redis://…#name; default: as in the settings",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.epilog = f"A single HOST that is a file, a folder or a server is read as STORE. {parser.epilog}"


def run(args: argparse.Namespace, settings: Given) -> int:
    with opened_store(args, settings) as store:
        if args.forget and args.host is None:
            raise UsageError("--forget needs a HOST")
        kept = {one.site: one for one in store.sites()}
        taught = read_examples(DenoiseSettings.from_settings(settings).examples)
        names = sites_of([*dict.fromkeys([*kept, *taught])], args.host, f"{store.place}: no pages")
        if args.forget:
            for name in names:
                store.forget(name)
            say(f"forgotten: {', '.join(names)}")
            return 0
        known: list[dict[str, Any]] = []
        for name in names:
            site = kept[name]._asdict() if name in kept else {"site": name, "pages": 0}
            if args.host and name in kept:
                site["urls"] = [facts.url for facts in reversed(store.load(name))]
            if name in taught:
                site["examples"] = _examples(taught[name], store.load(name))
            known.append(site)
    found = sorted((kept[name] for name in names if name in kept), key=lambda one: -one.newest)
    rows = [[f"{one.pages:,}", f"{one.nbytes:,}", local_time(one.newest), one.site] for one in found]
    lines = [f"{args.store}: {counted(len(found), 'site')}"]
    lines += text_table(["pages", "bytes", "newest", "site"], rows, [2, 3]) if rows else []
    told = [
        [
            one["date"],
            "?" if one["days"] is None else f"{one['days']:,}",
            "refused: its text is not on its page" if one["is_refused"] else f"{one['like']:,} of {one['pages']:,}",
            one["url"],
        ]
        for site in known
        for one in site.get("examples", ())
    ]
    lines += ["", *text_table(["example of", "days", "pages like it", "url"], told, [0, 2, 3])] if told else []
    lines += [shown(url, MAX_CELL) for site in known if "urls" in site for url in ("", *site["urls"])]
    show(args, known, lines)
    return 0


def _examples(examples: Sequence[Example], pages: Sequence[PageFacts]) -> list[dict[str, Any]]:
    """Return address, date and age of the examples of a site, and how many of its pages are still like each."""
    found = []
    for one in examples:
        page = Page.parse(one.html, url=one.url)
        like = sum(template_similarity(page, other) > SAME_TEMPLATE for other in pages)
        row: dict[str, Any] = {"url": one.url, "date": one.date, "days": None, "like": like, "pages": len(pages)}
        with suppress(ValueError):  # somebody wrote it by hand
            row["days"] = (date.today() - date.fromisoformat(one.date)).days
        found.append(row | {"is_refused": not lesson_of(one).widths})
    return found


@contextmanager
def opened_store(args: argparse.Namespace, settings: Given) -> Iterator[FactsStore]:
    """Open the store named by the arguments of `add_places`, and set HOST and STORE in these."""
    if args.store is None and args.host is not None and _is_store(args.host):
        args.host, args.store = None, args.host
    if args.store is None:
        # JOBDIR unchanged: Scrapy's own function creates the folder
        args.store = sites_place(DenoiseSettings.from_settings(settings), settings.get("JOBDIR"))
    elif Path(args.store).is_dir():
        args.store = str(Path(args.store, SITES_FILE))
    if args.store is None:
        raise UsageError(f"no STORE given that exists, and the settings name none: {PLACES}")
    with closing(facts_store(args.store)) as store:
        args.store = store.place  # for messages about SQLite's errors
        if not store.exists():  # opening would create it
            raise FileNotFoundError(f"{store.place}: there is no site memory")
        store.open()
        yield store


def sites_of(sites: Sequence[str], host: str | None, what: str) -> list[str]:
    """Return the sites of a host, or all; raise `ValueError` if the host has none."""
    found = [site for site in sites if host is None or _is_of(site, host)]
    if host is not None and not found:
        raise ValueError(f"{what} of {host!r} are kept{nearest_hint(host, sites)}")
    return found


def _is_of(site: str, host: str) -> bool:
    """Compare a site with a URL, or with a host with or without a port."""
    name = site.partition("://")[2]
    return site == site_key(host) or host.lower() in {name, name.rpartition(":")[0]}


def local_time(seconds: float) -> str:
    """Format a time, in seconds since 1970, to the minute."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
    except (ValueError, OverflowError, OSError):  # in a damaged row
        return "?"


def _is_store(name: str) -> bool:
    if name.startswith(SCHEMES):
        return True
    return not site_key(name) and ("/" in name or Path(name).exists() or Path(name).suffix in {".sqlite", ".db"})
