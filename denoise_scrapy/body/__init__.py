"""The body of a page: strategies, selection, rendering."""

from denoise_scrapy.body.model import SiteModel, extract, find_strategy
from denoise_scrapy.body.result import Block, Body
from denoise_scrapy.body.strategies import DEFAULT_STRATEGY, STRATEGIES

__all__ = [
    "DEFAULT_STRATEGY",
    "STRATEGIES",
    "Block",
    "Body",
    "SiteModel",
    "extract",
    "find_strategy",
]
