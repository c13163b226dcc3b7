"""Facts of pages from outside: the rows of a store, and the file of a model."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from pathlib import Path

from denoise_scrapy.core.sharing import checked
from denoise_scrapy.page import Page, PageFacts

# Raise with any change of the facts.
FORMAT = "3"
# Bytes of a page's facts: 50,000 blocks, five times what the largest recorded page has.
MAX_PAGE_BYTES = 1_000_000
# Bytes of a model before it is compressed: thousands of pages of usual size.
MAX_MODEL_BYTES = 1 << 28

_SAMPLE = "<div id=a class='b c'><h1>Über 1 title</h1><p>Some <b>words</b>, 漢字.<ul><li><a href=/x>x</a></ul></div>"
_ADVICE = "Fit the model anew, and save it."


def constants() -> dict[str, str]:
    """Return what facts of this version are made with: their format, and how paths and texts are hashed."""
    return {"format": FORMAT, "hashes": f"{zlib.crc32(Page.parse(_SAMPLE).facts.data):08x}"}


def read_facts(data: bytes, url: str) -> PageFacts:
    """Return the facts of a page from outside; `ValueError` where they are damaged, or those of another URL."""
    return PageFacts(url, checked(data, url))


def save_pages(pages: Sequence[Page | PageFacts], path: Path) -> None:
    """Write the facts of some pages to a file: compressed, a line of JSON and the rows, without pickles.

    Raises `ValueError` where they have more than `MAX_MODEL_BYTES`.
    """
    rows = [page.facts.data for page in pages]
    index = [[page.url, len(row)] for page, row in zip(pages, rows, strict=True)]
    content = json.dumps({"constants": constants(), "pages": index}).encode() + b"\n" + b"".join(rows)
    if len(content) > MAX_MODEL_BYTES:
        raise ValueError(f"{path}: {len(content):,} bytes, and {MAX_MODEL_BYTES:,} can be loaded: fit fewer pages")
    path.write_bytes(zlib.compress(content))


def load_pages(path: Path) -> list[PageFacts]:
    """Return the facts in a file of `save_pages`; `ValueError` where it is none, or one of another version."""
    try:
        with path.open("rb") as file:
            return _read(file.read(MAX_MODEL_BYTES))
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, zlib.error) as error:
        raise ValueError(f"{path}: no model of denoise_scrapy that can be read: {error}. {_ADVICE}") from error


def _read(data: bytes) -> list[PageFacts]:
    stream = zlib.decompressobj()
    content = stream.decompress(data, MAX_MODEL_BYTES)
    if not stream.eof:
        raise ValueError(f"cut short, or of more than {MAX_MODEL_BYTES:,} bytes")
    head, _, rows = content.partition(b"\n")
    stored = json.loads(head)
    if stored["constants"] != constants():
        raise ValueError(f"of another version: {stored['constants']} there and {constants()} here")
    pages, begin = [], 0
    for url, length in stored["pages"]:
        pages.append(read_facts(rows[begin : begin + length], url))
        begin += length
    if begin != len(rows):
        raise ValueError("damaged")
    return pages
