"""Class names and ids as words: camelCase and what is no letter part them."""

from libc.stdint cimport uint32_t
from libc.string cimport memcpy

from denoise_scrapy.core.characters cimport ALPHA, KIND, decode, is_blank


cdef inline size_t width_of(unsigned char first) noexcept nogil:
    """Bytes of a character of UTF-8 by its first one."""
    return 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4


cdef inline bint is_letter(const unsigned char* char) noexcept nogil:
    """Return whether a character of UTF-8 is a letter; those beyond the basic plane are."""
    cdef uint32_t code
    if char[0] < 128:
        return 97 <= char[0] <= 122 or 65 <= char[0] <= 90
    decode(char, &code)
    return code > 0xFFFF or KIND[code] & ALPHA != 0


cdef inline size_t lower_words(const unsigned char* names, size_t size, unsigned char* out) noexcept nogil:
    """Write names in lower case with one space between words and a line end after each name; return the bytes.

    Capitals beyond ASCII stay as they are. `out` has room for twice the size and one more.
    """
    cdef size_t i = 0, written = 0, width
    cdef unsigned char char, before = 0
    while i < size:
        char = names[i]
        width = width_of(char)
        if i + width > size:  # the name was cut inside of a character
            break
        if is_blank(char):
            while written and out[written - 1] == 32:
                written -= 1
            if written and out[written - 1] != 10:
                out[written] = 10
                written += 1
        elif is_letter(names + i):
            if 65 <= char <= 90 and 97 <= before <= 122:
                out[written] = 32
                written += 1
            memcpy(out + written, names + i, width)
            if 65 <= char <= 90:
                out[written] = char + 32
            written += width
        elif written and out[written - 1] > 32:
            out[written] = 32
            written += 1
        before = char
        i += width
    while written and out[written - 1] == 32:
        written -= 1
    if written and out[written - 1] != 10:
        out[written] = 10
        written += 1
    return written
