"""Loads the compiled library, or tells why not."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from denoise_scrapy.native.compile import TARGET, source_digest

#: Set to 0 (or no, off, false) it leaves everything to numpy; a path names another library, as one with a sanitizer.
SWITCH = "DENOISE_NATIVE"
_OFF = frozenset(["0", "no", "off", "false"])


@dataclass(frozen=True)
class Library:
    """The functions of the compiled library.

    Attributes:
        arrays: Functions over arrays; other threads run meanwhile.
        objects: The same library, for functions that read Python objects: they keep the interpreter's lock.
    """

    arrays: ctypes.CDLL
    objects: ctypes.PyDLL


def library() -> Library | None:
    """The compiled library, None where numpy must do."""
    return _current[-1]


def status() -> str:
    """Whether the library is in use, in words.

    Example:
        >>> with switched_off():
        ...     status()
        'numpy (switched off)'
    """
    if _current[-1] is not None:
        return "native"
    return f"numpy ({'switched off' if len(_current) > 1 else _load()[1]})"


@contextmanager
def switched_off() -> Iterator[None]:
    """Leave everything to numpy meanwhile: for tests and benchmarks; of all threads."""
    _current.append(None)
    try:
        yield
    finally:
        _current.pop()


@cache
def _load() -> tuple[Library | None, str]:
    """The library, or why there is none."""
    wish = os.environ.get(SWITCH, "").strip()
    if wish.lower() in _OFF:
        return None, f"{SWITCH}={wish}"
    path = Path(wish) if os.sep in wish else TARGET
    if not path.exists():
        return None, f"{path} is missing: not compiled where denoise_scrapy was installed, or not for this system"
    try:
        loaded = Library(ctypes.CDLL(str(path)), ctypes.PyDLL(str(path)))
        made_of = loaded.arrays.denoise_digest
        made_of.restype = ctypes.c_char_p
        if made_of().decode() != source_digest():
            return None, "compiled from other sources: install again, or python -m denoise_scrapy.native"
    except (OSError, AttributeError) as error:
        return None, f"cannot be loaded: {error}"
    return loaded, ""


_current: list[Library | None] = [_load()[0]]
