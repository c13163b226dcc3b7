"""The fields of items of any kind: reading and setting them, and selecting those that distinguish items."""

from __future__ import annotations

import copy
import dataclasses
import re
import time
import weakref
from collections import ChainMap
from collections.abc import Callable, Container, Iterable, Mapping, Set
from datetime import date
from datetime import time as clock_time
from decimal import Decimal
from functools import cached_property
from inspect import signature
from itertools import chain
from typing import Any

from itemadapter import ItemAdapter
from scrapy import Item

from denoise_scrapy.dedup.versions import written


def values_of(item: Any) -> Mapping[Any, Any]:
    """Return the values of an item by field, which change with it; none of what is no item.

    A dict is returned itself, which takes a tenth of the time; through an adapter, some add what they lack.
    """
    if isinstance(item, dict):
        return item
    if not ItemAdapter.is_item(item):
        return {}
    held = ItemAdapter(item)
    return ChainMap(item.model_extra or {}, held) if _is_open(item) else held


def is_declared(item: Any, field: str) -> bool:
    """Return whether the class of an item declares `field`."""
    return not isinstance(item, dict) and field in ItemAdapter(item).field_names()


def _is_open(item: Any) -> bool:
    """Return whether an item is a pydantic model that takes fields it does not declare."""
    config = getattr(type(item), "model_config", None)  # a dict may take any name for a key
    return isinstance(config, Mapping) and config.get("extra") == "allow"


def has_field(item: Any, field: str) -> bool:
    """Return whether `field` may be set: dicts accept any key, most other items only declared fields.

    Of a class with an adapter of the project, the fields may be unknown.
    """
    is_known = isinstance(item, dict) or is_declared(item, field) or _is_open(item)
    return is_known or ItemAdapter.get_field_names_from_class(type(item)) is None


def url_in(values: Mapping[Any, Any], field: str) -> str:
    """Return the URL in `field` of an item's values, "" if there is none.

    A list of one URL, as from item loaders, counts as that URL. Text without a scheme is a URL if it is a path.

    Example:
        >>> url_in({"url": ["/news?id=7"]}, "url"), url_in({"url": "sku 7"}, "url"), url_in({"url": 7}, "url")
        ('/news?id=7', '', '')
    """
    value = values.get(field)
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if not isinstance(value, str):
        value = str(value) if hasattr(type(value), "scheme") else ""  # the URL types of pydantic, yarl, httpx
    value = value.strip()
    is_url = "://" in value or value.startswith("data:") or (len(value.split()) == 1 and bool({*value} & {*"/?#."}))
    return value if is_url else ""


def html_in(item: Any, path: str) -> str:
    """Return the HTML in a field, or in a dict within it, given by a dotted path; "" if there is none.

    Example:
        >>> item = {"content": {"rendered": ["<p>It rained."]}}
        >>> html_in(item, "content.rendered"), html_in(item, "content")
        ('<p>It rained.', '')
    """
    value = item
    for name in path.split("."):
        value = values_of(value).get(name)
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    return value if isinstance(value, str) and value.strip() else ""


def has_text(values: Mapping[Any, Any], field: str) -> bool:
    """Return whether `field` has a value other than white space."""
    value = values.get(field)
    return bool(value.strip() if isinstance(value, str) else value)


def restore(item: Any, earlier: Any) -> None:
    """Give an object the attributes of an earlier copy."""
    if hasattr(item, "__dict__"):
        vars(item).clear()
        vars(item).update(vars(earlier))
    for slot in _slots_of(item):
        if hasattr(earlier, slot):
            object.__setattr__(item, slot, getattr(earlier, slot))


def _slots_of(item: Any) -> Iterable[str]:
    named = chain.from_iterable(getattr(kind, "__slots__", ()) for kind in type(item).__mro__)
    return [slot for slot in named if slot not in {"__weakref__", "__dict__"}]


