"""Records of archives, each a page or a problem, and the recognition of HTML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from denoise_scrapy.page.parse import DECLARING_BYTES, MAX_PAGE_BYTES, decode_html, media_type
from denoise_scrapy.site import site_key

#: Problems of records, with explanations.
PROBLEMS: Mapping[str, str] = {
    "truncated": "the file ends within the record",
    "damaged": "the record is unreadable; reading continues with the next one",
    "unreadable": "the file cannot be opened, or has another format",
    "status": "a response without status 2xx: a redirect, an error",
    "revisit": "a note that the page has not changed, without the page",
    "encoding": "the content encoding is wrong, and the content is not HTML without decoding",
    "type": "a content type other than HTML",
    "no HTML": "not HTML, although the type is HTML or missing",
    "empty": "without content, or a row without the field html",
    "too large": "above the maximum size",
    "no URL": "without an http(s) URL",
    "no JSON": "a line that is not a JSON object",
}
#: Content types of pages; those after the first two are unspecific.
HTML_TYPES = ("text/html", "application/xhtml+xml", "", "application/octet-stream", "unknown/unknown")

_UTF16 = (b"\xfe\xff", b"\xff\xfe")
_TAG = re.compile(rb"<[a-z!?/]", re.IGNORECASE)
_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype html|html|head|body)\b", re.I | re.S
)


class ArchiveRecord(NamedTuple):
    """A record of an archive: a page, or a problem."""

    file: str
    offset: int  # the byte of a WARC file, the line of JSON lines, the row of Parquet
    url: str = ""
    date: str = ""  # when it was fetched, as in the archive
    html: str | bytes | None = None  # None for a bad record
    problem: str = ""  # one of `PROBLEMS`; "" for a page
    detail: str = ""  # more about the problem
    member: str = ""  # its file's name in a ZIP file; if that is there twice, with a null character and its place

    def bad(self, problem: str, detail: object = "") -> ArchiveRecord:
        """Return the record with a problem in place of the page."""
        return self._replace(html=None, problem=problem, detail=str(detail)[:200])

    def page(self, content: str | bytes, charset: str = "", *, labelled: bool = True) -> ArchiveRecord:
        """Return the record with its page, or a bad one if the content is not a page; see `is_html`."""
        if len(content) > MAX_PAGE_BYTES:
            return self.bad("too large", f"over {MAX_PAGE_BYTES} bytes")
        if not content.strip():
            return self.bad("empty")
        start = content if isinstance(content, bytes) else content[:DECLARING_BYTES].encode("utf-8", "replace")
        if not is_html(start, labelled=labelled):
            return self.bad("no HTML", media_type(start))
        if not site_key(self.url):
            return self.bad("no URL", self.url)
        html = content if isinstance(content, str) else decode_html(content, charset or None)
        return self._replace(html=html) if html.strip() else self.bad("empty")

    @property
    def row(self) -> dict[str, Any]:
        """The record as a row of a table, with its page as UTF-8."""
        texts = ("file", "url", "date", "problem", "detail")
        # JSON may contain lone surrogates
        row: dict[str, Any] = {name: getattr(self, name).encode("utf-8", "replace").decode() for name in texts}
        html = self.html.encode("utf-8", "replace") if isinstance(self.html, str) else self.html
        return row | {"offset": self.offset, "site": site_key(row["url"]), "html": html}


def begins_page(data: bytes) -> bool:
    """Return whether bytes begin like an HTML page, after any comments and a byte order mark."""
    return _START.match(data, 0, DECLARING_BYTES) is not None


def is_html(data: bytes, *, labelled: bool) -> bool:
    r"""Return whether bytes are HTML; unless their type is HTML (`labelled`), they must begin like a page.

    Example:
        >>> is_html(b"<p>Rain.", labelled=True), is_html(b"<p>Rain.", labelled=False)
        (True, False)
        >>> is_html(b"\x89PNG\r\n", labelled=True)
        False
    """
    begins = data[:2] in _UTF16 or begins_page(data)
    return begins or (labelled and _TAG.search(data, 0, DECLARING_BYTES) is not None and not media_type(data))
