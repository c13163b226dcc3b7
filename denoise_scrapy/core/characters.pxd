"""Classes of characters, tables over the basic plane that all modules use; and UTF-8 decoding."""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, strcmp, strlen

cpdef enum:
    # Classes. MARK is for our own marks in a page's text; SPACE shows nothing; classes from DIGIT on make up words.
    MARK
    SPACE
    OTHER
    COMMA
    STOP
    DIGIT
    UPPER
    LETTER
    CJK
    CLASSES

cdef enum:
    # Bits of a character's kind: its class, \w of regular expressions, white space of `str.split`, lower case, a
    # letter.
    CLASS_BITS = 15
    WORDLY = 16
    BLANK = 32
    SMALL = 64
    ALPHA = 128

# By code, shape (65536,): kind; pseudo-random value, equal for upper and lower case and for all digits; lower case.
cdef const uint8_t* KIND
cdef const uint64_t* VALUE
cdef const uint16_t* LOWER
# By byte, shape (256,).
cdef const uint32_t* CRC_STEPS

# Text as libxml2 has it, and as C's functions take it; without a size beside it, it ends with a zero. What takes a
# literal spells the first out: to a named type, Cython makes one from a Python object, each at a place of its own.
ctypedef const unsigned char* Bytes
ctypedef const char* Chars


cdef inline int decode(Bytes text, uint32_t* code) noexcept nogil:
    """Read one character of well-formed UTF-8; return its length in bytes."""
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
    """Return the class of a character; OTHER for all beyond the basic plane."""
    return KIND[code] & CLASS_BITS if code <= 0xFFFF else OTHER


cdef inline bint is_joined(uint32_t before) noexcept nogil:
    """Return whether joiners after a character change its looks: letters from Arabic to Mongolian, Indic ones, emoji."""
    return 0x0600 <= before < 0x1900 or 0x2190 <= before < 0x2C00 or 0xA800 <= before < 0xAC00 or (
        0xFB50 <= before < 0xFEFF or before > 0xFFFF)


cdef inline bint is_direction(uint32_t code) noexcept nogil:
    """Return whether a character is a mark of direction."""
    return code == 0x061C or 0x200E <= code < 0x2010 or 0x202A <= code < 0x202F or 0x2066 <= code < 0x206A


cdef inline bint is_variant(uint32_t code) noexcept nogil:
    """Return whether a character selects a variant of the one before it, of the basic plane or beyond it."""
    return 0xFE00 <= code < 0xFE10 or 0xE0100 <= code < 0xE01F0


cdef inline bint has_variants(uint32_t before, uint32_t code) noexcept nogil:
    """Return whether a variant of a character can be selected: ideographs; and symbols, digits, letters of Asia."""
    if code > 0xFFFF:
        return class_of(before) == CJK or before >> 16 == 2
    return (before >= 0x1000 and not is_variant(before)) or c'0' <= before <= c'9' or (
        before in (0x23, 0x2A, 0xA9, 0xAE))


cdef inline bint is_unseen(uint32_t code, uint32_t before, uint32_t further) noexcept nogil:
    """Return whether a character shows nothing, nor changes the one before it, and is left out of texts.

    Joiners, fillers and selectors of variants stay where a script needs them, one of each; marks of direction, which
    order what is shown, up to two in a row. Rows of them can spell out a text that nobody sees.
    """
    if is_variant(code):
        return not has_variants(before, code)
    if is_direction(code):
        return is_direction(before) and is_direction(further)
    if code > 0xFFFF:  # the plane of tags; controls of shorthand and of music
        return code >> 12 == 0xE0 or 0x1BCA0 <= code < 0x1BCA4 or 0x1D173 <= code < 0x1D17B
    if KIND[code] & (CLASS_BITS | BLANK) != SPACE:
        return False
    if code in (0x200C, 0x200D):
        return not is_joined(before)
    if code == 0x034F:  # keeps marks of a letter apart
        return not (0x0300 <= before < 0x034F or 0x0591 <= before < 0x05C8)
    if code == 0x1160:  # a syllable of old Hangul without vowel
        return not 0x1100 <= before < 0x1160
    return not (0x180B <= code < 0x1810 and 0x1820 <= before < 0x18B0)


