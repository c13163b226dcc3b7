"""Announcements of short blocks: comments, names and dates; the page's title. See `announcements.pyx`."""

from libc.stdint cimport int32_t
from libcpp.string cimport string
from libcpp.vector cimport vector

from denoise_scrapy.core.tree cimport Tree

cdef enum:
    # Bits of `Announced.bits`.
    COMMENTS = 1          # a heading of comments
    META = 2              # a name or a date

cdef struct Announced:    # by a block
    int32_t bits
    bint is_title         # a heading that the page's title holds
    double title_share    # share of its words that stand in the page's title; of a short block alone

cdef int read_announced(Tree tree, const string& title, vector[Announced]& found) except -1 nogil
