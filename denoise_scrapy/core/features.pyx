# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Features of a block: some eighty named numbers, each computed and described in one place.

A feature is a row of a float32 matrix of shape (features, blocks); `NAMES` names the rows. An unknown value (about
other pages, if there are none) is NaN. Features of one kind form a family: a function that computes its rows, declared
with their names and with its description of a block. Before the families comes what several of them use: announcements
of short blocks, and the log odds that a word indicates content.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from libc.math cimport log1p
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memchr, memcpy, memset
from libcpp.algorithm cimport remove, search
from libcpp.string cimport string
from libcpp.vector cimport vector

from denoise_scrapy.core cimport characters
from denoise_scrapy.core.arrays cimport Doubles, DoublesOut, Flags, FlagsOut, FloatRowsOut, Floats
from denoise_scrapy.core.characters cimport (
    BLANK, CJK, CLASS_BITS, DIGIT, STOP, UPPER, WORDLY, Bytes, crc32, decode, lower_words,
)
from denoise_scrapy.core.hashing cimport NOT_THERE, Table, find, number_of, open_table
from denoise_scrapy.core.tree cimport (
    ARTICLE, COMMENT_WORD, COMMENTS, CONTROL, HEADING, HIDDEN, IS_DIV, IS_PICTURE, IS_ROOT, IS_SUBMITTABLE, LEVELS,
    LIST_ITEM, MAX_NAME, META, SHORTEST, Block, ElementKind, Span, Tree, block_count, climb, element_count, is_inside,
    kind_of, token_of,
)

# ---- announcements of short blocks ----------------------------------------------------------------------------------

cdef enum:
    LONG = 14             # tokens; blocks of this many announce nothing

#: Bits of a block's announcements: a heading of comments; a name or a date.
COMMENTS_BIT, META_BIT = COMMENTS, META
#: Blocks of at least this many tokens announce nothing.
ANNOUNCING_TOKENS = LONG

# These lists hold what is usual on sites in English, Chinese, Japanese, Spanish, French, German, Portuguese,
# Russian and Arabic; in other languages they find nothing. Both hold regular expressions for lower-case words with one space
# between. They are taken apart (`_choices`), so that one pass over a text finds all of them: \b, ^ and $ may be only at
# their ends, and (a|b) and \d are the only other operators.

#: Beginnings of a heading of comments, after symbols and a number.
_COMMENTS = """
comment(|s) response(|s) repl(y|ies) trackback(|s) pingback(|s) discussion thought(|s)_on
join_the_(conversation|discussion) (leave|post|add|write)_a_(reply|comment|response)
comentario(|s) comentário(|s) commentaire(|s) kommentar(|e) комментари(и|й|я) تعليقات
评论 評論 网友评论 留言 回复 回覆 コメント
"""
#: Signs of a name or a date, anywhere in a text.
_META = r"""
\bsays(|:)$ \breply$ \bpermalink\b \bago\b \bposted_(by|on|at|in)\b \bedited\b ^by\b
\b(\d|\d\d):\d\d\b \b(19|20)\d\d\b \b(am|pm)\b \d_uhr\b \bvor_\d há_\d
\bpublicad(o|a)\b \bpublié \bveröffentlicht 前$
年 月 日 回复 回覆 返信 hace_ il_y_a назад منذ опубликован نشر 发布 發布 来源 來源 作者 編集 投稿 更新
"""
# In these lists `_` stands for a space.
COMMENTS_PATTERNS = tuple(rf"(|user |reader |visitor ){words}\b".replace("_", " ") for words in _COMMENTS.split())
META_PATTERNS = tuple(pattern.replace("_", " ") for pattern in _META.split())

cdef enum:
    # Patterns are found by their first character: by its lowest byte, with one bucket for all digits.
    ANY_DIGIT = 256
    # Maximum characters of a page's headings, and of the words of its short blocks with whose first two characters the
    # title has a word, that are searched for in the title. The largest number of words on 3,000 recorded pages is 1,700;
    # hostile ones may have millions, of which each takes time by its length times the title's.
    MOST_SOUGHT = 50_000
    PAIRS = 4096

ctypedef vector[uint16_t] Codes  # of a text: lower case, one space between words

cdef struct Pattern:
    Codes codes           # 0 is any digit
    bint from_edge        # begins with \b
    bint from_start       # begins with ^
    bint to_edge
    bint to_end

ctypedef vector[vector[Pattern]] Patterns  # by bucket

cdef Patterns _comments, _meta


def _choices(pattern: str) -> list:
    """Return the patterns without choices that a pattern with (a|b) expands to."""
    found = re.search(r"\(([^()]*)\)", pattern)
    if found is None:
        return [pattern]
    before, after = pattern[:found.start()], pattern[found.end():]
    return [one for choice in found[1].split("|") for one in _choices(before + choice + after)]


cdef int fill(Patterns& table, patterns):
    """Build a table of patterns."""
    cdef Pattern one
    table.resize(ANY_DIGIT + 1)
    for pattern in patterns:
        for choice in _choices(pattern):
            start, text, end = re.fullmatch(r"(\\b|\^)?(.+?)(\\b|\$)?", choice).groups()
            one.codes = [0 if code == "\\d" else ord(code) for code in re.findall(r"\\d|.", text)]
            one.from_edge, one.from_start = start == r"\b", start == "^"
            one.to_edge, one.to_end = end == r"\b", end == "$"
            table[one.codes[0] & 255 if one.codes[0] else ANY_DIGIT].push_back(one)


fill(_comments, COMMENTS_PATTERNS)
fill(_meta, META_PATTERNS)


cdef inline bint is_word(uint16_t code) noexcept nogil:
    return characters.KIND[code] & WORDLY != 0


cdef inline bint is_digit(uint16_t code) noexcept nogil:
    return characters.KIND[code] & CLASS_BITS == DIGIT


cdef inline bint is_edge(const Codes& text, size_t at) noexcept nogil:
    """Return whether a word begins or ends at a position of a text."""
    return (at > 0 and is_word(text[at - 1])) != (at < text.size() and is_word(text[at]))


