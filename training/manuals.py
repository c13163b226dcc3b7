"""Makes a corpus of manuals that Debian packages: `python -m training.manuals FOLDER`, then FOLDER is one of corpora.

The packages are loaded by `apt-get download`. What stands outside of a generator's element of content is a frame; the
same versions of the packages give the same corpus.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import subprocess
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from lxml import html
from w3lib.encoding import html_to_unicode

from denoise_scrapy.page import Page

#: Pages of a manual: more teach little. Most bytes of a page: longer ones are whole books.
PAGES, MAX_BYTES = 12, 250_000
#: A page with fewer characters of text is an index.
MIN_TEXT = 120


class Generator(NamedTuple):
    """What a generator of pages puts the content in, and what it puts beside that, as XPaths."""

    content: str
    frame: str


_SPHINX = Generator(
    '//div[@role="main"]',
    '//a[contains(@class, "headerlink")] | //nav[contains(@class, "contents")]'
    ' | //div[contains(@class, "contents") and contains(@class, "topic")]',
)
_DOCBOOK = Generator(
    "//body",
    '//*[contains(@class, "navheader") or contains(@class, "navfooter") or contains(@class, "toc")'
    ' or contains(@class, "spirit-nav") or contains(@class, "copyright-footer")]',
)
_BOOK = Generator("//main", "//nav")
#: Package -> folder of its pages, and their generator.
MANUALS: dict[str, tuple[str, Generator]] = {
    "python3.11-doc": ("doc/python3.11/html", _SPHINX),
    "python-flask-doc": ("doc/python-flask-doc/html", _SPHINX),
    "python-jinja2-doc": ("doc/python-jinja2-doc/html", _SPHINX),
    "python-requests-doc": ("doc/python-requests-doc/html", _SPHINX),
    "cmake-doc": ("doc/cmake-data/html", _SPHINX),
    "postgresql-doc-15": ("doc/postgresql-doc-15/html", _DOCBOOK),
    "libboost1.74-doc": ("doc/libboost1.74-doc/doc/html", _DOCBOOK),
    "git-doc": ("doc/git-doc", Generator("//body", '//*[@id="toc" or @id="footer"]')),
    "doxygen-doc": (
        "doc/doxygen/html",
        Generator('//div[@class="header" or @class="contents"]', '//div[@class="toc" or @class="summary"]'),
    ),
    "libgtk-3-doc": (
        "gtk-doc/html/gtk3",
        Generator(
            "//body",
            '//table[contains(@class, "navigation")] | //div[@class="footer" or contains(@class, "toc")]',
        ),
    ),
    "nodejs-doc": (
        "doc/nodejs/api",
        Generator(
            '//div[@id="apicontent"]', '//a[contains(@class, "mark")] | //button | //details[@class="changelog"]'
        ),
    ),
    "rust-doc": ("doc/rust-doc/html/book", _BOOK),
    "mkdocs-doc": ("doc/mkdocs/html", Generator('//div[@role="main"]', '//a[contains(@class, "headerlink")]')),
    "sqlite3-doc": ("doc/sqlite3", Generator("//body", '//*[contains(@class, "nosearch") or contains(@class, "toc")]')),
    **{f"aptitude-doc-{code}": (f"doc/aptitude/html/{code}", _DOCBOOK) for code in ("ja", "nl", "ru")},
    **{f"debian-reference-{code}": ("debian-reference", _DOCBOOK) for code in ("de", "es", "fr", "it", "ja", "zh-cn")},
    **{f"debian-faq-{code}": (f"doc/debian/FAQ/{code}", _DOCBOOK) for code in ("ru", "zh-cn")},
    **{f"developers-reference-{code}": (f"developers-reference/{code}", _SPHINX) for code in ("de", "fr", "it", "ja")},
    "maint-guide-ca": ("doc/maint-guide-ca/html", _DOCBOOK),
}


def main() -> None:
    """Write FOLDER/docs.jsonl.gz."""
    ap = argparse.ArgumentParser(prog="python -m training.manuals", description=(__doc__ or "").partition("\n")[0])
    ap.add_argument("folder", type=Path, help="an existing folder for docs.jsonl.gz")
    output = ap.parse_args().folder / "docs.jsonl.gz"
    with TemporaryDirectory() as folder:
        lines = [json.dumps(page) + "\n" for package in MANUALS for page in islice(pages(package, Path(folder)), PAGES)]
    with output.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as file:
        file.writelines(line.encode() for line in lines)
    print(f"wrote {len(lines)} pages to {output}")


def pages(package: str, folder: Path) -> Iterator[dict[str, str]]:
    """Yield the pages of a package, unpacked in a folder, in random order as lines of a corpus."""
    subprocess.run(["apt-get", "download", "-q", package], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    [archive] = folder.glob(f"{package}_*.deb")
    subprocess.run(["dpkg-deb", "-x", archive, folder / package], check=True)
    place, generator = MANUALS[package]
    root = folder / package / "usr/share" / place
    publisher = re.sub(r"-(doc(-.*)?|[a-z]{2}(-cn)?)$|\.", "", package)
    files = sorted(path for path in root.rglob("*.html") if path.stat().st_size <= MAX_BYTES)
    random.Random(place).shuffle(files)
    for path in files:
        raw = path.read_bytes()
        text = content_of(raw, generator)
        if len(text) < MIN_TEXT:
            continue
        source = html_to_unicode(None, raw, default_encoding="utf-8")[1]
        url = f"http://docs.{publisher}.org/{path.relative_to(root)}"
        yield {"site": package, "page": url, "url": url, "html": source, "gold": text, "kind": "documentation"}


def content_of(source: bytes, generator: Generator) -> str:
    """Return the text of a page's content, one line for each of its blocks."""
    root = html.document_fromstring(source)
    for part in root.xpath(generator.frame):
        part.drop_tree()
    found = root.xpath(generator.content)
    return "\n".join(line for part in found for line in Page.parse(html.tostring(part, encoding="unicode")).block_texts)


if __name__ == "__main__":
    main()
