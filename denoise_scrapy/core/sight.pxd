"""Whether an element of a page can be seen, or a click shows it; see `sight.pyx`."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libcpp.vector cimport vector

from denoise_scrapy.core.characters cimport Bytes
from denoise_scrapy.core.hashing cimport Table
from denoise_scrapy.core.nodes cimport Node
from denoise_scrapy.core.styles cimport Sheet

cdef struct Inherited:    # what the text of an element has from those around it
    int32_t colour
    int32_t back          # of the background
    int32_t hides         # the reason for which text is, one of `styles.pxd`
    bint is_hidden        # with all in it
    bint is_cut           # at the edges of a box that has a place
    bint has_lines        # its line ends are line breaks
    int32_t parent
    int32_t kind          # number of its names, -1 if no rule asks for them
    uint64_t[4] filter    # names of the element and those around it

cdef struct Named:        # what selectors ask of an element, as hashes, and what they find
    vector[uint64_t] names
    uint64_t[4] filter
    vector[uint64_t] rules      # weights of those whose last compound matches it, in order: the cascade
    vector[int32_t] showing     # those that would show it in another state
    bint knows_showing

cdef enum:
    # Attributes that are read, as numbers in an array of an element's. The first ones make up a token.
    OTHER_ATTRIBUTE
    CLASS
    ID
    ROLE
    ITEMPROP
    NAMES
    ITEMTYPE = NAMES
    STYLE
    HIDDEN_ATTRIBUTE
    ARIA_HIDDEN
    HREF
    NAME                  # of a link: a target, as ids are
    TYPE
    CHECKED
    DISPLAY
    SOURCE                # ends with src or srcset
    POPOVER
    BACKGROUND
    COLOUR
    PICTURE               # behind it
    ATTRIBUTES = 32       # further ones may have to be noted

cdef struct Sight:
    const Sheet* sheet    # NULL for none
    Node root
    vector[Inherited] inherited  # by element
    vector[uint8_t] shells       # elements that a script shows, as they hold most of the page; empty, or by element
    Table controlled      # ids that a control names, and ids of controls
    bint knows_controls
    Table kinds           # by tag, class and id
    vector[Named] named   # by kind
    int64_t steps         # bytes of names and rules that may still be looked at

cdef int open_sight(Sight* sight, const Sheet* sheet, Node root) except -1 nogil
cdef int32_t look_at(
    Sight* sight, Node node, const Bytes* given, uint64_t kind, int32_t parent, bint is_block, bint is_dialog
) except -1 nogil
