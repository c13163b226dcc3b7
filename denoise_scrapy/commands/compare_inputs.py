"""What `scrapy denoise compare` and `explain` are given: files, URLs, standard input; and the text of each."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError
from w3lib.encoding import html_to_unicode

from denoise_scrapy.body import extract
from denoise_scrapy.commands import STANDARD

if TYPE_CHECKING:
    from scrapy.settings import Settings

    from denoise_scrapy.commands.fetching import Fetched

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
    found = []
    for name, source in zip(names, sources_of(names, "compare", settings), strict=True):
        if isinstance(source, bytes):
            text, url = _decoded(name, source), None
            is_html = _is_html(name, text)
        else:
            text, url, is_html = source
        found.append(extract(text, url=url).text if is_html or as_html else text)
    return found


def sources_of(names: Sequence[str], command: str, settings: Settings) -> list[bytes | Fetched]:
    """Read files and standard input as they are, and fetch URLs.

    Args:
        names: Paths, http(s) URLs, or "-" once.
        command: The subcommand, for messages.
        settings: For URLs.

    Raises:
        UsageError: A name is of none of these kinds, or "-" comes twice.
        OSError: One cannot be read or fetched.

    """
    if list(names).count(STANDARD) > 1:
        raise UsageError(f"{command}: only one page can be standard input")
    urls = _urls_among(names, command)
    found: dict[str, bytes | Fetched] = {name: _read(name) for name in names if name not in urls}
    if urls:  # last: what is missing is told before anything is sent
        from denoise_scrapy.commands.fetching import fetch  # noqa: PLC0415 - it loads Scrapy's engine

        found |= fetch(urls, settings)
    return [found[name] for name in names]


def _urls_among(names: Sequence[str], command: str) -> list[str]:
    """Give those of the names that are http(s) URLs, each once.

    Raises:
        UsageError: One is another URL.

    """
    urls = [name for name in dict.fromkeys(names) if _URL.match(name)]
    for name in names:
        if _OTHER_URL.match(name) and name not in urls:
            raise UsageError(f"{command}: {name}: only files and http(s) URLs can be read")
    return urls


def _read(name: str) -> bytes:
    return sys.stdin.buffer.read() if name == STANDARD else Path(name).read_bytes()


def _decoded(name: str, data: bytes) -> str:
    _, text = html_to_unicode(None, data, default_encoding="utf-8")
    if "\0" in text:
        raise ValueError(f"{name}: neither text nor HTML")
    return text


def _is_html(name: str, text: str) -> bool:
    return name.lower().endswith(HTML_SUFFIXES) or _HTML.match(text[:4096]) is not None
