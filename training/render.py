"""Renders recorded pages: `python -m training.render CORPORA OUTPUT --proxy http://127.0.0.1:8899 [--names docs]`.

Each page is opened by its URL in Chromium, through a proxy that answers for its host, and written as its corpus has it,
with the markup the browser made of it and where its elements lie. Pages that do not load are left out, as are those of
hosts that the browser asks by https alone.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from playwright.async_api import Error, Page, async_playwright

from denoise_scrapy.crawl.geometry import read_layout
from evaluation.corpora import RecordedPage, Site, load

#: Pages of a site at most: more of one template teach little.
PAGES = 16
#: Milliseconds a page may take to load; those that take longer wait for hosts that nobody answers for.
MOST_MS = 15_000
#: The window that the study of geometry used.
WINDOW = {"width": 1280, "height": 900}


def main() -> None:
    """Run it."""
    ap = argparse.ArgumentParser(prog="python -m training.render", description=__doc__)
    ap.add_argument("corpora", type=Path, help="a folder of *.jsonl.gz")
    ap.add_argument("output", type=Path, help="a folder for NAME.jsonl.gz")
    ap.add_argument("--proxy", required=True, help="answers for the pages' hosts, by http")
    ap.add_argument("--names", default="", help="corpora to render, comma-separated; all where none is named")
    args = ap.parse_args()
    for name, sites in load(args.corpora, tuple(filter(None, args.names.split(",")))):
        if name != "portal" or args.names:
            asyncio.run(_write(args.output / f"{name}.jsonl.gz", sites, args.proxy))


async def _write(path: Path, sites: list[Site], proxy: str) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        count = 0
        async for line in _rendered(_drawn(sites), proxy):
            file.write(json.dumps(line) + "\n")
            count += 1
    print(f"{path}: {count} pages", flush=True)


def _drawn(sites: list[Site]) -> Iterator[RecordedPage]:
    """Some pages of each site."""
    for site in sites:
        yield from random.Random(site[0].url).sample(site, min(PAGES, len(site)))


async def _rendered(pages: Iterator[RecordedPage], proxy: str) -> AsyncIterator[dict[str, str]]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            proxy={"server": proxy},
            args=["--no-sandbox", "--disable-background-networking", "--disable-features=HttpsUpgrades"],
        )
        for recorded in pages:
            tab = await browser.new_page(viewport=WINDOW)  # type: ignore[arg-type]
            try:
                yield await _line(tab, recorded)
            except Error as error:
                print(f"{recorded.url}: {str(error).splitlines()[0]}", flush=True)
            await tab.close()
        await browser.close()


async def _line(tab: Page, recorded: RecordedPage) -> dict[str, str]:
    url = recorded.url.replace("https://", "http://", 1)
    await tab.goto(url, wait_until="load", timeout=MOST_MS)
    html, layout = await tab.content(), await read_layout(tab)
    told = {"site": recorded.site, "page": recorded.url, "url": recorded.url, "kind": recorded.kind}
    return {**told, "html": html, "gold": recorded.gold, "layout": layout}


if __name__ == "__main__":
    main()