cdef inline bint matches(const Pattern& pattern, const Codes& text, size_t at) noexcept nogil:
    """Return whether a pattern matches at a position of a text."""
    cdef size_t i, end = at + pattern.codes.size()
    if end > text.size() or (pattern.from_start and at > 0) or (pattern.to_end and end < text.size()):
        return False
    for i in range(pattern.codes.size()):
        if text[at + i] != pattern.codes[i] and not (pattern.codes[i] == 0 and is_digit(text[at + i])):
            return False
    return (not pattern.from_edge or is_edge(text, at)) and (not pattern.to_edge or is_edge(text, end))


cdef size_t end_of_match(const Patterns& table, const Codes& text, size_t at) noexcept nogil:
    """Return the end of a pattern that matches at a position of a text, 0 if none does."""
    cdef size_t end = end_in(table[text[at] & 255], text, at)
    return end if end or not is_digit(text[at]) else end_in(table[ANY_DIGIT], text, at)


cdef inline size_t end_in(const vector[Pattern]& bucket, const Codes& text, size_t at) noexcept nogil:
    cdef size_t i
    for i in range(bucket.size()):
        if matches(bucket[i], text, at):
            return at + bucket[i].codes.size()


cdef bint announces(const Patterns& table, const Codes& text) noexcept nogil:
    """Return whether a short text is a heading: symbols, a number, words of a table, and more."""
    cdef size_t at = 0
    while at < text.size() and not is_word(text[at]):
        at += 1
    if at < text.size() and is_digit(text[at]):
        while at < text.size() and is_digit(text[at]):
            at += 1
        if at < text.size() and text[at] == c' ':
            at += 1
    return at < text.size() and end_of_match(table, text, at) > 0


cdef bint tells_meta(const Codes& text) noexcept nogil:
    """Return whether a text contains a name or a date."""
    cdef size_t at
    for at in range(text.size()):
        if end_of_match(_meta, text, at):
            return True
    return False


cdef int read_lowered(const string& marked, Span span, Codes& text) nogil:
    """Read a slice of a marked text: lower case, without marks, one space between words."""
    cdef:
        Bytes data = <Bytes>marked.data()
        int32_t i = span.start
        uint32_t code
        bint gap = False
    text.clear()
    while i < span.end:
        i += decode(data + i, &code)
        if code <= 2:
            continue
        if code > 0xFFFF:  # replaced by a private-use code
            code = 0xE000 | (code & 0xFFF)
        elif characters.KIND[code] & BLANK:
            gap = not text.empty()
            continue
        if gap:
            text.push_back(c' ')
            gap = False
        code = characters.LOWER[code]
        text.push_back(0x3C3 if code == 0x3C2 else code)  # a final sigma, which capitals do not distinguish


cdef int drop_spaces(Codes& text) nogil:
    text.erase(remove(text.begin(), text.end(), <uint16_t>32), text.end())


cdef struct Title:
    Codes words
    Codes letters   # without spaces
    uint8_t[PAIRS] pairs  # whether two characters with this hash are in it
    int32_t left          # characters that may still be searched for


cdef inline uint32_t pair_of(const uint16_t* codes) noexcept nogil:
    return (codes[0] * <uint32_t>31 + codes[1]) & (PAIRS - 1)


cdef int fold_title(const string& written, Title& title) nogil:
    """Read a page's title."""
    cdef size_t i
    read_lowered(written, Span(0, written.size()), title.words)
    title.letters = title.words
    drop_spaces(title.letters)
    memset(title.pairs, 0, sizeof(title.pairs))
    for i in range(1, title.words.size()):
        title.pairs[pair_of(&title.words[i - 1])] = 1
    title.left = MOST_SOUGHT


cdef bint holds(Title& title, const Codes& text, const uint16_t* part, size_t size) noexcept nogil:
    """Return whether a part occurs in a title's words or letters; none does once too much was searched for."""
    cdef const uint16_t* start = text.data()
    cdef const uint16_t* end = start + text.size()
    title.left -= <int32_t>min(size, text.size())
    return title.left >= 0 and search(start, end, part, part + size) != end


cdef bint says_word(Title& title, const uint16_t* word, size_t size) noexcept nogil:
    """Return whether a title contains a word of at least two characters."""
    return size >= 2 and title.pairs[pair_of(word)] and holds(title, title.words, word, size)


cdef double share_in_title(Title& title, const Codes& text) noexcept nogil:
    """Return the share of a text's words that are in a title."""
    cdef size_t i, start = 0
    cdef int32_t words = 0, said = 0
    for i in range(text.size() + 1):
        if i == text.size() or text[i] == c' ':
            words += 1
            said += says_word(title, text.data() + start, i - start)
            start = i + 1
    return said / <double>words


cdef int read_announced(
    Tree tree, const string& title_text, FlagsOut bits, DoublesOut title_share, FlagsOut is_title
) except -1 nogil:
    """Write each block's announcements and its agreement with the title."""
    cdef:
        Title title
        Codes text
        Block block
        bint is_short, may_be_title
        size_t i
    fold_title(title_text, title)
    for i in range(tree.blocks.size()):
        block = &tree.blocks[i]
        is_short = block.tokens < LONG
        may_be_title = block.own_flags & HEADING and block.chars <= <int32_t>title.letters.size()
        if not is_short and not may_be_title:
            continue
        read_lowered(tree.text, block.text, text)
        if is_short:
            bits[i] = COMMENTS * announces(_comments, text) | META * tells_meta(text)
            if not title.words.empty():
                title_share[i] = share_in_title(title, text)
        if may_be_title:
            drop_spaces(text)
            is_title[i] = holds(title, title.letters, text.data(), text.size())
    return 0


class Words(NamedTuple):
    """Announcements of m blocks; arrays of shape (m,).

    Attributes:
        bits: Announcements of each block, the sum of its bits (`COMMENTS_BIT` …), uint8.
        title_share: Share of a short block's words that are in the page's title, float64.
        titles: Headings whose text is part of the page's title, ignoring white space, bool.
    """

    bits: np.ndarray
    title_share: np.ndarray
    titles: np.ndarray