cdef inline bint is_blank(unsigned char byte) noexcept nogil:
    """Return whether a byte is ASCII white space."""
    return byte == c' ' or 9 <= byte <= 13 or 28 <= byte <= 31


cdef inline Bytes behind_blanks(Bytes text) noexcept nogil:
    """Return what follows white space."""
    while is_blank(text[0]):
        text += 1
    return text


cdef inline unsigned char lower(unsigned char byte) noexcept nogil:
    """Lower-case an ASCII letter; leave any other byte."""
    return byte + 32 if c'A' <= byte <= c'Z' else byte


cdef inline bint is_letter(unsigned char byte) noexcept nogil:
    """Return whether a byte is an ASCII letter."""
    return c'a' <= lower(byte) <= c'z'


cdef inline bint is_digit(unsigned char byte) noexcept nogil:
    """Return whether a byte is an ASCII digit."""
    return c'0' <= byte <= c'9'


cdef inline int32_t hex_of(unsigned char byte) noexcept nogil:
    """Return the value of a hexadecimal digit, -1 for anything else."""
    byte = lower(byte)
    return byte - c'0' if is_digit(byte) else byte - c'a' + 10 if c'a' <= byte <= c'f' else -1


cdef inline bint begins(Bytes text, Chars word) noexcept nogil:
    """Return whether a text begins with a lower-case word, ignoring the text's case."""
    while word[0]:
        if lower(text[0]) != <unsigned char>word[0]:
            return False
        text += 1
        word += 1
    return True


cdef inline bint is_same(Bytes text, Chars word) noexcept nogil:
    """Return whether a text is a lower-case word, ignoring the text's case."""
    return begins(text, word) and text[strlen(word)] == 0


cdef inline bint starts(Chars text, Chars word) noexcept nogil:
    """Return whether a text begins with a word."""
    while word[0] and text[0] == word[0]:
        text += 1
        word += 1
    return word[0] == 0


cdef inline bint equal(Chars a, Chars b) noexcept nogil:
    """Return whether two texts are equal; the first byte rules out most."""
    return a[0] == b[0] and strcmp(a, b) == 0


cdef inline uint32_t crc32_on(uint32_t crc, Bytes data, size_t size) noexcept nogil:
    """Return the CRC-32 of bytes behind those whose CRC-32 is given, 0 for none."""
    cdef const uint32_t* steps = CRC_STEPS
    cdef size_t i
    crc = ~crc
    for i in range(size):
        crc = steps[(crc ^ data[i]) & 255] ^ (crc >> 8)
    return ~crc


cdef inline uint32_t crc32(Bytes data, size_t size) noexcept nogil:
    """Return the CRC-32 of bytes, equal to zlib's: models and fingerprints store it."""
    return crc32_on(0, data, size)


# ---- class names and ids as words: split at camelCase and at anything but letters ----


cdef inline size_t bytes_of_char(unsigned char first) noexcept nogil:
    """Return the length in bytes of a UTF-8 character, by its first byte."""
    return 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4


cdef inline bint is_letter_at(Bytes char) noexcept nogil:
    """Return whether a UTF-8 character is a letter; all beyond the basic plane count as letters."""
    cdef uint32_t code
    if char[0] < 128:
        return is_letter(char[0])
    decode(char, &code)
    return code > 0xFFFF or KIND[code] & ALPHA != 0


cdef inline size_t lower_words(Bytes names, size_t size, unsigned char* out) noexcept nogil:
    """Write names in lower case, one space between words and a line end after each name; return the bytes written.

    Capitals beyond ASCII are kept. `out` has room for twice the size plus one.
    """
    cdef size_t i = 0, written = 0, width
    cdef unsigned char char, before = 0
    while i <= size:
        width = bytes_of_char(names[i]) if i < size else 1
        char = names[i] if i + width <= size else 10  # the end, perhaps inside a character
        if is_blank(char):
            while written and out[written - 1] == c' ':
                written -= 1
            if written and out[written - 1] != c'\n':
                out[written] = c'\n'
                written += 1
        elif is_letter_at(names + i):
            if c'A' <= char <= c'Z' and c'a' <= before <= c'z':
                out[written] = c' '
                written += 1
            memcpy(out + written, names + i, width)
            out[written] = lower(char)
            written += width
        elif written and out[written - 1] > 32:
            out[written] = c' '
            written += 1
        before = char
        i += width
    return written
