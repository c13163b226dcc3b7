# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""A check of a page's bytes before parsing: what must be cleaned, and what would take too much time or memory.

libxml2 compares each attribute of an element with all before it (30,000 take a second), and for each end tag searches
the open elements.
"""

from html import unescape

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memchr, memset, strlen
from libcpp.string cimport string
from libcpp.vector cimport vector

from denoise_scrapy.core.characters cimport Bytes, Chars, begins, decode, hex_of, is_digit, is_letter, lower
from denoise_scrapy.core.hashing cimport Table, find, number_of, open_table
from denoise_scrapy.core.nodes cimport MOST_ELEMENTS
from denoise_scrapy.core.styles cimport (
    P_DISPLAY, P_TEXT_SIZE, P_VISIBILITY, SEEN, Style, read_style, reason_of,
)
from denoise_scrapy.core.wide cimport wide_size

from denoise_scrapy.core.markup import BLOCK_TAGS

# ---- versions that the core was compiled with, from the headers ------------------------------------------------------

cdef extern from "lxml-version.h":
    Chars LXML_VERSION_STRING
cdef extern from "libxml/xmlversion.h":
    Chars LIBXML_DOTTED_VERSION

LXML = (<bytes>LXML_VERSION_STRING).decode()
LIBXML2 = (<bytes>LIBXML_DOTTED_VERSION).decode()

# ---- what must be cleaned --------------------------------------------------------------------------------------------

cpdef enum:
    # Bits of `look`: control characters, literal or as references; embedded documents; lists of definitions; and
    # definitions; end tags of line breaks; parts of a page that come late, as React streams them; sets of frames.
    HAS_CONTROLS = 1
    EMBEDS = 2
    HAS_LISTS = 4
    HAS_DEFINITIONS = 8
    ENDS_BREAKS = 16
    HAS_LATE = 32
    HAS_FRAMES = 64


cdef inline bint is_control(uint32_t code) noexcept nogil:
    """Return whether a code is a control character other than white space, or a noncharacter."""
    if code < 0x20:
        return code not in (9, 10, 13)
    return 0x7F <= code < 0xA0 or 0xFDD0 <= code < 0xFDF0 or code & 0xFFFE == 0xFFFE


cdef Bytes behind_number(Bytes at, Bytes end, uint32_t* code) noexcept nogil:
    """Read the number after `&#`; return what follows it, NULL if there is none, or it is no character's."""
    cdef int base = 10, digit
    cdef Bytes first
    code[0] = 0
    if at < end and at[0] | 0x20 == c'x':
        base = 16
        at += 1
    first = at
    while at < end and code[0] <= 0x10FFFF:
        digit = hex_of(at[0])
        if not 0 <= digit < base:
            break
        code[0] = code[0] * base + digit
        at += 1
    return at if at > first and code[0] <= 0x10FFFF else NULL


cdef size_t control_at(Bytes at, Bytes end, uint32_t* code) noexcept nogil:
    """Return the bytes of a control character at a place, or of a reference to one; 0 for anything else."""
    cdef Bytes behind = NULL
    cdef size_t size
    code[0] = at[0]
    if code[0] == c'&':
        if end - at > 2 and at[1] == c'#':
            behind = behind_number(at + 2, end, code)
        if not behind or not (code[0] == c'\r' or is_control(code[0])):
            return 0
        return behind - at + (behind < end and behind[0] == c';')
    if code[0] >= 0x80 and (code[0] < 0xC2 or end - at < 2 + (code[0] >= 0xE0) + (code[0] >= 0xF0)):
        return 0
    size = decode(at, code)
    return size if is_control(code[0]) else 0


cdef enum:
    # Bytes per chunk: compilers turn a loop of this length without a branch into wide instructions.
    CHUNK = 64
    # Bytes at which a position is checked more closely.
    AHEAD = 4


cdef wide_size next_suspect(Bytes html, size_t at, size_t last) noexcept nogil:
    """Return the first chunk, from a given one on, with the first byte of anything searched for; `last` if none has."""
    cdef uint8_t found, a, b, c, d
    cdef size_t i
    while at < last:
        found = 0
        for i in range(at, at + CHUNK):
            a, b, c, d = html[i], html[i + 1], html[i + 2] | 0x20, html[i + 3] | 0x20
            found |= (a < 0x20) & (a != 9) & (a != 10) & (a != 13) | (a == 0x7F)
            found |= (a == 0xC2) & (b < 0xA0) | (a == 0xEF) & ((b == 0xB7) | (b == 0xBF)) | (a >= 0xF0) & (b & 15 == 15)
            found |= (a == c'&') & (b == c'#') | (a == c'-') & (b == c'-') & (c == c'$') & (d == c'?')
            found |= (a == c'<') & ((b | 0x20 == c'd') & ((c == c'l') | (c == c'd')) | (b | 0x20 == c'f') & (c == c'r'))
            found |= (a == c'<') & (b == c'/') & ((c == c'b') & ((d == c'o') | (d == c'r')) | (c == c'h') & (d == c't'))
        if found:
            break
        at += CHUNK
    return at


