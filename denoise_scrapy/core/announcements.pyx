"""Announcements in the words of short blocks: comments, names and dates; and their share of the page's title.

The lists hold what is usual on sites in English, Chinese, Japanese, Spanish, French, German, Portuguese, Russian and
Arabic; in other languages they are silent.
"""

import re
from typing import NamedTuple

import numpy as np

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcmp, memset
from libcpp.string cimport string
from libcpp.vector cimport vector

from denoise_scrapy.core cimport characters
from denoise_scrapy.core.characters cimport BLANK, CLASS_BITS, DIGIT, WORDLY, decode
from denoise_scrapy.core.tree cimport HEADING, BlockRow, Element, Span, Tree

cdef enum:
    SHORT = 14            # tokens; longer blocks announce nothing
    FOLLOWING = 60        # characters that may follow the words of a heading of comments

#: Bits of what a block announces: a heading of comments; a name or a date.
COMMENTS_BIT, META_BIT = COMMENTS, META
#: The bound of the core.
ANNOUNCING_TOKENS = SHORT

# Both lists are of regular expressions for lower-case words with one space between. They are taken apart (`_choices`)
# so that one pass over a text looks for all of them: \b, ^ and $ may stand at their ends alone, and of what stands for
# several characters there are (a|b) and \d.

#: What a heading of comments begins with, behind signs and a number.
COMMENTS_PATTERNS = tuple(
    rf"(|user |reader |visitor ){words}\b"
    for words in (
        "comment(|s)", "response(|s)", "repl(y|ies)", "trackback(|s)", "pingback(|s)", "discussion", "thought(|s) on",
        "join the (conversation|discussion)", "(leave|post|add|write) a (reply|comment|response)",
        "comentario(|s)", "comentário(|s)", "commentaire(|s)", "kommentar(|e)", "комментари(и|й|я)", "تعليقات",
        "评论", "評論", "网友评论", "留言", "回复", "回覆", "コメント",
    )
)
#: What tells of a name or a date, anywhere in a text.
META_PATTERNS = (
    r"\bsays(|:)$", r"\breply$", r"\bpermalink\b", r"\bago\b", r"\bposted (by|on|at|in)\b", r"\bedited\b", r"^by\b",
    r"\b(\d|\d\d):\d\d\b", r"\b(19|20)\d\d\b", r"\b(am|pm)\b", r"\d uhr\b", r"\bvor \d", r"há \d",
    r"\bpublicad(o|a)\b", r"\bpublié", r"\bveröffentlicht", r"前$",
    *"年|月|日|回复|回覆|返信|hace |il y a|назад|منذ|опубликован|نشر|发布|發布|来源|來源|作者|編集|投稿|更新".split("|"),
)

cdef enum:
    LONGEST_PATTERN = 32
    # Patterns are found by their first character: by its lowest byte, and those that begin with any digit together.
    ANY_DIGIT = 256
    BUCKETS = 257
    # Each word of a short block is looked for in the title, where the title has the word's first two characters: so
    # many words a page at most. Of 3,000 recorded pages the most has 1,700, hostile ones may have millions.
    MOST_SEARCHES = 10_000
    PAIRS = 4096

cdef struct Pattern:
    uint16_t[LONGEST_PATTERN] codes  # of its characters; 0 is any digit
    int32_t size
    bint from_edge        # \b stands before it
    bint from_start       # ^
    bint to_edge
    bint to_end

cdef struct Patterns:
    vector[Pattern] all   # by bucket
    int32_t[BUCKETS + 1] first  # of each bucket
    uint32_t[256] seconds # by bucket: a bit for the lowest five of each second character, all for any or none

cdef Patterns _comments, _meta

# ---- patterns -------------------------------------------------------------------------------------------------------


def _choices(pattern: str) -> list:
    """The patterns without choices that stand for one with (a|b) in it."""
    found = re.search(r"\(([^()]*)\)", pattern)
    if found is None:
        return [pattern]
    before, after = pattern[:found.start()], pattern[found.end():]
    return [one for choice in found[1].split("|") for one in _choices(before + choice + after)]


cdef int fill(Patterns& table, patterns) except -1:
    """Make a table of patterns."""
    cdef Pattern one
    buckets = [[] for _ in range(BUCKETS)]
    for pattern in patterns:
        for choice in _choices(pattern):
            start, text, end = re.fullmatch(r"(\\b|\^)?(.+?)(\\b|\$)?", choice).groups()
            codes = [0 if code == "\\d" else ord(code) for code in re.findall(r"\\d|.", text)]
            buckets[codes[0] & 255 if codes[0] else ANY_DIGIT].append((codes, start, end))
    for bucket in range(BUCKETS):
        table.first[bucket] = <int32_t>table.all.size()
        if bucket < ANY_DIGIT:
            seconds = {codes[1] if len(codes) > 1 else 0 for codes, *_ in buckets[bucket]}
            table.seconds[bucket] = 0xFFFFFFFF if 0 in seconds else sum({1 << (code & 31) for code in seconds})
        for codes, start, end in buckets[bucket]:
            one.size = len(codes)
            if one.size > LONGEST_PATTERN:
                raise ImportError(f"a pattern of more than {LONGEST_PATTERN} characters")
            for i, code in enumerate(codes):
                one.codes[i] = code
            one.from_edge, one.from_start = start == r"\b", start == "^"
            one.to_edge, one.to_end = end == r"\b", end == "$"
            table.all.push_back(one)
    table.first[BUCKETS] = <int32_t>table.all.size()
    return 0


