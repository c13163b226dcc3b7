"""Reading and setting one field of any kind of item."""

from __future__ import annotations

import dataclasses
from typing import Any

from itemadapter import ItemAdapter


def has_field(item: Any, field: str) -> bool:
    """Whether `field` may be set: dicts take any key, other items only declared fields."""
    return isinstance(item, dict) or field in ItemAdapter(item).field_names()


def get_field(item: Any, field: str) -> Any:
    """Return the value of `field`, None where it is unset or not declared."""
    return ItemAdapter(item).get(field)


def url_in(item: Any, field: str) -> str:
    """Return the URL that `field` holds, "" where it holds none.

    A list of one is that one, as item loaders give it. Without a scheme a text is a URL if it is a path.

    Example:
        >>> url_in({"url": ["/news?id=7"]}, "url"), url_in({"url": "sku 7"}, "url"), url_in({"url": 7}, "url")
        ('/news?id=7', '', '')
    """
    value = get_field(item, field)
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if not isinstance(value, str):
        value = str(value) if hasattr(value, "scheme") else ""  # the URL types of pydantic, yarl, httpx
    value = value.strip()
    is_url = "://" in value or value.startswith("data:") or (len(value.split()) == 1 and bool({*value} & {*"/?#."}))
    return value if is_url else ""


def has_text(item: Any, field: str) -> bool:
    """Whether `field` holds something other than nothing or white space."""
    value = get_field(item, field)
    return bool(value.strip() if isinstance(value, str) else value)


def with_field(item: Any, field: str, value: Any) -> Any:
    """Set `field`, which `has_field` must have said to exist.

    Args:
        item: A dict, Scrapy item, dataclass, attrs or pydantic object.
        field: Name of the field.
        value: What it shall hold.

    Returns:
        `item` itself, or a changed copy where its class is frozen.

    Raises:
        Exception: Whatever a validator of the item's class raises.
    """
    try:
        ItemAdapter(item)[field] = value
    except AttributeError:  # both dataclasses and attrs call it FrozenInstanceError
        return _changed_copy(item, field, value)
    except ValueError as error:  # pydantic's ValidationError
        if not _says_frozen(error):
            raise
        return item.model_copy(update={field: value})
    return item


def _changed_copy(item: Any, field: str, value: Any) -> Any:
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        return dataclasses.replace(item, **{field: value})
    if hasattr(item, "__attrs_attrs__"):
        import attr  # noqa: PLC0415 - optional; there if the item's class was made with it

        return attr.evolve(item, **{field: value})
    raise TypeError(f"{type(item).__name__}.{field} cannot be set")


def _says_frozen(error: ValueError) -> bool:
    errors: list[Any] = getattr(error, "errors", list)()
    return any(str(each.get("type")).startswith("frozen") for each in errors)
