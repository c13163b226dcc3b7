# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""How a short text is worded: as content, or as something else.

Logistic regression on the sequences of letters that a text has (n-grams, Cavnar and Trenkle 1994), in place of lists of
words. One was fitted on walls in 25 languages, which only ask, refuse or apologise (`training/wording.py`); one on
appeals and on sentences of read pages (`training/phrases.py`).
"""

import numpy as np

from libc.math cimport sqrt
from libc.stdint cimport int32_t, uint16_t, uint32_t
from libcpp.vector cimport vector

from denoise_scrapy.core cimport characters
from denoise_scrapy.core.arrays cimport Doubles, DoublesOut, Floats
from denoise_scrapy.core.bits cimport BitSet, add_bit, clear
from denoise_scrapy.core.characters cimport DIGIT, MARK, OTHER, Bytes, class_of, decode
from denoise_scrapy.core.tree cimport Block, Tree

#: Blocks whose wording counts are no headings, and have at most so many visible characters and at least this chance:
#: what is less likely is left out anyway. With headings a section of a handbook on comments lost its own.
SHORT_CHARS, LEAST_LIKELY = 200, 0.05
#: Characters of a text that are read: walls are shorter.
MOST_CHARS = 1_500
cdef int32_t SHORT = SHORT_CHARS
cdef double LEAST = LEAST_LIKELY

cdef enum:
    # Lengths of sequences. Of walls in a wording that was not fitted 91% are found where 3.5% of other short pages are
    # doubted, 90% with 2 to 4 letters and 89% with 4 alone (`training/wording.py`).
    SHORTEST = 3
    LONGEST = 5
    # Fewest tokens of a block that may be a sentence. Of 609 written pages 487 are right, with 4 485, with 12 478.
    SENTENCE = 7
    # Spreads numbers over all bits (Knuth 1998, section 6.4): the golden ratio's share of 2^32, odd.
    SPREAD = 2654435761


cdef struct Sequences:
    int32_t bits                 # of their numbers, 16 at most
    int32_t letters              # that were read
    uint32_t[LONGEST + 1] ended  # hash of the sequence of each length that ended at the previous letter
    BitSet seen
    vector[uint16_t] numbers     # each once


cdef inline int add_letter(Sequences& found, uint32_t letter) nogil:
    """Add the sequences that end at a letter."""
    cdef int32_t length
    cdef uint16_t number
    found.letters += 1
    for length in range(min(found.letters, <int32_t>LONGEST), 0, -1):
        found.ended[length] = ((found.ended[length - 1] if length > 1 else 0) + letter) * <uint32_t>SPREAD
        if length >= SHORTEST:
            number = found.ended[length] >> (32 - found.bits)
            if add_bit(found.seen, number):
                found.numbers.push_back(number)


cdef int read_sequences(Bytes text, size_t size, Sequences& found) nogil:
    """Read the sequences of a text; all between words counts as one space."""
    cdef:
        uint32_t code = 0
        bint in_word = False
        size_t i = 0
    found.letters = 0
    found.numbers.clear()
    clear(found.seen)
    add_letter(found, 32)
    while i < size:
        i += decode(text + i, &code)
        if class_of(code) >= DIGIT or (code > 127 and class_of(code) == OTHER):
            add_letter(found, <uint32_t>characters.VALUE[code & 0xFFFF])
            in_word = True
        elif in_word and class_of(code) != MARK:  # what an element splits is one word
            add_letter(found, 32)
            in_word = False
    if in_word:
        add_letter(found, 32)


cdef double odds_of(vector[uint16_t]& numbers, Floats weights) noexcept nogil:
    """Return the log odds of a text with these sequences."""
    cdef double whole = 0
    cdef uint16_t number
    for number in numbers:
        whole += weights[number]
    return whole / sqrt(<double>max(numbers.size(), <size_t>1)) + weights[weights.shape[0] - 1]


cdef int bits_of(Py_ssize_t weights) except -1:
    """Return the bits of the numbers that have weights."""
    cdef int bits = 1
    while (1 << bits) + 1 < weights:
        bits += 1
    if (1 << bits) + 1 != weights or bits > 16:
        raise ValueError(f"weights must have the shape (2^bits + 1,), at most 2^16 + 1, got {(weights,)}")
    return bits


def letter_sequences(str text not None, int bits) -> np.ndarray:
    """Return the different numbers, below 2^`bits`, of the sequences of letters in a text's beginning.

    They are in ascending order. Case does not count, all digits are alike, and what is between words is one space.

    Args:
        text: The text.
        bits: 1 to 16.

    Example:
        >>> len(letter_sequences("Not found", 14)), len(letter_sequences("", 14))
        (24, 0)
    """
    cdef:
        Sequences found
        bytes data = text[:MOST_CHARS].encode("utf-8", "replace")
        size_t i
    found.bits = bits
    read_sequences(data, len(data), found)
    return np.sort(np.array([found.numbers[i] for i in range(found.numbers.size())], np.int64))


def odds_of_text(str text not None, Floats weights not None) -> float:
    """Return the log odds that a text is content, by the weights of its sequences.

    Args:
        text: The text.
        weights: Of each number of `letter_sequences`, and last of any text, shape (2^bits + 1,).

    Raises:
        ValueError: The weights have the wrong shape.

    Example:
        >>> weights = np.zeros(2**14 + 1, np.float32)
        >>> weights[letter_sequences("Subscribe", 14)] = -1
        >>> round(odds_of_text("Subscribe", weights), 1), odds_of_text("The tide", weights)
        (-4.9, 0.0)
    """
    cdef Sequences found
    cdef bytes data = text[:MOST_CHARS].encode("utf-8", "replace")
    found.bits = bits_of(weights.shape[0])
    read_sequences(data, len(data), found)
    return odds_of(found.numbers, weights)


def doubts(Tree tree not None, Floats weights not None, probability) -> np.ndarray:
    """Return what the wording of each of m blocks takes from its log odds, 0 or less, shape (m,).

    Only that of short sentences that are likely enough: `SHORT_CHARS`, `LEAST_LIKELY`.

    Args:
        tree: The page.
        weights: As for `odds_of_text`.
        probability: That a block is content, shape (m,).

    Raises:
        ValueError: An array has the wrong shape.

    Example:
        >>> from lxml.html import document_fromstring
        >>> from denoise_scrapy.core.tree import tree_of
        >>> weights = np.zeros(2**14 + 1, np.float32)
        >>> weights[letter_sequences("Subscribe", 14)] = -1
        >>> tree = tree_of(document_fromstring("<p>Subscribe and get one of them each week<p>Subscribe"))
        >>> doubts(tree, weights, [0.5, 0.5]).round(1).tolist()
        [-2.2, 0.0]
    """
    cdef:
        Doubles likely = np.ascontiguousarray(probability, np.float64)
        Block block
        Sequences found
        Py_ssize_t i
    found.bits = bits_of(weights.shape[0])
    tree._check(likely.shape[0], tree.blocks.size(), "blocks")
    taken = np.zeros(likely.shape[0])
    cdef DoublesOut odds = taken
    with nogil:
        for i in range(likely.shape[0]):
            block = &tree.blocks[i]
            if block.heading == 0 and block.chars <= SHORT and block.tokens >= SENTENCE and likely[i] >= LEAST:
                read_sequences(
                    <Bytes>tree.text.data() + block.text.start, block.text.end - block.text.start, found
                )
                odds[i] = min(odds_of(found.numbers, weights), 0.0)
    return taken


def amounts_below_headline(Tree tree not None, int32_t below, int32_t most_chars) -> list:
    """Return the short blocks with a digit that are no links, among some blocks below a page's first `h1`.

    Args:
        tree: The page.
        below: Blocks below the headline that are looked at.
        most_chars: Visible characters of a block.

    Example:
        >>> from lxml.html import document_fromstring
        >>> from denoise_scrapy.core.tree import tree_of
        >>> tree = tree_of(document_fromstring("<p>1<h1>Tide 2</h1><p>New</p><p>189 kr</p><p><a href=/>3</a>"))
        >>> amounts_below_headline(tree, 10, 24)
        [3]
    """
    cdef Block block
    cdef int32_t i = 0, m = tree.blocks.size()
    while i < m and tree.blocks[i].heading != 1:
        i += 1
    found = []
    for i in range(i + 1, min(i + 1 + below, m)):
        block = &tree.blocks[i]
        if block.chars <= most_chars and block.link_chars == 0 and block.counts[DIGIT] > 0:
            found.append(i)
    return found