fill(_comments, COMMENTS_PATTERNS)
fill(_meta, META_PATTERNS)

cdef struct LoweredText:  # in lower case, one space between words
    vector[uint16_t] codes
    int32_t size


cdef inline bint is_word(uint16_t code) noexcept nogil:
    return characters.KIND[code] & WORDLY != 0


cdef inline bint is_digit(uint16_t code) noexcept nogil:
    return characters.KIND[code] & CLASS_BITS == DIGIT


cdef inline bint is_edge(const LoweredText& text, int32_t at) noexcept nogil:
    """Return whether a word begins or ends at a place of a text."""
    return (at > 0 and is_word(text.codes[at - 1])) != (at < text.size and is_word(text.codes[at]))


cdef inline bint matches(const Pattern& pattern, const LoweredText& text, int32_t at) noexcept nogil:
    """Return whether a pattern stands at a place of a text."""
    cdef int32_t i, end = at + pattern.size
    if end > text.size or (pattern.from_start and at > 0) or (pattern.to_end and end < text.size):
        return False
    for i in range(pattern.size):
        if text.codes[at + i] != pattern.codes[i] and not (pattern.codes[i] == 0 and is_digit(text.codes[at + i])):
            return False
    return (not pattern.from_edge or is_edge(text, at)) and (not pattern.to_edge or is_edge(text, end))


cdef int32_t end_of_match(const Patterns& table, const LoweredText& text, int32_t at) noexcept nogil:
    """Where a pattern that stands at a place of a text ends, -1 where none does."""
    cdef int32_t i, bucket = text.codes[at] & 255
    if at + 1 == text.size or table.seconds[bucket] >> (text.codes[at + 1] & 31) & 1:
        for i in range(table.first[bucket], table.first[bucket + 1]):
            if matches(table.all[i], text, at):
                return at + table.all[i].size
    if is_digit(text.codes[at]):
        for i in range(table.first[ANY_DIGIT], table.first[ANY_DIGIT + 1]):
            if matches(table.all[i], text, at):
                return at + table.all[i].size
    return -1


cdef bint announces_comments(const LoweredText& text) noexcept nogil:
    """Return whether a text is a heading of comments: signs, a number, words for them, and little more."""
    cdef int32_t at = 0, end
    while at < text.size and not is_word(text.codes[at]):
        at += 1
    if at < text.size and is_digit(text.codes[at]):
        while at < text.size and is_digit(text.codes[at]):
            at += 1
        if at < text.size and text.codes[at] == 32:
            at += 1
    if at == text.size:
        return False
    end = end_of_match(_comments, text, at)
    return end >= 0 and text.size - end <= FOLLOWING


cdef bint tells_meta(const LoweredText& text) noexcept nogil:
    """Return whether a text tells a name or a date."""
    cdef int32_t at
    for at in range(text.size):
        if end_of_match(_meta, text, at) >= 0:
            return True
    return False


# ---- texts and titles -----------------------------------------------------------------------------------------------


cdef int read_lowered(const string& marked, Span span, LoweredText& text) except -1 nogil:
    """Read a slice of a marked text: in lower case, without marks, one space between words."""
    cdef const unsigned char* data = <const unsigned char*>marked.data()
    cdef int32_t i = span.start, size = 0
    cdef uint32_t code
    cdef bint gap = False
    if text.codes.size() < <size_t>(span.end - span.start):
        text.codes.resize(2 * (span.end - span.start) + 16)
    while i < span.end:
        i += decode(data + i, &code)
        if code <= 2:
            continue
        if code > 0xFFFF:  # a code of private use stands for it
            code = 0xE000 | (code & 0xFFF)
        elif characters.KIND[code] & BLANK:
            gap = size > 0
            continue
        if gap:
            text.codes[size] = 32
            size += 1
            gap = False
        code = characters.LOWER[code]
        text.codes[size] = 0x3C3 if code == 0x3C2 else code  # a sigma that ends a word, which capitals do not tell
        size += 1
    text.size = size
    return 0


cdef void drop_spaces(LoweredText& text) noexcept nogil:
    cdef int32_t i, size = 0
    for i in range(text.size):
        if text.codes[i] != 32:
            text.codes[size] = text.codes[i]
            size += 1
    text.size = size


cdef struct Title:
    LoweredText words
    LoweredText letters   # without spaces
    uint8_t[PAIRS] pairs  # whether two characters of this hash stand in it
    int32_t searches      # that are left


