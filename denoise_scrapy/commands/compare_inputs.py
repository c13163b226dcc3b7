"""What `scrapy denoise compare` is given: files, URLs, standard input; and the text of each."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError
from w3lib.encoding import html_to_unicode

from denoise_scrapy.body import extract

if TYPE_CHECKING:
    from scrapy.settings import Settings

STANDARD = "-"  # standard input
HTML_SUFFIXES = (".html", ".htm", ".xhtml")

_URL = re.compile(r"https?://", re.IGNORECASE)
_OTHER_URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_HTML = re.compile(r"\ufeff?\s*(?:<\?xml\b[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)


def texts_of(names: Sequence[str], settings: Settings, *, as_html: bool) -> list[str]:
    """Read texts.

    Args:
        names: Paths, http(s) URLs, or "-" once.
        settings: For URLs.
        as_html: Take the body of each as of an HTML page, whatever it looks like.

    Returns:
        The text of each; of an HTML page its body.

    Raises:
        UsageError: A name is of none of these kinds, or "-" comes twice.
        OSError: One cannot be read or fetched.
        ValueError: One is no text.

    """
    if list(names).count(STANDARD) > 1:
        raise UsageError("compare: only one of A and B can be standard input")
    urls = urls_among(names, "compare")
    pages = {}
    files = {name: _read(name) for name in names if name not in urls}  # what is missing is told before anything is sent
    if urls:
        from denoise_scrapy.commands.fetching import fetch  # noqa: PLC0415 - it loads Scrapy's engine

        pages = fetch(urls, settings)
    found = []
    for name in names:
        text, url, is_html = pages[name] if name in pages else (files[name], None, _is_html(name, files[name]))
        found.append(extract(text, url=url).text if is_html or as_html else text)
    return found


def urls_among(names: Sequence[str], command: str) -> list[str]:
    """Give those of the names that are http(s) URLs, each once.

    Raises:
        UsageError: One is another URL.

    """
    urls = [name for name in dict.fromkeys(names) if _URL.match(name)]
    for name in names:
        if _OTHER_URL.match(name) and name not in urls:
            raise UsageError(f"{command}: {name}: only files and http(s) URLs can be read")
    return urls


def _read(name: str) -> str:
    data = sys.stdin.buffer.read() if name == STANDARD else Path(name).read_bytes()
    _, text = html_to_unicode(None, data, default_encoding="utf-8")
    if "\0" in text:
        raise ValueError(f"{name}: neither text nor HTML")
    return text


def _is_html(name: str, text: str) -> bool:
    return name.lower().endswith(HTML_SUFFIXES) or _HTML.match(text[:4096]) is not None
