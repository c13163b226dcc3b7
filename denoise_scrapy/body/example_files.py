"""Examples in a folder of a project, one folder each: `page.html.gz`, and `example.json`: text or selectors, fields.

They go into version control, and are the same for every spider, worker and machine.
"""

from __future__ import annotations

import gzip
import json
import re
from codecs import BOM_UTF8
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from denoise_scrapy.body.examples import MOST_BYTES, Example
from denoise_scrapy.site.urls import site_key
from denoise_scrapy.support.row_files import named, uncompressed

PAGE, SAID = "page.html.gz", "example.json"
#: What a file says of an example, and the types of the values.
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "text": str,
    "keep": (str, list),
    "url": str,
    "date": str,
    "fields": dict,
}


@lru_cache(16)
def read_examples(folder: str) -> Mapping[str, tuple[Example, ...]]:
    """Return the examples in a folder and those below it, by the site of their addresses, the newest first.

    Without a folder there are none.

    Raises:
        ValueError: There is no such folder, or one cannot be read or has no address; the message names it.
    """
    if not folder:
        return {}
    root = Path(folder)
    if not root.is_dir():
        raise ValueError("there is no such folder")
    found: dict[str, list[Example]] = {}
    for path in sorted(root.rglob(SAID)):
        try:
            said = _checked(json.loads(path.read_text("utf-8")))
            with path.with_name(PAGE).open("rb") as file, named(PAGE), uncompressed(file) as content:
                html = content.read(MOST_BYTES + 1)
            example = Example(html, **said)
            if not (site := site_key(example.url)):
                raise ValueError(f"url {example.url!r} is no http(s) URL")
        except (OSError, ValueError, RecursionError) as error:
            raise ValueError(f"{path}: not an example: {error}") from error
        found.setdefault(site, []).append(example)
    return {site: tuple(sorted(some, key=lambda one: one.date, reverse=True)) for site, some in found.items()}


def _checked(said: Any) -> dict[str, Any]:
    """Return the values of an example from its file; raise `ValueError` if one is of another type."""
    if not isinstance(said, dict):
        raise ValueError("not a JSON object")
    given = {name: said[name] for name in _TYPES if said.get(name) is not None}
    for name, value in given.items():
        texts = value.values() if isinstance(value, dict) else value
        if not isinstance(value, _TYPES[name]) or not all(isinstance(one, str) for one in texts):
            raise ValueError(f"{name} is {value!r}")
    return given


def examples_of(folder: str, url: str) -> tuple[Example, ...]:
    """Return the examples of a page's site."""
    return read_examples(folder).get(site_key(url), ())


def file_name_of(address: str) -> str:
    """Return an address or a path as the beginning of a file's name.

    Example:
        >>> file_name_of("a.example:8080/b.html?c=1"), file_name_of("-")
        ('a.example_8080_b.html_c_1', 'page')
    """
    return re.sub(r"[^\w.-]+", "_", address).strip("_.-")[:60] or "page"


def write_example(folder: str | Path, example: Example) -> Path:
    """Write an example into a folder, in one named after its address; return that.

    Raises:
        OSError: It cannot be written.
        ValueError: It has no http(s) address.
    """
    if not site_key(example.url):
        raise ValueError(f"an example has an http(s) address, not {example.url!r}")
    name = file_name_of(example.url.partition("://")[2])
    number = blake2b(example.url.encode("utf-8", "surrogatepass"), digest_size=3).hexdigest()
    place = Path(folder) / f"{name}-{number}"
    place.mkdir(parents=True, exist_ok=True)
    # the mark is stronger than the encoding that the page itself declares
    html = BOM_UTF8 + example.html.encode("utf-8", "replace") if isinstance(example.html, str) else example.html
    (place / PAGE).write_bytes(gzip.compress(html, mtime=0))
    said: dict[str, Any] = {"url": example.url, "date": example.date or date.today().isoformat()}
    said |= {"keep": [*example.keep]} if example.keep else {"text": example.text}
    said |= {"fields": {**example.fields}} if example.fields else {}
    (place / SAID).write_text(json.dumps(said, ensure_ascii=False, indent=1) + "\n", "utf-8")
    read_examples.cache_clear()
    return place
