"""The address that a page says is its own, for pages that come without one."""

from __future__ import annotations

from urllib.parse import urlsplit

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
    told = [str(one).strip() for place in _PLACES for one in ([] if root is None else root.xpath(place)[:1])]
    return next((one for one in told if len(one) <= MAX_ADDRESS and _is_address(one)), "")


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        return False
