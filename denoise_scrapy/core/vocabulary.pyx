"""Log odds of words that the text they name or are in is content, learned over many publishers.

Words of class names and ids are those of Peters and Lecocq, *Content Extraction Using Diverse Feature Sets* (2013).
Theirs are chosen words of the block's own element; here each word has odds, as in naive Bayes, and those of all the
elements around the block are summed up.

Words of texts are those of Pasternack and Roth, *Extracting Article Text from the Web with Maximum Subsequence
Segmentation* (2009), section 4: naive Bayes over the tokens of a page. Theirs are three tokens in a row and the tag
around them; here a block is asked for its words' mean, least and greatest odds.
"""

import numpy as np

from libc.stdint cimport int32_t, uint32_t, uint64_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from denoise_scrapy.core.characters cimport lower_words
from denoise_scrapy.core.hashing cimport NOT_THERE, crc32, find, number_of, open_table
from denoise_scrapy.core.tree cimport IS_ROOT, BlockRow, Element, ElementKind, Span, Tree

cdef enum:
    # Bytes of a word in names that count; shorter ones are too many things.
    SHORTEST = 2
    LONGEST = 32
    # Class and id of an element have as many bytes at most, see `tree.pyx`.
    MOST_NAMES = 256
    # Added to the number of a block's words: of one or two little is known.
    PRIOR = 2
    # Bits of `Word.number` that tell words of texts apart: words of the same letters have the same, and one in a
    # hundred that of another word of its page.
    NUMBER_BITS = 18

cdef float UP = 0.5       # what the odds of an element's names count for the element inside

#: Different numbers of words of texts.
WORDS = 1 << NUMBER_BITS

# ---- words of names -------------------------------------------------------------------------------------------------


cdef int add_code(vector[uint32_t]& codes, const unsigned char* word, size_t size) except -1 nogil:
    codes.push_back(crc32(word, size if size < LONGEST else LONGEST))
    return 0


cdef int add_names(vector[uint32_t]& codes, const unsigned char* names, Span span) except -1 nogil:
    """Add the codes of the words in a class or an id, and of each name of several words as a whole."""
    cdef unsigned char[2 * MOST_NAMES + 1] words
    cdef size_t i, start = 0, kept = 0, count = 0, whole = 0, size = span.end - span.start
    size = lower_words(names + span.start, size if size < MOST_NAMES else MOST_NAMES, words)
    for i in range(size):
        if words[i] > 32:
            continue
        if i - start >= SHORTEST:
            add_code(codes, words + start, i - start)
            # the name as a whole has no short words: it moves up over them
            if count:
                words[kept] = 32
                kept += 1
            while start < i:
                words[kept] = words[start]
                kept += 1
                start += 1
            count += 1
        start = i + 1
        if words[i] == 10:  # the name ends
            if count > 1:
                add_code(codes, words + whole, kept - whole)
            kept = whole = i + 1
            count = 0
    return 0


cdef int add_tag(vector[uint32_t]& codes, const unsigned char* name, size_t size) except -1 nogil:
    """Add the code of a tag: of its name behind `<`."""
    cdef unsigned char[LONGEST] tag
    cdef size_t i
    size = size if size < LONGEST - 1 else LONGEST - 1
    tag[0] = 60
    for i in range(size):
        tag[i + 1] = name[i]
    return add_code(codes, tag, size + 1)


cdef int add_codes(Tree tree, const ElementKind* token, vector[uint32_t]& codes) except -1 nogil:
    """Add the codes of all that an element is called; names of html and body are of the page, or of the whole site."""
    cdef const unsigned char* names = <const unsigned char*>tree.names.data()
    if token.kind & IS_ROOT:
        return 0
    add_tag(codes, names + token.tag_name.start, token.tag_name.end - token.tag_name.start)
    add_names(codes, names, token.class_name)
    add_names(codes, names, token.id_name)
    return 0


def words_of(Tree tree not None, int token) -> frozenset:
    """Return the codes (crc32) of the words in the names of a token, of each name of several words, and of the tag."""
    cdef vector[uint32_t] codes
    if not 0 <= token < <int>tree.tokens.size():
        raise IndexError(f"there is no token {token}")
    add_codes(tree, &tree.tokens[token], codes)
    return frozenset(codes)


# ---- words of texts -------------------------------------------------------------------------------------------------


def text_numbers(Tree tree not None) -> np.ndarray:
    """Return the numbers, below `WORDS`, of a page's words (`Tree.word_rows`), shape (words,)."""
    return tree.word_rows["number"] >> (32 - NUMBER_BITS)


# ---- what is known of them ------------------------------------------------------------------------------------------


cdef class Vocabulary:
    """Log odds of words; a word that is not there says nothing.

    Args:
        class_words: Log odds of words in class names and ids by their code (`words_of`).
        text_words: Log odds of words of texts by their number (`text_numbers`), 0 for those that say nothing, float32
            of shape (WORDS,).
    """

    def __init__(self, class_words=None, text_words=None):
        self.class_words = dict(class_words or {})
        self.text_words = np.zeros(WORDS, np.float32) if text_words is None else text_words
        if self.text_words.shape != (WORDS,):
            raise ValueError(f"text_words must have the shape {(WORDS,)}, got {self.text_words.shape}")
        self.text_odds = np.ascontiguousarray(self.text_words, np.float32)
        open_table(self.codes, len(self.class_words))
        self.odds.clear()
        for code, odds in self.class_words.items():
            number_of(self.codes, <uint64_t>code + 1)
            self.odds.push_back(odds)

    def __reduce__(self):
        return Vocabulary, (self.class_words, self.text_words)

    cdef int find_name_odds(self, Tree tree, vector[NameOdds]& found) except -1 nogil:
        """Write what is known of the names of each element and of all around it."""
        cdef vector[NameOdds] own
        cdef vector[uint32_t] codes
        cdef NameOdds one, around
        cdef int32_t number, parent
        cdef size_t i
        own.resize(tree.tokens.size())
        for i in range(own.size()):
            codes.clear()
            add_codes(tree, &tree.tokens[i], codes)
            one.least = one.most = 0
            for code in codes:
                number = find(self.codes, <uint64_t>code + 1)
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
        """Return the odds of the words of a block."""
        cdef Span words = tree.blocks[block].words
        cdef TextOdds found
        cdef float odds
        cdef double total = 0
        cdef int32_t i
        found.least = found.most = 0
        for i in range(words.start, words.end):
            odds = self.text_odds[tree.words[i].number >> (32 - NUMBER_BITS)]
            total += odds
            found.least = min(found.least, odds)
            found.most = max(found.most, odds)
        found.mean = total / (words.end - words.start + PRIOR)
        return found
