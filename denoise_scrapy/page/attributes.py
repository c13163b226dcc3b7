"""Attributes that the columns do not hold: of images, cells, lists; and URLs as pages write them, all bounded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from denoise_scrapy.core.characters import without_unseen
from denoise_scrapy.core.markup import ENCODED
from denoise_scrapy.page.parse import DETECTED_BYTES, MAX_VALUE, root_of, to_utf8

#: Sitemaps allow 2,048 characters, Scrapy follows 2,083: longer addresses are not followed.
MAX_URL_LENGTH = 2083

#: Noted attributes that `Noted.attributes` lacks: of a frame's size, and of a place that links lead to.
_NOT_KEPT = frozenset("width height style id".split())
#: Says of a list by being there that it counts down.
REVERSED = "reversed"
#: Preferred to any `src`, which is then a grey.gif.
_LAZY_ATTRIBUTES = ("data-src", "data-original", "data-lazy-src")
_STYLE_SIZE = re.compile(r"(?:^|;)\s*(width|height)\s*:\s*([^;]*)")
_CANDIDATE_END = re.compile(r"\s*,(?:\s+|(?=https?:|//))")
_DESCRIPTOR = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)[wx]", re.ASCII)


def written_size(attributes: Mapping[str, str]) -> tuple[str, str]:
    """Return width and height as written, "" for none; inline style overrides attributes."""
    width, height = attributes.get("width", ""), attributes.get("height", "")
    style = attributes.get("style")
    if style and ("width" in style or "height" in style):
        sizes = {name: size.strip() for name, size in _STYLE_SIZE.findall(style)}
        width, height = sizes.get("width", width), sizes.get("height", height)
    return width[:MAX_VALUE], height[:MAX_VALUE]


def image_attributes(attributes: Mapping[str, str], picture_source: str = "") -> dict[str, str]:
    """Return the attributes of an `img` to keep: `alt`, `width`, `height`, and as `src` the address a script would set.

    Without one, `src` is the address of a preceding `source`; it is omitted if the image's own `src` is right. So is
    `display`, which the core notes for formulas only.
    """
    width, height = written_size(attributes)
    own = attributes.get("src", "")
    # if `src` is no address, any attribute named like a source will do: loaders invent names
    sources = chain(
        (attributes.get(name, "") for name in _LAZY_ATTRIBUTES),
        (largest(value) for name, value in attributes.items() if name.startswith("data-") and name.endswith("srcset")),
        (own,),
        (value for name, value in attributes.items() if name.endswith("src") and not name.startswith(":")),
        (largest(value) for name, value in attributes.items() if name.endswith("srcset")),
    )
    source = next(filter(_is_address, sources), picture_source)
    kept = {
        "alt": without_unseen(attributes.get("alt", "")[:MAX_VALUE]),
        "width": width,
        "height": height,
        "src": "" if source == own else source.strip(),
        "display": attributes.get("display", "")[:MAX_VALUE],
    }
    return {name: value for name, value in kept.items() if value}


def _is_address(value: str) -> bool:
    value = value[: MAX_URL_LENGTH + 1].strip()
    return 0 < len(value) <= MAX_URL_LENGTH and not value.startswith("data:") and "{" not in value


def largest(srcset: str) -> str:
    """Return the address of the largest image of a `srcset`, the first of equals, "" if there is none."""
    best, best_size = "", 0.0
    for candidate in _CANDIDATE_END.split(srcset[: 2 * MAX_URL_LENGTH].strip()):
        url, _, descriptor = candidate.strip().partition(" ")
        match = _DESCRIPTOR.match(descriptor.strip())
        size = float(match[1]) if match else 1.0
        if size > best_size and _is_address(url):
            best, best_size = url, size
    return best


class Noted(NamedTuple):
    """Attributes of a page's elements, as noted by the core.

    Attributes:
        references: (element, href or src as written) of links and images.
        sizes: (element, width, height) as written, "" for none, of frames with any: attributes, or inline style.
        attributes: By element, attributes that the columns do not hold and rendering needs.
    """

    references: list[tuple[int, str]]
    sizes: list[tuple[int, str, str]]
    attributes: dict[int, dict[str, str]]


def read_notes(notes: Iterable[tuple[int, str, str]], tags: Sequence[str]) -> Noted:
    """Sort the core's notes (`Tree.noted_values`) by kind."""
    of_element: dict[int, dict[str, str]] = {}
    for element, name, value in notes:
        of_element.setdefault(element, {})[name] = value
    found = Noted([], [], {})
    picture_source = ""
    for element, attributes in of_element.items():
        if "href" in attributes:
            found.references.append((element, attributes["href"]))
            continue
        kept = dict[str, str]()
        if tags[element] == "img":
            if attributes.get("src"):
                found.references.append((element, attributes["src"]))
            # the parser sometimes makes `source` the parent
            kept, picture_source = image_attributes(attributes, picture_source), ""
        elif tags[element] == "source":
            picture_source = largest(attributes.get("srcset", "")) or largest(attributes.get("data-srcset", ""))
        else:
            # in one order, however the page writes them
            named = sorted(attributes.items())
            kept = {
                name: value[:MAX_VALUE]
                for name, value in named
                if (value or name == REVERSED) and name not in _NOT_KEPT
            }
            width, height = written_size(attributes)
            if width or height:
                found.sizes.append((element, width, height))
        if kept:
            found.attributes[element] = kept
    return found


