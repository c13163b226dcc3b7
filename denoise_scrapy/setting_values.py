"""One declared setting, and how a value someone typed becomes a checked one."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

PREFIX = "DENOISE_"
#: Kind of a setting that holds any number of texts.
TEXTS = "tuple[str, ...]"
TRUE = frozenset({"true", "yes", "on", "1"})
FALSE = frozenset({"false", "no", "off", "0"})


class ConfigurationError(ValueError):
    """A setting of ours is unknown or invalid; the message says which, and what is valid."""


@dataclass(frozen=True)
class Declaration:
    """What is known of a setting besides its name, type and default.

    Args:
        meaning: One line, for people.
        unit: Unit of a number, "" where it has none.
        low: Least valid number, None for no limit.
        high: Greatest valid number, None for no limit.
        choices: The valid values of a text; empty for any text.
        or_path: Whether the import path of a class, which has a dot, is valid besides the choices.
        may_be_empty: Whether "" and None are valid texts.
        per_page: Whether one request may set it in ``meta["denoise"]``.
        check: Raises ValueError, saying why, for a value of the right type that is not valid.
    """

    meaning: str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    or_path: bool = False
    may_be_empty: bool = False
    per_page: bool = False
    check: Callable[[Any], object] | None = None

    def valid_values(self, kind: str) -> str:
        """Say what values are valid for a setting of type `kind` (``"bool"``, ``"int"`` …)."""
        if self.choices:
            return " | ".join((*self.choices, "import path of a class") if self.or_path else self.choices)
        if kind == "bool":
            return "True | False"
        if kind == "str":
            return "text" if self.may_be_empty else "text, not empty"
        if kind == TEXTS:
            return "text, or a list of texts"
        number = "whole number" if kind == "int" else "number"
        if self.low is not None and self.high is not None:
            return f"{number}, {self.low:g} to {self.high:g}"
        return number if self.low is None else f"{number} >= {self.low:g}"


def is_path(name: str) -> bool:
    """Whether a value is the import path of a class, which has a dot, and no name of ours (`Declaration.or_path`).

    Example:
        >>> is_path("sqlite"), is_path("myproject.stores.PostgresStore")
        (False, True)
    """
    return "." in name


def setting(default: Any, meaning: str, **more: Any) -> Any:
    """Declare a field of a settings class; `more` as for `Declaration`."""
    return field(default=default, metadata={"declaration": Declaration(meaning, **more)})


def parse_value(value: object, kind: str, declared: Declaration) -> Any:
    """Turn a value from a settings file, a command line or a request into a checked one.

    Args:
        value: What the user gave; text is converted.
        kind: ``"bool"``, ``"int"``, ``"float"``, ``"str"`` or `TEXTS`.
        declared: The range or the choices it must keep to.

    Returns:
        A value of type `kind`.

    Raises:
        ValueError: It is of another type, or outside the range or the choices.
    """
    parsed = _PARSERS[kind](value)
    outside = (declared.low is not None and parsed < declared.low) or (
        declared.high is not None and parsed > declared.high
    )
    empty = parsed == "" and not declared.may_be_empty
    path = declared.or_path and is_path(parsed)
    if outside or empty or (declared.choices and parsed not in declared.choices and not path):
        raise ValueError(value)
    return parsed


def checked_value(name: str, value: object, kind: str, declared: Declaration) -> Any:
    """The same for the setting of this name, as the user wrote it.

    Raises:
        ConfigurationError: The value is invalid; the message says why.
    """
    try:
        parsed = parse_value(value, kind, declared)
    except ValueError:
        raise ConfigurationError(f"{name} = {value!r}: valid is {declared.valid_values(kind)}") from None
    try:
        if declared.check is not None:
            declared.check(parsed)
    except ValueError as error:
        raise ConfigurationError(f"{name} = {value!r}: {error}") from None
    return parsed


def nearest_hint(name: str, valid: Iterable[str]) -> str:
    """Return "; did you mean X?" for the valid name most like `name`, or ""."""
    nearest = difflib.get_close_matches(name, list(valid), n=1, cutoff=0.5)
    return f"; did you mean {nearest[0]}?" if nearest else ""


def _parse_bool(value: object) -> bool:
    text = str(value).strip().lower()
    if text in TRUE:
        return True
    if text in FALSE:
        return False
    raise ValueError(value)


def _parse_int(value: object) -> int:
    number = _parse_float(value)
    if not number.is_integer():
        raise ValueError(value)
    return int(number)


def _parse_float(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(value)
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(value)
    return number


def _parse_str(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str | PurePath):
        raise ValueError(value)
    return str(value)


def _parse_texts(value: object) -> tuple[str, ...]:
    """Texts of a list, or one text; a command line has no lists, so that one may be written as JSON."""
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        value = _json_list(value) or [value]
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) and text.strip() for text in value):
        raise ValueError(value)
    return tuple(value)


def _json_list(text: str) -> list[object]:
    """A list as JSON; empty where the text is none, as `[data-ad]`, which is a selector."""
    try:
        found = json.loads(text)
    except ValueError:
        return []
    return found if isinstance(found, list) else []


_PARSERS: dict[str, Callable[[object], Any]] = {
    "bool": _parse_bool,
    "int": _parse_int,
    "float": _parse_float,
    "str": _parse_str,
    TEXTS: _parse_texts,
}


def check_redis_url(url: str) -> None:
    """Refuse what is no URL of a Redis server.

    Raises:
        ValueError: It is none.

    Example:
        >>> check_redis_url("redis://localhost:6379/0")
        >>> check_redis_url("localhost:6379")
        Traceback (most recent call last):
        ValueError: a URL of a Redis server begins with redis://, rediss:// or unix://
    """
    if not url.startswith(("redis://", "rediss://", "unix://")):
        raise ValueError("a URL of a Redis server begins with redis://, rediss:// or unix://")
