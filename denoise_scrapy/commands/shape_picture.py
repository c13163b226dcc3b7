"""The shape of a crawl as a picture: SVG with its own style, light and dark; and a page around it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from denoise_scrapy.crawl.shape.crawl_shape import CLASSES, CrawlShape, length_name
from denoise_scrapy.crawl.shape.host_shape import HostShape
from denoise_scrapy.crawl.text_table import counted, plain_line

HOSTS_DRAWN = 11  # as many names as can be read beside each other's bars
HOSTS_LISTED = 200  # of the table below: a page that a browser shows at once
MAX_NAME = 26
MAX_POWER = 40  # of a length: a terabyte; a damaged file may tell more, and would ask for as many bars

_WIDTH, _GAP = 420, 30  # of a panel; two stand side by side
_BARS, _HEAD, _FOOT = 150, 40, 36  # height of a histogram, of its heading, of what stands below
_ROW = 16  # height of a host's bar

_STYLE = (
    "svg,body{color:#222;background:#fff}.bar{fill:#2b6cb0}.low{fill:#c05621}.axis{stroke:#999}"
    "text{fill:currentColor;font:12px sans-serif}.h{font-weight:bold;font-size:14px}.m{text-anchor:middle}"
    ".e{text-anchor:end}"
    "@media(prefers-color-scheme:dark){svg,body{color:#ddd;background:#181a1b}.bar{fill:#63a4e8}.low{fill:#ed8936}}"
)
_PAGE_STYLE = (
    "body{font:14px/1.45 sans-serif;max-width:900px;margin:24px auto;padding:0 12px}svg{max-width:100%;height:auto}"
    "table{border-collapse:collapse;margin-top:20px}"
    "td,th{padding:3px 9px;text-align:right;border-bottom:1px solid #8884}"
    "td:nth-last-child(-n+2),th:nth-last-child(-n+2){text-align:left;word-break:break-all}a{color:inherit}"
)
# The page loads nothing and runs nothing, whatever the names in it hold.
_COLUMNS = ("pages", "empty", "fallback", "kept", "confidence", "host", "least sure page")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


class Bar(NamedTuple):
    """One bar of a histogram.

    Attributes:
        name: What stands below it, "" for nothing.
        value: Its height, in pages.
        title: What a pointer over it shows.
        low: Whether it is one to look at.

    """

    name: str
    value: int
    title: str
    low: bool = False


def picture(shape: CrawlShape, name: str) -> str:
    """Draw histograms as one SVG.

    Args:
        shape: The shape.
        name: What it is the shape of.

    """
    panels = [
        _histogram("length of bodies, characters", _length_bars(shape)),
        _histogram("confidence", _share_bars(shape, "confidence")),
        _histogram("share of the page's text kept", _share_bars(shape, "kept")),
        _hosts(shape),
    ]
    shown = [panel for panel in panels if panel]
    rows = (len(shown) + 1) // 2
    row = _HEAD + _BARS + _FOOT
    height = rows * row + 10
    parts = [
        f'<g transform="translate({(i % 2) * (_WIDTH + _GAP) + 10} {(i // 2) * row + 10})">{panel}</g>'
        for i, panel in enumerate(shown)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * _WIDTH + _GAP + 20} {height}" role="img">'
        f"<title>{_text(f'Shape of the crawl {name}')}</title><style>{_STYLE}</style>{''.join(parts)}</svg>\n"
    )


def html_page(shape: CrawlShape, name: str) -> str:
    """Draw the same with a table of hosts, as a page that loads nothing and runs nothing."""
    total = shape.total
    head = "".join(f"<th>{title}" for title in _COLUMNS)
    rows = "".join(f"<tr>{_row(host, sums)}" for host, sums in shape.largest(HOSTS_LISTED))
    title = _text(f"Shape of the crawl {name}")
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" '
        f'content="{_POLICY}"><meta name="color-scheme" content="light dark"><title>{title}</title>'
        f"<style>{_STYLE}{_PAGE_STYLE}</style><h1>{title}</h1>"
        f"<p>{counted(total.pages, 'page')} of {counted(len(shape.hosts), 'host')}, {total.empty:,} empty bodies</p>"
        f"{picture(shape, name)}<table><tr>{head}{rows}</table></html>\n"
    )


def _row(name: str, host: HostShape) -> str:
    shares = ("-" if host.kept is None else f"{host.kept:.0%}", "-" if host.mean is None else f"{host.mean:.2f}")
    numbers = (f"{host.pages:,}", f"{host.empty:,}", f"{host.fallbacks:,}", *shares)
    link = _text(host.url, 80)
    if host.url.startswith(("http://", "https://")) and host.url.isprintable():  # no scheme that runs something
        link = f'<a href="{escape(host.url)}" rel="noreferrer">{link}</a>'
    return "".join(f"<td>{cell}" for cell in (*numbers, _text(name or "(no host)", 80), link))


def _length_bars(shape: CrawlShape) -> list[Bar]:
    counts = shape.histograms["lengths"]
    if not counts:
        return []
    powers = range(max(0, min(counts)), min(MAX_POWER, max(counts)) + 1)
    return [Bar(_short((1 << power) >> 1), counts[power], length_name(power), power == 0) for power in powers]


def _share_bars(shape: CrawlShape, histogram: str) -> list[Bar]:
    counts = shape.histograms[histogram]
    if not counts:
        return []
    low = CLASSES // 2 if histogram == "confidence" else 0
    edges = [i / CLASSES for i in range(CLASSES + 1)]
    return [
        Bar("" if i % 2 else f"{edges[i]:.1f}", counts[i], f"{edges[i]:.2f} to {edges[i + 1]:.2f}", i < low)
        for i in range(CLASSES)
    ]


def _histogram(title: str, bars: Sequence[Bar]) -> str:
    if not bars:
        return ""
    most, width, base = max(1, *(bar.value for bar in bars)), _WIDTH / len(bars), _HEAD + _BARS
    drawn = [f'<text class="h" y="14">{_text(title)}</text><path class="axis" d="M0 {base}H{_WIDTH}"/>']
    for i, bar in enumerate(bars):
        height = max(1.0 if bar.value else 0.0, bar.value / most * _BARS)
        kind, x = "low" if bar.low else "bar", i * width
        drawn.append(
            f'<rect class="{kind}" x="{x + 1:.1f}" y="{base - height:.1f}" width="{width - 2:.1f}" '
            f'height="{height:.1f}"><title>{_text(bar.title)}: {bar.value:,} pages</title></rect>'
        )
        if bar.value == most:
            drawn.append(f'<text class="m" x="{x + width / 2:.1f}" y="{_HEAD - 4}">{most:,}</text>')
        if bar.name:
            drawn.append(f'<text class="m" x="{x + width / 2:.1f}" y="{base + 16}">{_text(bar.name)}</text>')
    return "".join(drawn)


def _hosts(shape: CrawlShape) -> str:
    hosts = shape.largest(HOSTS_DRAWN)
    most, left = max([1, *(host.pages for _, host in hosts)]), 190
    drawn = [f'<text class="h" y="14">pages a host ({counted(len(shape.hosts), "host")})</text>']
    for i, (name, host) in enumerate(hosts):
        y, width = _HEAD + i * _ROW, max(1.0, host.pages / most * (_WIDTH - left - 50))
        title = f"{name}: {host.pages:,} pages, {host.empty:,} empty"
        drawn.append(
            f'<text class="e" x="{left - 8}" y="{y + 11}">{_text(name or "(no host)", MAX_NAME)}</text>'
            f'<rect class="bar" x="{left}" y="{y}" width="{width:.1f}" height="{_ROW - 3}">'
            f'<title>{_text(title)}</title></rect><text x="{left + width + 6:.1f}" y="{y + 11}">{host.pages:,}</text>'
        )
    return "".join(drawn)


def _short(number: int) -> str:
    return f"{number // 1024}k" if number >= 1024 else str(number)


def _text(text: str, most: int = 200) -> str:
    return escape(plain_line(text, most))
