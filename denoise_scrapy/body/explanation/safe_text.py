"""A page's texts in a document of ours: escaped, and without characters that no document may hold."""

from __future__ import annotations

import re
from html import escape

_NO_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffe\uffff]")
_HALF_CHARACTERS = re.compile("[\ud800-\udfff]")


def shown(text: str, most: int | None = None) -> str:
    r"""A text for between tags or for an attribute in double quotes.

    Args:
        text: Any text.
        most: Characters after which it is cut, None for never.

    Example:
        >>> shown('a < "b"\x00\ud800'), shown("abcdef", 3)
        ('a &lt; &quot;b&quot;\ufffd', 'abc…')
    """
    text = clean(text)
    return escape(text if most is None or len(text) <= most else f"{text[:most]}…")


def clean(text: str) -> str:
    """The text without control characters; halves of characters are replaced."""
    return _HALF_CHARACTERS.sub("\ufffd", _NO_CHARACTERS.sub("", text.replace("\r\n", "\n").replace("\r", "\n")))
