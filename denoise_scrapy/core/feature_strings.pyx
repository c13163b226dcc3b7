# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Text to units, the alphabet in which two texts are compared; and the feature strings made of them.

The source counts single characters. Taken literally, that makes any two English pages equal, for every letter passes a
frequency threshold. Here a unit is one character in scripts without spaces (ideographs, kana, hangul), and a whole word
elsewhere; both carry about as much information. A copy may be spelt in another way: characters are compared as readers
read them, without case, accents, points and what is invisible, and character references of HTML as what they stand for.

Stop units are left out of the main feature string but kept in the auxiliary one. Their lists are fixed: a list learned
from the index would make a verdict depend on the order in which texts arrive.

Source: patent text 'Method and system for web page de-duplication', the character alphabet and stop characters, main
feature string (a set in code order) and auxiliary feature string (in text order). Ours are their elements (distinct
runs of units), the sampling and the 16-bit hashes.
"""

import hashlib
import html
import re
import unicodedata
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.algorithm cimport sort, unique
from libcpp.string cimport string
from libcpp.vector cimport vector

from denoise_scrapy.core.arrays cimport FlagsOut, Shorts
from denoise_scrapy.core.bits cimport BitSet, add_bit, clear, count_bits, has_bit, set_bits, start_of
from denoise_scrapy.core.characters cimport Bytes, Chars, crc32, decode
from denoise_scrapy.core.hashing cimport WORTH, Table, find, number_of, open_table

UNIT_HASH = "crc32-utf8"
TOKEN_RULE = 5  # raise when the rule below changes: fingerprints of different rules cannot be compared

# Characters of a text that are normalised at a time, or more if they contain neither white space nor one-character
# units. For this many ideographs it takes 20 ms, during which no other thread of the interpreter runs.
PIECE = 1 << 16
# Accents and other marks in a row that are left out: normalising takes time by the square of their number. Unicode's
# stream-safe format lets a letter have 30.
ROW_OF_MARKS = 128

# Words too common to distinguish texts: the top of the frequency lists of English, Chinese, Japanese, Korean, German,
# French, Spanish, Portuguese, Italian, Dutch, Russian, Polish, Turkish, Arabic, Hindi, Vietnamese, Indonesian.
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


# First and last code points of scripts in which each character is a unit.
_IDEOGRAPHS = ((0x3005, 0x3007), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF))
_SYLLABLES = ((0x3040, 0x30FA), (0x30FC, 0x30FF), (0x31F0, 0x31FF), (0xAC00, 0xD7AF))
_ALONE = "".join(f"{chr(first)}-{chr(last)}" for first, last in (*_IDEOGRAPHS, *_SYLLABLES))
# Vowel signs are not word characters to `str`: without them an Indic word would be split at its vowels.
_VOWEL_SIGNS = (0x300, 0xDFF)
# Full-width punctuation. Without it a Chinese text is normalised in a tenth of the time.
_WIDE_MARKS = "，：；（）\u3000"
# A unit ends before these, and they never compose with what precedes them, unlike voiced sound marks of kana.
_LINE_ENDS, _SENTENCE_ENDS, _WIDE_ENDS = "\n\r\u2028\u2029", ".!?।؟۔", "。"
_EDGE = re.compile(f"(?![\u3099\u309a])[\\s{_ALONE}]")
# Marks left out of words, by their names: accents, Arabic and Hebrew points, selectors of a glyph. Vowel signs of other
# scripts stay. With them go invisible characters: soft hyphens, joiners, zero-width spaces, marks of direction, tags.
_POINTS = re.compile("COMBINING |ARABIC |HEBREW |SYRIAC |.*VARIATION SELECTOR")
# Letters written as another one with something added, by their names; old exports and capitals lose it. Of Arabic
# letters only those with a hamza or madda, which writers leave out; others are letters of their own.
_ADORNED = re.compile("((?:LATIN|GREEK) .+?|ARABIC .+?(?= WITH (?:HAMZA|MADDA))) WITH ")
# Other spellings of one letter: ligatures, Turkish and Russian letters as others type them, and what Lucene's
# normalisers of Arabic and Persian replace. An apostrophe that is a letter ends a word like the other apostrophes.
_SPELLINGS = str.maketrans({
    "æ": "ae", "œ": "oe", "ı": "i", "ё": "e", "ى": "ي", "ی": "ي", "ک": "ك", "ہ": "ه", "ة": "ه", "ٱ": "ا", "ـ": "", "ʼ": "'",
})
# Letters that look like Latin ones: texts that were scanned, or disguised, have them within Latin words.
_SPELLINGS |= str.maketrans("аеорсухіјѕԁԛԝһ" "οναιρτυχκεηγωϲϳ", "aeopcyxijsdqwh" "ovaiptuxkenywcj")
# The address of a link in Markdown.
_ADDRESS = re.compile(r"(?<=\])\((?:https?://|[./#])[^()\s]*\)")
# Time codes before lines of transcripts and subtitles, with a subtitle's number; those of the first minutes have `0:`.
_TIME_CODE = re.compile(
    r"^[ \t]*(?:\d+\s*\n)?[\[(]?\d\d?:\d\d(?::\d\d(?:[.,]\d+)?|[.,]\d+(?= -->))(?: --> [\d:.,]+)?[\])]?", re.MULTILINE
)
# A word that is capitalised elsewhere than after a full stop. The search is for blanks, a fifth of the time.
_NAME = re.compile(r" (?=[^\Wa-z])(?<=[\w,;)] )([^\W\d_a-z]\w+)")

cdef enum:
    # Bits of a character's kind; 0 if not yet determined. Above them is the UTF-8 of its other form, if it has one.
    KNOWN = 1
    IN_WORDS = 2
    DIGIT_SIGN = 4
    ALONE = 8
    IS_IDEOGRAPH = 16
    HAS_FORM = 32
    ENDS_LINE = 64
    ENDS_SENTENCE = 128  # before a blank
    ENDS_ANYWHERE = 256  # a sentence, in scripts without blanks
    FORM = 9  # place of the first bit of the other form

cdef struct UnitRows:
    vector[uint32_t] hashes  # CRC-32 of a unit's UTF-8
    vector[uint8_t] kinds    # IDEOGRAPH, NUMBER or 0; with LINE and SENTENCE
    string joined            # UTF-8 of the units, a line feed after each

cdef uint64_t _kinds[0x110000]
cdef Table _stop_units


def _in(ranges, code):
    return any(first <= code <= last for first, last in ranges)


def _form(one):
    """Return the form in which a character of a word is compared; "" if it is left out."""
    name, category = unicodedata.name(one, ""), unicodedata.category(one)
    if category == "Cf" or (category[0] == "M" and _POINTS.match(name)):
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(one))
    adorned = _ADORNED.match(name)
    with suppress(KeyError):  # few have a letter without the addition
        one = unicodedata.lookup(adorned[1]) if adorned else one
    return one.casefold().translate(_SPELLINGS)


cdef uint64_t ask(uint32_t code) noexcept with gil:
    """Determine the kind of a character, once."""
    cdef uint64_t kind = KNOWN
    one = chr(code)
    if _in(_IDEOGRAPHS, code):
        kind |= ALONE | IS_IDEOGRAPH
    elif _in(_SYLLABLES, code):
        kind |= ALONE
    elif one in _LINE_ENDS:
        kind |= ENDS_LINE
    elif one in _SENTENCE_ENDS:
        kind |= ENDS_SENTENCE
    elif one in _WIDE_ENDS:
        kind |= ENDS_ANYWHERE
    else:
        form = _form(one)
        is_sign = _VOWEL_SIGNS[0] <= code <= _VOWEL_SIGNS[1] and unicodedata.category(one)[0] == "M"
        if is_sign or not form or form.isalnum() or form == "_":
            kind |= IN_WORDS | (DIGIT_SIGN if form.isdecimal() else 0)
            if form != one:
                kind |= HAS_FORM | int.from_bytes(form.encode(), "little") << FORM
    _kinds[code] = kind
    return kind


cdef inline int end_unit(UnitRows& rows, size_t begin, uint8_t kind) nogil:
    """Add the unit that begins there in the joined ones, if it is not empty."""
    cdef size_t size = rows.joined.size() - begin
    if size:
        rows.hashes.push_back(crc32(<Bytes>rows.joined.data() + begin, size))
        rows.kinds.push_back(kind)
        rows.joined.push_back(c"\n")


cdef int cut(Bytes text, size_t size, UnitRows& rows) nogil:
    """Cut a normalised text, UTF-8, into units."""
    cdef:
        size_t at = 0, start = 0  # of what is not copied yet of the open unit, which ends at `at`
        size_t begin = rows.joined.size()  # of the open unit
        uint32_t code
        uint64_t kind, form
        uint8_t of_unit = 0, ended = 0  # what ended before the open unit
        bint may_end = False  # at a blank
        int length
    while at < size:
        length = decode(text + at, &code)
        kind = _kinds[code]
        if not kind:
            kind = ask(code)
        if not kind & IN_WORDS or kind & HAS_FORM:
            if at > start:
                rows.joined.append(<Chars>text + start, at - start)
            start = at + length
        if kind & IN_WORDS:
            if kind & DIGIT_SIGN:
                of_unit = NUMBER
            form = kind >> FORM
            while form:
                rows.joined.push_back(form & 0xFF)
                form >>= 8
            may_end = False
        else:
            if rows.joined.size() > begin:
                end_unit(rows, begin, of_unit | ended)
                ended = 0
            begin, of_unit = rows.joined.size(), 0
            if kind & ALONE:
                rows.joined.append(<Chars>text + at, length)
                end_unit(rows, begin, (IDEOGRAPH if kind & IS_IDEOGRAPH else 0) | ended)
                begin, ended, may_end = rows.joined.size(), 0, False
            elif kind & ENDS_LINE:
                ended |= LINE | SENTENCE
            elif kind & ENDS_ANYWHERE or (may_end and code == c" "):
                ended |= SENTENCE
            elif kind & ENDS_SENTENCE:
                may_end = True
        at += length
    rows.joined.append(<Chars>text + start, at - start)
    end_unit(rows, begin, of_unit | ended)


def _pieces(text):
    """Yield pieces of a text, cut where no unit is split."""
    start = 0
    while found := _EDGE.search(text, start + PIECE):
        yield text[start : found.start()]
        start = found.start()
    yield text[start:]


@lru_cache(1 << 12)
def _is_mark(one):
    """Return whether a character is a mark on the letter before it, or begins with one when taken apart."""
    return unicodedata.combining(unicodedata.normalize("NFKD", one)[0])


def _without_rows_of_marks(text):
    """Return a text without those of its parts that are nothing but marks."""
    if not any(map(_is_mark, text[::ROW_OF_MARKS])):
        return text
    parts = [text[at:at + ROW_OF_MARKS] for at in range(0, len(text), ROW_OF_MARKS)]
    return "".join([part for part in parts if not all(map(_is_mark, part))])


cdef int read_rows(object text, UnitRows& rows, object digest=None):
    """Cut a text into units.

    A digest is updated with the joined units, which are then not kept.
    """
    cdef Bytes data
    cdef size_t size
    rows.hashes.reserve(len(text) // 4)
    rows.kinds.reserve(len(text) // 4)
    if "0:" in text:
        text = _TIME_CODE.sub("", text)  # before it is cut: a piece may begin within a line
    for piece in _pieces(text) if len(text) > PIECE else (text,):
        if "](" in piece:
            piece = _ADDRESS.sub("", piece)
        if "&" in piece:
            with suppress(ValueError):  # a number of thousands of digits
                piece = html.unescape(piece)
        if piece.isascii():
            level = piece.lower()
        else:
            for mark in _WIDE_MARKS:
                piece = piece.replace(mark, " ")
            piece = piece.replace("！", "。").replace("？", "。")
            level = unicodedata.normalize("NFKC", _without_rows_of_marks(piece))
        utf8 = level.encode("utf-8", "surrogatepass")
        data, size = utf8, len(utf8)
        if size < 4 * WORTH:
            cut(data, size, rows)
        else:
            with nogil:
                cut(data, size, rows)
        if digest is not None:
            digest.update(rows.joined)
            rows.joined.clear()


cdef bytes bytes_of(const void* data, size_t size):
    return PyBytes_FromStringAndSize(<Chars>data, <Py_ssize_t>size) if size else b""


cdef object array_of(const void* data, size_t count, object dtype):
    """Copy numbers to a numpy array."""
    return np.frombuffer(bytes_of(data, count * <size_t>dtype().itemsize), dtype)


class Units(NamedTuple):
    """A text's n units: CRC-32 of their UTF-8, uint32 (n,); kinds, uint8 (n,); UTF-8, joined by line feeds."""

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
    return Units(
        array_of(rows.hashes.data(), rows.hashes.size(), np.uint32),
        array_of(rows.kinds.data(), rows.kinds.size(), np.uint8) & SORT,
        (<bytes>rows.joined).removesuffix(b"\n"),
    )


