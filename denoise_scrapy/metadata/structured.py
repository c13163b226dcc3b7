"""Structured data of a page in the shape that extruct gives it: JSON-LD, OpenGraph and microdata.

They are read here: extruct adds 13 MB of packages, most of it for RDF, takes half a second to import, and 24 seconds to
read a page of 400 nested items.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from lxml import etree

from denoise_scrapy.metadata.annotations import MAX_ELEMENTS, MAX_JSON, MAX_OPEN, MAX_VALUES, joined, loosely_loaded

#: Prefixes of OpenGraph and its vocabularies; others are declared by few pages.
_VOCABULARIES = ("og:", "article:", "book:", "profile:", "video:", "music:", "product:")
#: The attribute with an element's value, by tag (HTML, section 5.2.4).
_VALUES = {
    "meta": "content",
    **dict.fromkeys("audio embed iframe img source track video".split(), "src"),
    **dict.fromkeys("a area link".split(), "href"),
    "object": "data",
    "data": "value",
    "meter": "value",
    "time": "datetime",
}


def structured_data(root: Any, scripts: Iterable[str], url: str) -> dict[str, list[Any]]:
    """Return a page's data by syntax: "json-ld", "opengraph", "microdata".

    Args:
        root: lxml's tree of the page.
        scripts: The texts of its JSON-LD.
        url: Its address.

    Example:
        >>> from lxml.html import fromstring
        >>> page = fromstring('<p itemscope itemtype="https://schema.org/Person">By <b itemprop=name>Ann</b>')
        >>> structured_data(page, ['{"@type": "Article"}'], "")
        {'json-ld': [{'@type': 'Article'}], 'opengraph': [],
         'microdata': [{'type': 'https://schema.org/Person', 'properties': {'name': 'Ann'}}]}
    """
    return {
        "json-ld": [item for script in scripts for item in _items(loosely_loaded(script))],
        "opengraph": [{"properties": graph}] if (graph := _graph(root)) else [],
        "microdata": _Microdata(root, url).items,
    }


def _items(value: Any) -> list[Any]:
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict) and item]


def _graph(root: Any) -> list[list[str]]:
    """Return names and contents of OpenGraph in order; both repeat."""
    found = ([meta.get("property").strip(), meta.get("content")] for meta in root.xpath("//meta[@property]"))
    return [one for one in found if one[1] and one[0].startswith(_VOCABULARIES)][:MAX_ELEMENTS]


class _Microdata:
    """The items of a page that are in no other."""

    def __init__(self, root: Any, url: str) -> None:
        self._url = url
        # properties in properties, and items that refer to the same, are looked at several times
        self._left, self._chars, self._steps = MAX_VALUES, MAX_JSON, MAX_JSON
        self._ids: dict[str, Any] = {}
        scopes = root.xpath("//*[@itemscope]")
        if any(scope.get("itemref") for scope in scopes):
            self._ids = {element.get("id"): element for element in root.xpath("//*[@id]")}
        inner = {one for scope in scopes for one in self._properties(scope) if one.get("itemscope") is not None}
        self.items = [self._item(scope, 0) for scope in scopes if scope not in inner and self._left > 0]

    def _item(self, scope: Any, depth: int) -> dict[str, Any]:
        item: dict[str, Any] = {}
        for key, attribute in (("type", "itemtype"), ("id", "itemid")):
            if written := (scope.get(attribute) or "").split():
                item[key] = written if len(written) > 1 else written[0]
        found = defaultdict[str, list[Any]](list)
        for element in self._properties(scope):
            if self._left <= 0 or depth == MAX_OPEN:
                break
            self._left -= 1
            is_item = element.get("itemscope") is not None
            value = self._item(element, depth + 1) if is_item else self._value(element)
            for name in dict.fromkeys(element.get("itemprop").split()):
                found[name].append(value)
        properties = {name: values if len(values) > 1 else values[0] for name, values in found.items()}
        return {**item, **({"properties": properties} if properties else {"value": self._value(scope)})}

    def _properties(self, scope: Any) -> Iterator[Any]:
        """Yield the elements with an item's own properties, also those that it refers to."""
        referred = [self._ids[name] for name in (scope.get("itemref") or "").split() if name in self._ids]
        todo = [*reversed(referred), *reversed(scope)]
        while todo and self._left > 0 and self._steps > 0:
            element = todo.pop()
            self._steps -= 1
            if element.get("itemprop"):
                yield element
            if element.get("itemscope") is None:
                todo.extend(reversed(element))

    def _texts(self, element: Any) -> Iterator[str]:
        walk = etree.iterwalk(element, events=("start", "end"))
        for event, inner in walk:
            self._steps -= 1
            if self._steps <= 0:
                return
            if event == "start" and inner.tag in {"script", "style"}:
                walk.skip_subtree()
            elif event == "start":
                yield inner.text or ""
            elif inner is not element:
                yield inner.tail or ""

    def _value(self, element: Any) -> str:
        attribute = _VALUES.get(element.tag, "content")
        value = element.get("content") or element.get(attribute)
        if value is None:
            value = " ".join("".join(self._texts(element)).split()) if self._chars else ""
        elif attribute in {"src", "href", "data"}:
            value = joined(self._url, value) or value
        value = str(value)[: self._chars]
        self._chars -= len(value)
        return value