def read_words(Tree tree not None) -> Words:
    """Return the announcements of a page's blocks.

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
    cdef FlagsOut bits = words.bits, titles = words.titles.view(np.uint8)
    cdef DoublesOut shares = words.title_share
    with nogil:
        read_announced(tree, title, bits, shares, titles)
    return words


# ---- odds of words --------------------------------------------------------------------------------------------------

# Words of class names and ids: after Peters and Lecocq, *Content Extraction Using Diverse Feature Sets* (2013). They
# chose words, and use those of the block's own element; here each word has odds, as in naive Bayes, which are summed
# over all elements around the block.
#
# Words of texts: after Pasternack and Roth, *Extracting Article Text from the Web with Maximum Subsequence
# Segmentation* (2009), section 4: naive Bayes over the tokens of a page. They use three tokens in a row and the tag
# around them; here the features are the mean, minimum and maximum of a block's word odds.

cdef enum:
    # Bytes of a word in names.
    LONGEST = 32
    # Minimum bytes of the part of a word that stands for it: four letters begin and end too many words.
    LEAST_PART = 5
    # Added to the number of a block's words: one or two words are weak evidence.
    PRIOR = 2
    # Bits of `Word.number` that distinguish words of texts: words with the same letters share a number, and so does one
    # word in seventy with a word of frames in some other language; with 18 bits, one in nineteen.
    NUMBER_BITS = 20

cdef float UP = 0.5       # weight of an element's name odds for its children

#: Number of distinct numbers for words of texts.
WORDS = 1 << NUMBER_BITS


cdef struct Name:         # a word in the names of an element, all words of a name, or a tag
    unsigned char[LONGEST] text
    size_t size
    uint32_t code             # its hash


cdef int add_name(vector[Name]& found, Bytes text, size_t size) nogil:
    cdef Name name
    name.size = size if size < LONGEST else LONGEST
    memcpy(name.text, text, name.size)
    name.code = crc32(name.text, name.size)
    found.push_back(name)


cdef int add_names(vector[Name]& found, Bytes names, Span span) nogil:
    """Add the words of a class or id, and each multi-word name as a whole."""
    cdef:
        unsigned char[2 * MAX_NAME + 1] words
        size_t i, start = 0, kept = 0, count = 0, whole = 0
        size_t size = lower_words(names + span.start, span.end - span.start, words)
    for i in range(size):
        if words[i] > 32:
            continue
        if i - start >= SHORTEST:
            add_name(found, words + start, i - start)
            # the whole name omits short words: the others close up
            if count:
                words[kept] = 32
                kept += 1
            while start < i:
                words[kept] = words[start]
                kept += 1
                start += 1
            count += 1
        start = i + 1
        if words[i] == c'\n':  # end of the name
            if count > 1:
                add_name(found, words + whole, kept - whole)
            kept = whole = i + 1
            count = 0


cdef int read_names(Tree tree, const ElementKind* token, vector[Name]& found) nogil:
    """Read an element's tag, as `<` and its name, and its names; those of html and body describe the page."""
    cdef:
        Bytes names = <Bytes>tree.names.data()
        unsigned char[LONGEST] tag
        size_t size = min(token.tag_name.end - token.tag_name.start, LONGEST - 1)
    found.clear()
    if token.kind & IS_ROOT:
        return 0
    tag[0] = 60
    memcpy(tag + 1, names + token.tag_name.start, size)
    add_name(found, tag, size + 1)
    add_names(found, names, token.class_name)
    add_names(found, names, token.id_name)


def words_of(Tree tree not None, int token) -> frozenset:
    """Return the codes (crc32) of the words in a token's names, of each multi-word name, and of the tag."""
    cdef vector[Name] found
    read_names(tree, tree._token(token), found)
    return frozenset([name.code for name in found])


def text_numbers(Tree tree not None) -> np.ndarray:
    """Return the numbers, below `WORDS`, of a page's words (`Tree.word_rows`), shape (words,)."""
    return tree.word_rows["number"] >> (32 - NUMBER_BITS)


cdef struct NameOdds:     # of the names of an element and its ancestors
    float whole           # the sum of all elements' odds
    float least           # of any one word
    float most
    float near            # of the innermost elements: weights halve with each level up

cdef struct TextOdds:     # of the words of a block
    float mean
    float least           # of any one word, 0 if none is negative
    float most


cdef class Vocabulary:
    """Log odds of words; a missing word counts as neutral.

    Args:
        class_words: Log odds of words in class names and ids by their code (`words_of`).
        text_words: Log odds of words of texts by their number (`text_numbers`), 0 for neutral ones, float32 of shape
            (WORDS,).
    """

    cdef:
        readonly dict class_words
        readonly object text_words
        Table codes
        vector[float] odds           # by the index of a code in `codes`
        Floats text_odds

    def __cinit__(self, class_words=None, text_words=None):
        self.class_words = dict(class_words or {})
        self.text_words = np.zeros(WORDS, np.float32) if text_words is None else text_words
        if self.text_words.shape != (WORDS,):
            raise ValueError(f"text_words must have the shape {(WORDS,)}, got {self.text_words.shape}")
        self.text_odds = np.ascontiguousarray(self.text_words, np.float32)
        open_table(self.codes, len(self.class_words))
        for code, odds in self.class_words.items():
            number_of(self.codes, <uint64_t>code + 1)
            self.odds.push_back(odds)

    def __reduce__(self):
        return Vocabulary, (self.class_words, self.text_words)

    cdef int32_t number_of_name(self, const Name& name) noexcept nogil:
        """Return the number of a name, or of the longest known word that a word begins or ends with."""
        cdef int32_t number = find(self.codes, <uint64_t>name.code + 1)
        cdef size_t size = name.size
        if memchr(name.text, 32, name.size):
            return number
        while number == NOT_THERE and size > LEAST_PART:
            size -= 1
            number = find(self.codes, <uint64_t>crc32(name.text, size) + 1)
            if number == NOT_THERE:
                number = find(self.codes, <uint64_t>crc32(name.text + name.size - size, size) + 1)
        return number

    cdef int find_name_odds(self, Tree tree, vector[NameOdds]& found) except -1 nogil:
        """Write the odds of the names of each element and its ancestors."""
        cdef:
            vector[NameOdds] own
            vector[Name] names
            NameOdds one, around
            int32_t number, parent
            size_t i
        own.resize(tree.tokens.size())
        for i in range(own.size()):
            read_names(tree, &tree.tokens[i], names)
            one.least = one.most = 0
            for name in names:
                number = self.number_of_name(name)
                if number != NOT_THERE:
                    one.least = min(one.least, self.odds[number])
                    one.most = max(one.most, self.odds[number])
            own[i] = one
        found.resize(tree.elements.size())
        for i in range(found.size()):
            one = own[tree.elements[i].token]
            one.whole = one.near = one.least + one.most
            parent = tree.elements[i].parent
            if parent >= 0:
                around = found[parent]
                one.whole += around.whole
                one.near += UP * around.near
                one.least = min(one.least, around.least)
                one.most = max(one.most, around.most)
            found[i] = one
        return 0

    cdef TextOdds text_odds_of(self, Tree tree, int32_t block) noexcept nogil:
        """Return the odds of a block's words."""
        cdef:
            Span words = tree.blocks[block].words
            TextOdds found
            float odds
            double total = 0
            int32_t i
        found.least = found.most = 0
        for i in range(words.start, words.end):
            odds = self.text_odds[tree.words[i].number >> (32 - NUMBER_BITS)]
            total += odds
            found.least = min(found.least, odds)
            found.most = max(found.most, odds)
        found.mean = total / (words.end - words.start + PRIOR)
        return found


