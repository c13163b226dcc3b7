"""From bytes to lxml's tree: what is no page, decoding as browsers do, cleaning, parsing; types that a page declares.

Pages are hostile: JSON is searched, not parsed but for single strings, and everything read and kept is bounded.
"""

from __future__ import annotations

import codecs
import json
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from lxml import etree
from w3lib.encoding import resolve_encoding, to_unicode
from webencodings import LABELS, lookup

from denoise_scrapy.core.source import (
    EMBEDS,
    ENDS_BREAKS,
    HAS_CONTROLS,
    HAS_DEFINITIONS,
    HAS_FRAMES,
    HAS_LATE,
    HAS_LISTS,
    look,
    with_open_tags,
    without_controls,
)

_local = threading.local()


def root_of(body: bytes, *, for_selectors: bool = False) -> Any | None:
    """Return the root element of UTF-8 HTML parsed by lxml, None if it is empty.

    lxml keeps every name it meets for the lifetime of the thread, as it does for Scrapy's own selectors. That is left
    as it is: they are in the interpreter's state for the thread, which asyncio uses too. With `for_selectors` XPaths
    find what they find in Scrapy's tree: comments, instructions, and elements by `id()`. Otherwise parsing takes a
    twentieth less time.
    """
    name = "for_selectors" if for_selectors else "for_text"
    parser = getattr(_local, name, None)
    if parser is None:
        # huge_tree: without it one text of 10 MB silently removes all text of the page
        left_out = dict.fromkeys(["remove_comments", "remove_pis"], not for_selectors)
        parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, collect_ids=for_selectors, **left_out)
        setattr(_local, name, parser)
    try:
        return etree.fromstring(body, parser)
    except (etree.LxmlError, ValueError):  # an empty document, or one the parser gives up on
        return None


