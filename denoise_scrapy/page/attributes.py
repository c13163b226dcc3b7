"""Attributes that the columns do not hold and a rendering of the page needs: of images, of cells, of lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from denoise_scrapy.page.markup import SIZED_TAGS

SIZE_ATTRIBUTES = frozenset(["width", "height", "style"])
#: Sizes, spans and the like are cut to this length as written: no number is longer.
MAX_SIZE_LENGTH = 32
#: Descriptions longer than this are cut: they are meant to be read aloud, and pages are hostile.
MAX_ALT_LENGTH = 1000
#: Sitemaps allow 2,048 characters, Scrapy follows 2,083: a longer address is none, or none that anybody follows.
MAX_URL_LENGTH = 2083
#: Longer lists of addresses are cut; those of 8 sizes with long addresses fit.
MAX_SRCSET_LENGTH = 4096

#: Attributes that are kept, by tag. Those of images are chosen by `image_attributes`.
KEPT_ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "td": ("colspan", "rowspan"),
    "th": ("colspan", "rowspan", "scope"),
    "ol": ("start",),
    "html": ("dir",),
    "body": ("dir",),
}
#: Go before any `src`, which is a grey.gif then.
_LAZY_ATTRIBUTES = ("data-src", "data-original")
_LOOKED_AT: dict[str, frozenset[str]] = {
    **dict.fromkeys(SIZED_TAGS, SIZE_ATTRIBUTES),
    **{tag: frozenset(names) for tag, names in KEPT_ATTRIBUTES.items()},
    "td": SIZE_ATTRIBUTES | set(KEPT_ATTRIBUTES["td"]),
    "source": frozenset(["srcset", "data-srcset"]),
}
#: By tag, whether attributes hold nothing that is looked at: one look-up for all other elements of a page.
TELLS_NOTHING: dict[str, Callable[[Mapping[str, str]], bool]] = {
    **{tag: names.isdisjoint for tag, names in _LOOKED_AT.items()},
    "img": lambda attributes: False,
}

_STYLE_SIZE = re.compile(r"(?:^|;)\s*(width|height)\s*:\s*([^;]*)")
_CANDIDATE_END = re.compile(r"\s*,(?:\s+|(?=https?:|//))")
_DESCRIPTOR = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)[wx]", re.ASCII)


def written_size(attributes: Mapping[str, str]) -> tuple[str, str]:
    """Width and height as written, "" for none; inline style goes before attributes.

    Example:
        >>> written_size({"width": "50", "style": "color: red; height: 2px"})
        ('50', '2px')
    """
    width, height = attributes.get("width", ""), attributes.get("height", "")
    style = attributes.get("style")
    if style and ("width" in style or "height" in style):
        sizes = {name: size.strip() for name, size in _STYLE_SIZE.findall(style)}
        width, height = sizes.get("width", width), sizes.get("height", height)
    return width[:MAX_SIZE_LENGTH], height[:MAX_SIZE_LENGTH]


def image_attributes(attributes: Mapping[str, str], picture_source: str = "") -> list[tuple[str, str]]:
    """What is kept of an `img`: `alt`, `width` and `height`, and as `src` the address that a script would put there.

    Args:
        attributes: As written.
        picture_source: Address told by a `source` before it, "" for none; counts where its own is missing.

    Returns:
        Names and values; no `src` where the image's own stands.

    Example:
        >>> image_attributes({"src": "data:image/gif;base64,R0", "data-src": "/a.jpg", "alt": "A fox"})
        [('alt', 'A fox'), ('src', '/a.jpg')]
    """
    kept = []
    alt = attributes.get("alt")
    if alt:
        kept.append(("alt", alt[:MAX_ALT_LENGTH]))
    width, height = written_size(attributes)
    if width:
        kept.append(("width", width))
    if height:
        kept.append(("height", height))
    own = attributes.get("src", "")
    if own.lstrip()[:5] in ("", "data:") or "data-src" in attributes or "data-original" in attributes:
        address = _lazy_address(attributes) or ("" if _is_address(own) else picture_source)
        if address:
            kept.append(("src", address))
    return kept


def _lazy_address(attributes: Mapping[str, str]) -> str:
    """The address that a script puts into `src` when the image scrolls into view, "" where `src` is the address.

    Where `src` is missing or a data: URI, any attribute named like a source will do: loaders invent names.
    """
    for name in _LAZY_ATTRIBUTES:
        if _is_address(attributes.get(name, "")):
            return attributes[name].strip()
    if _is_address(attributes.get("src", "")):
        return ""
    for name, value in attributes.items():
        if name.endswith("src") and name != "src" and not name.startswith(":") and _is_address(value):
            return value.strip()
    return next(
        (best for name, value in attributes.items() if name.endswith("srcset") and (best := largest(value))), ""
    )


def _is_address(value: str) -> bool:
    value = value[: MAX_URL_LENGTH + 1].strip()
    return 0 < len(value) <= MAX_URL_LENGTH and not value.startswith("data:") and "{" not in value


def largest(srcset: str) -> str:
    """Address of the largest image of a `srcset`, the first of equals, "" where there is none.

    Example:
        >>> largest("/a.jpg 320w, /b.jpg 1024w,https://a.example/c,d.jpg 640w")
        '/b.jpg'
    """
    best, best_size = "", 0.0
    for candidate in _CANDIDATE_END.split(srcset[:MAX_SRCSET_LENGTH].strip()):
        url, _, descriptor = candidate.strip().partition(" ")
        told = _DESCRIPTOR.match(descriptor.strip())
        size = float(told[1]) if told else 1.0
        if size > best_size and _is_address(url):
            best, best_size = url, size
    return best
