"""Text to units: the alphabet in which two texts are compared, and the units too common to count.

The source counts single characters. Taken literally that makes any two English pages equal, for every letter passes a
frequency threshold. Here a unit is one character where a script writes without spaces (ideographs, kana, hangul), and
a whole word elsewhere; both carry about as much.

Stop units do not count in the main feature string and stay in the auxiliary one. Their lists are fixed: a list learned
from the index would make a verdict depend on the order in which texts arrive.

Source: patent text 'Method and system for web page de-duplication', the character alphabet and stop characters.
"""

import hashlib
import re
import unicodedata
from typing import NamedTuple

import numpy as np

from libc.stdint cimport uint8_t, uint32_t
from libcpp.algorithm cimport binary_search
from libcpp.vector cimport vector

from denoise_scrapy.core.characters cimport decode
from denoise_scrapy.core.hashing cimport crc32
from denoise_scrapy.core.lock cimport WORTH_UNITS

UNIT_HASH = "crc32-utf8"
TOKEN_RULE = 1  # raise when the rule below changes: fingerprints of two rules do not compare

# Characters of a text that are levelled at a time, or more where it has neither white space nor units of one character.
# It takes 20 ms for as many ideographs, in which no other thread of the interpreter runs.
PIECE = 1 << 16

# Words too common to distinguish texts: those that lead the frequency lists of English, Chinese, Japanese, Korean,
# German, French, Spanish, Portuguese, Italian, Dutch, Russian, Polish, Turkish, Arabic, Hindi, Vietnamese, Indonesian.
_STOP_WORDS = """
a about after all also an and any are as at be because been but by can could did do does for from
had has have he her him his how i if in into is it its just may me more my no not of on one or
other our out s she so some such t than that the their them then there these they this to up us
was we were what when which who will with would you your
的 一 是 不 了 在 人 有 我 他 这 中 大 来 上 个 们 到 说 和 地 也 子 时 得 就 出 要 以 会
可 下 而 过 之 为 对 与 及 或 等 于 被 把 从 很 啊 這 個 們 來 說 時 會 過 為 對 與 於 從
の に は を た が で て と し れ さ い も な か る あ り よ こ そ ま す
이 의 은 는 을 를 에 가 와 과 도 로 하 다 고 지 한 있
der die das und in den von zu mit sich des auf für ist im dem nicht ein eine als auch es an er hat
aus sie nach bei um am noch wie
le la les de des du un une et en à au aux que qui dans pour par sur ne pas ce se est il elle plus
avec son sa ses d l c n qu
el los las y del que en un una por con para se su al lo como más o pero sus le ya este sí porque
esta entre
os as e da do em um uma para com não por mais dos como mas ao na no nas nos se seu sua ou
il lo gli e di che è per un una in con non del della sono si al da come più nel dei alla anche
de het een en van ik te dat in is je niet op zijn met voor er maar om aan ook als bij naar
и в не на я что он с как это по но они к у из за то же для от так мы вы бы о а его
i w na z do się nie to że jest o jak po za od dla tym co przez są
ve bir bu için ile de da çok daha olan gibi en
في من على أن إلى عن مع هذا هذه التي الذي لا ما كان و
के का की में है और से को पर यह ने कि भी हैं एक
và của là có được cho không các trong một với những người này đã để
yang dan di itu dengan untuk tidak ini dari dalam akan pada juga ke
"""

# ---- units ----

# First and last code points. Of both each character is a unit.
_IDEOGRAPHS = ((0x3005, 0x3007), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))
_SYLLABLES = ((0x3040, 0x30FA), (0x30FC, 0x30FF), (0x31F0, 0x31FF), (0xAC00, 0xD7AF))
_ALONE = "".join(f"{chr(first)}-{chr(last)}" for first, last in (*_IDEOGRAPHS, *_SYLLABLES))
# Vowel signs are no word characters to `str`: without them an Indic word falls into its consonants.
_VOWEL_SIGNS = (0x300, 0xDFF)
# Before these a unit ends, and nothing composes with what is before them, as voiced sound marks of kana do.
_EDGE = re.compile(f"(?![\u3099\u309a])[\\s{_ALONE}]")

cdef enum:
    # Bits of a character's kind; 0 where it has not been asked for yet.
    KNOWN = 1
    IN_WORDS = 2
    DIGIT_SIGN = 4
    ALONE = 8
    IS_IDEOGRAPH = 16

cdef uint8_t _kinds[0x110000]
cdef vector[uint32_t] _stop_units


def _in(ranges, code):
    return any(first <= code <= last for first, last in ranges)


cdef uint8_t ask(uint32_t code) noexcept with gil:
    """Find out what a character is: once, and of any of a million."""
    cdef uint8_t kind = KNOWN
    one = chr(code)
    if _in(_IDEOGRAPHS, code):
        kind |= ALONE | IS_IDEOGRAPH
    elif _in(_SYLLABLES, code):
        kind |= ALONE
    elif one.isalnum() or one == "_":
        kind |= IN_WORDS | (DIGIT_SIGN if one.isdecimal() else 0)
    elif _VOWEL_SIGNS[0] <= code <= _VOWEL_SIGNS[1] and unicodedata.category(one)[0] == "M":
        kind |= IN_WORDS
    _kinds[code] = kind
    return kind


