"""From HTML to path ids and one marked string: bytes to text, text to parser events, events to a page."""

from __future__ import annotations

import codecs
import re
from contextlib import suppress
from html import unescape

from lxml import etree
from w3lib.encoding import resolve_encoding
from webencodings import LABELS, lookup

from denoise_scrapy.native import library
from denoise_scrapy.page.marked_text import END, LINE_BREAK, START
from denoise_scrapy.page.markup import HEAD_TAGS
from denoise_scrapy.page.paths import PathTable
from denoise_scrapy.page.reader import AnyReader, Event, NativeReader, ParsedMarkup, Reader, Target

#: A page of more elements, of more open ones at a time, or of more bytes is not judged: what is left of it is read as
#: text without structure, and all of its text is its body. Of 1,800 recorded pages the largest has 13,000 elements and
#: 55 levels; an element takes some 10 µs until its body is made, browsers nest 512 levels, and libxml2 looks at all
#: that are open to find what an end tag ends.
MAX_ELEMENTS, MAX_DEPTH, MAX_BYTES = 100_000, 512, 50_000_000
#: Bytes after which the first two are looked at anew; a page of no more is read as a whole. One piece may open some
#: 6,000 elements.
PIECE = 32_768


def parse_markup(body: bytes, table: PathTable) -> ParsedMarkup:
    """Parse UTF-8 HTML into path ids of `table` and a marked string.

    Text inside `noscript` is read only where it is the page's better half: forums exist that serve the whole thread
    there.
    """
    parsed, marks_fit = _read(body, table)
    # twice the text that shows, and at least some 20 words of 5 letters more (measured rule)
    if parsed.noscript_chars > 100 and parsed.noscript_chars > _visible(parsed) + 100:
        parsed, marks_fit = _read(body, table, keep_noscript=True)
    if not marks_fit:  # none of ours: `to_utf8` leaves no others, but this may be called without
        parsed, _ = _read(body, table, keep_noscript=parsed.noscript_read, clean=True)
    parsed.declared.note_rest(body, parsed.declaring)
    parsed.declaring = []
    return parsed


def _read(
    body: bytes, table: PathTable, *, keep_noscript: bool = False, clean: bool = False
) -> tuple[ParsedMarkup, bool]:
    """The page, and whether its marks are ours alone."""
    native = None if clean else library()
    reader: AnyReader = (
        Reader(table, keep_noscript=keep_noscript, clean=clean)
        if native is None
        else NativeReader(native, table, keep_noscript=keep_noscript)
    )
    target, pieces = reader.target, _Pieces(body, reader)
    feed(body if len(body) <= PIECE else pieces, target)
    if pieces.end < len(body):
        reader.close()
        target.start("p", {})
        target.data(text_of(body[pieces.end :], LINE_BREAK))
        target.end("p")
    parsed, marks_fit = reader.finish()
    parsed.is_too_large = pieces.is_stopped
    return parsed, marks_fit


def _visible(parsed: ParsedMarkup) -> int:
    text = parsed.text.slice(0, len(parsed.text.codes))
    return sum(map(len, text.replace(START, "").replace(END, "").split()))


class _Pieces:
    """The page as a file that the parser reads; what follows where a bound is reached is not handed out."""

    def __init__(self, body: bytes, reader: AnyReader) -> None:
        self._body = body
        self._reader = reader
        self._position = 0
        self.end = len(body)
        self.is_stopped = False

    def read(self, _: int = -1) -> bytes:
        """Return the next piece, larger than the parser wants, which it is ready for."""
        start = self._position
        if start >= self.end:
            return b""
        if start > MAX_BYTES or self._reader.started > MAX_ELEMENTS or self._reader.depth > MAX_DEPTH:
            self.end, self.is_stopped = next_markup(self._body, start), True
        self._position = min(start + PIECE, self.end)
        return self._body[start : self._position]


def feed(page: bytes | _Pieces, target: Target) -> None:
    """Parse UTF-8 HTML. Comments and processing instructions give no events.

    lxml keeps every name it meets for as long as the thread lives, as it does for the selectors of Scrapy itself. That
    is left as it is: its place is in the interpreter's state for the thread, which belongs to asyncio too.
    """
    # huge_tree: without it one text of 10 MB silently takes all text of the page with it
    parser = etree.HTMLParser(target=target, encoding="utf-8", huge_tree=True)
    # an empty document, or one the parser gives up on: what came until then stands
    with suppress(etree.LxmlError, ValueError, TypeError):
        if isinstance(page, bytes):
            etree.fromstring(page, parser)
        else:
            etree.parse(page, parser)


