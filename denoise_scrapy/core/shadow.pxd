"""The tree that a page shows, where it differs from the one that it writes; see `shadow.pyx`."""

from libc.stdint cimport int32_t, uint64_t
from libcpp.vector cimport vector
from lxml.includes.tree cimport xmlNode

from denoise_scrapy.core.hashing cimport NOT_THERE, Table, find

cdef struct Link:
    bint leads            # whether `first` replaces the node's children: of a host, or of a slot that is filled
    bint is_placed        # whether `next` and `parent` replace its own
    const xmlNode* first
    const xmlNode* next
    const xmlNode* parent

cdef struct Shadows:
    Table numbers         # of nodes, by address
    vector[Link] links    # empty on a page without shadow trees, as most are

cdef bint opens_shadow(const xmlNode* node) noexcept nogil
cdef int find_shadows(Shadows& shadows, const xmlNode* root) except -1 nogil


cdef inline const Link* link_of(const Shadows& shadows, const xmlNode* node) noexcept nogil:
    cdef int32_t number
    if shadows.links.empty():
        return NULL
    number = find(shadows.numbers, <uint64_t><size_t>node)
    if number == NOT_THERE:
        return NULL
    return &shadows.links[number]


cdef inline const xmlNode* first_in(const Shadows& shadows, const xmlNode* node) noexcept nogil:
    """Return the first node that is shown in an element."""
    cdef const Link* link = link_of(shadows, node)
    if link != NULL and link.leads:
        return link.first
    return node.children


cdef inline const xmlNode* next_to(const Shadows& shadows, const xmlNode* node) noexcept nogil:
    """Return the node that is shown after another one, in the same element."""
    cdef const Link* link = link_of(shadows, node)
    if link != NULL and link.is_placed:
        return link.next
    return node.next


cdef inline const xmlNode* shown_in(const Shadows& shadows, const xmlNode* node) noexcept nogil:
    """Return the element that a node is shown in."""
    cdef const Link* link = link_of(shadows, node)
    if link != NULL and link.is_placed:
        return link.parent
    return node.parent
