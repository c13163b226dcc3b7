"""What it costs to ask a browser for the layout: `python -m benchmarks.geometry_cost` prints a Markdown table.

One crawl renders one made page again and again, one request at a time, in turn with and without layout; the time is
from the request to the callback, our parse included. The pages have no pictures and no scripts: of real ones, which
take longer to load, it is a smaller part.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import threading
from collections.abc import AsyncIterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from statistics import median
from time import perf_counter
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess

SIZES = (1000, 10_000)
RUNS = 30
#: Elements of a card: div, h2, a, p, b, span, ul, li, li, img-less figure.
CARD = """<div class="card c{n}"><h2><a href="/{n}">Heading {n}</a></h2><p>Some words of a teaser, as pages have
them, <b>bold</b> ones and <span>others</span> up to the end.</p><ul><li>one</li><li>two</li></ul><hr></div>\n"""
CARD_SIZE = 10
STYLE = """<style>.card { float: left; width: 30%; margin: 1%; border: 1px solid } ul { display: flex }
h2 { font-size: 20px } li:hover { color: red } .card > p { line-height: 1.5 }</style>"""


def page_of(size: int) -> bytes:
    """A page of about so many elements."""
    cards = "".join(CARD.format(n=n) for n in range(size // CARD_SIZE))
    return f"<!doctype html><html><head><title>Cards</title>{STYLE}</head><body>{cards}</body></html>".encode()


class Handler(BaseHTTPRequestHandler):
    """Answers /1000 with a page of 1,000 elements."""

    def do_GET(self) -> None:
        """Send the page."""
        size = self.path.strip("/")
        body = page_of(int(size)) if size.isdigit() else b""
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Rendering(Spider):
    """Renders the page of each size, in turn with and without layout."""

    name = "geometry-cost"
    site = ""
    runs = RUNS
    seconds: dict[tuple[int, str], list[float]]

    async def start(self) -> AsyncIterator[Any]:
        """Render all, and print."""
        self.seconds = {(size, way): [] for size in SIZES for way in ("off", "auto")}
        for size in SIZES:
            for run in range(-2, self.runs):  # two to warm up
                for way in ("off", "auto") if run % 2 else ("auto", "off"):
                    meta = {"playwright": True, "denoise": {"geometry": way}}
                    since = perf_counter()
                    await self.crawler.engine.download_async(
                        Request(f"{self.site}/{size}", meta=meta, dont_filter=True)
                    )
                    if run >= 0:
                        self.seconds[size, way].append(perf_counter() - since)
                    await asyncio.sleep(0)
        self.print_table()
        if not self.seconds:  # never: Scrapy asks for a generator
            yield None

    def print_table(self) -> None:
        """Print what was measured."""
        print("| elements | rendered: median (best) | with layout | ratios of them | median of differences |")
        print("| ---: | ---: | ---: | ---: | ---: |")
        for size in SIZES:
            off, on = self.seconds[size, "off"], self.seconds[size, "auto"]
            more = median(b - a for a, b in zip(off, on, strict=True))
            cells = " | ".join(f"{median(times) * 1000:.0f} ({min(times) * 1000:.0f}) ms" for times in (off, on))
            ratios = f"{median(on) / median(off):.3f} ({min(on) / min(off):.3f})"
            print(f"| {size:,} | {cells} | {ratios} | {more * 1000:+.1f} ms |")
        print(self.crawler.stats and self.crawler.stats.get_value("denoise/geometry/attached"), "pages with layout")


def main() -> None:
    """Measure and print."""
    ap = argparse.ArgumentParser(prog="python -m benchmarks.geometry_cost", description=__doc__)
    ap.add_argument("--runs", type=int, default=RUNS, help="of each page, with and without layout")
    args = ap.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    handler = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
    settings = {
        "ADDONS": {"denoise_scrapy.DenoiseAddon": 500},
        "DOWNLOAD_HANDLERS": {"http": handler},
        "PLAYWRIGHT_LAUNCH_OPTIONS": {
            "executable_path": shutil.which("chromium"),
            "args": ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        },
        "DENOISE_COMPARISON_FETCH": False,
        "DOWNLOAD_DELAY": 0,
        "LOG_LEVEL": "WARNING",
        "TELNETCONSOLE_ENABLED": False,
    }
    process = AsyncCrawlerProcess(settings)
    site = f"http://127.0.0.1:{server.server_address[1]}"
    process.crawl(Rendering, site=site, runs=args.runs)
    process.start()


if __name__ == "__main__":
    main()
