"""What a page's bytes hold, in C (`source/html.c`); `page/utf8.py` has the twin."""

from __future__ import annotations

import ctypes

from denoise_scrapy.native.calling import declared
from denoise_scrapy.native.library import Library


def look(library: Library, html: bytes) -> tuple[bool, bool]:
    """Whether there are zeros or marks, and whether body or html ends more than once.

    Args:
        library: The compiled library.
        html: A page.
    """
    function = declared(library.arrays.denoise_html_look, ctypes.c_char_p, ctypes.c_int64, result=ctypes.c_int)
    found: int = function(html, len(html))
    return bool(found & 1), bool(found & 2)
