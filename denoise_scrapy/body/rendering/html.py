"""Tokens of a rendering as HTML."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from denoise_scrapy.body.rendering.tags import CONTAINERS, LEAVES, WRITTEN, Token

#: After the end of these comes a new line, which shows nothing there and parts the blocks for readers.
_LINES = LEAVES.union(CONTAINERS.values())


def to_html(tokens: Iterable[Token]) -> str:
    """A well-formed fragment of HTML.

    Args:
        tokens: What `render` made.

    Returns:
        Only tags and attributes of the tokens, and all text escaped.

    Example:
        >>> to_html([Token("start", "p"), Token("text", "1 < 2"), Token("end", "p")])
        '<p>1 &lt; 2</p>'
    """
    return "".join(map(_write, tokens)).strip()


def _write(token: Token) -> str:
    if token.kind == "text":
        return escape(token.value, quote=False)
    if token.kind == "end":
        return f"</{token.value}>\n" if token.value in _LINES else f"</{token.value}>"
    allowed = WRITTEN[token.value]
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in token.attributes if name in allowed)
    return f"<{token.value}{attributes}>"
