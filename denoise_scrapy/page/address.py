"""Addresses: of a page, as it declares its own; those that may be written; and hosts and texts as they are compared."""

from __future__ import annotations

import re
from contextlib import suppress
from urllib.parse import urljoin, urlsplit

from denoise_scrapy.core.markup import ENCODED
from denoise_scrapy.page.attributes import MAX_URL_LENGTH
from denoise_scrapy.page.parse import root_of, to_utf8

#: Bytes of a page that are read for it. Of 1,641 recorded pages 1,366 say it, one of them later.
ADDRESS_WITHIN = 262_144
#: Characters of an address at most.
MAX_ADDRESS = 2_000
_PLACES = (
    "//link[contains(concat(' ', normalize-space(@rel), ' '), ' canonical ')]/@href",
    "//meta[@property='og:url']/@content",
)


def declared_url(html: str | bytes, encoding: str | None = None) -> str:
    """Return the absolute http(s) address that a page declares (`canonical`, else `og:url`), "" where it does not.

    Example:
        >>> declared_url("<link rel=canonical href=https://a.example/7><p>It rained.")
        'https://a.example/7'
        >>> declared_url("<link rel=canonical href=/7>")
        ''
    """
    root = root_of(to_utf8(html[:ADDRESS_WITHIN], encoding))
    found = [str(one).strip() for place in _PLACES for one in ([] if root is None else root.xpath(place)[:1])]
    return next((one for one in found if len(one) <= MAX_ADDRESS and _is_address(one)), "")


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        return False


def host_of(url: str) -> str:
    """The host of an address, "" where it has none."""
    with suppress(ValueError):
        return urlsplit(url).hostname or ""
    return ""


def fold(text: str) -> str:
    """A text without its spaces and capitals."""
    return "".join(text.split()).lower()


def letters(text: str) -> str:
    """Letters and digits of a text, in lower case."""
    return "".join(filter(str.isalnum, text.lower()))


_HIERARCHICAL = ("http", "https", "ftp")
_SAFE_URL = re.compile(rf"(?:{'|'.join(_HIERARCHICAL)})://[^/?#]|(?:mailto|tel):.", re.IGNORECASE)
#: Browsers leave out tabs and line ends wherever they stand; other control characters are in no address.
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
#: References to the page itself, which scripts take for buttons.
_NOWHERE = ("", "#")
#: Pictures that browsers show, as base64: other data: URIs may be pages.
_DATA_IMAGE = re.compile(r"data:image/(?:png|jpe?g|gif|webp|avif);base64,[a-z0-9+/]+={0,2}", re.IGNORECASE)
#: Shorter ones stand for a picture that a script loads later. Of 290 on recorded pages that are longer than a
#: dot (150 characters), nine in ten have fewer than 1,000 characters and one in twenty more than 3,600.
MIN_DATA_IMAGE_LENGTH = 2000


def safe_url(base: str, reference: str) -> str:
    r"""A reference as an absolute URL with its fragment, "" where it is none.

    The URL is of the schemes http, https, ftp, mailto or tel, at most `MAX_URL_LENGTH` characters long, and holds
    neither quotes nor angle brackets nor white space of ASCII.

    Example:
        >>> safe_url("http://a.example/b/", "c d#e"), safe_url("http://a.example/", "Java\tScript:alert(1)")
        ('http://a.example/b/c%20d#e', '')
    """
    if len(reference) > MAX_URL_LENGTH or reference.strip() in _NOWHERE:
        return ""
    try:
        url = urljoin(base, _CONTROL.sub("", reference.strip())).translate(ENCODED)
    except ValueError:  # a malformed IPv6 host
        return ""
    return url if _SAFE_URL.match(url) and len(url) <= MAX_URL_LENGTH else ""


def safe_image_url(base: str, reference: str) -> str:
    """A reference to an image as an absolute URL of http, https or ftp, "" where it is none.

    A picture of `MIN_DATA_IMAGE_LENGTH` or more in the address itself, a data: URI, stays.

    Example:
        >>> safe_image_url("http://a.example/b/", "c.png"), safe_image_url("", "data:image/png;base64,AAAA")
        ('http://a.example/b/c.png', '')
    """
    if reference.lstrip()[:5].lower() == "data:":
        picture = "".join(reference.split())
        return picture if len(picture) >= MIN_DATA_IMAGE_LENGTH and _DATA_IMAGE.fullmatch(picture) else ""
    url = safe_url(base, reference)
    return url if url.lower().startswith(tuple(f"{scheme}:" for scheme in _HIERARCHICAL)) else ""
