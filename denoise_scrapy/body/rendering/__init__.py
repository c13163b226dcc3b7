"""The kept blocks of a page as HTML and as Markdown."""

from denoise_scrapy.body.rendering.html import to_html
from denoise_scrapy.body.rendering.markdown import to_markdown
from denoise_scrapy.body.rendering.render import render
from denoise_scrapy.body.rendering.tags import Token

__all__ = ["Token", "render", "to_html", "to_markdown"]