def tokens(str text not None):
    """Split a text into its units, in order, without case, accents and invisible characters.

    Example:
        >>> tokens("The iPhone,是 新的"), tokens("Sø\u00adren’s CAFÉ")
        (['the', 'iphone', '是', '新', '的'], ['soren', 's', 'cafe'])
    """
    joined = read_units(text).joined
    return joined.decode("utf-8", "surrogatepass").split("\n") if joined else []


cdef bint is_stop_unit(uint32_t unit) noexcept nogil:
    """Return whether a hash is that of a stop unit."""
    return find(_stop_units, unit) >= 0


STOP_WORDS = sorted(set(tokens(_STOP_WORDS)))
STOP_LIST_DIGEST = hashlib.blake2b(" ".join(STOP_WORDS).encode(), digest_size=8).hexdigest()

cdef int _list_stop_units():
    open_table(_stop_units, len(STOP_WORDS))
    for unit in read_units(_STOP_WORDS).hashes.tolist():
        number_of(_stop_units, unit)


_list_stop_units()

# ---- feature strings ------------------------------------------------------------------------------------------------

# Hashes in the main feature string. 32 bits take twice the memory and decide the same: among 1,000 kept units 1.5% of
# foreign ones match by chance, and only one text in fifty has that many units.
UNIT_BITS = 16
RUN_HASH = "runs-5-3-fmix64-v1"
EVERY = 1 << 32  # limit of a sample that contains everything


