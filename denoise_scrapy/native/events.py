"""The parser's callbacks in C (`source/events.c`); `page/reader.py` has the twin."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from denoise_scrapy.native.calling import declared
from denoise_scrapy.native.library import Library

StartTag = tuple[str, Mapping[str, str]]


class Given(NamedTuple):
    """What the callbacks read and fill; `HELD` in C has the same order.

    Attributes:
        transitions: Path id by parent's id, tag and attributes.
        parent: Parent of each path id, a lower one.
        kinds: What is done at an element, by path id.
        tags: Tag by path id.
        block_tags: A set; one of these ends a head that does not end by itself.
        exact_tags: A set; what stands in these is not parted where words meet.
        rows: The path table's rows.
        characters: Bits of each code of the basic plane, 65,536 bytes: 1 of a word, 2 upper case, 4 a digit, 8 lower
            case, 16 a letter.
        urls: Gets (element, href) of links.
        kept: Gets (element, name, value) of images.
        declaring: Gets the start tags that may declare what the page is.
        child: From path id, tag and attributes to the child's path id.
        note: Called with element, path id of the parent, tag and attributes, where these may tell more.
        look_into: Called with a skipped element's tag and attributes and the events inside it; those of a head that
            tell nothing are left out.
        row_size: Bytes of a row.
        block_offset: Where a row tells whether the path ends a block of text.
    """

    transitions: dict[tuple[object, ...], int]
    parent: list[int]
    kinds: list[int]
    tags: list[str]
    block_tags: Collection[str]
    exact_tags: Collection[str]
    rows: bytearray
    characters: bytes
    urls: list[tuple[int, str]]
    kept: list[tuple[int, str, str]]
    declaring: list[StartTag]
    child: Callable[[int, str, Mapping[str, str]], int]
    note: Callable[[int, int, str, Mapping[str, str]], object]
    look_into: Callable[[str, Mapping[str, str], list[Any]], object]
    row_size: int
    block_offset: int


class Callbacks(NamedTuple):
    """A reader of one page, and what the parser calls."""

    reader: object
    start: Callable[[str, Mapping[str, str]], object]
    end: Callable[[str], object]
    data: Callable[[str], object]


class Read(NamedTuple):
    """What was read.

    Attributes:
        paths: Path id of each element.
        text: The marked text's codes, words parted where there are no marks: latin-1, or UTF-16 where it is wide.
        wide: Whether it is.
        marks: Marks that came with the text, and are none.
    """

    paths: npt.NDArray[np.int32]
    text: bytes
    wide: bool
    marks: int


def callbacks(library: Library, given: Given, *, keep_noscript: bool) -> Callbacks:
    """Callbacks for one page.

    Args:
        library: The compiled library.
        given: What they read and fill.
        keep_noscript: Whether the text inside `noscript` is the page's.
    """
    function = declared(library.objects.denoise_reader, ctypes.py_object, ctypes.c_int, result=ctypes.py_object)
    return Callbacks(*function(given, keep_noscript))


def place(library: Library, reader: object) -> tuple[int, int, int]:
    """How far a reader is: elements that have started, path id of the open one, how many are open in a skipped one.

    Raises:
        TypeError: It is finished.
    """
    function = declared(library.objects.denoise_reader_place, ctypes.py_object, result=ctypes.py_object)
    told: tuple[int, int, int] = function(reader)
    return told


def finish(library: Library, reader: object) -> Read:
    """What a reader has read; it lets go of all it holds. Its callbacks raise from then on.

    Raises:
        TypeError: It was finished before.
    """
    function = declared(library.objects.denoise_reader_finish, ctypes.py_object, result=ctypes.py_object)
    paths, text, width, marks = function(reader)
    return Read(np.frombuffer(paths, np.int32), text, width == 2, marks)
