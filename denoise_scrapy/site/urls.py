"""Which site a URL belongs to, which page of it, and how alike two are."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urlsplit, urlunsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}
_DIGITS = re.compile(r"\d+")
#: Parameters that tell one visit from another, not one page from another; and the same inside of a path.
_SESSION = re.compile(r"(?:php|j)?sess(?:ion)?_?id|sess(?:ion)?|sid|aspsessionid\w*|cfid|cftoken", re.IGNORECASE)
_SESSION_IN_PATH = re.compile(r";jsessionid=[^/;]*|/\([A-Z]\([^()/]*\)\)", re.IGNORECASE)


@lru_cache(1024)  # a page's URL is asked about some ten times between its arrival and its body: 1.5 µs each
def site_key(url: str) -> str:
    """The site of a URL: scheme, host and port. "" where it is no http(s) URL.

    Example:
        >>> site_key("HTTP://Example.com/a?b"), site_key("https://example.com:8443/"), site_key("data:,x")
        ('http://example.com:80', 'https://example.com:8443', '')
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, _DEFAULT_PORTS.get(parts.scheme) if parts.port is None else parts.port
        if host and not host.isascii():
            host = host.encode("idna").decode()  # as it is asked for
    except ValueError:
        return ""
    return f"{parts.scheme}://{host}:{port}" if port and host and parts.scheme in _DEFAULT_PORTS else ""


def page_identity(url: str) -> str:
    """The URL without what does not tell one page from another: fragment, closing slash, identifiers of a session.

    Example:
        >>> page_identity("http://a.example/news/7/;jsessionid=0A?PHPSESSID=1f&page=2#top")
        'http://a.example/news/7?page=2'
    """
    parts = urlsplit(url)
    path = _SESSION_IN_PATH.sub("", parts.path).rstrip("/")
    pairs = [pair for pair in parts.query.split("&") if not _SESSION.fullmatch(pair.partition("=")[0])]
    return urlunsplit((parts.scheme, parts.netloc, path, "&".join(pairs), ""))


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
    a, b = _shape(url), _shape(other)
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