cdef inline int end_unit(UnitRows& rows, const unsigned char* unit, size_t size, uint8_t kind) except -1 nogil:
    """Note a unit, if there is one."""
    if not size:
        return 0
    if rows.hashes.size():
        rows.joined.push_back(c"\n")
    rows.joined.append(<const char*>unit, size)
    rows.hashes.push_back(crc32(unit, size))
    rows.kinds.push_back(kind)
    return 0


cdef int cut(const unsigned char* text, size_t size, UnitRows& rows) except -1 nogil:
    """Cut a levelled text, UTF-8, into units."""
    cdef size_t at = 0, start = 0  # of the open unit, which ends at `at`
    cdef uint32_t code
    cdef uint8_t kind, of_unit = 0
    cdef int length
    while at < size:
        length = decode(text + at, &code)
        kind = _kinds[code]
        if not kind:
            kind = ask(code)
        if kind & IN_WORDS:
            if kind & DIGIT_SIGN:
                of_unit = NUMBER
        else:
            end_unit(rows, text + start, at - start, of_unit)
            of_unit, start = 0, at + length
            if kind & ALONE:
                end_unit(rows, text + at, length, IDEOGRAPH if kind & IS_IDEOGRAPH else 0)
        at += length
    end_unit(rows, text + start, at - start, of_unit)
    return 0


def _pieces(text):
    """Pieces of a text, of which each but the first begins where no unit is parted."""
    start = 0
    while found := _EDGE.search(text, start + PIECE):
        yield text[start : found.start()]
        start = found.start()
    yield text[start:]


cdef int read_rows(object text, UnitRows& rows) except -1:
    """Cut a text into units; compatibility forms (full-width letters, ligatures) and case are levelled."""
    cdef const unsigned char* data
    cdef size_t size
    rows.hashes.reserve(len(text) // 4)
    rows.kinds.reserve(len(text) // 4)
    for piece in _pieces(text) if len(text) > PIECE else (text,):
        level = (piece if piece.isascii() else unicodedata.normalize("NFKC", piece)).lower()
        utf8 = level.encode("utf-8", "surrogatepass")
        data, size = utf8, len(utf8)
        if size < 4 * WORTH_UNITS:
            cut(data, size, rows)
        else:
            with nogil:
                cut(data, size, rows)
    return 0


class Units(NamedTuple):
    """A text's n units: their `unit_hashes`, uint32 (n,); kinds, uint8 (n,); UTF-8, joined by line feeds."""

    hashes: object
    kinds: object
    joined: bytes


def read_units(str text not None):
    r"""Cut a text into units.

    Example:
        >>> units = read_units("The iPhone 4,是")
        >>> units.kinds.tolist(), units.joined.decode()
        ([0, 0, 2, 1], 'the\niphone\n4\n是')
    """
    cdef UnitRows rows
    read_rows(text, rows)
    hashes = (<const char*>rows.hashes.data())[:4 * rows.hashes.size()]
    kinds = (<const char*>rows.kinds.data())[:rows.kinds.size()]
    return Units(np.frombuffer(hashes, np.uint32), np.frombuffer(kinds, np.uint8), rows.joined)


def tokens(str text not None):
    """Split a text into its units, in order; compatibility forms (full-width letters, ligatures) and case are levelled.

    Example:
        >>> tokens("The iPhone,是 新的")
        ['the', 'iphone', '是', '新', '的']
    """
    joined = read_units(text).joined
    return joined.decode("utf-8", "surrogatepass").split("\n") if joined else []


def unit_hashes(words):
    """Hash units, as `tokens` returns them, to 32 bits: CRC-32 of their UTF-8 bytes."""
    cdef const unsigned char* data
    hashes = []
    for word in words:
        utf8 = word.encode("utf-8", "surrogatepass")
        data = utf8
        hashes.append(crc32(data, len(utf8)))
    return np.array(hashes, np.uint32)


cdef bint is_stop_unit(uint32_t unit) noexcept nogil:
    """Return whether a hash is a stop unit's."""
    return binary_search(_stop_units.begin(), _stop_units.end(), unit)


def is_stop(const uint32_t[:] units not None):
    """Return which of some units, by their hashes, are stop units."""
    cdef Py_ssize_t i
    found = np.empty(units.shape[0], np.bool_)
    cdef uint8_t[::1] out = found.view(np.uint8)
    for i in range(units.shape[0]):
        out[i] = is_stop_unit(units[i])
    return found


STOP_WORDS = sorted(set(tokens(_STOP_WORDS)))
STOP_LIST_DIGEST = hashlib.blake2b(" ".join(STOP_WORDS).encode(), digest_size=8).hexdigest()
_stop_units = sorted(unit_hashes(STOP_WORDS).tolist())
