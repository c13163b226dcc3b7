"""Values of item fields in other types: those that a function of the project makes, or of an item class.

Items of zyte-common-items get its types; it is imported only by projects that use it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module
from typing import Any

from denoise_scrapy.support.shown import nearest_hint

Adapter = Callable[[Any], Any]


@lru_cache
def find_function(path: str) -> Adapter:
    """Return the function at an import path; raise `ValueError` if there is none.

    Example:
        >>> find_function("datetime.date.fromisoformat")("2026-01-31")
        datetime.date(2026, 1, 31)
        >>> find_function("json.dump5")
        Traceback (most recent call last):
        ValueError: AttributeError: module 'json' has no attribute 'dump5'; did you mean dump?
    """
    try:
        found: Adapter = _named(path)
    except Exception as error:  # whatever the module raises
        hint = nearest_hint(str(error.name), dir(error.obj)) if isinstance(error, AttributeError) else ""
        raise ValueError(f"{type(error).__name__}: {error}{hint}") from error
    if not callable(found):
        raise ValueError("it is no function")
    return found


def _named(path: str) -> Any:
    """Return the module at an import path, or what a module or class has by its name."""
    parent, _, name = path.rpartition(".")
    if not parent:
        return import_module(path)
    try:
        return getattr(import_module(parent), name)
    except ModuleNotFoundError as error:
        if error.name != parent:
            raise
    return getattr(_named(parent), name)


def adapters_of(item: Any, fields: Mapping[str, str], paths: Mapping[str, str]) -> Mapping[str, Adapter]:
    """Return the adapters of an item by field.

    Args:
        item: The item.
        fields: Its fields by the value that they receive.
        paths: Import paths of functions, by the same.
    """
    zyte = sys.modules.get("zyte_common_items")
    is_zyte = zyte is not None and isinstance(item, zyte.Item)
    own = {fields[what]: find_function(path) for what, path in paths.items() if path and what in fields}
    return {**dict.fromkeys(fields.values(), _itself), **OF_ZYTE, **own} if is_zyte else own


def _itself(value: Any) -> Any:
    return value


def _authors(names: list[str]) -> list[Any]:
    return [sys.modules["zyte_common_items"].Author(name=name) for name in names]


def _image(url: str) -> Any:
    return sys.modules["zyte_common_items"].Image(url=url)


def _moment(date: str) -> str:
    """Return a date with its time, UTC as Z.

    Example:
        >>> _moment("2026-01-31"), _moment("2026-01-31T08:00:00+00:00")
        ('2026-01-31T00:00:00', '2026-01-31T08:00:00Z')
    """
    return (date if "T" in date else f"{date}T00:00:00").replace("+00:00", "Z")


#: Fields of zyte-common-items whose values are not plain ones.
OF_ZYTE: Mapping[str, Adapter] = {
    "authors": _authors,
    "mainImage": _image,
    "datePublished": _moment,
    "dateModified": _moment,
}
