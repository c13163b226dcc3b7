"""The kept blocks of a page as HTML and as Markdown."""

from denoise_scrapy.body.rendering.html import Token, to_html
from denoise_scrapy.body.rendering.markdown import IMAGES, LINKS, to_markdown
from denoise_scrapy.body.rendering.render import render

__all__ = [
    "IMAGES",
    "LINKS",
    "Token",
    "render",
    "to_html",
    "to_markdown",
]
