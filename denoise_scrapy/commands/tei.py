"""A body as a document of the Text Encoding Initiative (P5), a format of corpora.

Source: https://tei-c.org/guidelines/p5/
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lxml import etree

from denoise_scrapy.body import Body
from denoise_scrapy.core.markup import HEADING_TAGS
from denoise_scrapy.page.parse import root_of

_SPACE = "http://www.tei-c.org/ns/1.0"
_XML = "{http://www.w3.org/XML/1998/namespace}"
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
#: Elements of TEI for those of a body's HTML, with attributes that keep the difference; others leave their content.
_ELEMENTS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    **{name: (name, {}) for name in ("p", "table", "figure", "q")},
    **{name: ("hi", {"rend": "bold"}) for name in ("b", "strong")},
    **{name: ("hi", {"rend": "italic"}) for name in ("i", "em", "cite")},
    **{name: ("hi", {"rend": name}) for name in ("code", "kbd", "sub", "sup", "s", "del", "u", "ins", "mark", "small")},
    "blockquote": ("quote", {}),
    "pre": ("ab", {"type": "code", f"{_XML}space": "preserve"}),
    "ul": ("list", {"rend": "bulleted"}),
    "ol": ("list", {"rend": "numbered"}),
    "dl": ("list", {"type": "gloss"}),
    "li": ("item", {}),
    "dd": ("item", {}),
    "dt": ("label", {}),
    "tr": ("row", {}),
    "td": ("cell", {}),
    "th": ("cell", {"role": "label"}),
    "caption": ("head", {}),
    "figcaption": ("head", {}),
    "math": ("formula", {"notation": "TeX"}),
    "a": ("ref", {}),
    "br": ("lb", {}),
    "img": ("graphic", {}),
}
_ATTRIBUTES = {"href": "target", "src": "url", "colspan": "cols", "rowspan": "rows"}
#: The name of elements that leave their content.
_CONTENT = "content"


def _named(name: str) -> str:
    return f"{{{_SPACE}}}{name}"


#: Elements that have no text of their own.
_WITHOUT_TEXT = [*map(_named, ("list", "table", "row"))]


def tei_of(body: Body, *, meta: bool) -> str:
    """Return a document with a section for each heading; with `meta`, also with authors, dates, site and language."""
    document = etree.Element(_named("TEI"), nsmap={None: _SPACE})
    description = _add(_add(document, "teiHeader"), "fileDesc")
    of_title = _add(description, "titleStmt")
    _add(of_title, "title", text=body.title)
    _add(_add(description, "publicationStmt"), "p", text="Extracted by denoise_scrapy")
    source = _add(_add(description, "sourceDesc"), "bibl")
    text = _add(document, "text")
    if meta:
        found = body.meta
        for author in found.authors:
            _add(of_title, "author", text=author)
        _add(source, "publisher", text=found.site_name)
        for kind in ("published", "modified"):
            if value := getattr(found, kind):
                _add(source, "date", {"type": kind, "when": value}, value)
        if found.language:
            text.set(f"{_XML}lang", _clean(found.language))
    if body.url:
        _add(source, "ptr", {"target": body.url})
    _fill(_add(text, "body"), body.html)
    written: str = etree.tostring(document, encoding="unicode", xml_declaration=False)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{written}\n'


def _add(parent: Any, name: str, attributes: Mapping[str, str] | None = None, text: str = "") -> Any:
    cleaned = {key: _clean(value) for key, value in (attributes or {}).items()}
    element = etree.SubElement(parent, _named(name), cleaned)
    element.text = _clean(text) or None
    return element


def _clean(text: str) -> str:
    return _NO_XML.sub("", text)


def _fill(body: Any, html: str) -> None:
    """Move the elements of a body's HTML into nested sections, as those of TEI."""
    section = _add(body, "div")
    root = root_of(_clean(html).encode("utf-8", "replace"))
    if root is None:
        return
    for element in [*root.iter()]:
        _rename(element)
    etree.strip_tags(root, _CONTENT)
    for element in root.iter(*_WITHOUT_TEXT):
        element.text = None
        for child in element:
            child.tail = None
    section.text = _unless_blank(root.text)
    levels = [0]  # of the headings of the open sections
    for element in [*root]:
        element.tail = _unless_blank(element.tail)
        if element.tag in HEADING_TAGS:
            while levels[-1] >= int(element.tag[1]):
                levels.pop()
                section = section.getparent()
            levels.append(int(element.tag[1]))
            section = _add(section, "div")
            element.tag = _named("head")
        section.append(element)
    for element in body.iter(*HEADING_TAGS):  # within other elements
        element.tag = _named("hi")
        element.set("rend", "heading")


def _rename(element: Any) -> None:
    """Give an element its name and attributes in TEI; headings keep theirs."""
    own = {_ATTRIBUTES[key]: value for key, value in element.attrib.items() if key in _ATTRIBUTES}
    name, attributes = _ELEMENTS.get(element.tag, ("", {}))
    alt = element.get("alt")
    element.attrib.clear()
    if element.tag in HEADING_TAGS:
        return
    if not name or (name == "ref" and "target" not in own) or (name == "graphic" and "url" not in own):
        element.tag = _CONTENT
        return
    element.tag = _named(name)
    element.attrib.update({**attributes, **own})
    if name == "graphic" and alt:
        _add(element, "desc", text=alt)


def _unless_blank(text: str | None) -> str | None:
    return text if text and text.strip() else None