cdef struct Found:
    int marks             # bits of `look`
    int bodies            # number of their end tags
    int roots


cdef void look_closer(Bytes at, Bytes end, Found* found) noexcept nogil:
    """Check what begins at a byte."""
    cdef uint32_t code
    if at[0] == c'<' and end - at >= 6 and at[1] == c'/':
        found.bodies += begins(at + 2, b"body")
        found.roots += begins(at + 2, b"html")
        found.marks |= ENDS_BREAKS * begins(at + 2, b"br")
    elif at[0] == c'<' and end - at > 2:
        found.marks |= HAS_LISTS * begins(at + 1, b"dl") | HAS_DEFINITIONS * begins(at + 1, b"dd")
        found.marks |= HAS_FRAMES * (end - at > 8 and begins(at + 1, b"frameset"))
    elif at[0] == c'-' and end - at >= AHEAD:
        found.marks |= HAS_LATE * begins(at, b"--$?")
    elif control_at(at, end, &code):
        found.marks |= HAS_CONTROLS


cdef int look_at(Bytes html, size_t size) noexcept nogil:
    """Implement `look`."""
    cdef Found found
    cdef size_t at = 0, stop, last = (size - AHEAD) // CHUNK * CHUNK if size > AHEAD else 0
    found.marks = found.bodies = found.roots = 0
    while at < size:
        at = next_suspect(html, at, last)
        stop = at + CHUNK if at < last else size
        while at < stop:
            look_closer(html + at, html + size, &found)
            at += 1
    return found.marks | EMBEDS * (found.bodies > 1 or found.roots > 1)


def look(const unsigned char[::1] html) -> int:
    """Return a bit mask of the clean-ups that a page in UTF-8 needs: `HAS_CONTROLS` …"""
    cdef int found = 0
    if html.shape[0]:
        with nogil:
            found = look_at(&html[0], html.shape[0])
    return found


# What browsers show for references to the codes below 160 that are control characters: some are of windows-1252.
cdef vector[string] _taken_for
for _code in range(0xA0):
    _char = unescape(f"&#{_code};")
    _taken_for.push_back(_char.encode() if _char.isprintable() and _char else b" ")


def without_controls(const unsigned char[::1] html) -> bytes:
    """Return a page in UTF-8 with a space for each control character, and for references what browsers show.

    Example:
        >>> without_controls("One\x07two\x85&#150;&#0;".encode()).decode()
        'One two –\ufffd'
    """
    cdef:
        Bytes at, end, rest
        uint32_t code
        size_t size
        string out
    if html.shape[0] == 0:
        return b""
    at = rest = &html[0]
    end = at + html.shape[0]
    with nogil:
        while at < end:
            size = 0 if 0x20 <= at[0] < 0x7F and at[0] != c'&' else control_at(at, end, &code)
            if size == 0:
                at += 1
                continue
            out.append(<Chars>rest, at - rest)
            if at[0] == c'&' and code < _taken_for.size():
                out.append(_taken_for[code])
            else:
                out.push_back(c' ')
            at += size
            rest = at
        out.append(<Chars>rest, end - rest)
    return out

# ---- pages that would take too long: their text alone ---------------------------------------------------------------

cdef enum:
    # A page with more attributes, more open tags or more comparisons is read as text, as one with more start tags than
    # `MOST_ELEMENTS`. Of 4,800 recorded pages the largest has 27,000 attributes, and an element of 60: 50 million
    # comparisons at the very most. The parser takes some 250 bytes for each.
    MOST_ATTRIBUTES = 100_000
    MOST_OPEN = 5_000
    # An end tag is compared with open elements up to the one it ends, if any, an attribute with those before it: half a
    # second.
    MOST_COMPARISONS = 200_000_000
    # Pages of up to this many bytes have too few tags to take long: 8,000 open ones, or attributes, some 30 ms.
    SMALL = 16_384
    MAX_BYTES = 50_000_000


