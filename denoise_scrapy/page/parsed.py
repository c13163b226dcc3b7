"""A page as the parse stage leaves it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.columns import MarkedText
from denoise_scrapy.page.declared import DeclaredTypes, StartTag
from denoise_scrapy.page.selectors import Match
from denoise_scrapy.page.work import Work


@dataclass
class ParsedMarkup:
    r"""A page as the callbacks leave it.

    Attributes:
        paths: Path id of each element, in document order, shape (elements,).
        text: All text, with `\x01` at each element's start and `\x02` at its end.
        urls: (element, href or src as written) of links and images.
        sizes: (element, width, height) as written, "" for none, of frames that tell one: attributes, or inline style.
        attributes: (element, name, value) of what the columns do not hold and a rendering needs (`attributes`).
        picture_source: Address that the last `source` of a picture told, until an image comes.
        title: Text of the `title` element.
        base: `href` of the first `base` element, "" where there is none.
        noscript_chars: Visible characters inside skipped `noscript` elements.
        noscript_read: Whether the text inside `noscript` elements was taken as the page's.
        declared: What the page says it is.
        declaring: Elements that may say it, outside the head.
        matches: What each of the user's selectors found.
        work: What reading it took.
    """

    paths: npt.NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    text: MarkedText = field(default_factory=lambda: MarkedText(b"", False))
    urls: list[tuple[int, str]] = field(default_factory=list)
    sizes: list[tuple[int, str, str]] = field(default_factory=list)
    attributes: list[tuple[int, str, str]] = field(default_factory=list)
    picture_source: str = ""
    title: str = ""
    base: str = ""
    noscript_chars: int = 0
    noscript_read: bool = False
    declared: DeclaredTypes = field(default_factory=DeclaredTypes)
    declaring: list[StartTag] = field(default_factory=list)
    matches: list[Match] = field(default_factory=list)
    work: Work = field(default_factory=Work)
