"""Draw all pictures anew, as SVG, and with Chromium on the PATH screenshots: `python -m docs.pictures`."""

from __future__ import annotations

import shutil

from docs.pictures import flow, matching, scoring, shots, tree

IMAGES = shots.IMAGES
DRAWN = {
    "comparison-pages.svg": flow.draw,
    "matching.svg": matching.draw,
    "scoring.svg": scoring.draw,
    "edit-distance-tree.svg": tree.draw,
}


def main() -> None:
    """Write them."""
    for name, draw in DRAWN.items():
        (IMAGES / name).write_text(str(draw()), "utf-8")
    if browser := shutil.which("chromium"):
        shots.draw(browser)


if __name__ == "__main__":
    main()
