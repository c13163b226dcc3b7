"""What a response is to us: a page or not, one to compare with or not; and reading it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import HtmlResponse, Response
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding
from w3lib.url import canonicalize_url

from denoise_scrapy.page import Page
from denoise_scrapy.site import site_key

if TYPE_CHECKING:
    from denoise_scrapy.page import PathTable

OK = 200
# Too many requests; no service for now.
PATIENCE_STATUSES = frozenset({429, 503})


def is_page(response: Response) -> bool:
    """Whether `response` is HTML and has any; robots.txt is none, though served as such at times."""
    is_html = isinstance(response, HtmlResponse) and bool(response.body)
    return is_html and urlsplit(response.url).path != "/robots.txt"


def asks_for_patience(response: Response) -> bool:
    """Whether the server wants fewer requests, or none for a while."""
    return response.status in PATIENCE_STATUSES or b"Retry-After" in response.headers


def is_comparable(request: Request, response: Response) -> bool:
    """Whether other pages of the site may be compared with this one.

    Error pages, answers to forms and pages reached by a redirect from elsewhere (a log-in form, the
    home page in place of an article) are no examples of the site's template.
    """
    return (
        request.method == "GET"
        and response.status == OK
        and bool(site_key(response.url))
        and all(is_same_page(url, response.url) for url in redirected_from(request))
    )


def redirected_from(request: Request) -> list[str]:
    """Return the URLs that led to `request` by redirects, the spider's own one first."""
    return list(request.meta.get("redirect_urls", ()))


def is_same_page(one: str, other: str) -> bool:
    """Whether two URLs are spellings of one, see `spelling`."""
    return spelling(one) == spelling(other)


def read_page(
    response: Response,
    paths: PathTable,
    *,
    keep: Sequence[str] = (),
    remove: Sequence[str] = (),
) -> Page:
    """Parse a response that `is_page`.

    Args:
        response: The response.
        paths: Table of element paths shared by the pages of its site.
        keep: Selectors of what belongs to the body.
        remove: Selectors of what does not.
    """
    return Page.parse(
        response.body,
        url=response.url,
        encoding=told_encoding(response),
        paths=paths,
        keep=keep,
        remove=remove,
    )


def told_encoding(response: Response) -> str | None:
    """The encoding that a response was given by the server or the spider, None where its page tells one.

    Scrapy's own `encoding` is what the page declares too, not as browsers read it (in `<meta charset=utf-16>` it
    believes), or a guess; responses that are made from others have it as if they were given it.

    Example:
        >>> page = HtmlResponse("http://a.example/", body=b"<meta charset=utf-16>")
        >>> told_encoding(page), told_encoding(page.replace(encoding="utf-8"))
        (None, 'utf-8')
    """
    given: str | None = getattr(response, "_encoding", None)
    if given is not None and given != html_body_declared_encoding(response.body):
        return given
    return http_content_type_encoding((response.headers.get("Content-Type") or b"").decode("latin-1"))


def spelling(url: str) -> str:
    """A URL without what does not tell one page from another: scheme, "www.", closing slash, escapes, fragment.

    Example:
        >>> spelling("http://www.a.example/städte/?b=1&a=2#top") == spelling("https://a.example/st%C3%A4dte?a=2&b=1")
        True
    """
    try:
        parts = urlsplit(canonicalize_url(url))
        host = (parts.hostname or "").removeprefix("www.")
        port = "" if parts.port in {None, 80, 443} else f":{parts.port}"
    except ValueError:  # no URL that could be fetched
        return url
    return f"{host}{port}{parts.path.rstrip('/')}?{parts.query}" if host else url.partition("#")[0]
