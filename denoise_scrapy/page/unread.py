"""The text of what is not parsed of a page, in time that grows with its size whatever it holds."""

from __future__ import annotations

import re
from html import unescape

#: What a tag holds: values in quotes may hold ">". Each alternative matches to the end where a quote is missing, as
#: browsers do, so that nothing is tried twice.
_INSIDE = rb"""(?:[^>=]+|=\s*"[^"]*(?:"|\Z)|=\s*'[^']*(?:'|\Z)|=)*(?:>|\Z)"""
#: Comments, elements whose inside is no markup and shows nothing, tags, declarations.
_MARKUP = re.compile(
    rb"<!--.*?(?:-->|\Z)"
    rb"|<(?P<raw>script|style|iframe|noembed|noframes)\b" + _INSIDE + rb".*?(?:</(?P=raw)\b" + _INSIDE + rb"|\Z)"
    rb"|</?(?P<tag>[a-z][a-z0-9-]{0,20})" + _INSIDE + rb"|<[!?/][^>]*(?:>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
#: Tags that may stand within a word.
_INLINE = frozenset(b"a abbr b bdi bdo big cite code em font i ins kbd mark q s small span strong sub sup tt u".split())
#: Numbers of no character; Python refuses to read those of thousands of digits.
_NO_CHARACTER = re.compile(rb"&#x?[0-9a-f]{8,};?", re.IGNORECASE)
_MARKS = dict.fromkeys([0, 1, 2])


def next_markup(body: bytes, position: int) -> int:
    """Where the first tag or comment begins that does so at a position or after it; the end where none does.

    Example:
        >>> next_markup(b"<p title='<b>'>One<!-- <p> --><p>", 4)
        18
    """
    return next((found.start() for found in _MARKUP.finditer(body) if found.start() >= position), len(body))


def text_of(markup: bytes, line_break: str) -> str:
    r"""All text, scripts and styles left out.

    Args:
        markup: UTF-8 HTML from where a text or a tag begins.
        line_break: What to put where a tag parts words.

    Example:
        >>> text_of(b"<p>O<b>n</b>e &amp; <script>x</script>two<li title='>'>three", "|")
        '|One & |two|three'
    """

    def replaced(found: re.Match[bytes]) -> bytes:
        return b"" if (found["tag"] or b"").lower() in _INLINE else b"\0"

    text = _NO_CHARACTER.sub(b" ", _MARKUP.sub(replaced, markup)).decode("utf-8", "replace")
    return unescape(text.replace("\0", line_break)).translate(_MARKS)
