"""The body of a page: strategies, selection, rendering."""

from denoise_scrapy.body.batch import extract_pages
from denoise_scrapy.body.model import SiteModel, extract
from denoise_scrapy.body.result import Block, Body
from denoise_scrapy.body.strategies import DEFAULT_STRATEGY, STRATEGIES
from denoise_scrapy.body.strategies.finding import find_strategy
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
