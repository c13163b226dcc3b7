"""The style sheets that a page contains: their rules that concern what can be seen, kept for the next page."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from denoise_scrapy.core.styles import StyleSheet, styles_of

#: Sheets that are kept for other pages of a site.
SHEETS = 64


def sheet_of(root: Any) -> StyleSheet | None:
    """Return the rules of the style sheets in a page's tree, None if there are none and others may be loaded."""
    text, is_all = styles_of(root)
    return _sheet(text, is_all) if is_all or text else None


_sheet = lru_cache(SHEETS)(StyleSheet)
