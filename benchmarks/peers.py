"""Extractors that read one page alone, where they are installed (`pip install denoise-scrapy[bench]`)."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec

from lxml import html as lxml_html


def peers() -> dict[str, Callable[[str], str]]:
    """The installed peers by name."""
    candidates = {"trafilatura": _trafilatura, "readability": _readability}
    return {name: extract for name, extract in candidates.items() if find_spec(name)}


def _trafilatura(page: str) -> str:
    return import_module("trafilatura").extract(page, include_comments=False) or ""


def _readability(page: str) -> str:
    readability = import_module("readability")
    try:
        summary = readability.Document(page).summary(html_partial=True)
        return " ".join(lxml_html.fromstring(summary).itertext()) if summary.strip() else ""
    except Exception:  # it raises on pages that it cannot read
        return ""