cdef inline uint64_t packed_name(Bytes at, Bytes end) noexcept nogil:
    """Return the lower-case name of the tag that begins after `<` or `</`, as one number; 0 if longer."""
    cdef uint64_t name = 0
    cdef int size = 0
    while at < end and (is_letter(at[0]) or is_digit(at[0]) or at[0] == c'-'):
        if size == 8:
            return 0
        name = name << 8 | lower(at[0])
        size += 1
        at += 1
    return name


cdef enum:
    # What a tag is, by its name.
    OTHER
    RAW             # its content is not markup, and shows nothing
    VOID
    NEEDS_NO_END
    INLINE          # may be within a word
    SHOWS_NOTHING   # nor does what is in it, if it is not open
    TITLE
    BLOCK           # of markup.BLOCK_TAGS, those that are nothing else

cdef Table _numbers
cdef vector[int] _kinds
_TAGS = """
script style iframe noembed noframes
br hr img input meta link source area wbr param col embed base track keygen
p li td tr th dt dd optgroup rt rp tbody thead tfoot body html head
a abbr b bdi bdo big cite code em font i ins kbd mark q s small span strong sub sup tt u
template noscript dialog svg canvas audio video object select option datalist textarea
title
"""


cdef int _fill():
    cdef uint64_t key
    open_table(_numbers, 128)
    rows = [*_TAGS.strip().splitlines(), " ".join(sorted(BLOCK_TAGS))]
    for kind, names in zip((RAW, VOID, NEEDS_NO_END, INLINE, SHOWS_NOTHING, TITLE, BLOCK), rows):
        for name in names.split():
            data = name.encode()
            key = packed_name(data, <Bytes>data + len(data))
            if key and number_of(_numbers, key) == <int32_t>_kinds.size():
                _kinds.push_back(kind)


_fill()


cdef inline int tag_kind(uint64_t name) noexcept nogil:
    cdef int number = find(_numbers, name)
    return _kinds[number] if number >= 0 else OTHER


cdef inline bint begins_comment(Bytes at, Bytes end) noexcept nogil:
    """Return whether what follows a `<` makes it a comment."""
    return at[0] == c'!' and at + 2 < end and at[1] == c'-' and at[2] == c'-'


cdef Bytes after_comment(Bytes at, Bytes end) noexcept nogil:
    """Return the end of a comment."""
    at += 4
    while at < end:
        at = <Bytes>memchr(at, 62, end - at)
        if not at:
            return end
        if (at - 1)[0] == c'-' and (at - 2)[0] == c'-':
            return at + 1
        at += 1
    return end


cdef Bytes after_raw(Bytes at, Bytes end, uint64_t name) noexcept nogil:
    """Return the start of the end tag of an element whose content is not markup."""
    while at < end:
        at = <Bytes>memchr(at, 60, end - at)
        if not at:
            return end
        if at + 1 < end and at[1] == c'/' and packed_name(at + 2, end) == name:
            return at
        at += 1
    return end


cdef struct Tag:
    int attributes
    bint is_hidden        # by its attribute
    bint is_open
    Bytes style           # the value of its style attribute, and what follows; NULL for none
    size_t style_size


cdef inline bint is_attribute(Bytes at, Chars name) noexcept nogil:
    """Return whether the name of an attribute begins at a position."""
    cdef size_t size = strlen(name)
    return begins(at, name) and (at[size] <= 32 or at[size] in b"=/>")


cdef Bytes after_tag(Bytes at, Bytes end, Tag* tag) noexcept nogil:
    """Return the end of a tag, from its name on; quoted values may contain `>`. Reads its attributes."""
    cdef:
        unsigned char char, quote
        bint in_name = False
        Bytes name = at
        Bytes value
    memset(tag, 0, sizeof(Tag))
    tag.attributes = -1  # the tag name itself
    while at < end:
        char = at[0]
        if char == c'>':
            return at + 1
        if char == c'=':
            at += 1
            while at < end and (at[0] <= 32):
                at += 1
            value = at
            in_name = at >= end or at[0] not in b"\"'"
            if in_name:
                while at < end and at[0] > 32 and at[0] != c'>':
                    at += 1
            else:
                quote = at[0]
                value += 1
                at = <Bytes>memchr(value, quote, end - value)
                if not at:
                    return end
            if not tag.style and is_attribute(name, b"style"):
                tag.style, tag.style_size = value, at - value
            at += not in_name
            continue
        if char <= 32 or char == c'/':
            in_name = False
        elif not in_name:
            in_name, name = True, at
            tag.attributes += 1
            tag.is_hidden |= tag.attributes > 0 and is_attribute(at, b"hidden")
            tag.is_open |= tag.attributes > 0 and is_attribute(at, b"open")
        at += 1
    return end