#: A vocabulary in which every word is neutral.
NO_WORDS = Vocabulary()

cdef enum:
    # Longer distances, in blocks or levels, are clipped: they carry no information.
    FAR = 20

# ---- shared by several families --------------------------------------------------------------------------------------

cdef enum:
    # Sums over the blocks in an element.
    TOKENS
    PROSE
    CHARS
    LINK_CHARS
    COPIES                # tokens times the share of comparison pages that contain them
    OWN                   # tokens of the site's own text, see `sharing.Shared.own_tokens`
    STORY                 # prose times the share of comparison pages that do not contain it
    PICTURES
    CONTROLS
    SUMS

cdef struct Slot:         # the blocks of one path
    double blocks
    double tokens


cdef inline double at_least(double value, double least) noexcept nogil:
    return value if value > least else least


cdef inline double capped(double value) noexcept nogil:
    """Clip a distance to FAR, before and after."""
    return FAR if value > FAR else -FAR if value < -FAR else value


cdef int32_t shared_with(Tree tree, int32_t element, int32_t other, int32_t before, int32_t box) noexcept nogil:
    """Return the first ancestor-or-self of an element that contains another one too, -1 for none.

    Where it contains the element before, too, the answer for that one is taken: however deep a page is, all its blocks
    in order are climbed from in linear time.
    """
    while not (is_inside(tree, other, element) or is_inside(tree, before, element)):
        element = tree.elements[element].parent
    return element if is_inside(tree, other, element) else box


cdef inline int32_t levels_to(Tree tree, int32_t element, int32_t above) noexcept nogil:
    """Count the levels from an element up to an ancestor, or past its root for -1."""
    return tree.elements[element].depth - (tree.elements[above].depth if above >= 0 else 0)


cdef int sum_up(Tree tree, View view) nogil:
    """Sum values of blocks over their elements, then bottom-up over the ancestors and the page; and by path."""
    cdef:
        Block block
        double* sums
        int32_t i, kind
    view.sums.resize((view.n + 1) * SUMS)
    view.slots.resize(tree.slots)
    for i in range(view.m):
        block = &tree.blocks[i]
        view.slots[block.slot].blocks += 1
        view.slots[block.slot].tokens += block.tokens
    for i in range(view.m):
        block = &tree.blocks[i]
        sums = sums_of(view, block.element)
        sums[TOKENS] += block.tokens
        sums[PROSE] += block.prose
        sums[CHARS] += block.chars
        sums[LINK_CHARS] += block.link_chars
        sums[STORY] += block.prose * (1 - view.text_share[i] if view.pages else 1)
        if view.pages:
            sums[COPIES] += block.tokens * view.text_share[i]
            sums[OWN] += own_here(view, i)
    for i in range(view.n - 1, -1, -1):
        sums = sums_of(view, i)
        sums[PICTURES] += kind_of(tree, i) & IS_PICTURE != 0
        sums[CONTROLS] += kind_of(tree, i) & IS_SUBMITTABLE != 0
        for kind in range(SUMS):
            sums_of(view, around(view, i))[kind] += sums[kind]
    view.whole = at_least(sums_of(view, view.n)[TOKENS], 1)


cdef inline int32_t around(View view, int32_t element) noexcept nogil:
    """Return the number of the element around another one, n for the page."""
    cdef int32_t parent = view.tree.elements[element].parent
    return parent if parent >= 0 else view.n


cdef inline double* sums_of(View view, int32_t element) noexcept nogil:
    """Return the sums of an element, or of the page, n."""
    return &view.sums[element * SUMS]


cdef inline const double* sums_above(View view, int32_t block, int32_t levels) noexcept nogil:
    """Return the sums of the element a number of levels above a block's, at most the root."""
    return sums_of(view, climb(view.tree, view.tree.blocks[block].element, levels))


cdef inline double own_here(View view, int32_t block) noexcept nogil:
    """Return the site's own tokens in the place of a block: those of its path, shared out among its blocks."""
    return view.own_tokens[block] / view.slots[view.tree.blocks[block].slot].blocks


cdef int32_t find_best_box(
    const double* prose, const double* tokens, double whole, int32_t n, int32_t step
) noexcept nogil:
    """Return the element whose text comes closest to being all the prose and nothing else, -1 without prose.

    It has the highest F = 2 · prose inside / (tokens inside + all prose); of equals the deepest is taken. The sums of
    each of the n elements are so many steps apart.
    """
    cdef double fit, best = 0
    cdef int32_t i, box = -1
    for i in range(n if whole else 0):
        fit = 2 * prose[i * step] / (tokens[i * step] + whole)
        if fit >= best:
            best, box = fit, i
    return box


def best_box(Doubles prose not None, Doubles tokens not None, double whole) -> int:
    """Return `find_best_box`, given the prose and tokens in each of n elements, and all prose."""
    if prose.shape[0] != tokens.shape[0]:
        raise ValueError(f"there are {prose.shape[0]} elements, got tokens of {tokens.shape[0]}")
    return find_best_box(&prose[0], &tokens[0], whole, prose.shape[0], 1) if prose.shape[0] else -1


cdef int find_story(Tree tree, View view) nogil:
    """Find the best box of the page's own prose, and its paragraphs."""
    cdef:
        const double* page = sums_of(view, view.n)
        bint found = False
        int32_t i
    view.first, view.last = 0, view.m - 1
    view.box = find_best_box(&view.sums[STORY], &view.sums[TOKENS], page[STORY], view.n, SUMS)
    for i in range(view.m):
        if tree.blocks[i].prose and is_inside(tree, tree.blocks[i].element, view.box):
            if not found:
                view.first = i
                found = True
            view.last = i


