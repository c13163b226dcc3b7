"""The kept blocks of a page as HTML and as Markdown."""

from denoise_scrapy.body.rendering.render import render
from denoise_scrapy.core.markdown import IMAGES, LINKS, to_markdown
from denoise_scrapy.core.tokens import Token, to_html

__all__ = [
    "IMAGES",
    "LINKS",
    "Token",
    "render",
    "to_html",
    "to_markdown",
]
