"""Writes what docs/architecture.md measures, lines of folders and files that a call crosses: python -m docs.folders.

A call crosses a file of Python whose functions it enters, and a file of Cython that these name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from denoise_scrapy import DuplicateIndex, extract
from evaluation.figures import table, write
from example_project.portal.build import build

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "denoise_scrapy"
PAGE = ROOT / "docs" / "architecture.md"
FOLDERS, CALLS = "folders", "files crossed"  # sections of the page
SOURCES = {".py", ".pyx", ".pxd"}
CORE = "denoise_scrapy.core."


def folders() -> list[list[str]]:
    """Return the rows of the page's table with the files and lines that they have now."""
    rows = written(FOLDERS)
    named = {path for row in rows for path in _paths(row[0]) if path.is_file()}
    return [[row[0], *_size(row[0], named), *row[3:]] for row in rows]


def calls() -> list[list[str]]:
    """Return a row for each call: its files of Python, of Cython, and both."""
    pages = build().pages
    path, other, *_ = (path for path, page in pages.items() if page.section == "news" and page.truth)
    page, others = pages[path].html, [pages[other].html]
    index = DuplicateIndex()
    story = extract(page).text
    index.add("http://a.example/1", story)
    duplicate = partial(index.check, "http://b.example/1", f"By our own staff. {story}")
    crossed = {
        "one `extract` with a comparison page": files_of(lambda: extract(page, "http://a.example/1", others).text),
        "one `check` that finds a duplicate": files_of(duplicate),
    }
    rows = []
    for name, files in crossed.items():
        compiled = sum(file.startswith(CORE) for file in files)
        rows.append([name, *map(str, (len(files) - compiled, compiled, len(files)))])
    return rows


def files_of(call: Callable[[], object]) -> set[str]:
    """Return the files of the package that a call crosses, those of Cython by their modules."""
    found = set[str]()

    def enter(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(PACKAGE)):
            found.add(code.co_filename)
            found.update(_compiled(frame))

    call()  # what is imported and kept at first
    sys.setprofile(enter)
    try:
        call()
    finally:
        sys.setprofile(None)
    return found


def _compiled(frame: FrameType) -> Iterator[str]:
    """Yield modules of Cython of which a function names something, or an attribute of an argument."""
    arguments = frame.f_locals.values()
    for name in frame.f_code.co_names:
        values = [frame.f_globals.get(name), *(vars(one).get(name) for one in arguments if hasattr(one, "__dict__"))]
        for value in values:
            module = getattr(value, "__module__", None) or type(value).__module__
            if isinstance(module, str) and module.startswith(CORE) and not _is_python(module):
                yield module


def _is_python(module: str) -> bool:
    return str(sys.modules[module].__file__).endswith(".py")


def _paths(names: str) -> list[Path]:
    """Return the files or folders that a cell names, in the package or beside it."""
    paths = [name.strip("` ") for name in names.split(",")]
    return [PACKAGE / path if (PACKAGE / path).exists() else ROOT / path for path in paths if "*" not in path]


def _size(names: str, named: set[Path]) -> tuple[str, str]:
    paths = _paths(names) or [path for path in PACKAGE.glob("*.py") if path not in named]
    files = [file for path in paths for file in (path.rglob("*") if path.is_dir() else [path])]
    files = [file for file in files if file.suffix in SOURCES]
    lines = sum(file.read_text("utf-8").count("\n") for file in files)
    return str(len(files)), f"{lines:,}"


def written(section: str) -> list[list[str]]:
    """Return the rows of a table that the page has, without its head."""
    text = PAGE.read_text("utf-8").partition(f"<!-- figures: {section} -->")[2].partition("<!-- end of figures -->")[0]
    rows = [line[1:-1].split("|") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def main() -> None:
    """Write both."""
    listed = table(["folder", "files", "lines", "holds"], folders())
    write(FOLDERS, listed.replace("---: |\n", "--- |\n", 1), PAGE)
    write(CALLS, table(["files crossed by", "Python", "Cython", "together"], calls()), PAGE)


if __name__ == "__main__":
    main()
