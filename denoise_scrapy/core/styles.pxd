"""What style attributes and style sheets say about whether an element can be seen; see `styles.pyx`."""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.string cimport string
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from denoise_scrapy.core.characters cimport Bytes, Chars
from denoise_scrapy.core.hashing cimport Table, hash_bytes

cpdef enum:
    # Why nothing shows an element, in the order in which reasons are looked for; the names are `markup.REASONS`.
    SEEN
    BY_ATTRIBUTE          # the attribute hidden
    BY_DISPLAY
    BY_VISIBILITY
    BY_OPACITY
    BY_TEXT_SIZE
    BY_COLOUR
    BY_PLACE              # off the screen
    BY_CLIP
    BY_SIZE               # no height or width
    BY_DIALOG             # a dialog or popover that is closed
    BY_ARIA               # aria-hidden

# Properties, as bits of `Style`: all of `markup.Property`, in its order.
cdef int32_t P_DISPLAY, P_VISIBILITY, P_OPACITY, P_TEXT_SIZE, P_COLOUR, P_BACKGROUND
cdef int32_t P_POSITION     # off: absolute or fixed
cdef int32_t P_OFFSET       # off: far outside
cdef int32_t P_INDENT, P_MARGIN
cdef int32_t P_TRANSFORM    # off: to nothing, or far outside
cdef int32_t P_CLIP, P_HEIGHT, P_WIDTH
cdef int32_t P_OVERFLOW     # off: what flows over is cut
cdef int32_t P_MOVES        # it is animated
cdef int32_t P_TEXT_CLIP    # the background shows through the letters
cdef int32_t P_FIXED        # off: to the screen
cdef int32_t P_BEYOND       # off: at or behind the edge opposite to the one it is counted from
cdef int32_t P_PUSHED       # off: text begins outside the box
cdef int32_t P_ROOM         # off: padding and the like give a box a size
cdef int32_t P_RELATIVE     # off: the size of text is one of the size around it
cdef int32_t P_AHEAD        # off: its place is before that of what is around it
cdef int32_t P_LINES        # off: line ends of the text are line breaks
# What one state of a page may hide and another show.
cdef int32_t P_SWITCHED

cdef enum:
    # Colours that are not RGB.
    INHERITED = -3        # that around it
    TRANSPARENT
    UNKNOWN
    CURRENT = -4          # that of the text

cdef struct Style:        # of a list of declarations; properties are bits, see `styles.pyx`
    int32_t said          # declared
    int32_t important     # declared as important
    int32_t off           # with a value that hides, by itself or with others
    int32_t colour
    int32_t back          # of the background

cdef struct Compound:     # of a selector, as `div#main.story.new`
    vector[uint64_t] names  # hashes of its tag, id and classes
    bint is_child         # of what the next compound selects, not any descendant

cdef struct Condition:    # on an attribute, or on a place among siblings
    string name
    string value
    unsigned char operator  # the first character of =, ~=, |=, ^=, $=, *=; 0 that it is there
    int32_t first         # the place, counted from the first sibling, 1; 0 for any
    int32_t last          # counted from the last
    bint is_not
    bint any_case

cdef struct Rule:
    vector[Compound] compounds  # the last of the selector first
    vector[Condition] conditions  # of the last one
    vector[Compound] beside  # one of an element before the last one's, on its level; empty for none
    bint is_next          # whether nothing is between
    uint64_t[4] filter    # the names of the others, see `add_to`
    uint64_t weight       # its place in the cascade; the lower half is its number
    Style style
    bint is_state         # holds only after a click: such a rule may show, and never hides

cdef struct Sheet:
    vector[Rule] rules
    Table names           # of last compounds: an id, else a class, else the tag, else `ANY`
    vector[vector[int32_t]] by_name
    vector[int32_t] showing     # rules that show what others may hide
    bint is_all           # whether no other sheet applies, which would be loaded
    bint is_still         # whether no script of the page changes what shows
    bint is_layered       # whether the rules that are being added are in a layer: others win over them
    int64_t steps         # that are left to read it

cdef class StyleSheet:
    cdef Sheet sheet

cdef enum:
    # What may be looked at for what a page's styles mean: at least, and for each byte of the page, or of its sheets. Of
    # 1,600 recorded pages none needs more than 30 a byte, and of their sheets than 60; a hundred take .2 to .4 µs.
    LEAST_STEPS = 1_000_000
    STEPS_A_BYTE = 100
    # Steps of a rule or an element, which may be anywhere in memory; and of each name, attribute or byte of it.
    A_LOOK = 32
    A_PART = 8

cdef enum:
    # The hash of no name; what a name is of: the highest bits of its hash, the rarest kind last.
    ANY
    OF_TAG
    OF_CLASS
    OF_ID


cdef inline uint64_t name_of(const unsigned char* name, size_t size, uint64_t of) noexcept nogil:
    """Return the hash of a tag, an id or a class."""
    return hash_bytes(name, size, of) >> 2 | of << 62


cdef inline uint64_t of_what(uint64_t name) noexcept nogil:
    return name >> 62


cdef inline int add_to(uint64_t* filter, uint64_t name) noexcept nogil:
    """Set a name's bit, one of 256: what is missing from a filter is not among its names."""
    filter[name & 3] |= <uint64_t>1 << (name >> 2 & 63)


cdef int32_t named(const unordered_map[string, int32_t]& values, Chars name, size_t size) noexcept nogil
cdef bint holds(const Condition* condition, Chars given) noexcept nogil
cdef int read_style(Bytes text, Style* style) except -1 nogil
cdef int add_style(Style* style, const Style* more) noexcept nogil
cdef int32_t reason_of(const Style* style, bint is_block, bint is_bare) noexcept nogil
cdef int32_t colour_of(Chars value, bint is_back) noexcept nogil
cdef bint is_close(int32_t colour, int32_t back) noexcept nogil
cdef bint begins_any(Bytes text, vector[string]& words) noexcept nogil
