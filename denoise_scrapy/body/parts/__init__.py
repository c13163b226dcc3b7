"""Parts of a page that a taste keeps or drops: its title, captions, bylines, comments, tables.

Each is a file with two functions: `find` says which blocks are of the part, wherever they stand; `own` says which of
them are the body's own, and not those of a teaser or a frame.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from denoise_scrapy.body.parts import bylines, captions, comments, tables, titles
from denoise_scrapy.body.parts.surroundings import BoolArray, Surroundings
from denoise_scrapy.page import Page


class Part(NamedTuple):
    """A part of a page.

    Attributes:
        find: Blocks of it, shape (blocks,).
        own: Those of them that belong to the body, shape (blocks,).
    """

    find: Callable[[Page], BoolArray]
    own: Callable[[Surroundings, BoolArray], BoolArray]


#: By the name of the switch in `Taste`.
PARTS: Mapping[str, Part] = MappingProxyType(
    {
        "title": Part(titles.find, titles.own),
        "captions": Part(captions.find, captions.own),
        "bylines": Part(bylines.find, bylines.own),
        "comments": Part(comments.find, comments.own),
        "tables": Part(tables.find, tables.own),
    }
)

__all__ = ["PARTS", "Part", "Surroundings"]
