"""Odds of words in class names, ids and texts; see `vocabulary.pyx`."""

from libc.stdint cimport int32_t, uint32_t
from libcpp.vector cimport vector

from denoise_scrapy.core.hashing cimport Table
from denoise_scrapy.core.tree cimport Tree

cdef struct NameOdds:     # of the names of an element and of all around it
    float whole           # the sum of all elements' odds
    float least           # of one word
    float most
    float near            # of the innermost elements: each level up counts half as much

cdef struct TextOdds:     # of the words of a block
    float mean
    float least           # of one word, 0 where none is below
    float most

cdef class Vocabulary:
    cdef readonly dict class_words
    cdef readonly object text_words
    cdef Table codes
    cdef vector[float] odds           # by the number of a code in `codes`
    cdef const float[::1] text_odds

    cdef int find_name_odds(self, Tree tree, vector[NameOdds]& found) except -1 nogil
    cdef TextOdds text_odds_of(self, Tree tree, int32_t block) noexcept nogil
