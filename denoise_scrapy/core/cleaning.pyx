"""What of a page's bytes must be cleaned before they are parsed: one look, which on most pages finds nothing."""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memchr

from denoise_scrapy.core.lock cimport WORTH_BYTES

#: What `look` says by bits: control characters, as such or as references; documents inside the document.
HAS_CONTROLS, EMBEDS = 1, 2


cdef inline bint is_control(uint32_t code) noexcept nogil:
    """Whether a code is a control character but for white space, or no character."""
    if code < 0x20:
        return code != 9 and code != 10 and code != 13
    return 0x7F <= code < 0xA0 or 0xFDD0 <= code < 0xFDF0 or code & 0xFFFE == 0xFFFE


cdef bint names_control(const uint8_t* at, const uint8_t* end) noexcept nogil:
    """Whether what stands behind `&#` is the number of a control character, or of a carriage return."""
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


cdef bint holds_controls(const uint8_t* html, Py_ssize_t size) noexcept nogil:
    """Whether UTF-8 holds control characters or what is no character, as such or as references."""
    cdef uint8_t low = 0, wide = 0  # of a byte, so that a compiler looks at many at once
    cdef Py_ssize_t i
    cdef const uint8_t* at = html
    cdef const uint8_t* end = html + size
    for i in range(size):
        low |= (html[i] < 0x20) & (html[i] != 9) & (html[i] != 10) & (html[i] != 13) | (html[i] == 0x7F)
    for i in range(size - 1):
        wide |= (html[i] == 0xC2) & (html[i + 1] & 0xE0 == 0x80)
    for i in range(size - 2):
        wide |= (html[i] == 0xEF) & (
            ((html[i + 1] == 0xBF) & (html[i + 2] & 0xFE == 0xBE))
            | ((html[i + 1] == 0xB7) & (html[i + 2] >= 0x90) & (html[i + 2] < 0xB0)))
    for i in range(size - 3):
        wide |= (html[i] >= 0xF0) & (html[i + 1] & 0xCF == 0x8F) & (html[i + 2] == 0xBF) & (html[i + 3] & 0xFE == 0xBE)
    if low or wide:
        return True
    while True:
        at = <const uint8_t*>memchr(at, 38, end - at)
        if at == NULL:
            return False
        if end - at > 2 and at[1] == 35 and names_control(at + 2, end):
            return True
        at += 1


cdef bint ends_with(const uint8_t* at, const char* name) noexcept nogil:
    """Whether a name stands here, in any case."""
    while name[0]:
        if at[0] | 0x20 != <uint8_t>name[0]:
            return False
        at += 1
        name += 1
    return True


cdef bint embeds(const uint8_t* html, Py_ssize_t size) noexcept nogil:
    """Whether body or html ends more than once."""
    cdef const uint8_t* at = html
    cdef const uint8_t* end = html + size
    cdef int bodies = 0, roots = 0
    while True:
        at = <const uint8_t*>memchr(at, 60, end - at)
        if at == NULL or end - at < 6:
            return bodies > 1 or roots > 1
        if at[1] == 47:
            bodies += ends_with(at + 2, b"body")
            roots += ends_with(at + 2, b"html")
        at += 1


cdef int look_at(const unsigned char* html, size_t size) noexcept nogil:
    return holds_controls(html, size) | embeds(html, size) << 1


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