def copied(item: Any) -> Any:
    """Return a copy of an item; the item itself if its class does not permit copies, or other objects know it.

    These have weak references to it, as the states of SQLAlchemy's rows. Classes that do something at an object's end,
    and dicts that are their own attributes, permit none either.
    """
    try:
        own = getattr(item, "__dict__", {})
        is_known = weakref.getweakrefcount(item) > isinstance(item, Item)  # Scrapy counts its own by one each
        if is_known or own is item or hasattr(type(item), "__del__"):
            return item
        made = copy.copy(item)
        if own:  # what is left out of pickles, as locks, is left out of copies too
            vars(made).update({**own, **vars(made)})
        if isinstance(item, Item):  # its values are in a dict; its copy() calls the class, whose arguments are unknown
            vars(made).update({name: value.copy() for name, value in own.items() if type(value) is dict})
        for slot in _slots_of(item):
            if hasattr(item, slot) and not hasattr(made, slot):  # attrs copies its fields only
                object.__setattr__(made, slot, getattr(item, slot))
    except Exception:
        return item
    return made if type(made) is type(item) else item


def with_field(item: Any, field: str, value: Any) -> Any:
    """Set an existing field; return the item, or a changed copy if its class is frozen.

    Raises:
        Exception: Whatever a validator of the item's class raises.
    """
    try:
        if type(item) is dict:
            item[field] = value
        elif _is_open(item):
            setattr(item, field, value)
        else:
            ItemAdapter(item)[field] = value
    except AttributeError as error:
        if not type(error).__name__.startswith("Frozen"):  # of dataclasses and attrs
            raise
        made = copy.copy(item)  # a constructor may make other values anew, as numbers of items
        if made is item:
            raise
        for name in [*getattr(made, "__dict__", ())]:
            if isinstance(getattr(type(item), name, None), cached_property):  # perhaps of the field
                del vars(made)[name]
        object.__setattr__(made, field, _taken(item, field, value))
        return made
    except ValueError as error:  # pydantic's ValidationError
        if not any(str(each.get("type")).startswith("frozen") for each in _parts_of(error)):
            raise
        return item.model_copy(update={field: value})
    return item


def _taken(item: Any, field: str, value: Any) -> Any:
    """Return a value as the class of a frozen item takes it, which may change or refuse it."""
    if hasattr(item, "__attrs_attrs__"):
        import attr  # noqa: PLC0415 - optional; installed if the item's class uses it

        assigned = attr.setters.pipe(attr.setters.convert, attr.setters.validate)
        return assigned(item, attr.fields_dict(type(item))[field], value)
    if hasattr(item, "__post_init__") and not signature(item.__post_init__).parameters:  # it can be called again
        return getattr(dataclasses.replace(item, **{field: value}), field)
    return value


def refusal(error: Exception) -> str:
    """Return in one line why the class of an item refuses a value."""
    return "; ".join(str(each.get("msg")) for each in _parts_of(error)) or " ".join(str(error).split()) or repr(error)


def _parts_of(error: Exception) -> list[Any]:
    """Return the errors that pydantic sums up in one; of any other error, none."""
    parts = getattr(error, "errors", None)
    return list(parts()) if callable(parts) else []


# Maximum characters of a value that distinguishes items. Longer ones are texts, which may differ in a print view.
MOST_VALUE = 200
# A date as machines write it, or in the order of a country with a time to the second.
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?|\d\d?([./-])\d\d?\1\d{4},? \d\d?:\d\d:\d\d.*")


def own_values(values: Mapping[Any, Any], without: Container[str]) -> dict[str, Any]:
    """Return those values of an item that distinguish it: a price, a number, a place, a title.

    URLs, times and long texts are left out: they differ in a print view.

    Example:
        >>> item = {"id": 7, "price": [9.5], "place": "Kiel", "image": "https://a.example/7.png", "seen": "2026-01-31"}
        >>> own_values(item | {"read": "31/01/2026 09:30:00"}, {"id"})
        {'price': 9.5, 'place': 'Kiel'}
    """
    return _selected(values, _own_value, without)


def _selected(values: Mapping[Any, Any], part: Callable[[Any], Any], without: Container[str] = ()) -> dict[str, Any]:
    """Return the part of each value that counts, if there is any."""
    found = {}
    for name, value in values.items():
        if name not in without and (counted := part(value)) is not None:
            found[name if type(name) is str else written(name)] = counted
    return found


