"""Draws docs/images/explain.png: what `scrapy denoise explain` writes of a page of the example portal.

Needs Chromium (`apt-get install chromium`) and playwright, which the development tools bring, and Pillow:
python docs/explain_picture.py [--browser /usr/bin/chromium]
"""

from __future__ import annotations

import argparse
import io
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from denoise_scrapy.body.explanation import explain_page
from example_project.portal.build import build

TARGET = Path(__file__).parent / "images" / "explain.png"
COLOURS = 255  # enough for smooth letters; half of the bytes of all colours
SITE = "http://portal.example"


def main() -> None:
    """Draw it."""
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--browser", default=shutil.which("chromium"))
    browser_path = ap.parse_args().browser
    pages = [page for page in build().pages.values() if page.section == "news" and "says-1070" in page.path]
    others = [page for page in build().pages.values() if page.section == "news" and page.path.endswith("5.html")]
    explanation = explain_page(
        pages[0].html, SITE + pages[0].path, [(SITE + other.path, other.html) for other in others[:3]]
    )
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder, "explained.html")
        path.write_text(explanation.html, "utf-8")
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        view = browser.new_page(viewport={"width": 1280, "height": 1000}, color_scheme="light")
        view.goto(path.as_uri())
        view.locator("#b7").hover()
        view.evaluate("scrollTo(0, 0)")
        shot = Image.open(io.BytesIO(view.screenshot())).convert("RGB")
        shot.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=2, dither=Image.Dither.NONE).save(
            TARGET, optimize=True
        )
        browser.close()


if __name__ == "__main__":
    main()
