"""An optional accelerator in plain C over arrays. numpy is the reference, and what runs where it is missing.

`source/` is compiled by whatever C compiler the package meets when it is installed (`compile.py`), and is loaded by
ctypes. Each function that has a twin in C asks `library()` and does the same in numpy where that is None; property
tests hold the two equal. The environment variable `DENOISE_NATIVE=0` switches it off, `scrapy denoise version` tells
whether it is in use, and why not.
"""

from denoise_scrapy.native.library import Library, library, status, switched_off

__all__ = ["Library", "library", "status", "switched_off"]
