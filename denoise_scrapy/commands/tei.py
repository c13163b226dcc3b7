"""A body as a document of the Text Encoding Initiative (P5), a format of corpora.

Source: https://tei-c.org/guidelines/p5/
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from lxml import etree

from denoise_scrapy.body import Body
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
# What stands within a paragraph, and what has no text of its own.
_INLINE = frozenset(["hi", "ref", "q", "lb", "graphic", "formula"])
_WITHOUT_TEXT = frozenset(["list", "table", "row", "lb", "graphic"])


def tei_of(body: Body, *, meta: bool) -> str:
    """Return a document with a section for each heading; with `meta`, also with authors, dates, site and language."""
    document = etree.Element(f"{{{_SPACE}}}TEI", nsmap={None: _SPACE})
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
    _Sections(_add(text, "body")).read(body.html)
    written: str = etree.tostring(document, encoding="unicode", xml_declaration=False)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{written}\n'


def _add(parent: Any, name: str, attributes: Mapping[str, str] | None = None, text: str = "") -> Any:
    cleaned = {key: _clean(value) for key, value in (attributes or {}).items()}
    element = etree.SubElement(parent, f"{{{_SPACE}}}{name}", cleaned)
    element.text = _clean(text) or None
    return element


def _clean(text: str) -> str:
    return _NO_XML.sub("", text)


def _name(element: Any) -> str:
    return str(etree.QName(element).localname)


class _Sections:
    """Writes the elements of a body's HTML into nested sections."""

    def __init__(self, top: Any) -> None:
        self._sections = [(0, _add(top, "div"))]  # of each open section, the level of its heading

    def read(self, html: str) -> None:
        """Write a body's HTML."""
        root = root_of(html.encode("utf-8", "replace"))
        open_now: list[Any] = [None]  # for each open element, what its content goes to; None: the section
        for event, element in etree.iterwalk(root, ("start", "end")) if root is not None else ():
            if event == "start":
                open_now.append(self._started(element, open_now[-1]))
                self._write(element.text, open_now[-1])
            else:
                open_now.pop()
                self._write(element.tail, open_now[-1])

    def _started(self, element: Any, within: Any) -> Any:
        tag = element.tag
        if re.fullmatch("h[1-6]", tag):
            return self._heading(int(tag[1])) if within is None else _add(within, "hi", {"rend": "heading"})
        name, attributes = _ELEMENTS.get(tag, ("", {}))
        own = {_ATTRIBUTES[key]: value for key, value in element.attrib.items() if key in _ATTRIBUTES}
        if not name or (name == "ref" and "target" not in own) or (name == "graphic" and "url" not in own):
            return within
        made = _add(self._place(within) if name in _INLINE else self._section(within), name, {**attributes, **own})
        if name == "graphic" and element.get("alt"):
            _add(made, "desc", text=element.get("alt"))
        return made

    def _heading(self, level: int) -> Any:
        while self._sections[-1][0] >= level:
            self._sections.pop()
        self._sections.append((level, _add(self._sections[-1][1], "div")))
        return _add(self._sections[-1][1], "head")

    def _section(self, within: Any) -> Any:
        return self._sections[-1][1] if within is None else within

    def _place(self, within: Any) -> Any:
        """Return where text goes: in a section, to a paragraph."""
        if within is not None:
            return within
        section = self._sections[-1][1]
        is_open = len(section) and _name(section[-1]) == "p" and section[-1].get("part")
        return section[-1] if is_open else _add(section, "p", {"part": "N"})

    def _write(self, text: str | None, within: Any) -> None:
        if not text or (within is None and not text.strip()):
            return
        place = self._place(within)
        if _name(place) in _WITHOUT_TEXT:
            return
        if len(place):
            place[-1].tail = (place[-1].tail or "") + _clean(text)
        else:
            place.text = (place.text or "") + _clean(text)