cdef int open_view(Tree tree, View view) nogil:
    """Compute what several families use."""
    cdef int32_t i, heading = -1
    sum_up(tree, view)
    view.title = -1
    view.heading.resize(view.m)
    for i in range(view.m):
        if view.title < 0 and view.titles[i]:
            view.title = i
        if tree.blocks[i].heading:
            heading = i
        view.heading[i] = heading
    return find_story(tree, view)


# ---- families -------------------------------------------------------------------------------------------------------

ctypedef int (*Find)(Tree tree, View view, FloatRowsOut rows) except? -1 nogil

cdef struct Step:         # a family's function, and its rows of the matrix
    Find find
    int32_t first, end

cdef vector[Step] _steps


class Family(NamedTuple):
    """Names of features of one kind, and a function that describes a block from all rows of a page and its number."""

    names: tuple
    say: object


# The features of each family, in the order of the rows.
_FEATURES = """
text: tokens word_length stops digits capitals cjk ends_in_stop
links: ld ld_up1 ld_up3
tags: heading tag_div in_hidden in_article in_control
class_names: class_sum class_least class_most class_near
announcements: after_comments since_dated dated_before
surroundings: prose_up1 prose_up3 share_up1 share_up3 tokens_up1 pictures_up2 path_count path_share controls controls_up1 controls_up3
place: in_container from_first from_last prose_before position levels_to_prose
wording: words_before words_of_beginning words_elsewhere
text_words: word_mean word_least word_most heading_word_mean heading_word_least heading_word_most
headline: title_share from_title levels_to_title share_with_title titles_before
section: section_tokens section_level section_linked
site: repeated repeated_in_place repeated_slot repeated_up3 own_here own_up1 in_own_half stock k same_as_all
records: record_outer_count record_outer_share record_outer_prose record_inner_count record_inner_share
whole_page: page_tokens page_blocks page_longest page_prose page_ld page_headings page_pictures \
    page_declares_article page_declares_forum page_in_comment_word page_in_list_item page_in_article
"""
_NAMES = {family: tuple(names.split()) for family, names in re.findall("^(.+): (.+)", _FEATURES, re.M)}
#: Names of the rows, in order.
NAMES = sum(_NAMES.values(), ())
#: All rows of a page by name.
Rows = Mapping[str, np.ndarray]
#: Families by name, in row order.
FAMILIES: dict = {}
#: Shares above which a description says "most".
MOSTLY = 0.5


cdef int declare_family(str name, Find find, say):
    """Declare a family: the computation of its rows, and its description."""
    cdef Step step
    names = _NAMES[name]
    step.find = find
    step.first = NAMES.index(names[0])
    step.end = step.first + len(names)
    _steps.push_back(step)
    FAMILIES[name] = Family(names, say)


cdef int text(Tree tree, View view, FloatRowsOut rows) nogil:
    """Compute length, and classes of characters."""
    cdef:
        Block block
        double chars
        int32_t i
    for i in range(view.m):
        block = &tree.blocks[i]
        chars = at_least(block.chars, 1)
        rows[0, i] = log1p(block.tokens)
        rows[1, i] = chars / at_least(block.tokens, 1)
        rows[2, i] = block.counts[STOP] / chars
        rows[3, i] = block.counts[DIGIT] / chars
        rows[4, i] = block.counts[UPPER] / chars
        rows[5, i] = block.counts[CJK] / chars
        rows[6, i] = block.ends_in_stop


declare_family(
    "text", text,
    lambda rows, block: f"its length and punctuation: {np.expm1(rows['tokens'][block]):.0f} words",
)


cdef inline double link_density(Block block) noexcept nogil:
    return block.link_chars / at_least(block.chars, 1)


cdef int links(Tree tree, View view, FloatRowsOut rows) nogil:
    """Compute the link density of the block, and 1 and 3 levels up."""
    cdef const double* above
    cdef int32_t i, row
    for i in range(view.m):
        rows[0, i] = link_density(&tree.blocks[i])
        for row in range(1, 3):
            above = sums_above(view, i, 2 * row - 1)
            rows[row, i] = above[LINK_CHARS] / at_least(above[CHARS], 1)


def _say_links(rows, block):
    share, around = float(rows["ld"][block]), float(rows["ld_up1"][block])
    if share > MOSTLY:
        return "a list of links"
    return "some of it is links" if share > 0 else "among links" if around > MOSTLY else "no links"


declare_family("links", links, _say_links)


cdef int tags(Tree tree, View view, FloatRowsOut rows) nogil:
    """Compute tag, and enclosing tags or roles. Odds of class names (below) cover all other tags."""
    cdef Block block
    cdef int32_t i
    for i in range(view.m):
        block = &tree.blocks[i]
        rows[0, i] = block.heading
        rows[1, i] = kind_of(tree, block.element) & IS_DIV != 0
        rows[2, i] = block.flags & HIDDEN != 0
        rows[3, i] = block.flags & ARTICLE != 0
        rows[4, i] = block.flags & CONTROL != 0


def _say_tags(rows, block):
    inside = [name for name in ("hidden", "article", "control") if rows[f"in_{name}"][block] > 0]
    return f"in {', '.join(inside)}" if inside else "its tags are plain"


declare_family("tags", tags, _say_tags)


cdef int class_names(Tree tree, View view, FloatRowsOut rows) nogil:
    """Compute the odds of the class names and ids around the block."""
    cdef:
        vector[NameOdds] odds
        const NameOdds* one
        int32_t i
    view.vocabulary.find_name_odds(tree, odds)
    for i in range(view.m):
        one = &odds[tree.blocks[i].element]
        rows[0, i] = one.whole
        rows[1, i] = one.least
        rows[2, i] = one.most
        rows[3, i] = one.near


declare_family(
    "class_names", class_names,
    lambda rows, block: f"class names of {'content' if rows['class_sum'][block] > 0 else 'frames'} around it",
)


#: Share of the long blocks' tokens that must precede a heading of comments: above the story it is a link.
cdef double LATE = 0.03


