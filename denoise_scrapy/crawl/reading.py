"""From a response to its page: in the encoding of browsers, by the tree that the spider's selectors read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scrapy.http import Response, TextResponse
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding

from denoise_scrapy.core.source import is_too_large
from denoise_scrapy.crawl.geometry import boxes_on
from denoise_scrapy.page import Page
from denoise_scrapy.page.parse import to_utf8


def read_page(
    response: Response,
    *,
    keep: Sequence[str] = (),
    remove: Sequence[str] = (),
    layout: str = "",
    by_selector: bool = False,
) -> Page:
    """Read a response that `is_page`, with all that is asked of its page as it is remembered.

    Args:
        response: The response.
        keep: See `Page.parse`.
        remove: See there.
        layout: See `Geometry`.
        by_selector: Whether the tree of its own selector may be read, which the spider will be given.
    """
    told = told_encoding(response)
    root = selector_root(response, told) if by_selector else None
    page = Page.parse(response.body, url=response.url, encoding=told, keep=keep, remove=remove, root=root)
    if layout:
        page.boxes = boxes_on(page, layout)
    _ = page.nbytes, page.facts
    return page


def selector_root(response: Response, told: str | None) -> Any | None:
    """Return the root of the tree of `response.selector`, None where that tree may be another than our own parse makes.

    Nobody can have changed it: the selector is made here, or is not used. And it is parsed of the same bytes: Scrapy's
    encoding is that of browsers, and nothing is to be cleaned.

    Args:
        response: The response.
        told: What `told_encoding` says.

    Example:
        >>> from scrapy.http import HtmlResponse
        >>> page = HtmlResponse("http://a.example/", body=b"<p>One.")
        >>> selector_root(page, None) is page.selector.root, selector_root(page, None)
        (True, None)
    """
    is_new = getattr(response, "_cached_selector", response) is None
    own = getattr(type(response), "selector", None)
    if not isinstance(response, TextResponse) or not is_new or own is not TextResponse.selector:
        return None
    body = to_utf8(response.body, told)
    # where nothing is declared, and it is not UTF-8, Scrapy guesses: that may take a second
    if (body is not response.body and told is None) or is_too_large(body):
        return None
    try:
        # what is UTF-8, and taken for it, need not be read and written to be seen to be the same
        is_same = body is response.body and response.encoding == "utf-8" and type(response).text is TextResponse.text
        return response.selector.root if is_same or response.text.encode("utf-8", "replace") == body else None
    except Exception:  # lxml gives up, or the response is of a class with a will of its own
        return None


def told_encoding(response: Response) -> str | None:
    """Return the encoding that the server or the spider gave a response, None where only its page declares one.

    Scrapy's own `encoding` is what the page declares too, not as browsers read it (in `<meta charset=utf-16>` it
    believes), or a guess; responses that are made from others have it as if they were given it.

    Example:
        >>> from scrapy.http import HtmlResponse
        >>> page = HtmlResponse("http://a.example/", body=b"<meta charset=utf-16>")
        >>> told_encoding(page), told_encoding(page.replace(encoding="utf-8"))
        (None, 'utf-8')
    """
    given: str | None = getattr(response, "_encoding", None)
    if given is not None and given != html_body_declared_encoding(response.body):
        return given
    return http_content_type_encoding((response.headers.get("Content-Type") or b"").decode("latin-1"))
