"""What a page says it is: schema.org types in JSON-LD and microdata, Open Graph's type, its generator.

Pages are hostile: JSON is searched, not parsed, and all that is read and kept is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

#: Characters of JSON-LD that are looked at on a page: 2 of 1,570 recorded pages have more, 98% have 14,000 or fewer.
MAX_JSON = 200_000
#: Types that are kept of a page: recorded pages declare up to 28.
MAX_TYPES = 40
#: Characters of an attribute that are looked at: several schema.org URLs fit.
MAX_VALUE = 300

_JSON_TYPE = re.compile(r'"@type"\s{0,20}:\s{0,20}(?:"([^"]{1,100})"|\[([^\]]{1,300})\])')
_NAME = re.compile(r"[a-z][a-z0-9_.-]{1,39}")
_META_PREFIXES = {"og:type": "og:", "generator": "generator:"}
_JSON_SCRIPT = "application/ld+json"

StartTag = tuple[str, Mapping[str, str]]


def is_json_ld(tag: str, attributes: Mapping[str, str]) -> bool:
    """Whether the element is a script that holds JSON-LD."""
    return tag == "script" and attributes.get("type", "")[:MAX_VALUE].strip().lower().startswith(_JSON_SCRIPT)


class DeclaredTypes:
    """Collects what a page declares while it is parsed.

    Attributes:
        names: The types, lower-case last path segments; those of Open Graph begin with `og:`, the first
            word of the generator's name with `generator:`.

    Example:
        >>> types = DeclaredTypes()
        >>> types.note_json('{"@context": "https://schema.org", "@type": ["NewsArticle", "schema:Thing"]}')
        >>> types.note_meta({"property": "og:type", "content": "article"})
        >>> types.note_item("http://schema.org/Product")
        >>> sorted(types.names)
        ['newsarticle', 'og:article', 'product', 'thing']
    """

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._json_left = MAX_JSON

    def note_json(self, text: str) -> None:
        """Note the types in a piece of JSON-LD, however broken or deep."""
        text = text[: self._json_left]
        self._json_left -= len(text)
        for match in _JSON_TYPE.finditer(text):
            self._add("", (match[1] or match[2]).replace('"', " ").replace(",", " ").split())

    def note_item(self, itemtype: str) -> None:
        """Note microdata: an `itemtype` attribute, one or several URLs."""
        self._add("", itemtype[:MAX_VALUE].split())

    def note_meta(self, attributes: Mapping[str, str]) -> None:
        """Note a `meta` element, where it is of the two kinds that count."""
        name = attributes.get("property") or attributes.get("name") or ""
        prefix = _META_PREFIXES.get(name[:MAX_VALUE].strip().lower())
        if prefix:
            self._add(prefix, attributes.get("content", "")[:MAX_VALUE].split()[:1])

    def note_rest(self, body: bytes, elements: Sequence[StartTag]) -> None:
        """Note what stands outside head and scripts.

        Args:
            body: The page.
            elements: Its elements that have an `itemtype`, and its `meta` outside the head. The latter count only
                where the head has told no type of Open Graph and the page's bytes hold one.
        """
        if not elements:
            return
        meta = not any(name.startswith("og:") for name in self.names) and b"og:type" in body
        for tag, attributes in elements:
            if "itemtype" in attributes:
                self.note_item(attributes["itemtype"])
            if meta and tag == "meta":
                self.note_meta(attributes)

    def _add(self, prefix: str, values: Iterable[str]) -> None:
        for value in values:
            name = re.split(r"[/#:]", value.rstrip("/\\"))[-1].lower()
            if len(self.names) < MAX_TYPES and _NAME.fullmatch(name):
                self.names.add(prefix + name)
