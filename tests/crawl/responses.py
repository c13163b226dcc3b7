"""Reading a response as a crawl does."""

from scrapy.http import Response

from denoise_scrapy.crawl.pages import selector_root, told_encoding
from denoise_scrapy.page import Page


def read_page(response: Response, *, by_selector: bool = False) -> Page:
    """Read a page; with `by_selector`, from the tree of the response's selector where that is the same."""
    told = told_encoding(response)
    root = selector_root(response, told) if by_selector else None
    return Page.parse(response.body, url=response.url, encoding=told, root=root)
