"""Which site a URL belongs to, and which links of a page look like its siblings."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urlsplit

from denoise_scrapy.page import Page

_DEFAULT_PORTS = {"http": 80, "https": 443}
_DIGITS = re.compile(r"\d+")
#: Paths that are no pages, by their ending.
_FILE = re.compile(
    r"\.(?:css|js|json|xml|rss|atom|pdf|zip|gz|tgz|rar|7z|exe|dmg|apk|iso|jpe?g|png|gif|svg|webp|ico|bmp|"
    r"mp[34]|avi|mov|wmv|flv|ogg|wav|webm|docx?|xlsx?|pptx?|odt|epub|txt|csv|woff2?|ttf|eot)$",
    re.IGNORECASE,
)
#: Requests that a reader would not make by opening a page, by the look of the URL: they may change state.
_ACTION = re.compile(
    r"(?:^|[/?&=._-])(?:log-?(?:in|out)|sign-?(?:in|out|up)|register|delete|remove|unsubscribe|subscribe|cart|"
    r"basket|checkout|buy|vote|like|reply|edit|report|logoff|account|password|print|share|redirect|feed)"
    r"(?:[/?&=._-]|$)",
    re.IGNORECASE,
)


@lru_cache(1024)  # a page's URL is asked about some ten times between its arrival and its body: 1.5 µs each
def site_key(url: str) -> str:
    """The site of a URL: scheme, host and port. "" where it is no http(s) URL.

    Example:
        >>> site_key("HTTP://Example.com/a?b"), site_key("https://example.com:8443/"), site_key("data:,x")
        ('http://example.com:80', 'https://example.com:8443', '')
    """
    try:
        parts = urlsplit(url)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.hostname}:{port}" if port and parts.hostname else ""


def _shape(url: str) -> list[str]:
    """The URL's path split into directories, the digits of each out, and its query's names."""
    parts = urlsplit(url)
    names = sorted(pair.split("=")[0] for pair in parts.query.split("&") if pair)
    return [
        *(_DIGITS.sub("0", piece) for piece in (parts.path or "/").split("/")[1:]),
        "?" + "&".join(names),
    ]


def url_likeness(url: str, other: str) -> float:
    """How much two URLs of one site look like pages of one template, 0 to 1.

    Equal depth counts half; the rest is the share of leading directories that are equal but for digits,
    and a like last part (both with digits or both without, like ending, like length).

    Example:
        >>> article = "http://a.example/news/2021/storm-hits-coast.html"
        >>> url_likeness(article, "http://a.example/news/2022/council-votes-again.html") > 0.9
        True
        >>> url_likeness(article, "http://a.example/about") < 0.3
        True
    """
    return _likeness(_shape(url), _shape(other))


def _likeness(a: list[str], b: list[str]) -> float:
    """See `url_likeness`; of two shapes."""
    same_query = a[-1] == b[-1]
    a, b = a[:-1], b[:-1]
    directories = max(len(a), len(b)) - 1
    common = 0
    for left, right in zip(a[:-1], b[:-1], strict=False):
        if left != right:
            break
        common += 1
    last_a, last_b = a[-1], b[-1]
    last = (
        0.4 * (("0" in last_a) == ("0" in last_b))
        + 0.3 * (last_a.rpartition(".")[2:] == last_b.rpartition(".")[2:] or ("." in last_a) == ("." in last_b))
        + 0.3 * (min(len(last_a), len(last_b)) + 1) / (max(len(last_a), len(last_b)) + 1)
    )
    share = common / directories if directories else 1.0
    likeness = 0.4 * (len(a) == len(b)) + 0.3 * share + 0.2 * last + 0.1 * same_query
    return likeness if (last_a == "") == (last_b == "") else likeness / 2


def sibling_links(page: Page, limit: int) -> list[str]:
    """Links of a page that are likely to lead to pages of its template, best first.

    Same site only; never the page itself, a file, or a URL that looks like an action (log out, add to
    cart …). Among equals the page's own order stands.

    Args:
        page: A page with a URL.
        limit: How many at most.

    Source: Song et al. (2011), section 1: comparison pages come from the links of the target page.
    """
    site = site_key(page.url)
    if not site or limit < 1:
        return []
    own = page.url.partition("#")[0].rstrip("/")
    name = site.split("://")[1].rpartition(":")[0]
    links = [
        url
        for url in page.links
        if name in url.lower()  # else it is of another site: a tenth of the time of its key
        and site_key(url) == site
        and url.rstrip("/") != own
        and not _FILE.search(urlsplit(url).path)
        and not _ACTION.search(url[len(site) - 3 :])
    ]
    shape = _shape(page.url)
    return sorted(links, key=lambda url: -_likeness(shape, _shape(url)))[:limit]