cdef inline uint32_t pair_of(const uint16_t* codes) noexcept nogil:
    return (codes[0] * <uint32_t>31 + codes[1]) & (PAIRS - 1)


cdef int fold_title(const string& written, Title& title) except -1 nogil:
    """Read a page's title."""
    cdef Span span
    cdef int32_t i
    span.start, span.end = 0, <int32_t>written.size()
    read_lowered(written, span, title.words)
    title.letters = title.words
    drop_spaces(title.letters)
    memset(title.pairs, 0, sizeof(title.pairs))
    for i in range(title.words.size - 1):
        title.pairs[pair_of(&title.words.codes[i])] = 1
    title.searches = MOST_SEARCHES
    return 0


cdef bint holds(const LoweredText& text, const uint16_t* part, int32_t size) noexcept nogil:
    """Return whether a part stands somewhere in a text."""
    cdef int32_t i
    for i in range(text.size - size + 1):
        if text.codes[i] == part[0] and memcmp(&text.codes[i], part, size * sizeof(uint16_t)) == 0:
            return True
    return False


cdef bint says_word(Title& title, const uint16_t* word, int32_t size) noexcept nogil:
    """Return whether a title holds a word of two characters and more."""
    if size < 2 or not title.pairs[pair_of(word)] or title.searches == 0:
        return False
    title.searches -= 1
    return holds(title.words, word, size)


cdef double share_in_title(Title& title, const LoweredText& text) noexcept nogil:
    """Share of a text's words that stand in a title."""
    cdef int32_t i, start = 0, words = 0, said = 0
    for i in range(text.size + 1):
        if i == text.size or text.codes[i] == 32:
            words += 1
            said += says_word(title, &text.codes[start], i - start)
            start = i + 1
    return said / <double>words


cdef int read_announced(
    Tree tree, const string& title_text, uint8_t[::1] bits, double[::1] title_share, uint8_t[::1] is_title
) except -1 nogil:
    """Write what each block of a page announces and says of the title."""
    cdef Title title
    cdef LoweredText text
    cdef const BlockRow* block
    cdef bint is_short, may_be_title
    cdef size_t i
    fold_title(title_text, title)
    for i in range(tree.blocks.size()):
        block = &tree.blocks[i]
        is_short = block.tokens < SHORT
        may_be_title = block.own_flags & HEADING and block.chars <= title.letters.size
        if not is_short and not may_be_title:
            continue
        read_lowered(tree.text, block.text, text)
        if is_short:
            bits[i] = COMMENTS * announces_comments(text) | META * tells_meta(text)
            if title.words.size:
                title_share[i] = share_in_title(title, text)
        if may_be_title:
            drop_spaces(text)
            is_title[i] = holds(title.letters, &text.codes[0], text.size)
    return 0


# ---- what Python sees -----------------------------------------------------------------------------------------------


class Words(NamedTuple):
    """Announcements of m blocks; arrays of shape (m,).

    Attributes:
        bits: What each block announces, the sum of its bits (`COMMENTS_BIT` …), uint8.
        title_share: Share of a short block's words that stand in the page's title, float64.
        titles: Headings whose text is part of the page's title, white space aside, bool.
    """

    bits: np.ndarray
    title_share: np.ndarray
    titles: np.ndarray


def read_words(Tree tree not None) -> Words:
    """Return what the words of a page's blocks announce.

    Example:
        >>> from lxml.html import document_fromstring
        >>> from denoise_scrapy.core.tree import tree_of
        >>> page = document_fromstring("<title>A story</title><h1>The story</h1><p>3 comments</p>")
        >>> words = read_words(tree_of(page))
        >>> words.bits.tolist(), words.title_share.tolist()
        ([0, 1], [0.5, 0.0])
    """
    cdef string title = tree.title.encode("utf-8", "replace")
    m = tree.blocks.size()
    words = Words(np.zeros(m, np.uint8), np.zeros(m), np.zeros(m, np.bool_))
    cdef uint8_t[::1] bits = words.bits, titles = words.titles.view(np.uint8)
    cdef double[::1] shares = words.title_share
    with nogil:
        read_announced(tree, title, bits, shares, titles)
    return words


def level_one(Tree tree not None) -> np.ndarray:
    """Return the heading of level one around each of a page's m blocks, -1 for none, int32 of shape (m,)."""
    cdef vector[int32_t] nearest
    cdef const Element* element
    cdef int32_t[::1] rows
    cdef size_t i
    nearest.resize(tree.elements.size())
    for i in range(nearest.size()):
        element = &tree.elements[i]
        nearest[i] = -1
        if tree.tokens[element.token].heading == 1:
            nearest[i] = <int32_t>i
        elif element.parent >= 0:
            nearest[i] = nearest[element.parent]
    found = np.empty(tree.blocks.size(), np.int32)
    rows = found
    for i in range(tree.blocks.size()):
        rows[i] = nearest[tree.blocks[i].element]
    return found
