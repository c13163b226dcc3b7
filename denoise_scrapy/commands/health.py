"""`scrapy denoise health`: the last crawls of each site and their alarms."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict

from denoise_scrapy.commands import Given, show
from denoise_scrapy.commands.site import add_places, local_time, opened_store, sites_of
from denoise_scrapy.site.crawl_history import SiteCrawl, read_record
from denoise_scrapy.support.shown import say, text_table

# Exit code if a site has an alarm; a command that failed exits with 1 or 2.
ALARM = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_places(parser)
    parser.epilog = f"Exits with {ALARM} if a site has an alarm. {parser.epilog}"


def run(args: argparse.Namespace, settings: Given) -> int:
    """Show the last crawl of each site, or the kept crawls of one."""
    with opened_store(args, settings) as store:
        found: dict[str, list[SiteCrawl]] = {}
        for site in sites_of(store.health_sites(), args.host, f"{store.place}: no crawls"):
            try:
                if crawls := read_record(store.health(site)):
                    found[site] = crawls
            except ValueError as error:  # it is damaged
                say(f"{site}: {error}")
        if not found:
            raise ValueError(f"{store.place}: no crawl with enough pages of a site")
    kept = dict(sorted(found.items(), key=lambda one: not one[1][-1].alarms))  # those with alarms first
    listed = [(site, one) for site, crawls in kept.items() for one in (crawls if args.host else crawls[-1:])]
    rows = [_row(site, one) for site, one in listed]
    lines = text_table([*rows[0]], [[*row.values()] for row in rows], [len(rows[0]) - 1])
    lines += [f"{site}, {local_time(one.began)}: {alarm}" for site, one in listed for alarm in one.alarms]
    show(args, [_plain(site, crawls) for site, crawls in kept.items()], lines)
    return ALARM if any(crawls[-1].alarms for crawls in kept.values()) else 0


def _row(site: str, one: SiteCrawl) -> dict[str, str]:
    """Return a crawl as a row of the table."""
    return {
        "crawl": local_time(one.began),
        "items": f"{one.items:,}",
        "pages": f"{one.pages:,}",
        "empty": _percent(one.empty, one.pages),
        "no content": _percent(one.no_content, one.items),
        "copies": _percent(one.copies, one.items),
        "in common": f"{one.common:.0%}",
        "length": f"{one.length.median:,.0f}",
        "confidence": f"{one.confidence.median:.2f}",
        "templates": str(one.templates),
        "site": site,
    }


def _plain(site: str, crawls: Sequence[SiteCrawl]) -> dict[str, object]:
    """Return the crawls of a site for JSON, without hashes."""
    hidden = {"words", "containers", "shares"}
    rows = [{name: value for name, value in asdict(one).items() if name not in hidden} for one in crawls]
    for row in rows:
        row |= {name: row[name]._asdict() for name in ("length", "confidence")}
    return {"site": site, "alarms": list(crawls[-1].alarms), "crawls": rows}


def _percent(count: int, of: int) -> str:
    return f"{count / of:.0%}" if of else "–"
