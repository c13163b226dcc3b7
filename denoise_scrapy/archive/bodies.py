"""Bodies of an archive's pages, site by site, in bounded memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from itertools import groupby
from typing import Any

from denoise_scrapy.body import DEFAULT_STRATEGY, extract_pages
from denoise_scrapy.dedup import Fingerprint
from denoise_scrapy.dedup.variants import hash_title
from denoise_scrapy.formats import FORMS_BESIDE_TEXT
from denoise_scrapy.metadata import Metadata

VERSION = version("denoise-scrapy")
#: Most pages of a cell. Of a site cut in cells bodies are as good as uncut, F1 .9743 and .9742; a cell of recorded
#: pages takes half a minute, which is what a task that fails costs.
CELL = 4096
#: Optional parts of a body's row.
FIELDS = (*FORMS_BESIDE_TEXT, "meta")
#: Columns of forms; html is the page.
COLUMNS: Mapping[str, str] = {form: "body_html" if form == "html" else form for form in FORMS_BESIDE_TEXT}
#: Columns of "meta" (`Metadata`), with their types.
META: Mapping[str, type] = {
    name: list if name in {"authors", "tags"} else str for name in Metadata.__dataclass_fields__ if name != "title"
}


def bodies(
    pages: Iterable[Mapping[str, Any]], *, strategy: str = DEFAULT_STRATEGY, fields: Sequence[str] = ()
) -> Iterator[dict[str, Any]]:
    """Yield the bodies of pages, each compared with others of its site, or of its cell of a large site.

    A body depends on the pages of its site and cell alone, in their order: where they are always the same, as sorted by
    URL, so is the body. Some pages are read ahead; 32 of a site are remembered.

    Args:
        pages: Rows with `site`, `url` and `html`, str or bytes, and `cell` where a site is cut. Those of one site and
            cell stand together, sorted by `url`.
        strategy: A name in `STRATEGIES`.
        fields: Columns to add, of `FIELDS`: the body as Markdown; as HTML, in `body_html`; authors, dates, language and
            more of the page (`META`), which need the extra `meta`.

    Returns:
        The rows in their order, without `html`, and with `text`, `title`, `confidence`, `evidence`, `fallback` as of
        `Body`; `version`, that of this package; `fingerprint`, for `verify`, as a dict; and the fields.

    Raises:
        ValueError: There is no such strategy or field.
        ImportError: The extra `meta` is not installed.

    Example:
        >>> frame = "<div>Site menu</div><p>{}</p><div>All rights reserved</div>"
        >>> stories = ["The bridge was closed because of the flood.", "A lynx was seen near the station at dawn."]
        >>> pages = [(f"http://a.example/{n}", frame.format(story)) for n, story in enumerate(stories)]
        >>> [row["text"] for row in bodies({"site": "a", "url": url, "html": html} for url, html in pages)] == stories
        True
    """
    unknown = [name for name in fields if name not in FIELDS]
    if unknown:
        raise ValueError(f"fields are {', '.join(FIELDS)}, not {', '.join(unknown)}")
    for _, group in groupby(pages, lambda page: (page["site"], page.get("cell"))):
        yield from _of_group(group, strategy, fields)


def _of_group(group: Iterable[Mapping[str, Any]], strategy: str, fields: Sequence[str]) -> Iterator[dict[str, Any]]:
    waiting: deque[dict[str, Any]] = deque()  # rows of pages that are read ahead

    def read() -> Iterator[tuple[str, str | bytes]]:
        for page in group:
            waiting.append({name: value for name, value in page.items() if name != "html"})
            yield page["url"], page["html"]

    for _, body in extract_pages(read(), strategy=strategy):
        row = waiting.popleft()
        row |= {
            "text": body.text,
            "title": body.title,
            "confidence": body.confidence,
            "evidence": body.evidence,
            "fallback": body.fallback,
            "version": VERSION,
            "fingerprint": _columns(replace(Fingerprint.of(body.text), title=hash_title(body.title))),
        }
        for name in fields:
            if name == "meta":
                row |= {each: kind(getattr(body.meta, each)) for each, kind in META.items()}
            else:
                row[COLUMNS[name]] = getattr(body, name)
        yield row


def _columns(fingerprint: Fingerprint) -> dict[str, Any]:
    """A fingerprint as a dict of numbers and bytes; `Fingerprint(**columns)` is the same again."""
    return {name: getattr(fingerprint, name) for name in Fingerprint.__slots__}
