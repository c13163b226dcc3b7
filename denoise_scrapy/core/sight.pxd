"""Whether an element of a page can be seen, or a click shows it; see `sight.pyx`."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libcpp.string cimport string
from libcpp.vector cimport vector
from lxml.includes.tree cimport xmlNode

from denoise_scrapy.core.hashing cimport Table
from denoise_scrapy.core.styles cimport Sheet, Style

cdef struct Inherited:    # what the text of an element has from those around it
    int32_t colour
    int32_t back          # of the background
    int32_t hides         # the reason for which text is, one of `styles.pxd`
    bint is_hidden        # with all in it

cdef struct Attributes:   # of an element, NULL if missing
    const unsigned char* style
    const unsigned char* hidden
    const unsigned char* aria_hidden
    const unsigned char* role
    const unsigned char* popover
    const unsigned char* colour
    const unsigned char* back
    const unsigned char* picture  # behind it

cdef struct Sight:
    const Sheet* sheet    # NULL for none
    const xmlNode* root
    vector[Inherited] inherited  # by element
    vector[uint8_t] shells       # elements that a script shows, as they hold most of the page; empty, or by element
    Table controlled      # ids that a control names, and ids of controls
    bint knows_controls
    int64_t steps         # comparisons of rules with elements that are left

cdef int open_sight(Sight* sight, const Sheet* sheet, const xmlNode* root) except -1 nogil
cdef int32_t look_at(
    Sight* sight, const xmlNode* node, const Attributes* given, const vector[int32_t]* rules, int32_t parent,
    bint is_block, bint is_dialog, bint is_named
) except -1 nogil
