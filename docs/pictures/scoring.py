"""The blocks of a page of the example portal, with the probability that the default gives each."""

from __future__ import annotations

from denoise_scrapy import extract
from docs.pictures.svg import Svg
from example_project.portal.build import build

SITE, PAGE, OTHERS = "http://portal.example", "office-1077", "5.html"
ROW, BAR = 19, 220


def draw() -> Svg:
    """The picture."""
    news = [page for page in build().pages.values() if page.section == "news"]
    page = next(page for page in news if PAGE in page.path)
    others = [other.html for other in news if other.path.endswith(OTHERS)][:3]
    body = extract(page.html, SITE + page.path, others)
    svg = Svg(800, 70 + ROW * len(body.blocks), "Each block of a page with its probability of being content")
    svg.text(10, 20, "block", "b")
    svg.text(430, 20, "probability of being content", "b")
    for i, block in enumerate(body.blocks):
        y = 34 + ROW * i
        said = block.text if len(block.text) < 62 else block.text[:60].rsplit(" ", 1)[0] + " …"
        svg.text(10, y + 12, said, "s")
        long = max(round(BAR * block.probability), 1)  # whole pixels: numpy and C differ in the sixth place
        svg.box(430, y, long, 15, kind="good" if block.kept else "bad")
        svg.text(430 + long + 6, y + 12, f"{block.probability:.1f}", "s")
        svg.text(700, y + 12, "kept" if block.kept else "", "s")
    count = sum(block.kept for block in body.blocks)
    end = 56 + ROW * len(body.blocks)
    svg.text(
        10,
        end,
        f"Kept are the {count} blocks with the highest expected F1, {body.confidence:.1f}: the body's confidence.",
    )
    return svg
