"""Values of item fields, each declared once: the keys of DENOISE_FIELDS, and how each is made from a body."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from operator import attrgetter
from sys import getsizeof
from typing import TYPE_CHECKING, Any

from denoise_scrapy.body import Body
from denoise_scrapy.support.formats import FORMS_BESIDE_TEXT

if TYPE_CHECKING:
    from denoise_scrapy.metadata import Metadata
    from denoise_scrapy.metadata.news import News

CHUNKS = "chunks"
#: Key of all texts that examples name, and the beginning of the key of each: "taught.price".
TAUGHT, TAUGHT_AS = "taught", "taught."


# Makes a value of a body and the settings (`denoise_scrapy.settings.DenoiseSettings`, which imports this module).
Maker = Callable[[Body, Any], Any]
Values = Mapping[str, Maker]


def _chunks(body: Body, settings: Any) -> list[dict[str, Any]]:
    chunks = body.chunks(settings.chunk_tokens, **settings.markdown)
    return [chunk.row for chunk in chunks]


def _of_body(name: str) -> Maker:
    read = attrgetter(name)
    return lambda body, _: read(body)


#: Values that contain the whole text of a page.
WHOLE: Values = {
    "body": lambda body, _: body.text,
    **{form: _of_body(form) for form in FORMS_BESIDE_TEXT},
    "markdown": lambda body, settings: body.to_markdown(**settings.markdown),
    CHUNKS: _chunks,
    "blocks": lambda body, _: [asdict(block) for block in body.blocks],
}
#: All values made from a body.
OF_BODY: Values = {
    **WHOLE,
    "confidence": lambda body, _: round(body.confidence, 4),
    **{name: _of_body(name) for name in ("title", "kind", "comparison", "fallback")},
    TAUGHT: lambda body, _: {name: found._asdict() for name, found in body.taught.items()},
}
#: Values made from a page's metadata, by the attribute of `Metadata`; "meta" is all of it.
OF_META: Mapping[str, Callable[[Metadata], Any]] = {
    "author": attrgetter("authors"),
    "lang": attrgetter("language"),
    **{name: attrgetter(name) for name in "description site_name tags published modified image canonical".split()},
    "meta": asdict,
}
PAGES = "pages"
#: Values made from what newsrooms ask of a page.
OF_NEWS: Mapping[str, Callable[[News], Any]] = {
    "paywalled": attrgetter("paywalled"),
    PAGES: attrgetter("pages"),
    "updates": lambda news: [update._asdict() for update in news.updates],
    "structured": attrgetter("structured"),
}
#: All keys of DENOISE_FIELDS, except those of marks and of single taught texts.
FIELDS = (*OF_BODY, *OF_META, *OF_NEWS)


def fields_of(item_fields: Mapping[str, str], makers: Mapping[str, Callable[..., Any]], *given: Any) -> dict[str, Any]:
    """Return the values of item fields, given by what they receive, that some makers make; tuples as lists."""
    made = {field: makers[what](*given) for what, field in item_fields.items() if what in makers}
    return {field: list(value) if isinstance(value, tuple) else value for field, value in made.items()}


def taught_fields(item_fields: Mapping[str, str], body: Body) -> dict[str, str]:
    """Return the values of item fields that are single texts that examples name, "" for one that is not certain."""
    named = ((field, what.removeprefix(TAUGHT_AS)) for what, field in item_fields.items() if what.startswith(TAUGHT_AS))
    return {field: body.taught[name].text if name in body.taught else "" for field, name in named}


def chunk_rows_of(value: Any) -> list[Mapping[str, Any]]:
    """Return the chunks in a field's value, which other pipelines may have changed; empty if it has none."""
    rows = value if isinstance(value, (list, tuple)) else ()
    return [row for row in rows if isinstance(row, Mapping) and isinstance(row.get("id"), str)]


def with_item(chunk: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chunk with the values of its item, with `page_` before names that both have.

    But `url` and `title` are the item's, if it has them.
    """
    own = {name: values[name] for name in ("url", "title") if values.get(name)}
    others = {f"page_{name}" if name in chunk else name: value for name, value in values.items() if name not in own}
    return {**others, **chunk, **own}


def held_bytes(value: Any) -> int:
    """Return the approximate size in memory of a field's value: text, or lists and dicts of text."""
    if isinstance(value, dict):
        return 100 + sum(held_bytes(each) + 100 for each in value.values())
    if isinstance(value, (list, tuple)):
        return 60 + sum(map(held_bytes, value))
    return getsizeof(value)
