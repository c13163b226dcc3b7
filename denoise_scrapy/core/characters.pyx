# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Classes of characters and steps of CRC-32: tables, made once."""

import zlib

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from denoise_scrapy.core.hashing cimport mix

#: Marks of an element's start and end in a page's text; the mark for `<br>` counts as white space.
START, END, LINE_BREAK = "\x01", "\x02", "\x0b"

_COMMAS = ",;:、，；：،؛"
_STOPS = ".!?…。！？؟۔।"
#: Invisible, and not the end of a word: what Unicode calls default ignorable, and annotations; `is_unseen` has exceptions.
_INVISIBLE_RANGES = (
    (0xAD, 0xAE), (0x34F, 0x350), (0x115F, 0x1161), (0x17B4, 0x17B6), (0x180B, 0x1810), (0x200B, 0x200E),
    (0x2060, 0x2066), (0x206A, 0x2070), (0x3164, 0x3165), (0xFEFF, 0xFF00), (0xFFA0, 0xFFA1), (0xFFF0, 0xFFFC),
)
#: Ideographs, kana and hangul: each character is a token.
_CJK_RANGES = ((0x3040, 0x3100), (0x3400, 0xA000), (0xAC00, 0xD7B0), (0xF900, 0xFB00))

cdef uint8_t _kinds[65536]
cdef uint64_t _values[65536]
cdef uint16_t _lower[65536]
cdef uint32_t _crc_steps[256]


cdef bint are_ideographs(int first):
    """Return whether 64 characters are letters of a script that knows no case."""
    within = any(low <= first and first + 64 <= high for low, high in _CJK_RANGES)
    return within and "".join(map(chr, range(first, first + 64))).isalpha()


cdef int _fill():
    """Classify each character once; most that are not letters are nothing else either."""
    cdef:
        int code, end = 0
        uint8_t kind
        uint32_t byte
    for code in range(65536):
        _lower[code] = code
        kind = OTHER
        if code & 63 == 0 and are_ideographs(code):  # half of all: to ask each would take 10 ms
            end = code + 64
        if code < end:
            kind = LETTER | ALPHA | WORDLY
            _kinds[code], _values[code] = kind, mix(code)
            continue
        one = chr(code)
        if one.isalnum():
            kind = DIGIT if one.isdigit() else LETTER
            kind |= ALPHA * one.isalpha()
            if one.islower():
                kind |= SMALL
            elif one.isupper():
                kind += (kind & CLASS_BITS == LETTER) * (UPPER - LETTER)
                lower = one.lower()
                _lower[code] = ord(lower) if len(lower) == 1 else code
            kind |= WORDLY
        elif one.isspace():
            kind = SPACE | BLANK
        _kinds[code] = kind
        _values[code] = mix(48 if kind & CLASS_BITS == DIGIT else _lower[code])
    for byte in range(256):
        _crc_steps[byte] = ~<uint32_t>zlib.crc32(bytes([byte]), 0xFFFFFFFF)  # of the byte alone


cdef int _set_class(uint8_t kind, object ranges):
    cdef int code, low, high
    for low, high in ranges:
        for code in range(low, high):
            _kinds[code] = _kinds[code] & ~CLASS_BITS | kind


def _each(str characters):
    return [(ord(one), ord(one) + 1) for one in characters]


_fill()
_kinds[95] |= WORDLY  # _
_set_class(LETTER, _each("_"))
_set_class(CJK, _CJK_RANGES)
_set_class(COMMA, _each(_COMMAS))
_set_class(STOP, _each(_STOPS))
_set_class(SPACE, _INVISIBLE_RANGES)
_set_class(MARK, _each("\0" + START + END))
KIND, VALUE, LOWER, CRC_STEPS = _kinds, _values, _lower, _crc_steps


def without_unseen(str text) -> str:
    r"""Return a text without characters that show nothing, such as soft hyphens, as the texts of blocks are.

    Example:
        >>> without_unseen("Frei\u00adberufler\u200b"), without_unseen("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645") == "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
        ('Freiberufler', True)
    """
    cdef uint32_t code, before = 0, further = 0
    if text.isascii():
        return text
    kept = []
    for char in text:
        code = ord(char)
        if not is_unseen(code, before, further):
            kept.append(char)
            further, before = before, code
    return "".join(kept)


def fold(text) -> str:
    """Return a text without spaces and in lower case."""
    return "".join(text.split()).lower()


def letters(text) -> str:
    """Return the letters and digits of a text, which may be one of lxml's, in lower case."""
    cdef str lowered = text.lower()
    return "".join([one for one in lowered if one.isalnum()])
