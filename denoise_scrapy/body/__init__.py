"""The body of a page: strategies, selection, rendering.

`extraction` is the way of a page: a strategy (`strategies`) gives each block a probability, a user's `taste` and the
core choose among them, `examples` of its site move the odds, `leftovers`, `code`, `tables` and `title` tidy up,
`rendering` writes HTML and Markdown. Made of a finished body: `chunks`, its `explanation`, its `kind`, the article of
several pages (`joining`). For pages that show no text: `stated`. For pages that offer something: `price`.
"""

from denoise_scrapy.body.examples import Example
from denoise_scrapy.body.extraction import Block, Body, SiteModel, extract, extract_pages
from denoise_scrapy.body.strategies import DEFAULT_STRATEGY, STRATEGIES, find_strategy
from denoise_scrapy.body.taste import Taste

__all__ = [
    "DEFAULT_STRATEGY",
    "STRATEGIES",
    "Block",
    "Body",
    "Example",
    "SiteModel",
    "Taste",
    "extract",
    "extract_pages",
    "find_strategy",
]