cdef int end_element(vector[uint64_t]& open_, uint64_t name) nogil:
    """Close the innermost open element of a name, if any, and all inside it; return the number compared."""
    cdef size_t at = open_.size()
    cdef int looked_at = 0
    while at > 0:
        at -= 1
        looked_at += 1
        if open_[at] == name:
            open_.resize(at)
            break
    return looked_at


cdef int takes_too_long(Bytes at, Bytes end) nogil:
    """Return whether there are too many tags or attributes, too deep nesting, or too many comparisons."""
    cdef:
        vector[uint64_t] open_
        uint64_t name
        int64_t comparisons = 0
        int tags = 0, all_attributes = 0, kind
        Tag tag
    while True:
        at = <Bytes>memchr(at, 60, end - at)
        if not at or at + 1 >= end:
            return False
        at += 1
        if is_letter(at[0]):
            tags += 1
            name = packed_name(at, end)
            kind = tag_kind(name)
            if kind not in (RAW, VOID, NEEDS_NO_END):
                open_.push_back(name)
            at = after_tag(at, end, &tag)
            if kind == RAW:
                at = after_raw(at, end, name)
            all_attributes += tag.attributes
            comparisons += <int64_t>tag.attributes * tag.attributes
        elif at[0] == c'/':
            comparisons += end_element(open_, packed_name(at + 1, end))
        elif begins_comment(at, end):
            at = after_comment(at - 1, end)
        if (tags > MOST_ELEMENTS or all_attributes > MOST_ATTRIBUTES or open_.size() > MOST_OPEN
                or comparisons > MOST_COMPARISONS):
            return True


def is_too_large(const unsigned char[::1] html) -> bool:
    """Return whether a page, in any superset of ASCII, would take the parser too long, judging by its tags."""
    cdef bint found = html.shape[0] > MAX_BYTES
    if SMALL < html.shape[0] <= MAX_BYTES:
        with nogil:
            found = takes_too_long(&html[0], &html[0] + html.shape[0])
    return found


cdef int write_title(Bytes at, Bytes end, string& title) nogil:
    """Write a title's text as an element."""
    title.append(b"<title>")
    while at < end:
        if at[0] == c'<':
            title.append(b"&lt;")
        else:
            title.push_back(at[0])
        at += 1
    title.append(b"</title>")


cdef bint is_hidden(const Tag* tag) nogil:
    """Return whether an element is hidden by its own attributes."""
    cdef:
        Style style
        string text
    memset(&style, 0, sizeof(Style))
    if tag.style:
        text.assign(<Chars>tag.style, tag.style_size)
        read_style(<Bytes>text.c_str(), &style)
    if style.said & P_DISPLAY and not style.off & P_DISPLAY:
        return False
    return tag.is_hidden or style.off & (P_VISIBILITY | P_TEXT_SIZE) or reason_of(&style, True, False) != SEEN


cdef int find_slashes(Bytes at, Bytes end, vector[size_t]& found) nogil:
    """Find the slashes that end start tags of hidden elements which HTML does not close by one."""
    cdef:
        Bytes first = at
        uint64_t name
        Tag tag
        int kind
    while True:
        at = <Bytes>memchr(at, 60, end - at)
        if not at or at + 1 >= end:
            return 0
        at += 1
        if is_letter(at[0]):
            name = packed_name(at, end)
            at = after_tag(at, end, &tag)
            kind = tag_kind(name)
            if kind == RAW:
                at = after_raw(at, end, name)
            elif (at - 2)[0] == c'/' and kind in (NEEDS_NO_END, INLINE, BLOCK) and is_hidden(&tag):
                found.push_back(at - 2 - first)
        elif begins_comment(at, end):
            at = after_comment(at - 1, end)


def with_open_tags(bytes html not None) -> bytes:
    """Return a page without the slashes that end tags of hidden elements: the parser takes them for ends, HTML does not.

    Example:
        >>> with_open_tags(b"<div hidden/>One</div><br hidden/><svg><path style='display: none'/></svg>")
        b"<div hidden >One</div><br hidden/><svg><path style='display: none'/></svg>"
    """
    cdef:
        vector[size_t] slashes
        Bytes first = html
        size_t size = len(html), slash
    with nogil:
        find_slashes(first, first + size, slashes)
    if slashes.empty():
        return html
    opened = bytearray(html)
    for slash in slashes:
        opened[slash] = 32
    return bytes(opened)


