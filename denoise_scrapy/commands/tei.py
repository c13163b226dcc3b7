"""A body as a document of the Text Encoding Initiative (P5), a format of corpora.

Source: https://tei-c.org/guidelines/p5/
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lxml import etree
from lxml.builder import ElementMaker

from denoise_scrapy.body import Body
from denoise_scrapy.core.markup import HEADING_TAGS
from denoise_scrapy.metadata import Metadata
from denoise_scrapy.metadata.annotations import writable
from denoise_scrapy.page.parse import root_of

_SPACE = "http://www.tei-c.org/ns/1.0"
_XML = "{http://www.w3.org/XML/1998/namespace}"
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
#: Without these, they leave their content.
_NEEDED = {"ref": "target", "graphic": "url"}
#: The name of elements that leave their content.
_CONTENT = "content"
_MAKE = ElementMaker(namespace=_SPACE, nsmap={None: _SPACE})


def _named(name: str) -> str:
    return f"{{{_SPACE}}}{name}"


#: Elements that have no text of their own.
_WITHOUT_TEXT = [*map(_named, ("list", "table", "row"))]


def tei_of(body: Body, *, meta: bool) -> str:
    """Return a document with a section for each heading; with `meta`, also with authors, dates, site and language."""
    found = body.meta if meta else Metadata()
    authors = [_MAKE.author(writable(one)) for one in found.authors]
    source = [_MAKE.publisher(writable(found.site_name))] if found.site_name else []
    dates = ((kind, getattr(found, kind)) for kind in ("published", "modified"))
    source += [_MAKE.date(value, type=kind, when=value) for kind, value in dates if value]
    if body.url:
        source.append(_MAKE.ptr(target=writable(body.url)))
    described = _MAKE.fileDesc(
        _MAKE.titleStmt(_MAKE.title(writable(body.title)), *authors),
        _MAKE.publicationStmt(_MAKE.p("Extracted by denoise_scrapy")),
        _MAKE.sourceDesc(_MAKE.bibl(*source)),
    )
    language = {f"{_XML}lang": writable(found.language)} if found.language else {}
    text = _MAKE.text(_MAKE.body(_sections(writable(body.html))), language)
    written: str = etree.tostring(_MAKE.TEI(_MAKE.teiHeader(described), text), encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{written}\n'


def _sections(html: str) -> Any:
    """Return a section with the elements of a body's HTML as those of TEI, and a section in it for each heading."""
    whole = section = _MAKE.div()
    root = root_of(html.encode("utf-8", "replace"))
    if root is None:
        return whole
    for element in [*root.iter()]:
        _rename(element)
    etree.strip_tags(root, _named(_CONTENT))
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
            section = etree.SubElement(section, _named("div"))
            element.tag = _named("head")
        section.append(element)
    for element in whole.iter(*HEADING_TAGS):  # within other elements
        element.tag = _named("hi")
        element.set("rend", "heading")
    return whole


def _rename(element: Any) -> None:
    """Give an element its name and attributes in TEI; headings keep theirs."""
    own = {_ATTRIBUTES[key]: value for key, value in element.attrib.items() if key in _ATTRIBUTES}
    name, attributes = _ELEMENTS.get(element.tag, (_CONTENT, {}))
    if _NEEDED.get(name) not in {None, *own}:
        name = _CONTENT
    alt = element.get("alt")
    element.attrib.clear()
    if element.tag in HEADING_TAGS:
        return
    element.tag = _named(name)
    element.attrib.update({**attributes, **own})
    if name == "graphic" and alt:
        element.append(_MAKE.desc(alt))


def _unless_blank(text: str | None) -> str | None:
    return text if text and text.strip() else None
