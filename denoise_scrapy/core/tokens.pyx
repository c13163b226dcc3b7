# cython: language_level=3
"""Tokens of a rendering, and tokens as HTML."""

cimport cython

from html import escape

from denoise_scrapy.core.written import FORMULAS, LINES, MARKS, WRITTEN


@cython.no_gc
cdef class Token:
    """A piece of a rendering: its tag or text, attributes of a tag, and the block of a text or image, -1 for none.

    Example:
        >>> list(Token("text", "Tide", block=3))
        ['text', 'Tide', (), 3]
    """

    def __init__(self, str kind not None, str value not None, tuple attributes not None=(), int block=-1):
        self.kind, self.value, self.attributes, self.block = kind, value, attributes, block

    def __iter__(self):
        return iter((self.kind, self.value, self.attributes, self.block))

    def __reduce__(self):  # Cython's takes a third more bytes
        return Token, tuple(self)


def to_html(tokens) -> str:
    """Return the rendering as a well-formed HTML fragment: only listed tags and attributes, and all text escaped."""
    return "".join([write(token) for token in tokens]).strip()


cpdef str write(Token token):
    """Return a token as HTML."""
    if token.kind == "text":
        return escape(token.value, quote=False)
    if token.value in FORMULAS:
        return FORMULAS[token.value][token.kind == "end"]
    if token.value in MARKS:
        return ""
    if token.kind == "end":
        return f"</{token.value}>\n" if token.value in LINES else f"</{token.value}>"
    if not token.attributes:
        return f"<{token.value}>"
    allowed = WRITTEN[token.value]
    attributes = "".join([f' {name}="{escape(value)}"' for name, value in token.attributes if name in allowed])
    return f"<{token.value}{attributes}>"