def read_events(body: bytes) -> list[Event]:
    """All events of UTF-8 HTML in a list, for those who need them twice."""
    events: list[Event] = []
    append = events.append
    feed(body, Target(lambda tag, attributes: append((tag, attributes)), lambda tag: append(None), append))
    _end_head(events)
    return events


def _end_head(events: list[Event]) -> None:
    """End the head where the body begins, in a page that says neither, as `Reader` does on the way."""
    # the parser knows that of the tags of HTML 4; the others it would leave inside the head, where nothing shows
    level = head = 0
    for i, event in enumerate(events):
        if event is None:
            if level <= head:
                return  # the head's own end, or there is none
            level -= 1
        elif not isinstance(event, str):
            level += 1
            if not head and event[0] != "html":
                if event[0] != "head":
                    return
                head = level
            elif head and level == head + 1 and event[0] not in HEAD_TAGS:
                events[i:i] = [None, ("body", {})]  # what was the head's end is the body's now
                return


#: What a tag holds: values in quotes may hold ">". Each alternative matches to the end where a quote is missing, as
#: browsers do, so that nothing is tried twice.
_INSIDE = rb"""(?:[^>=]+|=\s*"[^"]*(?:"|\Z)|=\s*'[^']*(?:'|\Z)|=)*(?:>|\Z)"""
#: Comments, elements whose inside is no markup and shows nothing, tags, declarations.
_MARKUP = re.compile(
    rb"<!--.*?(?:-->|\Z)"
    rb"|<(?P<raw>script|style|iframe|noembed|noframes)\b" + _INSIDE + rb".*?(?:</(?P=raw)\b" + _INSIDE + rb"|\Z)"
    rb"|</?(?P<tag>[a-z][a-z0-9-]{0,20})" + _INSIDE + rb"|<[!?/][^>]*(?:>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
#: Tags that may stand within a word.
_INLINE = frozenset(b"a abbr b bdi bdo big cite code em font i ins kbd mark q s small span strong sub sup tt u".split())
#: Texts and tags that are joined at once: a call of C for a million takes .1 s, in which no other thread runs.
JOINED_AT_ONCE = 20_000
#: Numbers of no character; Python refuses to read those of thousands of digits.
_NO_CHARACTER = re.compile(rb"&#x?[0-9a-f]{8,};?", re.IGNORECASE)


def next_markup(body: bytes, position: int) -> int:
    """Return where the first tag or comment begins at a position or after it, the end where none does.

    Example:
        >>> next_markup(b"<p title='<b>'>One<!-- <p> --><p>", 4)
        18
    """
    return next((found.start() for found in _MARKUP.finditer(body) if found.start() >= position), len(body))


def text_of(markup: bytes, line_break: str) -> str:
    r"""All text, scripts and styles left out.

    Args:
        markup: UTF-8 HTML from where a text or a tag begins.
        line_break: What to put where a tag parts words.

    Example:
        >>> text_of(b"<p>O<b>n</b>e &amp; <script>x</script>two<li title='>'>three", "|")
        '|One & |two|three'
    """
    pieces, parts, start = list[str](), list[bytes](), 0
    for found in _MARKUP.finditer(markup):
        parts += markup[start : found.start()], b"" if (found["tag"] or b"").lower() in _INLINE else b"\0"
        start = found.end()
        if len(parts) > JOINED_AT_ONCE:
            joined = b"".join(parts)
            end = max(joined.rfind(b"\0"), joined.rfind(b" ")) + 1  # neither characters nor references go on behind it
            pieces.append(_unescaped(joined[:end], line_break))
            parts = [joined[end:]]
    return "".join([*pieces, _unescaped(b"".join([*parts, markup[start:]]), line_break)])


def _unescaped(markup: bytes, line_break: str) -> str:
    """The text of what has no tags, but zeros in their places."""
    text = unescape(_NO_CHARACTER.sub(b" ", markup).decode("utf-8", "replace").replace("\0", line_break))
    return text.replace("\0", "").replace(START, "").replace(END, "")


#: Bytes that are decoded at once: a call of C for 10 MB of GB 18030 takes 60 ms, in which no other thread runs.
DECODED_AT_ONCE = 1_000_000
#: Bytes in which a declared encoding is looked for. Browsers read the first 1,024 for it, and begin anew where a later
#: meta of the head says otherwise: of 726 recorded pages 22 in 100 have it later, none after 17,313.
DECLARING_BYTES = 65_536
#: What is read as what stands beside it: names that browsers know, and that a page in ASCII cannot be in.
_NOT_IN_META = {"utf-16le": "utf-8", "utf-16be": "utf-8", "x-user-defined": "windows-1252"}
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_BE, "utf-16-be"), (codecs.BOM_UTF16_LE, "utf-16-le"))
# Each takes every byte once: what is not closed ends with the bytes.
_HEAD_MARKUP = re.compile(
    rb"""<!--.*?(?:-->|\Z)|<(body)\b|<meta(?=[\s/])((?:[^>=]|=\s*(?:"[^"]*(?:"|\Z)|'[^']*(?:'|\Z))?)*)""",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE = re.compile(
    rb"""([^\s/>="']+)(?:\s*=\s*(?:"([^"]*)(?:"|\Z)|'([^']*)(?:'|\Z)|([^\s>"'][^\s>]*)))?""", re.DOTALL
)
_CHARSET = re.compile(rb"""charset\s*=\s*["']?([^\s;"']+)""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""<\?xml[^>]*?\sencoding\s*=\s*["']([^"'>]+)""")
#: What `html_look` of C tells by bits.
HAS_CONTROLS, EMBEDS = 1, 2
# Control characters but for white space, and what is no character: terminals obey the ones, XML and YAML refuse both.
# By the numbers of C in `holds_controls`.
_CONTROL_BYTES = bytes(code for code in (*range(0x20), 0x7F) if code not in b"\t\n\r")
_TO_SPACE = bytes.maketrans(_CONTROL_BYTES, b" " * len(_CONTROL_BYTES))
_WIDE_CONTROL = re.compile(
    rb"\xc2[\x80-\x9f]|\xef(?:\xb7[\x90-\xaf]|\xbf[\xbe\xbf])|[\xf0-\xff][\x8f\x9f\xaf\xbf]\xbf[\xbe\xbf]"
)
#: Their numbers, and that of a carriage return, which parsers make of none but a reference.
NOT_WRITTEN = sorted(
    {*_CONTROL_BYTES, 13, *range(0x80, 0xA0), *range(0xFDD0, 0xFDF0)}
    | {plane | last for plane in range(0, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF)}
)
_CONTROL_REFERENCE = re.compile(
    r"&#(?:0*({})(?![0-9])|x0*({})(?![0-9a-f]));?".format(
        "|".join(map(str, NOT_WRITTEN)), "|".join(f"{code:x}" for code in NOT_WRITTEN)
    ).encode(),
    re.IGNORECASE,
)
#: What browsers take references to these for: some are of windows-1252. The others are a space.
_TAKEN_FOR = {code: char.encode() for code in NOT_WRITTEN if (char := unescape(f"&#{code};")) and char.isprintable()}
_HIGH_BYTES = bytes(range(0x80, 0x100))
_CLOSING = re.compile(rb"</(body|html)", re.IGNORECASE)
_CLOSING_TAGS = re.compile(rb"</(?:body|html)\s*>", re.IGNORECASE)
_XML_DECLARATION = re.compile(rb"^\s*<\?xml[^>]*\?>")


def to_utf8(html: str | bytes, encoding: str | None = None) -> bytes:
    r"""Bytes that the parser reads as UTF-8, without control characters, the marks we use among them.

    Args:
        html: A page. Bytes are decoded as browsers do: BOM, `encoding`, meta, XML declaration, else a guess.
        encoding: What the server or the framework says, if anything; names that browsers do not know are ignored.

    Example:
        >>> to_utf8(b"<meta charset=latin1>caf\xe9")
        b'<meta charset=latin1>caf\xc3\xa9'
    """
    body = html.encode("utf-8", "replace") if isinstance(html, str) else _utf8_of(html, encoding)
    native = library()
    found = _look(body) if native is None else native.html_look(body, len(body))
    if found & HAS_CONTROLS:
        body = _WIDE_CONTROL.sub(b" ", body.translate(_TO_SPACE))
        body = _CONTROL_REFERENCE.sub(_referenced, body)
    if body[:200].lstrip().startswith(b"<?xml"):
        body = _XML_DECLARATION.sub(b"", body, count=1)
    if found & EMBEDS:
        # with their ends gone, what follows inner documents stays in the element it stands in
        body = _CLOSING_TAGS.sub(b"", body)
    return body


def _referenced(found: re.Match[bytes]) -> bytes:
    return _TAKEN_FOR.get(int(found[1]) if found[1] else int(found[2], 16), b" ")


def decode_html(html: bytes, encoding: str | None = None) -> str:
    """A page's text, as the HTML standard has it: BOM, transport, meta, XML declaration, else by its bytes."""
    return "".join(_decoded(*_without_bom(html, encoding)))


def _without_bom(html: bytes, encoding: str | None) -> tuple[bytes, str]:
    """A page's bytes, and Python's codec of them."""
    for bom, marked in _BOMS:
        if html.startswith(bom):
            return html[len(bom) :], marked
    codec = _told_codec(encoding or "") or _declared_codec(html)
    return html, codec or ("utf-8" if _is_utf8(html) else "cp1252")  # what browsers of the west guess


def _utf8_of(html: bytes, encoding: str | None) -> bytes:
    body, codec = _without_bom(html, encoding)
    texts = _decoded(body, codec)
    # of what is whole already, as most pages are, writing it anew takes as long as reading it
    if codec == "utf-8" and not any("\ufffd" in text for text in texts):
        return body
    return b"".join([text.encode("utf-8", "replace") for text in texts])


def _decoded(body: bytes, codec: str) -> list[str]:
    """A page's text, in pieces."""
    errors = _EURO if codec == "gb18030" else "replace"
    decoder = codecs.getincrementaldecoder(codec)(errors)
    pieces = (body[start : start + DECODED_AT_ONCE] for start in range(0, len(body), DECODED_AT_ONCE))
    try:
        texts = [*map(decoder.decode, pieces), decoder.decode(b"", final=True)]
        while decoder.getstate()[0]:  # at the end it reads no further than the first error
            texts.append(decoder.decode(b"", final=True))
    except UnicodeError:  # ISO 2022: an escape that does not end may be longer than what is kept for the next piece
        return [body.decode(codec, errors)]
    return texts


def _with_euro(error: UnicodeError) -> tuple[str, int]:
    """What stands for no character; to GB 18030 of browsers 0x80 is the sign of the euro, as it is to GBK."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return ("\u20ac", error.start + 1) if error.object[error.start] == 0x80 else ("\ufffd", error.end)


_EURO = "denoise_euro"
codecs.register_error(_EURO, _with_euro)


def _codec(label: str) -> str | None:
    """Python's codec of a label in the standard's table, None for others: pages may name any codec of Python's."""
    known = lookup(label)
    return None if known is None else resolve_encoding(known.codec_info.name)


_CODECS = frozenset(map(_codec, LABELS))


def _told_codec(label: str) -> str | None:
    """Codec of a label that may also be Python's own, as frameworks have it."""
    codec = _codec(label)
    with suppress(ValueError):  # a zero in a name
        codec = codec or resolve_encoding(label)
    return codec if codec in _CODECS else None


def _declared_codec(html: bytes) -> str | None:
    """Codec that a page in ASCII declares before its body, None where it declares none that browsers know."""
    for match in _HEAD_MARKUP.finditer(html, 0, DECLARING_BYTES):
        codec = _page_codec(_meta_label(match[2])) if match[2] else None
        if codec or match[1]:
            break
    else:
        codec = None
    xml = _XML_ENCODING.match(html, 0, DECLARING_BYTES)
    return codec or (_page_codec(xml[1]) if xml else None)


def _meta_label(attributes: bytes) -> bytes:
    """Encoding that a meta element names by `charset`, or by `content` where it stands for the header."""
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
    """Whether most of what is not ASCII is UTF-8; a page may be cut, or hold some bytes of another encoding."""
    if html.isascii():
        return True
    wide = len(html) - len(html.translate(None, _HIGH_BYTES))
    return sum(text.count("\ufffd") for text in _decoded(html, "utf-8")) <= wide / 2


def _look(body: bytes) -> int:
    """Whether there are control characters, and whether body or html ends more than once: documents in a document."""
    ends = [tag.lower() for tag in _CLOSING.findall(body)]  # a third of the time of counts of each spelling
    has_controls = len(body.translate(None, _CONTROL_BYTES)) < len(body) or any(
        kind.search(body) for kind in (_WIDE_CONTROL, _CONTROL_REFERENCE)
    )
    return HAS_CONTROLS * has_controls | EMBEDS * (ends.count(b"body") > 1 or ends.count(b"html") > 1)
