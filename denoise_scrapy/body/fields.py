"""Fields of a body: what items, tables and JSON may receive of a page, each declared once.

They are the keys of DENOISE_FIELDS, columns of archives, and values of `scrapy denoise extract --field`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from sys import getsizeof
from types import SimpleNamespace
from typing import Any, NamedTuple

from denoise_scrapy.body import Body
from denoise_scrapy.support.shown import json_line

BODY, CHUNKS, PAGES = "body", "chunks", "pages"
#: Key of all texts that examples name, and the beginning of the key of each: "taught.price".
TAUGHT, TAUGHT_AS = "taught", "taught."
#: Attributes of a body that are made of its page, which is kept for them.
META, NEWS = "meta", "news"

# Makes a value of a body and the settings (`denoise_scrapy.settings.DenoiseSettings`, which imports this module).
Maker = Callable[[Body, Any], Any]


class Field(NamedTuple):
    """A value that is made of a body: by a function, else the attribute of the body that has its name."""

    name: str
    meaning: str  # in words, for the page on fields
    kind: type = str  # of its values, for tables: or float, bool, list (of texts), object (JSON in some)
    wants: str = ""  # what has the attribute in place of the body: META, NEWS; or TAUGHT
    made: Maker | None = None
    is_whole: bool = False  # whether it contains the whole text of the page

    def of(self, body: Body, settings: Any) -> Any:
        """Return the value; a tuple as a list."""
        if self.made is not None:
            return self.made(body, settings)
        value = getattr(getattr(body, self.wants) if self.wants else body, self.name)
        return list(value) if isinstance(value, tuple) else value


_FIELDS = (
    Field(BODY, "the text; `text` in tables and JSON of commands", made=lambda body, _: body.text, is_whole=True),
    Field(
        "markdown",
        "the body as Markdown",
        made=lambda body, settings: body.to_markdown(**settings.markdown),
        is_whole=True,
    ),
    Field("html", "the body as HTML, with its structure", is_whole=True),
    Field(
        CHUNKS,
        "the Markdown in [chunks for a language model](recipes.md#chunks-for-a-language-model), each a dict",
        object,
        made=lambda body, settings: [chunk.row for chunk in body.chunks(settings.chunk_tokens, **settings.markdown)],
        is_whole=True,
    ),
    Field(
        "blocks",
        "all blocks of the page: path, text, probability, kept or not, reason",
        object,
        made=lambda body, _: [asdict(block) for block in body.blocks],
        is_whole=True,
    ),
    Field(
        "confidence",
        "the F1 that the strategy expects, cautiously, 0 to 1",
        float,
        made=lambda body, _: round(body.confidence, 4),
    ),
    Field("title", "the page's title without the site's name"),
    Field(
        "kind",
        "the [kind of page](main-text.md#kinds-of-pages): article, thread, question, manual, shop, list, collection, "
        "service or none",
    ),
    Field("comparison", "the URLs of the comparison pages", list),
    Field("evidence", "what the body is based on: comparison pages, page alone, whole text"),
    Field("fallback", "[how the body was found](main-text.md#if-nothing-is-left) if it could not be selected as usual"),
    Field(
        TAUGHT,
        "all texts that [examples](teaching.md) name, each with its certainty; `taught.NAME` is one of these texts",
        object,
        made=lambda body, _: {name: found._asdict() for name, found in body.taught.items()},
    ),
    Field("authors", "authors; the site itself does not count as one", list, META),
    Field("language", "language of the text, as `en`", wants=META),
    Field("description", "description for search results", wants=META),
    Field("site_name", "name of the site", wants=META),
    Field("tags", "keywords", list, META),
    Field("published", "day of publication in ISO 8601, with time and offset if the page has them", wants=META),
    Field("modified", "the same for its last change", wants=META),
    Field("image", "address of the main picture", wants=META),
    Field("canonical", "address that the page declares canonical", wants=META),
    Field(META, "all metadata, with the title", object, META, lambda body, _: asdict(body.meta)),
    Field("paywalled", "whether the text is not free to read; none if unknown", bool, NEWS),
    Field(
        PAGES,
        "addresses of the pages of the article, if it has several; of items dicts, "
        "[with what was joined](recipes.md#monitor-news)",
        list,
        NEWS,
    ),
    Field(
        "updates",
        "the posts of a live blog, each a dict",
        object,
        NEWS,
        lambda body, _: [update._asdict() for update in body.news.updates],
    ),
    Field("structured", "JSON-LD, OpenGraph and microdata", object, NEWS),
)
#: All fields by their names, but for single texts that examples name (`field_of`), and marks of duplicates.
FIELDS = {field.name: field for field in _FIELDS}
#: Short names of fields.
SHORT = {"author": "authors", "lang": "language", "date": "published"}
#: Those that contain the whole text of a page.
WHOLE = tuple(name for name, field in FIELDS.items() if field.is_whole)


def field_of(name: str) -> Field:
    """Return a field by a name; "text" is the body, "taught.NAME" a text that examples name, "" if not certain."""
    key = name.removeprefix(TAUGHT_AS)
    return FIELDS.get(BODY if name == "text" else SHORT.get(name, name)) or Field(
        name, "", wants=TAUGHT, made=lambda body, _: body.taught[key].text if key in body.taught else ""
    )


#: Settings of fields where there are none of a crawl.
NO_SETTINGS = SimpleNamespace(chunk_tokens=400, markdown={})


def columns_of(form: str, more: Iterable[str] = ()) -> dict[str, str]:
    """Return the columns of a table of bodies, whose text is in a form."""
    return {name: name for name in ("title", "confidence", "evidence", form, *more)}


def values_of(columns: Mapping[str, str], body: Body, settings: Any = NO_SETTINGS) -> dict[str, Any]:
    """Return the values of some fields, given with the names that they get."""
    return {name: field_of(what).of(body, settings) for what, name in columns.items()}


def flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by their fields with dicts as JSON, except metadata, which have the same keys on each page."""
    varied = {name for name in row if name != META and field_of(name).kind is object}
    return {name: json_line(value) if name in varied else value for name, value in row.items()}


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
    size, todo = 0, [value]
    while todo:
        one = todo.pop()
        if isinstance(one, dict):
            size += 100 * (1 + len(one))
            todo += one.values()
        elif isinstance(one, (list, tuple)):
            size += 60
            todo += one
        else:
            size += getsizeof(one)
    return size
