"""The table of one page by three tools, in the page that compares them.

The page is a thread of the example portal. Columns of tools that are not installed stay as they are
(`pip install trafilatura readability-lxml`).
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.ways import peers
from denoise_scrapy import Page, extract
from denoise_scrapy.body import DEFAULT_STRATEGY, find_strategy
from evaluation.figures import replaced, table
from example_project.portal.build import build
from example_project.scoring import f1

PAGE = Path(__file__).parent / "compared.md"
SECTION = "before and after"
PATH = "/forum/viewtopic-398.html"
OTHERS = find_strategy(DEFAULT_STRATEGY).comparison_pages
WIDTH = 48  # characters of a block that are shown
SHORTEST = 7  # words of a block that is shown
DISTRIBUTIONS = {"trafilatura": "trafilatura", "readability": "readability-lxml"}


def texts() -> dict[str, str]:
    """Return the page's text by each tool that is installed."""
    pages = build().pages
    page = pages[PATH]
    others = [other.html for other in pages.values() if other.section == page.section and other is not page]
    return {
        "denoise_scrapy": extract(page.html, f"http://127.0.0.1:8808{PATH}", others[:OTHERS]).text,
        **{name: read(page.html) for name, read in peers().items() if name in DISTRIBUTIONS},
    }


def columns() -> dict[str, list[str]]:
    """Return the cells of each column by its heading: blocks of the page, those that each tool keeps, and F1."""
    page = build().pages[PATH]
    found = texts()
    wanted = _plain(page.truth or "")
    blocks = [text for text in Page.parse(page.html).block_texts if len(text.split()) >= SHORTEST]
    told = {"block of the page": [f"**{_short(text)}**" if _plain(text) in wanted else _short(text) for text in blocks]}
    for name, text in found.items():
        kept = ["kept" if _plain(block) in _plain(text) else "" for block in blocks]
        told[heading(name)] = [*kept, f"{f1(text, page.truth or ''):.2f}"]
    told["block of the page"].append("F1 of the whole page")
    return told


def heading(name: str) -> str:
    """Return a tool's name, with its version where it is another's."""
    try:
        return f"{name} {version(DISTRIBUTIONS[name])}" if name in DISTRIBUTIONS else name
    except PackageNotFoundError:
        return name


def written(text: str) -> dict[str, list[str]]:
    """Return the columns that are in the page."""
    section = text.partition(f"<!-- figures: {SECTION} -->")[2].partition("<!-- end of figures -->")[0]
    rows = [[cell.strip() for cell in line[1:-1].split("|")] for line in section.splitlines() if line[:1] == "|"]
    return {name: list(cells) for name, *cells in zip(*(rows[:1] + rows[2:]), strict=True)}


def renewed(text: str) -> str:
    """Return the page with the columns of today."""
    now, before = columns(), written(text)
    names = dict.fromkeys([*now, *before])
    together = {name: now.get(name) or before[name] for name in names}
    if len({name.split()[0] for name in together}) < len(together):
        raise SystemExit("a tool of another version: remove its column by hand, and run this again")
    lines = list(zip(*together.values(), strict=True))
    return replaced(text, SECTION, table(list(together), lines))


def _plain(text: str) -> str:
    return "".join(text.split())


def _short(text: str) -> str:
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= WIDTH else text[: WIDTH - 1].rstrip() + "…"