cdef Bytes after_element(Bytes at, Bytes end, uint64_t name, int kind) noexcept nogil:
    """Return the end of an element from behind its start tag, NULL if it has none.

    One that needs no end tag ends where a block begins or ends.
    """
    cdef:
        Bytes first
        Tag tag
        uint64_t inner
        int depth = 1, other
        bint is_end
    while True:
        at = <Bytes>memchr(at, 60, end - at)
        if not at or at + 1 >= end:
            return NULL
        first = at
        at += 1
        is_end = at[0] == c'/'
        if is_letter(at[is_end]):
            inner = packed_name(at + is_end, end)
            other = tag_kind(inner)
            if kind == NEEDS_NO_END and other in (OTHER, NEEDS_NO_END, BLOCK):
                return first
            at = after_tag(at + is_end, end, &tag)
            if inner == name:
                depth += -1 if is_end else 1
                if depth == 0:
                    return at
            if other == RAW and not is_end:
                at = after_raw(at, end, inner)
        elif begins_comment(at, end):
            at = after_comment(at - 1, end)


cdef struct Text:
    string title          # as an element
    string text
    size_t hidden         # bytes of elements that are left out


cdef int read_text(Bytes at, Bytes end, bint keeps_hidden, Text* found) nogil:
    """Implement `text_alone`."""
    cdef:
        Bytes stop
        Bytes inner
        uint64_t name
        int kind
        bint titles_end = True, elements_end = True, is_end
        Tag tag
    while at < end:
        stop = <Bytes>memchr(at, 60, end - at)
        if not stop:
            stop = end
        found.text.append(<Chars>at, stop - at)
        at = stop + 1
        if at >= end:
            break
        is_end = at[0] == c'/'
        if is_letter(at[0]) or (is_end and at + 1 < end and is_letter(at[1])):
            name = packed_name(at + is_end, end)
            kind = tag_kind(name)
            inner = after_tag(at + is_end, end, &tag)
            if kind == TITLE and not is_end and titles_end:
                stop = after_raw(inner, end, name)
                titles_end = stop < end
                if titles_end:
                    if found.title.empty():
                        write_title(inner, stop, found.title)
                    at = after_tag(stop + 1, end, &tag)
                    continue
            if kind not in (INLINE, RAW) and (found.text.empty() or found.text.back() != c'\n'):
                found.text.push_back(c'\n')
            at = inner
            if is_end or kind == VOID:
                continue
            if kind == RAW:
                at = after_raw(at, end, name)
                if at < end:
                    at = after_tag(at + 2, end, &tag)
            elif elements_end and not keeps_hidden and ((kind == SHOWS_NOTHING and not tag.is_open) or is_hidden(&tag)):
                stop = after_element(at, end, name, kind)
                elements_end = stop != NULL  # else looking for ends would take too long
                if elements_end:
                    found.hidden += stop - at if kind != SHOWS_NOTHING else 0
                    at = stop
        elif at[0] in b"!/?":
            if begins_comment(at, end):
                at = after_comment(at - 1, end)
            else:
                at = <Bytes>memchr(at, 62, end - at)
                at = at + 1 if at else end
        else:
            found.text.append(b"&lt;")


def text_alone(const unsigned char[::1] html) -> bytes:
    """Return a page's text as one preformatted element, a line end where a tag separates words; in linear time.

    Scripts, styles and comments are left out, and elements that hide themselves, if they are less than half of the
    page; character references are kept. The first title comes first.

    Example:
        >>> text_alone(b"<p>O<b>n</b>e &amp; <script>x</script>two<li title='>'>three<p hidden>four</p>")
        b'<pre>\\nOne &amp; two\\nthree\\n'
        >>> text_alone(b"<title>T</title>One")
        b'<title>T</title><pre>One'
    """
    cdef Text found, all_
    if html.shape[0] == 0:
        return b""
    with nogil:
        found.hidden = all_.hidden = 0
        read_text(&html[0], &html[0] + html.shape[0], False, &found)
        if found.hidden > found.text.size():
            read_text(&html[0], &html[0] + html.shape[0], True, &all_)
            found = all_
    return found.title + b"<pre>" + found.text
