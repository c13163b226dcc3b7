"""What a page's URL says about its kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import SplitResult, urlsplit

import numpy as np

from denoise_scrapy.body.kinds.lists import URL_WORDS
from denoise_scrapy.body.kinds.words import Value

#: A longer URL is cut: time is bounded.
_MAX_LENGTH = 2000
#: Words of a segment ("forum" in "old-forum") are looked for from this length on: shorter ones mean anything.
_MIN_PIECE = 4
_MANY_HYPHENS = 12  # a title in the URL has as many; more tell no more
_NOT_A_LETTER = re.compile(r"[\W_\d]+")
_LONG_NUMBER = re.compile(r"\d{4}")
_DATE = re.compile(r"/(?:19|20)\d\d[/-]\d?\d\b")
_FILE = re.compile(r"\.(?:s?html?|php|aspx?|cfm|jsp)$")


def url_features(url: str) -> Iterator[Value]:
    """Form and words of a URL; all NaN where it is none, for then nothing is known.

    Example:
        >>> found = dict(url_features("http://forum.a.example/t/what-is-it/1234"))
        >>> found["url_forum"], found["url_forum_host"], found["url_depth"], found["url_product"]
        (1.0, 1.0, 3.0, 0.0)
        >>> all(np.isnan(value) for _, value in url_features(""))
        True
    """
    try:
        parts = urlsplit(url[:_MAX_LENGTH])
    except ValueError:
        parts = urlsplit("")
    known = parts.scheme in ("http", "https")
    for name, value in _url_values(parts):
        yield f"url_{name}", value if known else float("nan")


def _url_values(parts: SplitResult) -> Iterator[Value]:
    path, query = parts.path.lower(), parts.query.lower()
    segments = [piece for piece in path.split("/") if piece]
    last = segments[-1] if segments else ""
    names = {piece.rpartition(".")[0] or piece for piece in segments}
    labels = set(parts.netloc.lower().split("."))
    pieces = set(_NOT_A_LETTER.split(path + " " + query))
    for name, words in URL_WORDS.items():
        yield name, float(bool(words & names))
        yield f"{name}_host", float(bool(words & labels))
        yield f"{name}_piece", float(any(len(piece) >= _MIN_PIECE for piece in words & pieces))
    yield "depth", float(len(segments))
    yield "length", np.log1p(len(path))
    yield "last_length", np.log1p(len(last))
    yield "hyphens", float(min(last.count("-") + last.count("_"), _MANY_HYPHENS))
    yield "root", float(not segments)
    yield "last_digits", float(any(char.isdigit() for char in last))
    yield "long_number", float(bool(_LONG_NUMBER.search(path)))
    yield "date", float(bool(_DATE.search(path)))
    yield "query", float(bool(query))
    yield "file", float(bool(_FILE.search(path)))
    yield "slash", float(path.endswith("/"))
    yield "paging", float("page" in path or "page" in query or "start=" in query or "offset" in query)
