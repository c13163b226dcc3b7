"""Find bytes that must be cleaned before they are parsed: one look, which on most pages finds nothing."""

from libc.stdint cimport uint8_t, uint32_t

from denoise_scrapy.core.characters cimport begins, decode
from denoise_scrapy.core.lock cimport WORTH_BYTES
from denoise_scrapy.core.wide cimport wide_size

#: What `look` says by bits: control characters, as such or as references; documents inside the document.
HAS_CONTROLS, EMBEDS = 1, 2


cdef inline bint is_control(uint32_t code) noexcept nogil:
    """Return whether a code is a control character but for white space, or no character."""
    if code < 0x20:
        return code != 9 and code != 10 and code != 13
    return 0x7F <= code < 0xA0 or 0xFDD0 <= code < 0xFDF0 or code & 0xFFFE == 0xFFFE


cdef bint names_control(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Return whether what stands behind `&#` is the number of a control character, or of a carriage return."""
    cdef uint32_t code = 0, base = 10, digit
    cdef const uint8_t* first
    if at < end and at[0] | 0x20 == 120:  # x
        base = 16
        at += 1
    first = at
    while at < end and code <= 0x10FFFF:
        digit = at[0]
        digit = digit - 48 if 48 <= digit <= 57 else (digit | 0x20) - 87 if 97 <= digit | 0x20 <= 102 else 99
        if digit >= base:
            break
        code = code * base + digit
        at += 1
    return at > first and code <= 0x10FFFF and (code == 13 or is_control(code))


cdef enum:
    # Bytes that are looked at together: a loop of so many without a branch is what compilers make wide instructions of.
    CHUNK = 64
    # Bytes that tell whether a place is looked at closer.
    AHEAD = 4


cdef wide_size next_suspect(const uint8_t* html, size_t at, size_t last) noexcept nogil:
    """The first chunk from one on with the beginning of anything that is looked for, `last` where none has it."""
    cdef uint8_t found, a, b, c, d
    cdef size_t i
    while at < last:
        found = 0
        for i in range(at, at + CHUNK):
            a, b, c, d = html[i], html[i + 1], html[i + 2] | 0x20, html[i + 3] | 0x20
            found |= (a < 0x20) & (a != 9) & (a != 10) & (a != 13) | (a == 0x7F)
            found |= (a == 0xC2) & (b < 0xA0) | (a == 0xEF) & ((b == 0xB7) | (b == 0xBF)) | (a >= 0xF0) & (b & 15 == 15)
            found |= (a == 38) & (b == 35) | (a == 60) & (b == 47) & ((c == 98) & (d == 111) | (c == 104) & (d == 116))
        if found:
            break
        at += CHUNK
    return at


cdef struct Found:
    bint controls
    int bodies            # how often they end
    int roots


cdef void look_closer(const uint8_t* at, const uint8_t* end, Found* found) noexcept nogil:
    """Note what begins at a byte."""
    cdef uint32_t code = at[0]
    if code == 38:
        found.controls |= end - at > 2 and at[1] == 35 and names_control(at + 2, end)
    elif code == 60 and end - at >= 6 and at[1] == 47:
        found.bodies += begins(at + 2, b"body")
        found.roots += begins(at + 2, b"html")
    elif code < 0x80 or (code >= 0xC2 and end - at >= 2 + (code >= 0xE0) + (code >= 0xF0)):
        decode(at, &code)
        found.controls |= is_control(code)


cdef int look_at(const uint8_t* html, size_t size) noexcept nogil:
    """Do the work of `look`."""
    cdef Found found
    cdef size_t at = 0, stop, last = (size - AHEAD) // CHUNK * CHUNK if size > AHEAD else 0
    found.controls = found.bodies = found.roots = 0
    while at < size:
        at = next_suspect(html, at, last)
        stop = at + CHUNK if at < last else size
        while at < stop:
            look_closer(html + at, html + size, &found)
            at += 1
    return found.controls | (found.bodies > 1 or found.roots > 1) << 1


def look(const unsigned char[::1] html) -> int:
    """Return by bits what must be cleaned of UTF-8: `HAS_CONTROLS`, `EMBEDS`.

    Example:
        >>> look(b"<p>One.</p>"), look(b"<p>&#7;"), look(b"</body></html></BODY>")
        (0, 1, 2)
    """
    cdef int found
    if not html.shape[0]:
        return 0
    if html.shape[0] < WORTH_BYTES:
        return look_at(&html[0], html.shape[0])
    with nogil:
        found = look_at(&html[0], html.shape[0])
    return found


cdef wide_size after_ascii(const uint8_t* html, size_t at, size_t last) noexcept nogil:
    """Where a chunk begins, from a place on and chunk by chunk, that is not ASCII alone; `last` or more for none."""
    cdef uint8_t high
    cdef size_t i
    while at < last:
        high = 0
        for i in range(at, at + CHUNK):
            high |= html[i]
        if high >= 0x80:
            break
        at += CHUNK
    return at


cdef inline int width_of(const uint8_t* at, size_t left) noexcept nogil:
    """Bytes of the character that begins here, 0 where none does: too long a form, half a pair, out of range, cut."""
    cdef uint32_t code
    cdef int width = 1 if at[0] < 0x80 else 2 if at[0] < 0xE0 else 3 if at[0] < 0xF0 else 4
    cdef int i
    if width == 1:
        return 1
    if at[0] < 0xC2 or at[0] > 0xF4 or left < <size_t>width:
        return 0
    for i in range(1, width):
        if at[i] & 0xC0 != 0x80:
            return 0
    decode(at, &code)
    if width == 3 and (code < 0x800 or 0xD800 <= code < 0xE000) or width == 4 and not 0x10000 <= code <= 0x10FFFF:
        return 0
    return width


cdef bint is_well_formed(const uint8_t* html, size_t size) noexcept nogil:
    cdef size_t at = 0, stop, last = size - CHUNK + 1 if size >= CHUNK else 0  # where a chunk may begin
    cdef int width
    while at < size:
        at = after_ascii(html, at, last)
        stop = min(at + CHUNK, size)
        while at < stop:
            width = width_of(html + at, size - at)
            if width == 0:
                return False
            at += width
    return True


def is_utf8(const unsigned char[::1] html) -> bool:
    """Return whether bytes are UTF-8 without an error.

    Example:
        >>> is_utf8("Über".encode()), is_utf8("Über".encode("latin-1"))
        (True, False)
    """
    cdef bint found
    if html.shape[0] < WORTH_BYTES:
        return not html.shape[0] or is_well_formed(&html[0], html.shape[0])
    with nogil:
        found = is_well_formed(&html[0], html.shape[0])
    return found
