"""HTML as the bytes that the parser gets."""

from __future__ import annotations

import re
from contextlib import suppress

from w3lib.encoding import html_to_unicode

from denoise_scrapy.native import library
from denoise_scrapy.native.html import look

#: Bytes in which w3lib looks for a declared encoding.
DECLARING_BYTES = 4096
_MARK_BYTES = bytes.maketrans(b"\1\2\0", b"   ")
_CLOSING = re.compile(rb"</(body|html)", re.IGNORECASE)
_CLOSING_TAGS = re.compile(rb"</(?:body|html)\s*>", re.IGNORECASE)
_XML_DECLARATION = re.compile(rb"^\s*<\?xml[^>]*\?>")


def to_utf8(html: str | bytes, encoding: str | None = None) -> bytes:
    r"""Bytes that the parser reads as UTF-8, without the marks we use and without what confuses it.

    Args:
        html: A page. Bytes are decoded as browsers do (BOM, `encoding`, meta, else a guess).
        encoding: Encoding that the server or the framework told, if any.

    Example:
        >>> to_utf8(b"<meta charset=latin1>caf\xe9")
        b'<meta charset=latin1>caf\xc3\xa9'
    """
    if isinstance(html, bytes):
        html = _decoded(html, encoding)
    body = html.encode("utf-8", "replace")
    native = library()
    has_marks, is_embedding = _look(body) if native is None else look(native, body)
    if has_marks:
        body = body.translate(_MARK_BYTES)
    if body[:200].lstrip().startswith(b"<?xml"):
        body = _XML_DECLARATION.sub(b"", body, count=1)
    if is_embedding:
        # with their ends gone, what follows inner documents stays in the element it stands in
        body = _CLOSING_TAGS.sub(b"", body)
    return body


def _decoded(html: bytes, encoding: str | None) -> str:
    """A page's text. Declared may be any codec of Python's: zip and hex decode no text, punycode takes n² time."""
    if b"punycode" not in html[:DECLARING_BYTES].lower() and "punycode" not in (encoding or "").lower():
        declared = f"text/html; charset={encoding}" if encoding else None
        with suppress(LookupError, ValueError):
            return str(html_to_unicode(declared, html, default_encoding="utf-8")[1])
    return html.decode("utf-8-sig", "replace")


def _look(body: bytes) -> tuple[bool, bool]:
    """Whether there are zeros or marks, and whether body or html ends more than once: documents in a document."""
    ends = [tag.lower() for tag in _CLOSING.findall(body)]  # a third of the time of counts of each spelling
    has_marks = b"\x01" in body or b"\x02" in body or b"\0" in body
    return has_marks, ends.count(b"body") > 1 or ends.count(b"html") > 1
