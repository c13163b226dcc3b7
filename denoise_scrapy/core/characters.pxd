"""Classes of characters: tables over the basic plane, which all modules read; and reading UTF-8."""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    # Classes. MARK is of our own marks in a page's text; SPACE shows nothing; from DIGIT on words are made.
    MARK = 0
    SPACE = 1
    OTHER = 2
    COMMA = 3
    STOP = 4
    DIGIT = 5
    UPPER = 6
    LETTER = 7
    CJK = 8
    CLASSES = 9

cdef enum:
    # Bits of a character's kind: its class, what \w of regular expressions is, white space that `str.split` knows,
    # a small letter, a letter.
    CLASS_BITS = 15
    WORDLY = 16
    BLANK = 32
    SMALL = 64
    ALPHA = 128

# By code, shape (65536,): kind; pseudo-random value, equal for upper and lower case and for all digits; lower case.
cdef const uint8_t* KIND
cdef const uint64_t* VALUE
cdef const uint16_t* LOWER


cdef inline int decode(const unsigned char* text, uint32_t* code) noexcept nogil:
    """Read one character of well-formed UTF-8; return its bytes."""
    cdef uint32_t first = text[0]
    if first < 0x80:
        code[0] = first
        return 1
    if first < 0xE0:
        code[0] = (first & 31) << 6 | (text[1] & 63)
        return 2
    if first < 0xF0:
        code[0] = (first & 15) << 12 | (text[1] & 63) << 6 | (text[2] & 63)
        return 3
    code[0] = (first & 7) << 18 | (text[1] & 63) << 12 | (text[2] & 63) << 6 | (text[3] & 63)
    return 4


cdef inline uint8_t class_of(uint32_t code) noexcept nogil:
    """The class of a character; beyond the basic plane all are OTHER."""
    return KIND[code] & CLASS_BITS if code <= 0xFFFF else OTHER


cdef inline bint is_blank(unsigned char byte) noexcept nogil:
    """Return whether a byte is white space of ASCII."""
    return byte == 32 or 9 <= byte <= 13 or 28 <= byte <= 31


cdef inline unsigned char lower(unsigned char byte) noexcept nogil:
    """A letter of ASCII in lower case; any other byte as it is."""
    return byte + 32 if 65 <= byte <= 90 else byte


cdef inline bint begins(const unsigned char* text, const char* word) noexcept nogil:
    """Return whether a text begins with a word in lower case, whatever its own case is."""
    while word[0]:
        if lower(text[0]) != <unsigned char>word[0]:
            return False
        text += 1
        word += 1
    return True
