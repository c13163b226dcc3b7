"""A page as its features see it; see `features.pyx`."""

from libc.stdint cimport int32_t
from libcpp.vector cimport vector

from denoise_scrapy.core.announcements cimport Announced
from denoise_scrapy.core.tree cimport Tree
from denoise_scrapy.core.vocabulary cimport Vocabulary

cdef struct Sums:         # over the blocks in an element
    double tokens
    double prose
    double chars
    double link_chars
    double copies         # tokens times the share of comparison pages that carry them
    double own            # tokens of the site's own, see `Compared.own_tokens`
    double pictures

cdef struct Slot:         # the blocks of one path
    double blocks
    double tokens

cdef struct Story:        # where most of the page's own prose stands
    int32_t box           # the element that holds it, -1 for the whole page
    int32_t first         # block of its first paragraph
    int32_t last

cdef class View:
    cdef Tree tree
    cdef Vocabulary vocabulary
    cdef readonly object features
    cdef int32_t m                    # blocks
    cdef int32_t n                    # elements
    # What pages of the site share with the page: of none without comparison pages.
    cdef int32_t pages
    cdef const double[::1] text_share
    cdef const double[::1] placed_share
    cdef const double[::1] slot_share
    cdef const double[::1] own_tokens
    cdef const double[::1] stock
    cdef bint declares_article
    cdef bint declares_forum
    # What several families take.
    cdef double whole                 # tokens of the page, 1 at least
    cdef vector[Announced] announced  # by block
    cdef int32_t title                # the first block that is the page's title, -1 for none
    cdef vector[int32_t] heading      # block of the heading at or above each block, -1 for none
    cdef vector[Slot] slots
    cdef vector[Sums] sums            # by element
    cdef Story story
