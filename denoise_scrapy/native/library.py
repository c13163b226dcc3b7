"""Loads the compiled library, or tells why not, and declares its functions."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy.typing as npt

from denoise_scrapy.native.compile import TARGET, source_digest

#: Set to 0 (or no, off, false) it leaves everything to numpy; a path names another library, as one with a sanitizer.
SWITCH = "DENOISE_NATIVE"
_OFF = frozenset(["0", "no", "off", "false"])

_POINTER, _NUMBER, _INT, _OBJECT = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int, ctypes.py_object
#: Result and arguments of each function by its name in C, less `denoise_`.
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "digest": (ctypes.c_char_p,),
    # source/reader.c
    "html_look": (_INT, ctypes.c_char_p, _NUMBER),
    "reader": (_OBJECT, _OBJECT, _INT),
    "reader_place": (_OBJECT, _OBJECT),
    "reader_finish": (_OBJECT, _OBJECT),
    # source/columns.c
    "read_page": (_NUMBER, _POINTER, _POINTER, _NUMBER, *[_POINTER] * 3, _NUMBER),
}


class Library:
    """The functions of the compiled library: `Library(path).read_page` is `denoise_read_page` of C.

    Functions of Python objects keep the interpreter's lock; of the others other threads run meanwhile.

    Args:
        path: The library's file.

    Raises:
        OSError: It cannot be loaded.
        AttributeError: It lacks a function.
    """

    def __init__(self, path: Path) -> None:
        arrays, objects = ctypes.CDLL(str(path)), ctypes.PyDLL(str(path))
        for name, (result, *arguments) in _FUNCTIONS.items():
            function = getattr(objects if _OBJECT in arguments else arrays, f"denoise_{name}")
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:  # of what is set above type checkers know nothing
        raise AttributeError(name)


def address_of(array: npt.NDArray[Any]) -> int:
    """Address of a contiguous array's values, 0 where it has none.

    That of a writable array takes .4 µs; `array.ctypes.data` and `__array_interface__` take 2.

    Example:
        >>> import numpy as np
        >>> address_of(np.zeros(0)), address_of(np.zeros(1)) > 0
        (0, True)
    """
    if not array.size:
        return 0
    if not array.flags.writeable:
        return int(array.ctypes.data)
    values: Any = array
    return ctypes.addressof(ctypes.c_char.from_buffer(values))


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
    other = "compiled from other sources: install again, or python -m denoise_scrapy.native"
    try:
        loaded = Library(path)
        return (loaded, "") if loaded.digest().decode() == source_digest() else (None, other)
    except AttributeError:
        return None, other
    except OSError as error:
        return None, f"cannot be loaded: {error}"


_current: list[Library | None] = [_load()[0]]