#: Bytes of a page above which it, and its item, pass unchanged in a crawl, and archives leave it out: so many take up
#: to 2 seconds, and 40 MB for their structure. The largest of 3,740 recorded pages has 5 MB; Common Crawl truncates at
#: 1 MB, later at 5 MB.
MAX_PAGE_BYTES = 10_000_000
#: Bytes that are searched for a declared encoding, and for the first tag of an archived page. Browsers search the
#: first 1,024 for an encoding, and start again if a later meta of the head differs: 22 in 100 of 726 recorded pages
#: declare it later, none after 17,313.
DECLARING_BYTES = 65_536
#: Labels read as another encoding: a page with an ASCII declaration cannot be in these.
_NOT_IN_META = {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "windows-1252"}
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_BE, "utf-16-be"), (codecs.BOM_UTF16_LE, "utf-16-le"))
# Each reads every byte once: constructs that are not closed end with the bytes.
_HEAD_MARKUP = re.compile(
    rb"""<!--.*?(?:-->|\Z)|<(body)\b|<meta(?=[\s/])((?:[^>=]|=\s*(?:"[^"]*(?:"|\Z)|'[^']*(?:'|\Z))?)*)""",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE = re.compile(
    rb"""([^\s/>="']+)(?:\s*=\s*(?:"([^"]*)(?:"|\Z)|'([^']*)(?:'|\Z)|([^\s>"'][^\s>]*)))?""", re.DOTALL
)
_CHARSET = re.compile(rb"""charset\s*=\s*["']?([^\s;"']+)""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]+)""")
# Control characters except white space, and noncharacters: terminals obey the former, XML and YAML reject both.
# And a carriage return, which parsers produce only from a reference. `is_control` in the core has the same numbers.
NOT_WRITTEN = sorted(
    {*range(0x20), *range(0x7F, 0xA0), *range(0xFDD0, 0xFDF0)} - {*b"\t\n"}
    | {plane | last for plane in range(0, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF)}
)
_HIGH_BYTES = bytes(range(0x80, 0x100))
#: Bytes from whose text an undeclared encoding is detected. Of 565 recorded pages written in twelve other encodings 561
#: are read right, 548 with a quarter of this.
DETECTED_BYTES = 262_144
# Markup in ASCII hides the text's own bytes: with it a fourth of those pages is read wrong. Each reads a byte once.
_MARKUP = re.compile(rb"<(script|style)\b.*?(?:</\1|\Z)|<!--.*?(?:-->|\Z)|<[^<>]*>", re.IGNORECASE | re.DOTALL)
#: Used on hardly any page: a few accents of western text pass for them, and browsers guess them rarely or never.
_NEVER_GUESSED = ("iso8859-3", "iso8859-4", "iso8859-10", "iso8859-14", "iso8859-15", "iso8859-16", "johab")
#: A list in a term, as that of a function's parameters: the parser would end the term before it.
_LIST_IN_TERM = re.compile(
    rb"(<dt\b[^<]*(?:<(?!/?d[tdl]\b)[^<]*)*)<dl\b([^<]*(?:<(?!/?d[tl]\b)[^<]*)*)</dl>", re.IGNORECASE
)
_DEFINITION = re.compile(rb"<(/?)dd\b", re.IGNORECASE)
_CLOSING_TAGS = re.compile(rb"</(?:body|html)\s*>", re.IGNORECASE)
_XML_DECLARATION = re.compile(rb"^\s*<\?xml[^>]*\?>")
#: Around what a page of frames has instead of them: its only text, for which the parser reads no tags. Such pages have
#: little but a head: the first of these tags is looked for where an encoding is.
_FRAMES = re.compile(rb"</?(?:frameset|noframes)\b[^<>]*>", re.IGNORECASE)

# How HTML and XML begin, and what browsers read as UTF-16.
_BEGINS = re.compile(rb"(?:\xef\xbb\xbf)?\s*<[a-z!?/]|\xfe\xff|\xff\xfe", re.IGNORECASE)
# "Binary data bytes" of the WHATWG's MIME Sniffing Standard, which text hardly contains, and how far it searches for
# them. Some documents may have none, and no text begins like one; other formats begin with letters, as texts do.
_BINARY = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_BINARY_WITHIN = 1445
# Of what has no known beginning, so many different ones: those that strayed into a text are mostly the same.
_DIFFERENT_BINARY = 4
_DOCUMENTS = {b"%PDF-": "application/pdf", b"%!PS": "application/postscript", b"{\\rtf": "application/rtf"}
# Sound and bitmaps look like text in these, so they are thought of last.
_WIDE = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")
_UNKNOWN = "application/octet-stream"
# How JSON begins, also as the argument of a function or behind what keeps scripts from reading it; its strings, of
# which the last may be cut; and all that it has besides.
_JSON_BEGINS = re.compile(rb"""(?:[^\s"<>]{0,64}[(;,'])?\s*(?=[\[{])""")
_JSON_STRING = re.compile(rb'"(?:[^"\\]|\\.?)*"?', re.DOTALL)
_JSON_BESIDES = b"true false null NaN Infinity 0123456789+-.E[]{}:,();\t\r\n"


def media_type(html: str | bytes) -> str:
    r"""Return the type of what is neither markup nor text, whatever a server calls it; "" for a page.

    In doubt it is text: scripts, style sheets and tables are. Pages may have null characters, and be in any encoding.

    Example:
        >>> media_type(b"%PDF-1.7\n"), media_type('{"title": "Rain"}'), media_type(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
        ('application/pdf', 'application/json', 'image/png')
        >>> media_type(r"{\rtf1\ansi It rained.}"), media_type("%!PS-Adobe-3.0\n(It rained.) show")
        ('application/rtf', 'application/postscript')
        >>> media_type(b"<p>It rained\0 all night."), media_type("[1] It rained all night.")
        ('', '')
    """
    data = html if isinstance(html, bytes) else html[:DECLARING_BYTES].encode("latin-1", "replace")
    if _BEGINS.match(data):
        return ""
    data = data[:DECLARING_BYTES].removeprefix(codecs.BOM_UTF8).lstrip()
    if begins := _JSON_BEGINS.match(data):
        besides = _JSON_STRING.sub(b"", data[begins.end() :])
        if not besides.translate(None, _JSON_BESIDES):
            return "application/json"
    document = next((kind for begins, kind in _DOCUMENTS.items() if data.startswith(begins)), "")
    binary = _BINARY.findall(data, 0, _BINARY_WITHIN)
    if document or not binary:
        return document
    import chardet  # noqa: PLC0415 - .1 s, for few pages

    found = chardet.detect(data, exclude_encodings=_WIDE)["mime_type"]
    if found == _UNKNOWN:
        found = chardet.detect(data)["mime_type"] if len({*binary}) >= _DIFFERENT_BINARY else None
    return "" if found is None or found.startswith("text/") else found


#: What browsers take for a line break.
_ENDED_BREAK = re.compile(rb"</br\s*>", re.IGNORECASE)
#: Comments of React around a part of a page, and the ids of what stands for them.
_BOUNDARY = re.compile(rb"<!--(/?\$)[?!~]?-->")
BOUNDARY, BOUNDARY_END = "$", "/$"


def to_utf8(html: str | bytes, encoding: str | None = None) -> bytes:
    """Return a page as the parser reads it, in UTF-8 without control characters, which include our marks.

    Bytes are decoded as browsers do: BOM, `encoding` from the server or framework, if browsers know that name, meta,
    XML declaration, else a guess. But well-formed UTF-8 is read as that, whatever older encoding is declared.
    """
    body = html.encode("utf-8", "replace") if isinstance(html, str) else _utf8_of(html, encoding)
    found = look(body)
    if found & HAS_CONTROLS:
        body = without_controls(body)
    if body[:200].lstrip().startswith(b"<?xml"):
        body = _XML_DECLARATION.sub(b"", body, count=1)
    else:
        body = with_open_tags(body)
    if found & HAS_LISTS:
        body = _LIST_IN_TERM.sub(_as_boxes, body)
    if found & ENDS_BREAKS:
        body = _ENDED_BREAK.sub(b"<br>", body)
    if found & HAS_DEFINITIONS and not found & HAS_LISTS:
        body = _DEFINITION.sub(rb"<\1p", body)  # without a list: an indented paragraph on old sites
    if found & HAS_LATE:
        body = _BOUNDARY.sub(rb"<template id='\1'></template>", body)
    if found & HAS_FRAMES:
        body = _FRAMES.sub(b"", body)
    if found & EMBEDS:
        # without their end tags, content after inner documents stays in its element
        body = _CLOSING_TAGS.sub(b"", body)
    return body


def _as_boxes(found: re.Match[bytes]) -> bytes:
    return found[1] + b"<div" + _DEFINITION.sub(rb"<\1div", found[2]) + b"</div>"


def decode_html(html: bytes, encoding: str | None = None) -> str:
    """Decode a page as `to_utf8` does: by BOM, transport, meta, XML declaration, or its bytes."""
    return to_unicode(*_without_bom(html, encoding))


def is_guessed(html: bytes) -> bool:
    """Return whether nothing but a guess tells a page's encoding: it declares none, and is not in UTF-8."""
    has_bom = any(html.startswith(bom) for bom, _ in _BOMS)
    return not (has_bom or _declared_codec(html) or _is_utf8(html))


def _without_bom(html: bytes, encoding: str | None) -> tuple[bytes, str]:
    """Return a page's bytes without BOM, and Python's codec for them."""
    for bom, marked in _BOMS:
        if html.startswith(bom):
            return html[len(bom) :], marked
    codec = _told_codec(encoding or "") or _declared_codec(html)
    if codec is None:
        return html, "utf-8" if _is_utf8(html) else _detected_codec(html)
    # a page saved anew often keeps its old declaration; one in an older encoding is never UTF-8 by chance
    is_saved_anew = not codec.startswith("utf") and not html.isascii() and _is_well_formed(html)
    return html, "utf-8" if is_saved_anew else codec


def _detected_codec(html: bytes) -> str:
    """Return the codec that the text of a page in no Unicode looks like, western browsers' guess in doubt."""
    import chardet  # noqa: PLC0415 - .1 s, for few pages

    text = _MARKUP.sub(b" ", html[:DETECTED_BYTES])
    eras = chardet.EncodingEra.MODERN_WEB | chardet.EncodingEra.LEGACY_ISO
    found = chardet.detect(text, encoding_era=eras, exclude_encodings=_NEVER_GUESSED)["encoding"]
    codec = _told_codec(found or "")
    return "cp1252" if codec is None or codec.startswith("utf") else codec


def _utf8_of(html: bytes, encoding: str | None) -> bytes:
    body, codec = _without_bom(html, encoding)
    if codec == "utf-8" and _is_well_formed(body):  # as are most pages
        return body
    return to_unicode(body, codec).encode("utf-8", "replace")


def _is_well_formed(body: bytes) -> bool:
    """Return whether bytes are valid UTF-8."""
    try:
        body.decode()
    except UnicodeError:
        return False
    return True


def _codec(label: str) -> str | None:
    """Return Python's codec for a label in the standard's table, None for others: pages may name any codec."""
    known = lookup(label)
    return None if known is None else resolve_encoding(known.codec_info.name)


_CODECS = frozenset(map(_codec, LABELS))


def _told_codec(label: str) -> str | None:
    """Return the codec of a label that may also be Python's own, as frameworks give it."""
    with suppress(ValueError):  # a null character in a name, a lone surrogate
        codec = _codec(label) or resolve_encoding(label)
        return codec if codec in _CODECS else None
    return None


def _declared_codec(html: bytes) -> str | None:
    """Return the codec that a page in ASCII declares before its body, None without one that browsers know."""
    for match in _HEAD_MARKUP.finditer(html, 0, DECLARING_BYTES):
        codec = _page_codec(_meta_label(match[2])) if match[2] else None
        if codec or match[1]:
            break
    else:
        codec = None
    xml = _XML_ENCODING.match(html, 0, DECLARING_BYTES)
    return codec or (_page_codec(xml[1]) if xml else None)


def _meta_label(attributes: bytes) -> bytes:
    """Return the encoding that a meta element names in `charset`, or in `content` if it is for `http-equiv`."""
    found: dict[bytes, bytes] = {}
    for name, *values in _ATTRIBUTE.findall(attributes):
        found.setdefault(name.lower(), b"".join(values))
    is_header = found.get(b"http-equiv", b"").lower() == b"content-type"
    content = _CHARSET.search(found.get(b"content", b"")) if is_header else None
    return found.get(b"charset", content[1] if content else b"")


def _page_codec(label: bytes) -> str | None:
    known = lookup(label.decode("latin-1"))
    return None if known is None else _codec(_NOT_IN_META.get(known.name, known.name))


def _is_utf8(html: bytes) -> bool:
    """Return whether most non-ASCII bytes are UTF-8; a page may be cut, or contain bytes in another encoding."""
    if _is_well_formed(html):
        return True
    wide = len(html) - len(html.translate(None, _HIGH_BYTES))
    return to_unicode(html, "utf-8").count("\ufffd") <= wide / 2


#: Characters of a page's JSON-LD that are searched: 2 of 1,570 recorded pages have more, 98% have at most 14,000.
MAX_JSON = 200_000
#: Types and titles that a page declares and that are kept: recorded pages have up to 28, and up to four.
MOST_DECLARED = 40
#: Characters of an attribute that are read, as pages are hostile: several schema.org URLs fit, descriptions are meant
#: to be read aloud, and no number is longer.
MAX_VALUE = 1000

_JSON_TYPE = re.compile(r'"@type"\s{0,20}:\s{0,20}(?:"([^"]{1,100})"|\[([^\]]{1,300})\])')
_NAME = re.compile(r"[a-z][a-z0-9_.-]{1,39}")
#: Names of declarations (`Tree.declared`) that tell a page's types.
DECLARING = ("json", "itemtype", "og:type", "og:type in body", "generator")


def read_declared(declared: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """Return a page's types, from the values of its declarations, by the names in `DECLARING`.

    Types are the last segments of their addresses, in lower case; Open Graph types are prefixed with `og:`, the first
    word of the generator's name with `generator:`.

    Example:
        >>> json = '{"@context": "https://schema.org", "@type": ["NewsArticle", "schema:Thing"]}'
        >>> declared = {"json": [json], "og:type": ["article"], "itemtype": ["http://schema.org/Product"]}
        >>> sorted(read_declared(declared))
        ['newsarticle', 'og:article', 'product', 'thing']
    """
    given = dict.fromkeys(DECLARING, ()) | dict(declared)
    json_ld, itemtypes, head, body, generators = map(given.__getitem__, DECLARING)
    types = [match[1] or match[2] for match in _JSON_TYPE.finditer("\n".join(json_ld)[:MAX_JSON])]
    found = set[str]()
    # meta elements outside the head count only if the head has no Open Graph type
    for prefix, values, most in (
        ("", [*types, *itemtypes], None),
        ("og:", head or body, 1),
        ("generator:", generators, 1),
    ):
        for value in values:
            for one in re.split(r'[",\s]+', value[:MAX_VALUE].strip())[:most]:
                name = re.split(r"[/#:]", one.rstrip("/\\"))[-1].lower()
                if len(found) < MOST_DECLARED and _NAME.fullmatch(name):
                    found.add(prefix + name)
    return frozenset(found)


def json_strings(scripts: Iterable[str], name: str) -> list[str]:
    """Return the different strings of a name in texts of JSON-LD, without those that are empty or damaged."""
    string = rf'"{name}"\s{{0,20}}:\s{{0,20}}("(?:[^"\\]|\\.)*")'
    found = dict[str, None]()
    for text in scripts:
        for written in re.findall(string, text, re.DOTALL) if f'"{name}"' in text else ():  # the pattern takes longer
            with suppress(ValueError):
                found[str(json.loads(written, strict=False)).strip()] = None
    found.pop("", None)
    return list(found)
