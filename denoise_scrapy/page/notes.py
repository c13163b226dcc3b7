"""What is noted of a page beside its paths and its text: what few of its elements tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from denoise_scrapy.page.attributes import (
    KEPT_ATTRIBUTES,
    MAX_SIZE_LENGTH,
    image_attributes,
    largest,
    written_size,
)
from denoise_scrapy.page.declared import is_json_ld
from denoise_scrapy.page.events import Event
from denoise_scrapy.page.markup import SIZED_TAGS
from denoise_scrapy.page.parsed import ParsedMarkup


def note_attributes(page: ParsedMarkup, element: int, tag: str, attributes: Mapping[str, str], parent_tag: str) -> None:
    """Note size and kept attributes of an element."""
    if tag == "img":
        _note_image(page, element, attributes, parent_tag)
    elif tag in SIZED_TAGS:
        width, height = written_size(attributes)
        if width or height:
            page.sizes.append((element, width, height))
    elif tag == "source":
        page.picture_source = largest(attributes.get("srcset", "")) or largest(attributes.get("data-srcset", ""))
    for name in KEPT_ATTRIBUTES.get(tag, ()):
        value = attributes.get(name)
        if value:
            page.attributes.append((element, name, value[:MAX_SIZE_LENGTH]))


def _note_image(page: ParsedMarkup, element: int, attributes: Mapping[str, str], parent_tag: str) -> None:
    """Note what is kept of an image. The parser takes `source` for its parent, at times."""
    url = attributes.get("src")
    if url:
        page.urls.append((element, url))
    source = page.picture_source if parent_tag in ("picture", "source") else ""
    page.picture_source = ""
    for name, value in image_attributes(attributes, source):
        page.attributes.append((element, name, value))


def note_skipped(page: ParsedMarkup, tag: str, attributes: Mapping[str, str], inside: Iterable[Event]) -> None:
    """Note what a skipped element holds: a head's title and base, a noscript's size, JSON-LD.

    Args:
        page: Gets the notes.
        tag: The element's.
        attributes: The element's.
        inside: The events between its start and its end.
    """
    level, inside_title = 1, 0
    inside_json = 1 if is_json_ld(tag, attributes) else 0
    title: list[str] = []  # a long one comes in thousands of pieces
    for event in inside:
        if event is None:
            level -= 1
            if level < inside_title:
                inside_title = 0
            if level < inside_json:
                inside_json = 0
        elif isinstance(event, str):
            if inside_title:
                title.append(event)
            elif inside_json:
                page.declared.note_json(event)
            elif tag == "noscript":
                page.noscript_chars += len("".join(event.split()))
        else:
            level += 1
            if tag == "head":
                inside_title = level if event[0] == "title" and not (page.title or any(title)) else inside_title
                inside_json = level if is_json_ld(*event) else inside_json
                _note_head(page, *event)
    page.title += "".join(title)


def _note_head(page: ParsedMarkup, tag: str, attributes: Mapping[str, str]) -> None:
    """Note an element of the head: the base, what `meta` declares."""
    if tag == "meta":
        page.declared.note_meta(attributes)
    elif tag == "base" and not page.base:
        page.base = attributes.get("href", "")
