"""Elements that Markdown can hold, read in one way from a page and from HTML that a reader makes of Markdown.

An element is kept where the same one stands in both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote, urljoin

from lxml import etree
from lxml import html as lxml_html

from example_project.portal.model import tokens

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = frozenset(
    "address article aside blockquote body caption dd details div dl dt fieldset figcaption figure footer form header "
    "hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul".split()
) | frozenset(HEADINGS)
_SKIPPED = "script style noscript template svg math head select textarea button".split()
_CODE = ("code", "kbd", "samp", "tt")
#: Names that generators of pages give to numbers beside code, to references to notes, and to languages.
_GUTTER = re.compile(r"\b(linenos?|line-?numbers?|linenodiv|gutter|lnt|crayon-nums?)\b")
_REFERENCE = re.compile(r"footnote|noteref")
#: And to frames around the text that repeat its words: contents, ways through the site.
_FRAME = re.compile(
    r"\b(side-?bar|sphinxsidebar|nav|navbar|menu|toc|contents|quickview|breadcrumbs?|footer|related|navigation|complementary)\b"
)
#: Nothing with so much of the page's text is a frame, whatever its name is.
_MOST_OF_FRAME = 1 / 3
_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source|highlight)-([a-z][\w+#-]*)", re.IGNORECASE)
_NO_LANGUAGE = frozenset("text plain plaintext none default txt notranslate".split())
#: Levels above `pre` at which its language is named, behind a table of line numbers too.
_LEVELS = 8
#: Visible characters of a reference to a note.
_SHORT = 12
#: Images of no more in a direction, in pixels, are signs and portraits of those who comment.
_SIGN = 64
#: Texts and borders on each side of an image in which the nearest line is looked for.
_NEAR = 60
#: Characters of a note, and words on each side of a line break, by which they are the same.
_START, _WORDS = 60, 3
_NOT_SHOWN = re.compile(r"[\s\u00ad\u200b-\u200f\u2060\ufeff\ufe0e¶🔗]+|#$")
_OF_NOTES = re.compile(r"^[\^↑]?[a-z]{0,4}[\[(]?\w{1,3}[\])][.:]?|^\d{1,3}[.:]?(?=\D)|[↩↑^⏎]+$")
#: Of private use: lxml takes no control characters.
_LINE, _BLOCK = "\ue000", "\ue001"


class Element(NamedTuple):
    """An element: its kind, the key of equal ones, and texts around it, which are main text where it is."""

    kind: str
    key: tuple[str, ...]
    around: tuple[str, ...]


class Markup:
    """The elements of a document.

    Args:
        html: HTML.
        url: Its address.
        is_reading: Whether a reader has made it of Markdown, with line breaks and definitions in other ways too.
    """

    def __init__(self, html: str, url: str, *, is_reading: bool = False) -> None:
        self._url, self._is_reading = url, is_reading
        clean = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]|^\s*<\?xml[^>]*\?>", "", html)  # lxml refuses both
        self._root = lxml_html.document_fromstring(clean if clean.strip() else "<p>")
        self._base = urljoin(url, next(iter(self._root.xpath("//base/@href")), ""))
        if not is_reading:
            self._drop_frames()
        gutters = (one for one in self._root.iter() if _GUTTER.search(one.get("class") or ""))
        left_out = [one for one in gutters if _text(one).replace("\n", " ").replace(" ", "").isdecimal()]
        for one in [*left_out, *self._root.iter(*_SKIPPED), *self._root.iter(etree.Comment)]:
            if one.getparent() is not None:
                one.drop_tree()
        for one in self._root.iter(*_BLOCKS):
            one.tail = " " + (one.tail or "")
        for one in self._root.iter("br"):
            one.tail = _LINE + (one.tail or "")

    def _drop_frames(self) -> None:
        most = _MOST_OF_FRAME * len(_key(self._root))
        for one in list(self._root.iter()):
            names = " ".join(one.get(name) or "" for name in ("class", "id", "role")).lower()
            if (one.tag in ("nav", "footer") or _FRAME.search(names)) and len(_key(one)) < most:
                one.drop_tree()

    def elements(self) -> Iterator[Element]:
        """Yield all elements."""
        yield from self._lines()
        self._order = {one: number for number, one in enumerate(self._root.iter())}
        self._notes = set[etree._Element]()  # a note is no item of a list
        self._places = {one.get("id") or one.get("name"): one for one in reversed(self._order)}
        for one in self._order:
            inside = {up.tag for up in one.iterancestors()}
            if one.tag in HEADINGS:
                yield Element("heading", (_key(one),), (_words(one),))
            elif one.tag == "li" and one.getparent().tag in ("ul", "ol") and one not in self._notes:
                yield from self._item(one)
            elif one.tag == "pre":
                yield from self._code(one)
            elif one.tag in _CODE and not inside.intersection(("pre", *_CODE)):
                yield Element("code in a line", (_key(one),), self._around(one))
            elif one.tag == "tr" and not one.xpath("ancestor::table[1][.//table or .//pre]"):
                cells = [key for cell in one.iterchildren("td", "th") if (key := _key(cell))]
                if len(cells) > 1:
                    yield Element("row of a table", tuple(cells), (_words(one),))
            elif one.tag == "a" and one.get("href"):
                yield from self._link(one)
            elif one.tag in ("b", "strong", "i", "em") and not inside.intersection(("pre", *HEADINGS, *_CODE)):
                yield Element("emphasis", (_key(one), str(one.tag in ("b", "strong"))), self._around(one))
            else:
                yield from self._quoted_or_defined(one)

    def _quoted_or_defined(self, one: etree._Element) -> Iterator[Element]:
        if one.tag == "blockquote":
            for part in list(one.iter("p", "li", "dt", "dd")) or [one]:
                if not part.xpath(".//p"):
                    yield Element("quotation", (_own(part),), (_words_of(_own_text(part)),))
        elif one.tag == "dt" and one.getnext() is not None and one.getnext().tag == "dd":
            told = one.getnext()
            yield Element("definition", (_own(one), _own(told)[:_START]), (_words(one), _words_of(_own_text(told))))

    def _item(self, one: etree._Element) -> Iterator[Element]:
        own, around = _own(one), (_words_of(_own_text(one)),)
        above = next(one.iterancestors("li"), None)
        yield Element("item of a list", (own,), around)
        if above is not None:
            yield Element("item of an inner list", (own, _own(above)), around)
        if above is not None and self._is_reading:
            yield Element("definition", (_own(above), own[:_START]), around)
        box = next(iter(one.xpath('.//input[@type="checkbox"]')), None)
        if box is not None and box.xpath("ancestor::li[1]")[0] is one and own:
            yield Element("box of a task", (own, str("checked" in box.attrib)), around)

    def _code(self, one: etree._Element) -> Iterator[Element]:
        lines = [line.rstrip() for line in _text(one).replace(_LINE, "\n").strip("\n").split("\n")]
        yield Element("code", tuple(lines), (_words(one),))
        chain = [*one.iterchildren("code"), one, *list(one.iterancestors())[:_LEVELS]]
        named = (found[1].lower() for up in chain if (found := _LANGUAGE.search(up.get("class") or "")))
        language = next(named, "")
        if language and language not in _NO_LANGUAGE:
            # a version is no other language: python3
            yield Element("language of code", (_key(one), language.rstrip("0123456789")), (_words(one),))

    def _link(self, one: etree._Element) -> Iterator[Element]:
        address, _, place = one.get("href").strip().partition("#")
        absolute = self._absolute(address)
        if place and absolute == self._absolute(self._url):
            yield from self._footnote(one, unquote(place))
        elif absolute and _key(one):
            yield Element("link", (_key(one), absolute), self._around(one))

    def _footnote(self, one: etree._Element, place: str) -> Iterator[Element]:
        names = " ".join(filter(None, (one.get("class"), one.get("role"), one.getparent().get("class"))))
        is_named = _REFERENCE.search(names) or one.getparent().tag == "sup" or "data-footnote-ref" in one.attrib
        note = self._places.get(place)
        if is_named and note is not None and 0 < len(_key(one)) <= _SHORT and self._order[note] > self._order[one]:
            note = note.getnext() if note.tag == "dt" and note.getnext() is not None else note
            self._notes.add(note)
            own = _OF_NOTES.sub("", _key(note))
            yield Element("footnote", (own[:_START],), self._around(one))

    def _lines(self) -> Iterator[Element]:
        """Yield line breaks, by the words around, and images, by their addresses and the lines around."""
        pieces, images = list[str](), dict[int, str]()
        for event, one in etree.iterwalk(self._root, ("start", "end")):
            if one.tag in _BLOCKS:
                pieces.append(_BLOCK)
            if event == "end":
                pieces.append(one.tail or "")
                continue
            pieces.append(one.text or "")
            if one.tag == "img" and (address := self._absolute(one.get("src", ""))) and not _is_sign(one):
                images[len(pieces)] = address
        for at, address in images.items():
            near = re.split(f"[{_LINE}{_BLOCK}]", "".join(pieces[max(0, at - _NEAR) : at]))
            then = re.split(f"[{_LINE}{_BLOCK}]", "".join(pieces[at : at + _NEAR]))
            around = (next((line for line in lines if _squashed(line)), "") for lines in (reversed(near), then))
            yield Element("image", (address,), tuple(map(_words_of, around)))
        lines = re.split(f"([{_LINE}{_BLOCK}\\s]*[{_LINE}{_BLOCK}][{_LINE}{_BLOCK}\\s]*)", "".join(pieces))
        for before, border, behind in zip(lines[::2], lines[1::2], lines[2::2], strict=False):
            ends, starts = tokens(before)[-_WORDS:], tokens(behind)[:_WORDS]
            if ends and starts and (self._is_reading or _BLOCK not in border):
                yield Element("line break", (" ".join(ends), " ".join(starts)), (_words_of(before), _words_of(behind)))

    def _around(self, one: etree._Element) -> tuple[str, ...]:
        while one.getparent() is not None and (one.tag not in _BLOCKS or not _squashed(_own_text(one))):
            one = one.getparent()
        return (_words_of(_own_text(one)),)

    def _absolute(self, address: str) -> str:
        try:
            absolute = unquote(urljoin(self._base, address.strip()).partition("#")[0])
        except ValueError:
            return ""
        return absolute if absolute.startswith(("http://", "https://", "mailto:")) else ""


def _is_sign(image: etree._Element) -> bool:
    sizes = (image.get(name, "") for name in ("width", "height"))
    return any(size.isdecimal() and int(size) <= _SIGN for size in sizes)


def _text(one: etree._Element) -> str:
    return "".join(one.itertext())


def _own_text(one: etree._Element) -> str:
    """Return the text of an item without the lists in it."""
    pieces = [one.text or ""]
    for child in one:
        inner = "" if child.tag in ("ul", "ol", "dl") else _own_text(child) if isinstance(child.tag, str) else ""
        pieces += [inner, " " if child.tag in _BLOCKS else "", child.tail or ""]
    return "".join(pieces)


def _own(one: etree._Element) -> str:
    return _squashed(_own_text(one))


def _key(one: etree._Element) -> str:
    return _squashed(_text(one))


def _squashed(text: str) -> str:
    return _NOT_SHOWN.sub("", text.replace(_LINE, ""))


def _words(one: etree._Element) -> str:
    return _words_of(_text(one))


def _words_of(text: str) -> str:
    return " ".join(tokens(text.replace(_LINE, " ")))