cdef int announcements(Tree tree, View view, FloatRowsOut rows) nogil:
    """Compute announcements of comments, names and dates, and their number since the headline."""
    cdef:
        double whole = 0, before = 0
        int32_t i, bits, tokens, last = -FAR, dates = 0, dates_to_title = 0
        bint after_comments = False
    for i in range(view.m):
        tokens = tree.blocks[i].tokens
        if tokens >= LONG:
            whole += tokens
        if view.bits[i] & META and (i <= view.title or i == 0):
            dates_to_title += 1
    for i in range(view.m):
        tokens, bits = tree.blocks[i].tokens, view.bits[i]
        if tokens >= LONG:
            before += tokens
        if bits & COMMENTS and before > LATE * whole:
            after_comments = True
        if bits & META:
            last = i
            dates += 1
        rows[0, i] = after_comments
        rows[1, i] = capped(i - last)
        rows[2, i] = capped(dates - dates_to_title)


def _say_announcements(rows, block):
    if rows["after_comments"][block] > 0:
        return "after a heading of comments"
    if not rows["since_dated"][block]:
        return "a name or a date"
    dated = int(rows["dated_before"][block])
    return f"after {dated} names or dates" if dated > 0 else "no words of comments around"


declare_family("announcements", announcements, _say_announcements)


cdef int surroundings(Tree tree, View view, FloatRowsOut rows) nogil:
    """Compute prose, text, pictures and controls in the enclosing boxes, and the blocks with the same path."""
    cdef:
        const double* up1
        const double* up3
        const Slot* slot
        int32_t i
    for i in range(view.m):
        slot = &view.slots[tree.blocks[i].slot]
        up1, up3 = sums_above(view, i, 1), sums_above(view, i, 3)
        rows[0, i] = up1[PROSE] / at_least(up1[TOKENS], 1)
        rows[1, i] = up3[PROSE] / at_least(up3[TOKENS], 1)
        rows[2, i] = up1[TOKENS] / view.whole
        rows[3, i] = up3[TOKENS] / view.whole
        rows[4, i] = log1p(up1[TOKENS])
        rows[5, i] = log1p(sums_above(view, i, 2)[PICTURES])
        rows[6, i] = log1p(slot.blocks)
        rows[7, i] = slot.tokens / view.whole
        rows[8, i] = log1p(sums_of(view, tree.blocks[i].element)[CONTROLS])
        rows[9, i] = log1p(up1[CONTROLS])
        rows[10, i] = log1p(up3[CONTROLS])


def _say_surroundings(rows, block):
    said = "among full sentences" if rows["prose_up1"][block] > MOSTLY else "few full sentences around it"
    return said + ", with buttons" if rows["controls_up1"][block] > 0 else said


declare_family("surroundings", surroundings, _say_surroundings)


cdef int place(Tree tree, View view, FloatRowsOut rows) nogil:
    """Compute the block's position relative to the page's own prose."""
    cdef double prose = 0, tokens = 0
    cdef int32_t i, element, other, before, box = -1, longest = 0
    for i in range(view.m):
        if tree.blocks[i].prose > tree.blocks[longest].prose:
            longest = i
    before = other = tree.blocks[longest].element
    for i in range(view.m):
        element = tree.blocks[i].element
        box = shared_with(tree, element, other, before, box)
        before = element
        tokens += tree.blocks[i].tokens
        rows[0, i] = is_inside(tree, element, view.box)
        rows[1, i] = capped(i - view.first)
        rows[2, i] = capped(i - view.last)
        rows[3, i] = prose / at_least(sums_of(view, view.n)[PROSE], 1)
        rows[4, i] = tokens / view.whole
        rows[5, i] = capped(levels_to(tree, element, box))
        prose += tree.blocks[i].prose


declare_family(
    "place", place,
    lambda rows, block: (
        ("inside" if rows["in_container"][block] > 0 else "outside") + " the part of the page that holds most text"
    ),
)


cdef enum:
    # Long words that count as the beginning; blocks before and after that form a window; and a number added to their
    # word counts (PRIOR): a handful of words is weak evidence.
    BEGINNING = 80
    AROUND = 2
    # Ignored bits of a word's number. One word in forty shares the number of another.
    UNCOUNTED = 16

cdef struct LongWord:     # of a page
    int32_t first         # first block that contains it
    int32_t last
    bint begins           # whether it occurs in the beginning of the prose

cdef struct Wording:      # of a block's long words
    int32_t words
    int32_t before        # that occur in an earlier block
    int32_t begins        # that occur in the beginning
    int32_t elsewhere     # that occur in another block


cdef int wording(Tree tree, View view, FloatRowsOut rows) nogil:
    """Compute the shares of a block's words that the page has used before: another story uses other words.

    Source: Hearst, *TextTiling: Segmenting Text into Multi-Paragraph Subtopic Passages* (1997), section 4: where the
    subject changes, words are new. Hearst compares windows of a plain text; here the words around a block are
    compared with all words before it, with the beginning of the page's prose, and with the whole page.
    """
    cdef:
        Table numbers
        vector[LongWord] known
        vector[int32_t] number   # of each word of the page
        vector[Wording] blocks
        Wording* own
        LongWord new
        LongWord* word
        int32_t i, near, block, read = 0, first = view.first, end = first
        size_t w
        double words, before, begins, elsewhere
    blocks.resize(view.m)
    number.resize(tree.words.size())
    for w in range(tree.words.size()):
        if tree.words[w].number & 1:
            blocks[tree.words[w].block].words += 1
    while end < view.m and read <= BEGINNING:
        read += blocks[end].words
        end += 1
    open_table(numbers, tree.words.size())
    # where each word occurs
    for w in range(tree.words.size()):
        if not tree.words[w].number & 1:
            continue
        block = tree.words[w].block
        number[w] = number_of(numbers, 1 + (tree.words[w].number >> UNCOUNTED))
        if number[w] == <int32_t>known.size():
            new.first = block
            new.begins = False
            known.push_back(new)
        word = &known[number[w]]
        word.last = block
        word.begins |= first <= block < end
    # the words of each block
    for w in range(tree.words.size()):
        if tree.words[w].number & 1:
            word, own = &known[number[w]], &blocks[tree.words[w].block]
            own.before += word.first < tree.words[w].block
            own.begins += word.begins
            own.elsewhere += word.first != word.last
    for i in range(view.m):
        words = PRIOR
        before = begins = elsewhere = 0
        for near in range(max(i - AROUND, 0), min(i + AROUND + 1, view.m)):
            own = &blocks[near]
            words += own.words
            before += own.before
            begins += own.begins
            elsewhere += own.elsewhere
        rows[0, i] = before / words
        rows[1, i] = begins / words
        rows[2, i] = elsewhere / words


