r"""A page's text as one marked string: what its characters are, how slices of it become texts.

Text is handled as an array of character codes (latin-1 bytes or UTF-16 units), so that one look-up in a table of 65,536
classifies all of a page's text. Characters beyond the basic plane are two units of class OTHER.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from denoise_scrapy.page.paths import PathTable

#: Marks of an element's start and end in the string.
START, END = "\x01", "\x02"
#: Stands for `<br>`: white space for every count, and a line's end when rendered.
LINE_BREAK = "\x0b"
#: Begins the slice of a preformatted block, so that its text depends on nothing else. No page holds it.
PREFORMATTED = "\0"

# Classes of characters. MARK is first, so that `classes > MARK` is text.
MARK, SPACE, OTHER, COMMA, STOP, DIGIT, UPPER, LETTER, CJK = range(9)
CLASSES = 9

_COMMAS = ",;:、，；：،؛"
_STOPS = ".!?…。！？؟۔।"
#: Shown as nothing, and no word's end: zero-width space and joiners, soft hyphen, byte order mark.
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
#: Ideographs, kana and hangul: a character a token.
_CJK_RANGES = ((0x3040, 0x3100), (0x3400, 0xA000), (0xAC00, 0xD7B0), (0xF900, 0xFB00))


def codes_that(test: Callable[[str], bool]) -> npt.NDArray[np.bool_]:
    """Return which codes of the basic plane pass a test of single characters, shape (65536,): 3 ms, in a loop 10.

    Example:
        >>> np.flatnonzero(codes_that(str.isdigit))[:3].tolist()
        [48, 49, 50]
    """
    return np.fromiter(map(test, map(chr, range(1 << 16))), bool, 1 << 16)


@cache
def class_table() -> npt.NDArray[np.uint8]:
    """Class of each of the 65,536 codes of the basic plane, shape (65536,)."""
    table = np.full(1 << 16, OTHER, np.uint8)
    table[codes_that(str.isspace)] = SPACE
    word = codes_that(str.isalnum)
    table[word] = LETTER
    table[word & codes_that(str.isupper)] = UPPER
    table[word & codes_that(str.isdigit)] = DIGIT
    table[ord("_")] = LETTER
    for first, end in _CJK_RANGES:
        table[first:end] = CJK
    for chars, kind in ((_COMMAS, COMMA), (_STOPS, STOP), (_INVISIBLE, SPACE)):
        table[[ord(c) for c in chars]] = kind
    table[:3] = MARK
    return table


@cache
def hash_table() -> npt.NDArray[np.uint64]:
    """A pseudo-random value of each code, equal for upper and lower case and for all digits, shape (65536,)."""
    folded = np.arange(1 << 16, dtype=np.uint64)
    for code in np.flatnonzero(codes_that(str.isupper)).tolist():
        lower = chr(code).lower()
        folded[code] = ord(lower) if len(lower) == 1 else code
    folded[codes_that(str.isdigit)] = ord("0")
    return mix(folded)


def mix(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Spread 64-bit values (the finaliser of splitmix64), the same in every process. Of arrays: single ones warn."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(values ^ (values >> np.uint64(31)))


#: Odd, so that it has an inverse modulo 2^64; its bits are well spread (the golden ratio).
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)


@cache
def _cached_powers(base: int, size: int) -> npt.NDArray[np.uint64]:
    return np.concatenate([[np.uint64(1)], np.full(size - 1, base, np.uint64)]).cumprod(dtype=np.uint64)


def _powers(base: int, n: int) -> npt.NDArray[np.uint64]:
    """base^i modulo 2^64 for i in range(n). Kept for pages of usual size (8 MB each), made anew for larger ones."""
    size = 1 << 14
    while size < n and size < 1 << 20:
        size <<= 1
    return _cached_powers(base, size)[:n] if n <= size else _cached_powers.__wrapped__(base, n)


def running_count(marked: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    """Return how many characters are marked before each, and in all as last value, shape (characters + 1,).

    Example:
        >>> running_count(np.array([True, False, True])).tolist()
        [0, 1, 1, 2]
    """
    total = np.zeros(len(marked) + 1, np.int32)
    # as 32 bits first: half the bytes of 64, and a third of the time of a sum that converts as it goes
    marked.astype(np.int32).cumsum(dtype=np.int32, out=total[1:])
    return total


def segment_hashes(
    values: npt.NDArray[np.uint64], starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint64]:
    """Order-sensitive hashes of many slices of one sequence, equal where the slices are.

    Args:
        values: The sequence, shape (n,).
        starts: First index of each slice, shape (m,).
        ends: Index after the last, shape (m,).

    Returns:
        A hash a slice, shape (m,). The same slice hashes the same wherever it stands, in every process.
    """
    up = _powers(_BASE, len(values))
    down = _powers(_INVERSE, len(values) + 1)
    sums = np.zeros(len(values) + 1, np.uint64)
    (values * up).cumsum(out=sums[1:])
    return (sums.take(ends) - sums.take(starts)) * down.take(starts) + mix((ends - starts).astype(np.uint64))


@dataclass(frozen=True)
class MarkedText:
    """A page's text as character codes, with mark 1 where an element starts and 2 where it ends.

    Attributes:
        data: latin-1 bytes where every character fits, else UTF-16 (little endian).
        wide: Whether `data` is UTF-16.
    """

    data: bytes
    wide: bool

    @classmethod
    def encode(cls, text: str) -> MarkedText:
        """Encode a marked string; lone surrogates stay what they are."""
        try:
            return cls(text.encode("latin-1"), False)
        except UnicodeEncodeError:
            return cls(text.encode("utf-16-le", "surrogatepass"), True)

    @property
    def codes(self) -> npt.NDArray[np.integer[npt.NBitBase]]:
        """Character codes with marks, shape (characters,)."""
        return np.frombuffer(self.data, np.dtype("<u2") if self.wide else np.uint8)

    def slice(self, start: int, end: int) -> str:
        """The marked string between two positions in `codes`."""
        if self.wide:
            return self.data[2 * start : 2 * end].decode("utf-16-le", "replace")
        return self.data[start:end].decode("latin-1")


#: Characters that are split at once: a call of C for 10 MB takes .2 s, in which no other thread runs.
SPLIT_AT_ONCE = 1 << 18
_SPACE, _BREAK = re.compile(r"\s(?=\S)"), re.compile(LINE_BREAK)

#: What stands in these is exact: no space is added.
EXACT_TAGS = frozenset(["pre", "code", "kbd", "samp", "tt", "var", "textarea"])
#: Levels up that are looked at for them: highlighted code has its spans two or three deep.
EXACT_LEVELS = 8


def part_glued(text: MarkedText, paths: npt.NDArray[np.int32], table: PathTable) -> MarkedText:
    r"""Put a space between inline elements that follow each other directly, where two words would meet.

    Example:
        >>> from denoise_scrapy.page import Page
        >>> Page.parse("<p><span>Boots</span><span>2026</span> <b>W</b><span>ith</span>").block_text(0)
        'Boots 2026 With'
    """
    codes = text.codes
    marks = (codes <= 2).nonzero()[0]
    is_start, gaps = codes.take(marks) == 1, marks[1:] - marks[:-1] > 1
    met = (is_start[1:] & ~is_start[:-1] & ~gaps).nonzero()[0] + 1  # starts directly after an end
    started = is_start.cumsum().take(met) - 1
    inline = ~np.asarray(table.columns["block"], bool).take(paths.take(started))
    met, started = met.compress(inline), started.compress(inline)
    if not len(met):
        return text
    at, edges = marks.take(met), gaps.nonzero()[0]
    run = edges.searchsorted(met)  # of the marks between two characters
    left = np.append(marks[0], marks.take(edges + 1)).take(run) - 1
    right = np.append(marks.take(edges), marks[-1]).take(run) + 1
    beside = codes.take(np.stack([left, right, left - 1]), mode="clip")
    before, after = class_table().take(beside[:2])
    own = paths.take(started)
    twins = own == paths.take(started - 1)
    # most end here: one of the two is no word's, or the second goes on with the first
    may_meet = (before >= DIGIT) & (after >= DIGIT) & (twins | (after <= UPPER)) & (left >= 0) & (right < len(codes))
    chosen = (column.compress(may_meet, axis=-1).T.tolist() for column in (at, own, twins, beside))
    rows = list(zip(*chosen, strict=True))
    linked = {path: table.tags[path] == "a" for path in {row[1] for row in rows} if not _is_exact(path, table)}
    places = [
        place
        for place, path, is_twin, codes_beside in rows
        if path in linked and _meet(*map(chr, codes_beside), twins=is_twin and linked[path])
    ]
    if not places:
        return text
    cuts = [place << text.wide for place in (0, *places, len(codes))]
    pieces = (text.data[cut:next_cut] for cut, next_cut in pairwise(cuts))
    return MarkedText((b" \0" if text.wide else b" ").join(pieces), text.wide)


def _meet(before: str, after: str, further: str, *, twins: bool) -> bool:
    """Whether two words meet here rather than the halves of one.

    Scripts without capitals run on, but for links: one that follows a link of its own shape is another entry in any
    script. Single letters in elements of their own, with a mark `further` before, are one word, drawn out.
    """
    if twins:
        return not after.islower()
    if before.isalpha() and further <= "\x02":
        return False
    return after.isupper() or (after.isdigit() and before.isascii())


def _is_exact(path: int, table: PathTable) -> bool:
    """Whether the path, or one a few levels above it, is of text that is exact."""
    for _ in range(EXACT_LEVELS):
        if table.tags[path] in EXACT_TAGS:
            return True
        path = table.parent[path]
    return False


def cut_slices(text: MarkedText, whole: str, starts: npt.NDArray[np.int64], ends: npt.NDArray[np.int64]) -> list[str]:
    """Slices of a marked text, of which `whole` is the string, by positions in its codes that part no surrogates."""
    codes = text.codes
    if len(whole) != len(codes):  # characters beyond the plane are two codes each, and one in the string
        high, low = codes[:-1] & 0xFC00 == 0xD800, codes[1:] & 0xFC00 == 0xDC00
        pairs = np.flatnonzero(high & low)
        starts, ends = starts - pairs.searchsorted(starts), ends - pairs.searchsorted(ends)
    # no `map`: that of a large page would hold up other threads to its end
    return [whole[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def collapsed(marked: str) -> str:
    r"""The text of a slice: white space collapsed, lines broken at `<br>`; as it is in preformatted text.

    Example:
        >>> collapsed("\x01 One\n two\x02.\x01\x0b\x02 Three "), collapsed("\0  a\n  b\n")
        ('One two.\nThree', '  a\n  b')
    """
    text = marked.replace(START, "").replace(END, "")
    if text.startswith(PREFORMATTED):
        return text[1:].replace(LINE_BREAK, "\n").strip("\n\r").rstrip()
    text = text.strip()
    # nothing is printable that would have to be collapsed or broken, but for spaces: a fourth of the time of splitting
    if text.isprintable() and "  " not in text:
        return text
    if LINE_BREAK not in text:
        return _single_spaced(text)
    lines = (_single_spaced(line) for piece in _pieces(text, _BREAK) for line in piece.split(LINE_BREAK))
    return "\n".join([line for line in lines if line])


def _single_spaced(text: str) -> str:
    if len(text) <= SPLIT_AT_ONCE:
        return " ".join(text.split())
    pieces = [" ".join(piece.split()) for piece in _pieces(text, _SPACE)]
    return " ".join([piece for piece in pieces if piece])


def substituted(pattern: re.Pattern[str], by: str | Callable[[re.Match[str]], str], text: str) -> str:
    """The same as `pattern.sub(by, text)`, of a pattern to which the end of a text is as good as white space."""
    if len(text) <= SPLIT_AT_ONCE:
        return pattern.sub(by, text)
    return "".join([pattern.sub(by, piece) for piece in _pieces(text, _SPACE)])


def _pieces(text: str, edge: re.Pattern[str]) -> Iterator[str]:
    """Pieces of a text, each but the last with an edge as its end."""
    start = 0
    while found := edge.search(text, start + SPLIT_AT_ONCE):
        yield text[start : found.end()]
        start = found.end()
    yield text[start:]
