"""Write what the code says of itself into the repository: `python -m docs.generate`, or list what is stale: `--check`.

Tables of settings, fields, stats and properties that hide text, the public API, the README's scores, the page by three
tools, and pictures. Screenshots need Chromium on the PATH. `--check` also finds names in the pages that do not exist.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from denoise_scrapy.body.fields import FIELDS, META, NEWS
from denoise_scrapy.core import styles
from denoise_scrapy.core.markup import Property
from denoise_scrapy.core.styles import Test
from denoise_scrapy.crawl.parts import PREFIX
from denoise_scrapy.settings import MARKS, declarations
from docs import public_api, three_tools
from docs.counters import STATS, meaning_of
from docs.pictures import flow, matching, scoring, shots, tree
from evaluation import figures

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGES = (README, ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md")))
DRAWN = {
    "comparison-pages.svg": flow.draw,
    "matching.svg": matching.draw,
    "scoring.svg": scoring.draw,
    "edit-distance-tree.svg": tree.draw,
}
# Headings of the tables of settings, each with the settings below it, in their order; none is left out.
GROUPS = {
    "The ten that matter most": "fields parts keep remove favor dedup dedup_scope dedup_fields dedup_store "
    "comparison_share",
    "Which pages, and how": "enabled strategy geometry",
    "What items receive": "adapters html_field url_field shared_body chunk_tokens "
    "markdown examples teacher fallback fallback_below",
    "Comparison pages": "comparison_pages comparison_wait",
    "Near-duplicates": "seen dedup_days dedup_required dedup_rule dedup_threshold dedup_certainty "
    "dedup_key_field dedup_variants",
    "Memory and workers": "memory_mb site_memory_path workers",
}
# Words for the kinds of fields, and signs of what they are made of.
KINDS = {str: "text", float: "number", bool: "true or false", list: "list of texts", object: "dict, or list of dicts"}
SIGNS = {"": "", META: " *", NEWS: " +"}
# Columns of the README's scores, by the corpora that they are of, and their rows in the page of figures.
CORPORA = {
    "big9": "news",
    "dragnet": "blogs",
    "single": "one page per site",
    "wcxb": "shops, forums, lists",
    "zh68": "Chinese news",
}
EXTRACTORS = {
    "pages": "pages",
    "`combined`, unseen publishers": "**denoise_scrapy**",
    "`trafilatura`": "trafilatura",
    "`readability`": "readability",
}
# What a value of a property is tested for, and what a property whose value passes hides.
TESTS = {
    Test.WORD: "{words}",
    Test.MOVING: "anything but `none`",
    Test.FUNCTION: "a function that leaves nothing, as `scale(0)`, `inset(50%)`, `rotateX(90deg)` or `opacity(0)`",
    Test.ARGUMENTS: "numbers with which the function of its name leaves nothing",
    Test.MASK: "a gradient of transparent colours",
    Test.COLOUR: "transparent, or almost the colour of the background",
    Test.BACK: "a colour that hides what is behind it",
    Test.PICTURE: "a picture",
    Test.FAINT: "below {limit:g}",
    Test.SMALL: "at most {limit:g} px",
    Test.SIZE: "at most {limit:g} px",
    Test.RELATIVE: "a share of the size around it",
    Test.FAR: "{limit:g} px or more to the left or above, or thousands below",
    Test.MARGIN: "{limit:g} px or more to the left or above, or thousands below",
    Test.ACROSS: "all of the box or the screen",
    Test.ROOMY: "more than {limit:g} px, or a share",
}
HIDES = {
    Property.DISPLAY: "all in it",
    Property.VISIBILITY: "its text, not what is visible in it",
    Property.OPACITY: "all in it, unless it may fade in",
    Property.TEXT_SIZE: "its text",
    Property.RELATIVE: "its text, if the text around it has no size",
    Property.COLOUR: "its text",
    Property.BACKGROUND: "text of this colour; on a picture no text",
    Property.TEXT_CLIP: "nothing: letters show by the background, a shadow or a line",
    Property.POSITION: "what has an offset or is cut off with it",
    Property.FIXED: "what has an offset beyond the screen",
    Property.OFFSET: "all in it, if it has a position",
    Property.BEYOND: "all in it, if it is fixed, or in a box that cuts it off",
    Property.AHEAD: "all in it, if it has a position, and no attribute but its style",
    Property.INDENT: "all in it",
    Property.MARGIN: "all in it",
    Property.PUSHED: "all in it, if its box cuts it off",
    Property.TRANSFORM: "all in it, unless it is animated",
    Property.CLIP: "all in it",
    Property.HEIGHT: "all in it, if its box cuts it off",
    Property.HEIGHT | Property.OVERFLOW: "all in it",
    Property.WIDTH: "all in it, if its box cuts it off",
    Property.OVERFLOW: "all in it, if it has no height or width",
    Property.ROOM: "nothing: it gives a box a height",
    Property.LINES: "nothing: line ends of the text are line breaks",
    Property.MOVES: "nothing: what a script finds by its name may fade in or unfold",
}
# Settings, and a variable of the environment.
SETTINGS = {"DENOISE_CORPORA", *(f"DENOISE_{name.upper()}" for name, *_ in declarations())}


def settings_table() -> str:
    """Return the settings as Markdown, in groups."""
    rows: dict[str, str] = {}
    for name, kind, default, declared in declarations():
        valid = declared.valid_values(kind).replace("|", "\\|") + (f" {declared.unit}" if declared.unit else "")
        mark = "" if declared.per_page else " *"
        shown = declared.default or f"`{default!r}`"
        rows[name] = f"| `DENOISE_{name.upper()}`{mark} | {valid} | {shown} | {declared.meaning} |"
    lines: list[str] = []
    for heading, names in GROUPS.items():
        lines += [f"\n## {heading}\n", "| setting | valid | default | meaning |", "|---|---|---|---|"]
        lines += [rows.pop(name) for name in names.split() if name in rows]
    if rows:
        raise SystemExit(f"{__file__}: add to one of GROUPS, the headings of the page on settings: {', '.join(rows)}")
    return "\n".join(lines).lstrip() + "\n"


def fields_table() -> str:
    """Return the fields as Markdown."""
    rows = [f"| `{name}`{SIGNS[one.wants]} | {KINDS[one.kind]} | {one.meaning} |" for name, one in FIELDS.items()]
    rows += [f"| `{name}` | mark | {meaning} |" for name, meaning in MARKS.items()]
    return "\n".join(["| field | type | value |", "|---|---|---|", *rows])


def stats_table() -> str:
    """Return the stats as Markdown."""
    rows = [f"| `{PREFIX}{name}` | {meaning} |" for name, meaning in STATS.items()]
    return "\n".join(["| stat | counts |", "|---|---|", *rows]) + "\n"


def unseen_table() -> str:
    """Return the properties of styles that hide text as Markdown."""
    rows = []
    for names, bit, test, given in styles.PROPERTIES:
        words = ", ".join(f"`{word}`" for word in str(given).partition("|")[0].split())
        limit = given if isinstance(given, float) else 0
        value = TESTS[test].format(words=words, limit=limit)
        rows.append([" ".join(f"`{name}`" for name in names.split()), value, HIDES[bit]])
    return figures.table(["property", "value", "hides"], rows).replace("---:", "---")


def scores_table() -> str:
    """Return the README's scores, which are some of those that `make scores` has written into the page of figures."""
    section = (DOCS / "figures.md").read_text("utf-8").partition("<!-- figures: scores -->")[2]
    head, _, *rows = [
        [cell.strip() for cell in line[1:-1].split("|")] for line in re.findall(r"^\|.*\|$", section, re.M)
    ]
    by_name = {name: dict(zip(head[1:], cells, strict=False)) for name, *cells in rows[::-1]}  # the first table counts
    return figures.table(
        ["token F1", *CORPORA.values()],
        [[shown, *(by_name[name][corpus] for corpus in CORPORA)] for name, shown in EXTRACTORS.items()],
    )