def _say_wording(rows, block):
    if rows["words_of_beginning"][block] > MOSTLY:
        return "words of the page's beginning"
    where = "elsewhere, too" if rows["words_elsewhere"][block] > MOSTLY else "nowhere else"
    return f"words that the page has {where}"


declare_family("wording", wording, _say_wording)


cdef int text_words(Tree tree, View view, FloatRowsOut rows) nogil:
    """Compute the odds of the words of the block, and of the heading above."""
    cdef TextOdds odds
    cdef int32_t i, row, heading
    for i in range(view.m):
        odds = view.vocabulary.text_odds_of(tree, i)
        rows[0, i] = odds.mean
        rows[1, i] = odds.least
        rows[2, i] = odds.most
        heading = view.heading[i]
        for row in range(3):
            rows[3 + row, i] = rows[row, heading] if heading >= 0 else 0


def _say_text_words(rows, block):
    whose, name = ("its", "word_mean") if rows["word_mean"][block] else ("the heading's", "heading_word_mean")
    return f"{whose} words are those of {'content' if rows[name][block] > 0 else 'frames'}"


declare_family(
    "text_words",
    text_words,
    _say_text_words,
)


cdef int headline(Tree tree, View view, FloatRowsOut rows) nogil:
    """Compute the position relative to the headline, and the number of similar headings in between."""
    cdef Block title
    cdef int32_t i, element, before, box = -1, root, alike = 0
    for i in range(view.m):
        rows[0, i] = view.title_share[i]
    if view.title < 0:
        return 0
    title = &tree.blocks[view.title]
    root = climb(tree, title.element, tree.elements[title.element].depth)
    before = title.element
    for i in range(view.title + 1):
        alike -= tree.blocks[i].slot == title.slot
    for i in range(view.m):
        element = tree.blocks[i].element
        box = shared_with(tree, element, title.element, before, box)
        before = element
        alike += tree.blocks[i].slot == title.slot
        rows[1, i] = capped(i - view.title)
        rows[2, i] = capped(levels_to(tree, element, box))
        rows[3, i] = sums_of(view, box if box >= 0 else root)[TOKENS] / view.whole
        rows[4, i] = min(alike, FAR)


def _say_headline(rows, block):
    share, distance = float(rows["title_share"][block]), float(rows["from_title"][block])
    if share > 0:
        return "says what the page's title says" if share > MOSTLY else "shares words with the page's title"
    if np.isnan(distance):
        return "the page has no headline"
    return "above the headline" if distance < 0 else "near the headline" if distance < 5 else "far from the headline"


declare_family(
    "headline",
    headline,
    _say_headline,
)


cdef int section(Tree tree, View view, FloatRowsOut rows) nogil:
    """Compute the heading above, whether it is a link, and the text up to the next one."""
    cdef vector[double] tokens  # by the block of the heading; first, the text above all headings
    cdef int32_t i, heading
    tokens.assign(view.m + 1, 0)
    for i in range(view.m):
        if not tree.blocks[i].heading:
            tokens[view.heading[i] + 1] += tree.blocks[i].tokens
    for i in range(view.m):
        heading = view.heading[i]
        rows[0, i] = log1p(tokens[heading + 1])
        rows[1, i] = tree.blocks[heading].heading if heading >= 0 else 0
        rows[2, i] = link_density(&tree.blocks[heading]) if heading >= 0 else 0


def _say_section(rows, block):
    if rows["section_linked"][block] > MOSTLY and not rows["heading"][block]:
        return "below a heading that leads to another page"
    return f"its section has {np.expm1(rows['section_tokens'][block]):.0f} words"


declare_family("section", section, _say_section)


#: Share of the site's own text that the smallest box around it must hold; and the tokens per page above which a site
#: reveals where its own text is.
cdef double HALF_OWN = 0.5, LEAST_OWN = 20


cdef int site(Tree tree, View view, FloatRowsOut rows) nogil:
    """Compute repeats of the block and its enclosing boxes on other pages, and where those have their own text."""
    cdef:
        const double* up3
        double most_own = 0
        int32_t i, size, smallest = view.n + 1, box = -1, element
    rows[8, :] = view.pages
    if not view.pages:
        return 0
    for i in range(view.n):
        most_own = at_least(sums_of(view, i)[OWN], most_own)
    for i in range(view.n):
        size = tree.elements[i].end - i
        if sums_of(view, i)[OWN] >= HALF_OWN * most_own and size < smallest:
            smallest = size
            box = i
    for i in range(view.m):
        element = tree.blocks[i].element
        up3 = sums_above(view, i, 3)
        rows[0, i] = view.text_share[i]
        rows[1, i] = view.placed_share[i]
        rows[2, i] = view.slot_share[i]
        rows[3, i] = up3[COPIES] / at_least(up3[TOKENS], 1)
        rows[4, i] = log1p(own_here(view, i))
        rows[5, i] = sums_above(view, i, 1)[OWN] / at_least(most_own, 1e-9)
        if most_own >= LEAST_OWN:
            rows[6, i] = is_inside(tree, element, box)
        rows[7, i] = view.slot_share[i] if view.text_share[i] > 0 else 0
    rows[9, :] = sums_of(view, view.n)[COPIES] / view.whole


def _say_site(rows, block):
    if np.isnan(rows["repeated"][block]):
        return "no other page to compare with"
    pages = round(float(rows["k"][block]))
    found = round(float(rows["repeated"][block]) * pages)
    if not found:
        return "its text is on no other page"
    whole = "the other page" if pages == 1 else "both other pages" if pages == 2 else f"all {pages} other pages"
    return f"repeats on {whole if found == pages else f'{found} of {pages} other pages'}"


declare_family(
    "site",
    site,
    _say_site,
)


cdef enum:
    # At least this many siblings with one tag and class make a list of records, with as many elements each on average,
    # and this many tokens.
    LEAST_RECORDS = 3
    LEAST_TOKENS = 2

cdef struct Records:      # siblings with one tag and class; all is 0 if they are not a list
    double count          # log1p
    double elements
    double tokens
    double share          # of the page's tokens
    double prose          # share of their tokens