cdef class FeatureStrings:
    """Main and auxiliary feature string of a text of `n` units; `digest`, 16 bytes, is a hash of all units in order.

    Each distinct run of units counts once: five units from each word on, three from each ideograph. So nothing changes
    when a text repeats itself, and no list of the same few words outweighs the rest. The frequency of a unit is the
    number of runs that it begins; a part of a text has no unit more often than the text. `ideographs` is the number of
    units that are ideographs.
    """

    def __init__(self, str text not None):
        cdef UnitRows rows
        digest = hashlib.blake2b(digest_size=16)
        read_rows(text, rows, digest)
        self.text, self.digest, self._samples = text, digest.digest(), {}
        self.n, self._unit, self._kind = <Py_ssize_t>rows.hashes.size(), rows.hashes.data(), rows.kinds.data()
        if self.n < WORTH:
            self._count_units(rows.kinds)
        else:
            with nogil:
                self._count_units(rows.kinds)
        self._hold(bytes_of(rows.hashes.data(), 4 * self.n), bytes_of(rows.kinds.data(), self.n))
        if len(text) > PIECE:
            _ = self.names  # in advance: of a long text it takes as long as all the rest

    cdef int _hold(self, bytes hashes, bytes kinds) except -1:
        """Keep the units."""
        cdef Py_ssize_t place
        self._hashes, self._kinds, self.n = hashes, kinds, len(kinds)
        self._unit, self._kind = <const uint32_t*><Chars>hashes, <const uint8_t*><Chars>kinds
        for place in range(self.n):
            self.ideographs += self._kind[place] & SORT == IDEOGRAPH

    def __reduce__(self):
        return _held, (
            self.text, self.digest, self._hashes, self._kinds, bytes_of(self._units.data(), 4 * self._units.size()),
            bytes_of(self._counts.data(), 4 * self._counts.size()), bytes_of(self._below, sizeof(self._below)),
            self._names,
        )

    cdef uint64_t _run_at(self, Py_ssize_t place) noexcept nogil:
        """Hash the run that begins at a place; the lower half is its first unit; 0 if it would not end."""
        cdef int length = RUN_OF_IDEOGRAPHS if self._kind[place] & SORT == IDEOGRAPH else RUN
        return hash_run(self._unit + place, length) if place + length <= self.n else 0

    cdef int _count_units(self, vector[uint8_t]& kinds) except -1 nogil:
        """Count the distinct runs that each unit begins; units that begin none count each time. Mark stop units."""
        cdef:
            vector[uint64_t] runs
            vector[uint32_t] firsts
            uint64_t run
            uint32_t distinct = 0
            int bits = 0
            Py_ssize_t place
            size_t i
        runs.reserve(self.n)
        for place in range(self.n):
            run = self._run_at(place)
            if run:
                runs.push_back(run)
            else:
                firsts.push_back(self._unit[place])
            if is_stop_unit(self._unit[place]):
                kinds[place] |= STOP
        sort(runs.begin(), runs.end())
        for i in range(runs.size()):
            run = runs[i] >> 32
            if not i or run != runs[i - 1] >> 32:
                while run >> bits:
                    self._below[bits] = distinct
                    bits += 1
                distinct += 1
                firsts.push_back(runs[i])
        for bits in range(bits, RUN_BITS + 1):
            self._below[bits] = distinct
        sort(firsts.begin(), firsts.end())
        for i in range(firsts.size()):
            if i and firsts[i] == firsts[i - 1]:
                self._counts[self._counts.size() - 1] += 1
            else:
                self._units.push_back(firsts[i])
                self._counts.push_back(1)

    cdef int _list_units(self, uint32_t least, uint32_t most, vector[uint16_t]& out) except -1 nogil:
        """Return the hashes of the units with such a frequency, except stop units: sorted, each once."""
        cdef size_t i
        for i in range(self._units.size()):
            if least <= self._counts[i] <= most and not is_stop_unit(self._units[i]):
                out.push_back(short_hash(self._units[i]))
        sort(out.begin(), out.end())
        out.erase(unique(out.begin(), out.end()), out.end())

    def main_units(self, uint32_t t):
        """Return the main feature string: sorted hashes of units that occur more than `t` times, except stop units."""
        cdef vector[uint16_t] units
        if t not in self._samples:
            self._list_units(t + 1, 0xFFFFFFFF, units)
            self._samples[t] = array_of(units.data(), units.size(), np.uint16)
        return self._samples[t]

    def rare_units(self, uint32_t t, size_t most):
        """Sample the units that occur at most `t` times, hashed as the main ones; `most` is the maximum.

        Returns:
            uint16 as bytes: how many times the sample was halved, then the sample, sorted.
        """
        cdef:
            vector[uint16_t] units
            uint32_t limit = 1 << 16
            uint16_t halved = 0
        self._list_units(1, t, units)
        while units.size() > most:
            halved += 1
            limit >>= 1
            while units.size() and units.back() >= limit:
                units.pop_back()
        return bytes_of(&halved, 2) + bytes_of(units.data(), 2 * units.size())

    cdef tuple _sampled(self, uint64_t limit):
        """Return the places of the runs whose hash is below a limit, the low halves of these hashes, and each once."""
        cdef vector[uint32_t] places
        cdef vector[uint16_t] runs, distinct
        key = -1 - <int64_t>limit  # below those of thresholds
        if key not in self._samples:
            if self.n < WORTH:
                self._sample(limit, places, runs, distinct)
            else:
                with nogil:
                    self._sample(limit, places, runs, distinct)
            self._samples[key] = (
                array_of(places.data(), places.size(), np.uint32), array_of(runs.data(), runs.size(), np.uint16),
                array_of(distinct.data(), distinct.size(), np.uint16),
            )
        return self._samples[key]

    cdef int _sample(
        self, uint64_t limit, vector[uint32_t]& places, vector[uint16_t]& runs, vector[uint16_t]& distinct
    ) except -1 nogil:
        cdef:
            BitSet there
            uint64_t run
            Py_ssize_t place
        clear(there)
        for place in range(self.n):
            run = self._run_at(place)
            if run and run >> 32 < limit:
                run >>= 32
                places.push_back(place)
                runs.push_back(run)
                if add_bit(there, run):
                    distinct.push_back(run)

    def sample(self, uint64_t limit=1 << 32):
        """Sample the auxiliary feature string: the low halves of its hashes below a limit, in text order.

        Each occurs once. Two texts sampled with one limit, 0 to 2**32, select the same runs.
        """
        return self._sampled(limit)[2]

    def repeated_sample(self, uint64_t limit):
        """Sample as `sample` does, with each run as often as it occurs: neighbours stay neighbours."""
        return self._sampled(limit)[1]

    def sample_of(self, uint32_t most):
        """Sample with the highest power of two that leaves at most `most`, and return that limit too."""
        cdef int bits = RUN_BITS
        while bits and self._below[bits] > most:
            bits -= 1
        limit = <uint64_t>1 << bits
        return self.sample(limit), limit

    def shingles(self):
        """Hash the distinct shingles, ascending: uint32; none if the text is shorter than one."""
        cdef vector[uint32_t] found
        if self.n < WORTH:
            self._list_shingles(found)
        else:
            with nogil:
                self._list_shingles(found)
        return array_of(found.data(), found.size(), np.uint32)

    cdef int _list_shingles(self, vector[uint32_t]& found) except -1 nogil:
        cdef const uint32_t* unit = self._unit
        cdef Py_ssize_t place
        for place in range(self.n - SHINGLE + 1):
            found.push_back(mixed(unit + place, SHINGLE) >> 32)
        sort(found.begin(), found.end())
        found.erase(unique(found.begin(), found.end()), found.end())

    # ---- comparison with another text: units and runs are hashed as in its feature strings ----

    def sampled(self, Shorts theirs not None, uint64_t limit):
        """Return the places of the runs sampled at a limit, uint32, and which of these the other text has, bool."""
        cdef BitSet there
        places, sampled, _ = self._sampled(limit)
        found = np.empty(len(places), np.bool_)
        cdef:
            Shorts runs = sampled
            FlagsOut out = found.view(np.uint8)
            Py_ssize_t i
        set_bits(there, start_of(theirs), theirs.shape[0])
        for i in range(runs.shape[0]):
            out[i] = has_bit(there, runs[i])
        return places, found

    def novel(self, Shorts theirs not None, uint32_t below):
        """Return the places of units that the other text lacks, except stop units and those hashed above a limit."""
        cdef BitSet there
        cdef vector[int64_t] places
        set_bits(there, start_of(theirs), theirs.shape[0])
        if self.n < WORTH:
            self._find_novel(there, below, places)
        else:
            with nogil:
                self._find_novel(there, below, places)
        return array_of(places.data(), places.size(), np.int64)

    cdef int _find_novel(self, const BitSet& there, uint32_t below, vector[int64_t]& places) except -1 nogil:
        cdef Py_ssize_t place
        cdef uint16_t unit
        for place in range(self.n):
            unit = short_hash(self._unit[place])
            # one branch for all, which is seldom taken
            if (not self._kind[place] & STOP) & (unit < below) & (not has_bit(there, unit)):
                places.push_back(place)

    def has(self, Shorts units not None):
        """Return which units of another text this one has, stop units among them: bool."""
        found = np.empty(units.shape[0], np.bool_)
        cdef FlagsOut out = found.view(np.uint8)
        cdef Py_ssize_t i
        if self._there.empty():
            self._there.resize(1)
            clear(self._there[0])
            for i in range(self.n):
                add_bit(self._there[0], short_hash(self._unit[i]))
        for i in range(units.shape[0]):
            out[i] = has_bit(self._there[0], units[i])
        return found

    @property
    def names(self):
        """Hashes of the units of words capitalised elsewhere than after a full stop: ascending uint32, each once."""
        if self._names is None:
            found, start = set(), 0
            while start >= 0:  # a piece at a time: all names of a long text may take ten times its memory
                end = self.text.find(" ", start + PIECE)
                names = _NAME.findall(self.text, start, end if end >= 0 else len(self.text))
                found.update(read_units(" ".join(names)).hashes.tolist())
                start = end
            self._names = np.array(sorted(found), np.uint32).tobytes()
        return np.frombuffer(self._names, np.uint32)

    @property
    def hashes(self):
        """uint32 (n,), CRC-32 of the units in order."""
        return np.frombuffer(self._hashes, np.uint32)

    @property
    def kinds(self):
        """uint8 (n,), `IDEOGRAPH`, `NUMBER` or 0."""
        return np.frombuffer(self._kinds, np.uint8) & SORT

    @property
    def places(self):
        """Hash of the unit at each position, as in the main feature string: uint16 (n,)."""
        return (self.hashes * np.uint32(2654435769) >> 16).astype(np.uint16)

    @property
    def runs(self):
        """uint64 (n,): hash of the run at each position and, in the lower half, its first unit; 0 for none."""
        cdef Py_ssize_t place
        found = np.empty(self.n, np.uint64)
        cdef uint64_t[::1] out = found
        for place in range(self.n):
            out[place] = self._run_at(place)
        return found

    @property
    def frequencies(self):
        """Number of distinct runs that each unit begins, without stop units."""
        cdef size_t i
        return {
            self._units[i]: self._counts[i] for i in range(self._units.size()) if not is_stop_unit(self._units[i])
        }


