"""How the functions of the duplicate index are called."""

from __future__ import annotations

from typing import Any

from denoise_scrapy.native.library import address_of

__all__ = ["address_of", "declared"]


def declared(function: Any, *arguments: Any, result: Any = None) -> Any:
    """A function with its types, which are set once: it takes a microsecond."""
    if function.argtypes is None:
        function.restype, function.argtypes = result, arguments
    return function
