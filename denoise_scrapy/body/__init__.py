"""The body of a page: strategies, selection, rendering."""

from denoise_scrapy.body.extraction import Block, Body, SiteModel, extract, extract_pages
from denoise_scrapy.body.strategies import DEFAULT_STRATEGY, STRATEGIES, find_strategy
from denoise_scrapy.body.taste import Taste

__all__ = [
    "DEFAULT_STRATEGY",
    "STRATEGIES",
    "Block",
    "Body",
    "SiteModel",
    "Taste",
    "extract",
    "extract_pages",
    "find_strategy",
]
