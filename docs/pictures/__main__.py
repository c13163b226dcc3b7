"""`python -m docs.pictures` draws all anew; a test holds that what lies in docs/images is what this would draw."""

from __future__ import annotations

from pathlib import Path

from docs.pictures import flow, matching, scoring, tree

IMAGES = Path(__file__).parent.parent / "images"
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


if __name__ == "__main__":
    main()
