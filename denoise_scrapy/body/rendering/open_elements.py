"""What is open while a rendering is written, and the text that goes into it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from denoise_scrapy.body.rendering.tags import Token

#: Collapsed as in the body's text, no-break and wide spaces too: pages indent with them.
_WHITE_SPACE = re.compile(r"\s+")
#: Characters that no document may hold, and those of them that are no white space.
_FORBIDDEN_AS_IS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]+")
_FORBIDDEN = re.compile("[\x00-\x08\x0e-\x1b\x7f\ufffe\uffff]+")


@dataclass
class Container:
    """An element of the page that is written; or a heading, whose tag is written around each block in it.

    Attributes:
        element: The page's element.
        tag: Tag of the container that is written, "" around all.
        depth: How many containers are open, this one included.
        ends: Tags to close at its end.
        heading: Tag of the blocks in it, "" for paragraphs.
        leaves: For each leaf right in it, the tokens of its `p`, None for a leaf that has none.
    """

    element: int
    tag: str
    depth: int
    ends: tuple[str, ...] = ()
    heading: str = ""
    leaves: list[tuple[int, int] | None] = field(default_factory=list)


@dataclass
class Leaf:
    """The paragraph, heading or preformatted text that is being written.

    Attributes:
        ends: Tags to close at its end.
        start: Token of its `p`, -1 where it has none.
        block: Block of the page, -1 for images between blocks.
        element: The page's element of preformatted text, -1 for other leaves.
        preformatted: Whether white space counts.
        written: Whether anything is in it.
        has_text: Whether more than images is in it.
    """

    ends: tuple[str, ...]
    start: int
    block: int
    element: int = -1
    preformatted: bool = False
    written: bool = False
    has_text: bool = False


@dataclass
class Inline:
    """An inline element of the page around the text that comes.

    Attributes:
        element: The page's element.
        token: Its start tag, None where it is not written again: a link is, in its first block only.
    """

    element: int
    token: Token | None


def collapsed(text: str) -> tuple[str, str, str]:
    r"""White space before the text, the text, and white space after it; all white space is one space.

    Example:
        >>> collapsed("\n  One\x07 two "), collapsed("\t")
        ((' ', 'One two', ' '), (' ', '', ''))
    """
    text = _WHITE_SPACE.sub(" ", _FORBIDDEN.sub("", text))
    shown = text.strip(" ")
    return " " * text.startswith(" "), shown, " " * (text.endswith(" ") and bool(shown))


def as_it_is(text: str) -> tuple[str, str, str]:
    r"""White space before the text, the text, and white space after it, as they are in preformatted text.

    Example:
        >>> as_it_is("\r\n  a\x07  b\n"), as_it_is("\n ")
        (('\n  ', 'a  b', '\n'), ('\n ', '', ''))
    """
    text = _FORBIDDEN_AS_IS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    inner = text.lstrip()
    shown = inner.rstrip()
    return text[: len(text) - len(inner)], shown, inner[len(shown) :]