def generated() -> Iterator[tuple[Path, str]]:
    """Yield each file, with its content as it should be."""
    for page, table in {"settings.md": settings_table(), "stats.md": stats_table()}.items():
        before = (DOCS / page).read_text("utf-8").partition(f"\n{table.splitlines()[0]}\n")[0]
        yield DOCS / page, f"{before}\n{table}"
    yield public_api.LISTING, public_api.listing()
    for file, name, table in (
        (README, "scores", scores_table()),
        (DOCS / "how-it-works.md", "fields", fields_table()),
        (DOCS / "main-text.md", "unseen", unseen_table()),
    ):
        yield file, figures.replaced(file.read_text("utf-8"), name, table)
    yield three_tools.PAGE, three_tools.renewed(three_tools.PAGE.read_text("utf-8"))
    for name, draw in DRAWN.items():
        yield shots.IMAGES / name, str(draw())


def problems() -> Iterator[str]:
    """Yield what the pages name and the code does not have: files, settings, stats, tests that hold a guarantee."""
    for page in PAGES:
        text, name = page.read_text("utf-8"), page.relative_to(ROOT)
        links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text) + re.findall(r'(?:srcset|<img src)="([^"]+)"', text)
        yield from (f"{name}: no file {link}" for link in links if not (page.parent / link).exists())
        yield from (f"{name}: no setting {one}" for one in {*re.findall(r"\bDENOISE_[A-Z_]+[A-Z]\b", text)} - SETTINGS)
        stats = re.findall(r"\bdenoise/([a-z_/]+[a-z])(?![a-z_/])", text)
        yield from (f"{name}: no stat denoise/{stat}" for stat in stats if not meaning_of(stat))
    for file, test in re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", (DOCS / "guarantees.md").read_text("utf-8")):
        if not (ROOT / file).exists() or test not in functions_in(ROOT / file):
            yield f"docs/guarantees.md: no test {file}::{test}"
    if json.loads(shots.DIGESTS.read_text("utf-8")) != shots.digests():
        yield "docs/images: the screenshots show another text than the code gives"


def functions_in(path: Path) -> set[str]:
    """Return the names of all functions in a file."""
    tree = ast.parse(path.read_text("utf-8"))
    return {one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}


def main() -> None:
    """Write all, or exit with the list of what is stale or does not exist."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, list what is stale")
    check = parser.parse_args().check
    stale = [(path, text) for path, text in generated() if not path.exists() or path.read_text("utf-8") != text]
    if check:
        found = [f"{path.relative_to(ROOT)} is stale: make renew" for path, _ in stale] + sorted(set(problems()))
        raise SystemExit("\n".join(found) or None)
    for path, text in stale:
        path.write_text(text, "utf-8")
    if (browser := shutil.which("chromium")) and json.loads(shots.DIGESTS.read_text("utf-8")) != shots.digests():
        shots.draw(browser)


if __name__ == "__main__":
    main()