def _held(
    str text not None, bytes digest not None, bytes hashes not None, bytes kinds not None, bytes units not None,
    bytes counts not None, bytes below not None, bytes names,
) -> FeatureStrings:
    """Return pickled feature strings.

    Raises:
        ValueError: Lengths do not agree.
    """
    cdef:
        FeatureStrings made = FeatureStrings.__new__(FeatureStrings)
        const uint32_t* distinct
        const uint32_t* frequencies
        size_t size = len(units)
    if (len(digest) != 16 or len(hashes) != 4 * len(kinds) or size % 4 or len(counts) != size
            or len(below) != sizeof(made._below) or len(names or b"") % 4):
        raise ValueError("damaged feature strings")
    made.text, made.digest, made._names, made._samples = text, digest, names, {}
    made._hold(hashes, kinds)
    distinct, frequencies = <const uint32_t*><Chars>units, <const uint32_t*><Chars>counts
    made._units.assign(distinct, distinct + size // 4)
    made._counts.assign(frequencies, frequencies + size // 4)
    memcpy(made._below, <Chars>below, sizeof(made._below))
    return made


def count_common(Shorts mine not None, bytes theirs not None):
    """Count the elements that a set shares with another, uint16 arrays without repeats as bytes."""
    cdef BitSet there
    set_bits(there, start_of(mine), mine.shape[0])
    return count_bits(there, <const uint16_t*><Chars>theirs, len(theirs) // 2)
