"""Where comparison pages come from: the steps of an item, with the numbers of the default settings."""

from __future__ import annotations

from denoise_scrapy.body.extraction import PAGES_A_SITE
from denoise_scrapy.crawl.bodies import ENOUGH
from denoise_scrapy.crawl.budget import PER_SITE
from denoise_scrapy.settings import DenoiseSettings
from docs.pictures.svg import Svg


def draw() -> Svg:
    """Draw the picture."""
    default = DenoiseSettings()
    svg = Svg(800, 300, "Comparison pages come from memory, from the crawl or from fetches; else the page is alone")
    svg.box(20, 20, 150, 44, "pages of the crawl", "(each parsed once)")
    svg.box(230, 20, 170, 44, f"memory, {default.memory_mb:g} MB,", f"{PAGES_A_SITE} pages per site")
    svg.box(460, 20, 150, 44, "site memory", "(earlier crawls)")
    svg.arrow(170, 42, 230, 42)
    svg.arrow(460, 42, 400, 42)
    svg.box(20, 120, 110, 50, "an item", "comes out")
    wanted = f"{ENOUGH} of its template?"
    steps = [
        ("1  memory", f"up to {default.comparison_pages} pages;", wanted),
        ("2  wait", f"{default.comparison_wait:g} s for the", "crawl to bring some"),
        ("3  fetch siblings", f"{PER_SITE} per site, one", "at a time, robots.txt"),
        ("4  page alone", "named as fallback", "of the body, counted"),
    ]
    for i, lines in enumerate(steps):
        x = 160 + 160 * i
        svg.box(x, 112, 140, 66, *lines, kind="good" if i == 0 else "box")
        svg.arrow(x - (30 if i == 0 else 20), 145, x, 145)
        svg.arrow(x + 70, 178, x + 70, 226)
        if i:
            svg.text(x - 10, 138, "no", "m s")
    svg.arrow(315, 64, 230, 112)
    svg.box(160, 226, 620, 40, "body: the text of this page that its comparison pages lack", kind="good")
    svg.text(20, 290, "Fetched pages are only compared with: they never answer a request of the spider.", "s")
    return svg
