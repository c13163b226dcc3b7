"""References of a page that may be followed anywhere: absolute, and of a scheme that runs nothing."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from denoise_scrapy.page.attributes import MAX_URL_LENGTH

_HIERARCHICAL = ("http", "https", "ftp")
_SAFE_URL = re.compile(rf"(?:{'|'.join(_HIERARCHICAL)})://[^/?#]|(?:mailto|tel):.", re.IGNORECASE)
#: Browsers leave out tabs and line ends wherever they stand; other control characters are in no address.
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
#: What browsers percent-encode in a path, and what ends an address in a text.
_ENCODED = str.maketrans({char: f"%{ord(char):02X}" for char in ' "<>`\\^{|}'})
#: References to the page itself, which scripts take for buttons.
_NOWHERE = ("", "#")
#: Pictures that browsers show, as base64: other data: URIs may be pages.
_DATA_IMAGE = re.compile(r"data:image/(?:png|jpe?g|gif|webp|avif);base64,[a-z0-9+/]+={0,2}", re.IGNORECASE)
#: Shorter ones stand for a picture that a script loads later. Of 290 on recorded pages that are longer than a
#: dot (150 characters), nine in ten have fewer than 1,000 characters and one in twenty more than 3,600.
MIN_DATA_IMAGE_LENGTH = 2000


def safe_url(base: str, reference: str) -> str:
    r"""A reference as an absolute URL with its fragment, "" where it is none, or none of a safe scheme.

    Args:
        base: URL that it is relative to, "" for none.
        reference: As written in the page.

    Returns:
        A URL of the schemes http, https, ftp, mailto or tel, at most `MAX_URL_LENGTH` characters long, that
        holds neither quotes nor angle brackets nor white space of ASCII.

    Example:
        >>> safe_url("http://a.example/b/", "c d#e"), safe_url("http://a.example/", "Java\tScript:alert(1)")
        ('http://a.example/b/c%20d#e', '')
    """
    if len(reference) > MAX_URL_LENGTH or reference.strip() in _NOWHERE:
        return ""
    try:
        url = urljoin(base, _CONTROL.sub("", reference.strip())).translate(_ENCODED)
    except ValueError:  # a malformed IPv6 host
        return ""
    return url if _SAFE_URL.match(url) and len(url) <= MAX_URL_LENGTH else ""


def safe_image_url(base: str, reference: str) -> str:
    """A reference to an image as an absolute URL, "" where it is none; a picture in the address itself stays.

    Args:
        base: URL that it is relative to, "" for none.
        reference: As written in the page.

    Returns:
        A URL of the schemes http, https or ftp, or a picture as a data: URI of `MIN_DATA_IMAGE_LENGTH` or more.

    Example:
        >>> safe_image_url("http://a.example/b/", "c.png"), safe_image_url("", "data:image/png;base64,AAAA")
        ('http://a.example/b/c.png', '')
    """
    if reference.lstrip()[:5].lower() == "data:":
        picture = "".join(reference.split())
        return picture if len(picture) >= MIN_DATA_IMAGE_LENGTH and _DATA_IMAGE.fullmatch(picture) else ""
    url = safe_url(base, reference)
    return url if url.lower().startswith(tuple(f"{scheme}:" for scheme in _HIERARCHICAL)) else ""
