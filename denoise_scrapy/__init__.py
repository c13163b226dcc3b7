"""Clean text of every crawled page, without near-duplicates, for Scrapy.

The names below are imported on first use: the core needs neither Scrapy nor Twisted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from denoise_scrapy.support.lazily import names_of

if TYPE_CHECKING:
    from denoise_scrapy.addon import DenoiseAddon
    from denoise_scrapy.body import Body, Example, SiteModel, Taste, extract, extract_pages
    from denoise_scrapy.dedup import DuplicateIndex, deduplicate
    from denoise_scrapy.page import Page

__version__ = "0.1.0"
__all__ = [
    "Body",
    "DenoiseAddon",
    "DuplicateIndex",
    "Example",
    "Page",
    "SiteModel",
    "Taste",
    "__version__",
    "deduplicate",
    "extract",
    "extract_pages",
]

__getattr__ = names_of(
    __name__,
    {
        "Body": "body",
        "DenoiseAddon": "addon",
        "DuplicateIndex": "dedup",
        "Example": "body",
        "Page": "page",
        "SiteModel": "body",
        "Taste": "body",
        "deduplicate": "dedup",
        "extract": "body",
        "extract_pages": "body",
    },
)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