cdef int records(Tree tree, View view, FloatRowsOut rows) nogil:
    """Find the enclosing list of records with the most text, and the innermost one."""
    cdef:
        Table numbers
        vector[Records] lists
        vector[int32_t] list_of  # of each element; siblings without text are not records
        Records nothing
        Records* one
        const Records* outer
        const Records* inner
        uint64_t alike
        int32_t i, element, level
        size_t number
    memset(&nothing, 0, sizeof(Records))
    list_of.assign(view.n, NOT_THERE)
    open_table(numbers, view.n)
    for i in range(view.n):
        if sums_of(view, i)[TOKENS] == 0:
            continue
        # parents' numbers times this odd constant (2**64 over the golden ratio) meet the hash of a tag only by chance
        alike = token_of(tree, i).own
        alike += <uint64_t>(tree.elements[i].parent + 1) * <uint64_t>0x9E3779B97F4A7C15
        list_of[i] = number_of(numbers, alike)
        if list_of[i] == <int32_t>lists.size():
            lists.push_back(nothing)
        one = &lists[list_of[i]]
        one.count += 1
        one.elements += tree.elements[i].end - i
        one.tokens += sums_of(view, i)[TOKENS]
        one.prose += sums_of(view, i)[PROSE]
    for number in range(lists.size()):
        one = &lists[number]
        if one.count >= LEAST_RECORDS and one.elements >= LEAST_RECORDS * one.count and (
                one.tokens >= LEAST_TOKENS * one.count):
            one.count = log1p(one.count)
            one.share = one.tokens / view.whole
            one.prose /= at_least(one.tokens, 1)
        else:
            one[0] = nothing
    for i in range(view.m):
        outer = inner = &nothing
        element = tree.blocks[i].element
        for level in range(LEVELS):
            if list_of[element] >= 0:
                one = &lists[list_of[element]]
                if one.share > outer.share:
                    outer = one
                if inner.count == 0:
                    inner = one
            element = climb(tree, element, 1)
        rows[0, i] = outer.count
        rows[1, i] = outer.share
        rows[2, i] = outer.prose
        rows[3, i] = inner.count
        rows[4, i] = inner.share


def _say_records(rows, block):
    count = float(np.expm1(rows["record_outer_count"][block]))
    return f"in a list of {count:.0f} boxes alike" if count else "in no list of boxes alike"


declare_family(
    "records",
    records,
    _say_records,
)


cdef int whole_page(Tree tree, View view, FloatRowsOut rows) nogil:
    """Compute features of the page, equal for all its blocks."""
    cdef:
        const double* sums = sums_of(view, view.n)
        Block block
        double longest = 0, headings = 0, comments = 0, listed = 0, article = 0
        int32_t i
    for i in range(view.m):
        block = &tree.blocks[i]
        longest = at_least(block.tokens, longest)
        headings += block.heading > 0
        comments += block.tokens * (block.flags & COMMENT_WORD != 0)
        listed += block.tokens * (block.flags & LIST_ITEM != 0)
        article += block.tokens * (block.flags & ARTICLE != 0)
    rows[0, :] = log1p(view.whole)
    rows[1, :] = log1p(view.m)
    rows[2, :] = log1p(longest)
    rows[3, :] = sums[PROSE] / view.whole
    rows[4, :] = sums[LINK_CHARS] / at_least(sums[CHARS], 1)
    rows[5, :] = log1p(headings)
    rows[6, :] = log1p(sums[PICTURES])
    rows[7, :] = view.declares_article
    rows[8, :] = view.declares_forum
    rows[9, :] = comments / view.whole
    rows[10, :] = listed / view.whole
    rows[11, :] = article / view.whole


declare_family(
    "whole_page",
    whole_page,
    lambda rows, block: f"on a page of {np.expm1(rows['page_tokens'][block]):,.0f} words",
)

# ---- a page ---------------------------------------------------------------------------------------------------------


cdef class View:
    """A page of m blocks as features: `features`, rows as in `NAMES`, float32 of shape (features, m).

    Args:
        tree: The page.
        vocabulary: Log odds of words.
        shared: Text shared with comparison pages (`sharing.Shared`), None without any.
        words: Announcements of its blocks (`read_words`), if already read.
        declares_article: Whether the page declares itself an article.
        declares_forum: Whether it declares itself a thread, whose answers are content.
    """

    cdef:
        Tree tree
        Vocabulary vocabulary
        readonly object features
        int32_t m                    # blocks
        int32_t n                    # elements
        # Text shared with other pages of the site: all 0 without comparison pages.
        int32_t pages
        Doubles text_share
        Doubles placed_share
        Doubles slot_share
        Doubles own_tokens
        bint declares_article
        bint declares_forum
        # Announcements of its blocks (`Words`).
        Flags bits
        Doubles title_share
        Flags titles
        # Shared by several families.
        double whole                 # tokens of the page, at least 1
        int32_t title                # the first block that is the page's title, -1 for none
        vector[int32_t] heading      # block of the heading at or above each block, -1 for none
        vector[Slot] slots
        vector[double] sums          # SUMS of each element, then of the page
        # The element that holds most of the page's own prose, -1 for the whole page; and its paragraphs' blocks.
        int32_t box
        int32_t first
        int32_t last

    def __init__(
        self,
        Tree tree not None,
        Vocabulary vocabulary not None=NO_WORDS,
        shared=None,
        *,
        words=None,
        bint declares_article=False,
        bint declares_forum=False,
    ):
        cdef FloatRowsOut rows
        cdef Step step
        self.tree, self.vocabulary = tree, vocabulary
        self.m, self.n = block_count(tree), element_count(tree)
        self.pages = 0
        self.declares_article, self.declares_forum = declares_article, declares_forum
        if shared is not None:
            self.pages = len(shared.likeness)
            shares = (shared.text_share, shared.placed_share, shared.slot_share, shared.own_tokens)
            tree._check(min(map(len, shares)), self.m, "blocks")
            self.text_share, self.placed_share, self.slot_share, self.own_tokens = shares
        words = read_words(tree) if words is None else words
        tree._check(min(map(len, words)), self.m, "blocks")
        self.bits, self.title_share, self.titles = words.bits, words.title_share, words.titles.view(np.uint8)
        self.features = np.full((len(NAMES), self.m), np.nan, np.float32)
        rows = self.features
        if self.m:
            with nogil:
                open_view(tree, self)
                for step in _steps:
                    step.find(tree, self, rows[step.first:step.end])