#: Bytes that are searched for the declaration. 1,366 of 1,641 recorded pages declare it, one of them beyond this.
ADDRESS_WITHIN = DETECTED_BYTES
_PLACES = (
    "//link[contains(concat(' ', normalize-space(@rel), ' '), ' canonical ')]/@href",
    "//meta[@property='og:url']/@content",
)


def declared_url(html: str | bytes, encoding: str | None = None) -> str:
    """Return the absolute http(s) address that a page declares (`canonical`, else `og:url`), "" if it declares none."""
    body, address = to_utf8(html[:ADDRESS_WITHIN], encoding), ""
    before, name, behind = body.partition(b"canonical")
    # mostly that is its link, behind which nothing need be parsed; the parser drops a tag that is cut
    head = before + name + behind.partition(b">")[0] + b">" if name else b""
    for part in (head, body if name or b"og:url" in body else b""):
        root = root_of(part)
        links, metas = ([] if root is None else root.xpath(place)[:1] for place in _PLACES)
        found = (str(one).strip() for one in (*links, *metas))
        addresses = (one for one in found if len(one) <= MAX_URL_LENGTH and host_of(one))
        address = next((one for one in addresses if urlsplit(one).scheme in {"http", "https"}), "")
        if links and address:
            break
    return address


def host_of(url: str) -> str:
    """Return the host of an address, "" if it has none."""
    with suppress(ValueError):
        return urlsplit(url).hostname or ""
    return ""


_HIERARCHICAL = ("http", "https", "ftp")
_SAFE_URL = re.compile(rf"(?:{'|'.join(_HIERARCHICAL)})://[^/?#]|(?:mailto|tel):.", re.IGNORECASE)
#: Browsers ignore tabs and line ends anywhere; other control characters are not part of any address.
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
#: References to the page itself, which scripts use for buttons.
_NOWHERE = ("", "#")
#: Pictures that browsers display, in base64: other data: URIs may be pages.
_DATA_IMAGE = re.compile(r"data:image/(?:png|jpe?g|gif|webp|avif);base64,[a-z0-9+/]+={0,2}", re.IGNORECASE)
#: Shorter ones are placeholders for a picture that a script loads later. Of 290 on recorded pages that are longer than
#: a dot (150 characters), nine in ten have fewer than 1,000 characters and one in twenty more than 3,600.
MIN_DATA_IMAGE_LENGTH = 2000
_join: Callable[[str, str], str] = lru_cache(200)(urljoin)


def safe_url(base: str, reference: str) -> str:
    r"""Return a reference as an absolute URL with its fragment, "" if it is invalid.

    The URL is of http, https, ftp, mailto or tel, has at most `MAX_URL_LENGTH` characters, and contains no quotes,
    angle brackets or ASCII white space.

    Example:
        >>> safe_url("http://a.example/b/", "c d#e"), safe_url("http://a.example/", "Java\tScript:alert(1)")
        ('http://a.example/b/c%20d#e', '')
    """
    if len(reference) > MAX_URL_LENGTH or reference.strip() in _NOWHERE:
        return ""
    try:
        url = _joined(base, _CONTROL.sub("", reference.strip())).translate(ENCODED)
    except ValueError:  # a malformed IPv6 host
        return ""
    return url if _SAFE_URL.match(url) and len(url) <= MAX_URL_LENGTH else ""


def _joined(base: str, reference: str) -> str:
    """Return a reference as an absolute URL; links to places of one page are joined once."""
    before, _, place = reference.partition("#")
    return _join(base, f"{before}#-")[:-1] + place if place else _join(base, reference)


def safe_image_url(base: str, reference: str) -> str:
    """Return a reference to an image as an absolute URL of http, https or ftp, "" if it is invalid.

    A data: URI of at least `MIN_DATA_IMAGE_LENGTH` characters with a picture is kept.
    """
    if reference.lstrip()[:5].lower() == "data:":
        picture = "".join(reference.split())
        return picture if len(picture) >= MIN_DATA_IMAGE_LENGTH and _DATA_IMAGE.fullmatch(picture) else ""
    url = safe_url(base, reference)
    return url if url.lower().startswith(tuple(f"{scheme}:" for scheme in _HIERARCHICAL)) else ""