def _own_value(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        parts = [part for part in map(_own_value, value) if part is not None]
        return parts[0] if len(parts) == 1 else parts or None
    if isinstance(value, str):
        text = " ".join(value.split(None, MOST_VALUE // 2))  # of a field with a whole page, enough to be too long
        is_other = len(text) > MOST_VALUE or "://" in text or text.startswith("/") or _MOMENT.fullmatch(text)
        return None if is_other else text or None
    return value if isinstance(value, (int, float, Decimal)) and not _is_now(value) else None


# HTML or XML in place of text: it begins with a tag or a comment, or contains the frame of a document.
_MARKUP = re.compile(r"[\s\ufeff]*<[a-z!?/]|.*?<(?:!doctype|/?(?:html|head|body))\b", re.IGNORECASE | re.DOTALL)
# Maximum levels of lists and dicts within a field; feeds write no deeper ones.
MOST_LEVELS = 20
PLAIN = (str, int, float, type(None))
DAY = 86_400.0  # seconds


def is_markup(text: str) -> bool:
    """Return whether a text is HTML or XML."""
    return _MARKUP.match(text) is not None


def _is_now(value: float | Decimal) -> bool:
    """Return whether a number is the current time, in seconds or milliseconds."""
    try:
        number, now = float(value), time.time()
        return abs(number - now) < DAY or abs(number - now * 1000) < DAY
    except (OverflowError, ValueError):  # a number that no float is
        return False


def all_values(values: Mapping[Any, Any], without: Container[str]) -> dict[str, Any]:
    """Return those values of an item that show whether it has changed: all its fields, at any depth.

    Times (including numeric timestamps of now), markup, bytes and queries of URLs are left out: they differ each time a
    page is fetched.

    Example:
        >>> offers = [{"price": 9.5, "seller": "A", "link": "https://a.example/buy?session=1f"}]
        >>> all_values({"id": 7, "offers": offers, "seen": "2026-01-31", "text": "A  fox. " * 99}, {"text"})
        {'id': 7, 'offers': [{'price': 9.5, 'seller': 'A', 'link': 'https://a.example/buy'}]}
    """
    met: dict[int, Any] = {}
    return _selected(values, lambda value: _lasting(value, met), without)


def _lasting(value: Any, met: dict[int, Any], levels: int = MOST_LEVELS) -> Any:
    """Return a value without its volatile parts, None if nothing remains.

    A list or dict of more than plain values counts once, as it may lead back to itself: from an item to its list, and
    to all items of that.
    """
    if isinstance(value, (int, float, Decimal)):
        return None if _is_now(value) else value
    if value is None or isinstance(value, (bytes, date, clock_time)) or not levels or id(value) in met:
        return None
    is_list = isinstance(value, (list, tuple, Set))
    if not isinstance(value, str) and (is_list or isinstance(value, Mapping) or ItemAdapter.is_item(value)):
        inner = value if is_list or isinstance(value, Mapping) else ItemAdapter(value)
        if not all(isinstance(each, PLAIN) for each in (inner if is_list else inner.values())):
            met[id(value)] = value
        if not is_list:
            return _selected(inner, lambda each: _lasting(each, met, levels - 1)) or None
        parts = [part for part in (_lasting(each, met, levels - 1) for each in value) if part is not None]
        return (sorted(parts, key=repr) if isinstance(value, Set) else parts) or None
    try:
        text = " ".join(str(value).split())
    except Exception:  # of an object of the project
        return None
    if " " not in text and ("://" in text or text.startswith("/")):
        text = text.partition("?")[0].partition("#")[0]
    # the default text of an object contains its address in memory, which varies
    elif " at 0x" in text or _MOMENT.fullmatch(text) or is_markup(text):
        text = ""
    return text or None


def field_lines(values: Mapping[Any, Any], fields: Iterable[str]) -> list[str]:
    """Return fields of an item as text, equal for equal values of any type.

    Example:
        >>> field_lines({"sku": [7], "by": "a"}, ["sku", "seller"])
        ['sku=[7]', 'seller=null']
    """
    return [f"{field}={written(values.get(field))}" for field in fields]
