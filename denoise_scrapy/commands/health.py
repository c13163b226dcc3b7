"""`scrapy denoise health`: the last crawls of each site and their alarms, as a table or a page."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from html import escape

from denoise_scrapy.commands import Given, check_output, show
from denoise_scrapy.commands.site import add_places, local_time, opened_store, sites_of
from denoise_scrapy.site import FactsStore
from denoise_scrapy.site.crawl_history import SiteCrawl, read_record
from denoise_scrapy.support.shown import MAX_CELL, figures_page, say, shown, text_table

Kept = Mapping[str, Sequence[SiteCrawl]]

# Exit code if a site has an alarm; a command that failed exits with 1 or 2.
ALARM = 3

_COLUMNS: Mapping[str, Callable[[SiteCrawl], str]] = {
    "crawl": lambda one: local_time(one.began),
    "items": lambda one: f"{one.items:,}",
    "pages": lambda one: f"{one.pages:,}",
    "empty": lambda one: _percent(one.empty, one.pages),
    "no content": lambda one: _percent(one.no_content, one.items),
    "copies": lambda one: _percent(one.copies, one.items),
    "in common": lambda one: f"{one.common:.0%}",
    "length": lambda one: f"{one.length.median:,.0f}",
    "confidence": lambda one: f"{one.confidence.median:.2f}",
    "templates": lambda one: str(one.templates),
}
_WIDTH, _HEIGHT = 140, 30  # of a chart, in pixels
_STYLE = """
:root { --length: light-dark(#2b6cb0, #63a4e8); --sure: light-dark(#2f855a, #68c98f); }
:root { --bad: light-dark(#c53030, #ff8080); }
body { max-width: 1200px; }
table { width: 100%; }
td { min-width: 0; }
td:not(:first-child), th:not(:first-child) { text-align: right; }
.bad { color: var(--bad); }
svg { overflow: visible; vertical-align: middle; }
polyline { fill: none; stroke-width: 2; }
.length { stroke: var(--length); }
.sure { stroke: var(--sure); stroke-dasharray: 4 4; }
circle { fill: var(--bad); }
@media (max-width: 800px) {
  thead { display: none; }
  tr { display: block; padding: 10px 0; }
  td { display: flex; justify-content: space-between; padding: 1px 0; }
  td:first-child { display: block; }
  td:not(:first-child)::before { content: attr(data-of); }
}
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_places(parser)
    parser.add_argument("-o", "--output", metavar="FILE.html", help="also write an HTML page with one row per site")
    parser.epilog = f"Exits with {ALARM} if a site has an alarm. {parser.epilog}"


def run(args: argparse.Namespace, settings: Given) -> int:
    """Show the last crawl of each site, or the kept crawls of one."""
    check_output(args, "health")
    with opened_store(args, settings) as store:
        kept = read_kept(store, args.host)
    listed = [(site, one) for site, crawls in kept.items() for one in (crawls if args.host else crawls[-1:])]
    rows = [[*(column(one) for column in _COLUMNS.values()), site] for site, one in listed]
    lines = text_table([*_COLUMNS, "site"], rows, [len(_COLUMNS)])
    lines += [f"{site}, {local_time(one.began)}: {alarm}" for site, one in listed for alarm in one.alarms]
    show(args, [_plain(site, crawls) for site, crawls in kept.items()], lines, health_page(kept))
    return ALARM if any(crawls[-1].alarms for crawls in kept.values()) else 0


def read_kept(store: FactsStore, host: str | None) -> dict[str, list[SiteCrawl]]:
    """Return the kept crawls of sites, those with alarms first, without damaged ones; raise `ValueError` for none."""
    found: dict[str, list[SiteCrawl]] = {}
    for site in sites_of(store.health_sites(), host, f"{store.place}: no crawls"):
        try:
            found[site] = read_record(store.health(site))
        except ValueError as error:
            say(f"{site}: {error}")
    if not any(found.values()):
        raise ValueError(f"{store.place}: no crawl with enough pages of a site")
    return dict(
        sorted(((site, crawls) for site, crawls in found.items() if crawls), key=lambda one: not one[1][-1].alarms)
    )


def health_page(kept: Kept) -> str:
    """Return an HTML page with a row per site, with charts of length and confidence over the crawls."""
    bad = sum(bool(crawls[-1].alarms) for crawls in kept.values())
    head = "".join(f"<th>{name}" for name in ("site", "crawls", *_COLUMNS))
    rows = "".join(_row(site, crawls) for site, crawls in kept.items())
    legend = "".join(
        f'<svg width="20" height="10">{mark}</svg>{name} '
        for mark, name in (
            ('<polyline class="length" points="0,5 20,5"/>', "median length"),
            ('<polyline class="sure" points="0,5 20,5"/>', "median confidence"),
            ('<circle cx="10" cy="5" r="4"/>', "something is wrong"),
        )
    )
    intro = f"<p>{len(kept)} sites, something is wrong with {bad}.</p><p>{legend}</p>"
    return figures_page("Health of sites", [intro, f"<table><thead><tr>{head}</thead>{rows}</table>"], style=_STYLE)


def _row(site: str, crawls: Sequence[SiteCrawl]) -> str:
    last = crawls[-1]
    alarms = "".join(f'<div class="bad">{_text(alarm)}</div>' for alarm in last.alarms)
    cells = "".join(f'<td data-of="{name}">{_text(column(last))}' for name, column in _COLUMNS.items())
    return f'<tr><td><b>{_text(site)}</b>{alarms}<td data-of="crawls">{_chart(crawls)}{cells}'


def _chart(crawls: Sequence[SiteCrawl]) -> str:
    """Return a chart of median length and median confidence over the crawls, with a dot for each alarm."""
    longest = max(1.0, *(one.length.median for one in crawls))
    step = _WIDTH / max(1, len(crawls) - 1)

    def line(name: str, heights: Sequence[float]) -> str:
        ends = heights if len(heights) > 1 else [*heights, *heights]  # a line even for a single crawl
        points = " ".join(f"{number * step:.0f},{_HEIGHT * (1 - height):.0f}" for number, height in enumerate(ends))
        return f'<polyline class="{name}" points="{points}"/>'

    lengths = [one.length.median / longest for one in crawls]
    dots = "".join(
        f'<circle cx="{number * step:.0f}" cy="{_HEIGHT * (1 - lengths[number]):.0f}" r="4"/>'
        for number, one in enumerate(crawls)
        if one.alarms
    )
    lines = line("length", lengths) + line("sure", [one.confidence.median for one in crawls])
    return f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="{len(crawls)} crawls">{lines}{dots}</svg>'


def _plain(site: str, crawls: Sequence[SiteCrawl]) -> dict[str, object]:
    """Return the crawls of a site for JSON, without hashes."""
    hidden = {"words", "containers", "shares"}
    rows = [{name: value for name, value in asdict(one).items() if name not in hidden} for one in crawls]
    for row in rows:
        row |= {name: dict(zip(("low", "median", "high"), row[name], strict=True)) for name in ("length", "confidence")}
    return {"site": site, "alarms": list(crawls[-1].alarms), "crawls": rows}


def _percent(count: int, of: int) -> str:
    return f"{count / of:.0%}" if of else "–"


def _text(text: str) -> str:
    return escape(shown(text, MAX_CELL))
