# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Declarative shadow trees: what browsers show in place of an element's children, and where they show those.

A `template` with `shadowrootmode` attaches its content to the element around it, its host. Of the host's own children
only those are shown that a `slot` of that content takes, by name; a slot that none is for shows its own. The standard
calls the result the flat tree (DOM, section 4.2.2; CSS Scoping, section 3.4). Each node is looked at twice.
"""

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memset, strchr, strlen
from libcpp.vector cimport vector
from lxml.includes.tree cimport XML_ELEMENT_NODE, xmlNode

from denoise_scrapy.core.characters cimport is_same
from denoise_scrapy.core.formulas cimport has_word
from denoise_scrapy.core.hashing cimport NOT_THERE, Table, find, hash_bytes, mix, number_of, open_table
from denoise_scrapy.core.nodes cimport attribute_of, is_named, is_text

# The only elements with names of HTML that can be hosts, by the standard.
cdef const char* HOSTS = b" article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span "

ctypedef const xmlNode* const_node

cdef struct Open:         # a template
    const xmlNode* node
    const xmlNode* host   # NULL if it shows nothing

cdef struct Slot:
    const xmlNode* node
    const xmlNode* last   # that it shows, NULL before the first


cdef inline void leave(vector[Open]& open_, const xmlNode* node) noexcept nogil:
    if not open_.empty() and open_.back().node == node:
        open_.pop_back()


cdef inline bint is_host(const char* name) noexcept nogil:
    """Return whether an element may have a shadow tree: one of HTML's on the list, or a custom one."""
    return strchr(name, 45) != NULL or has_word(HOSTS, name)


cdef bint opens_shadow(const xmlNode* node) noexcept nogil:
    """Return whether an element is a template that may be the shadow tree of the one around it."""
    cdef const unsigned char* mode
    if not is_named(node, b"template"):
        return False
    mode = attribute_of(node, b"shadowrootmode")
    if mode == NULL or not (is_same(mode, b"open") or is_same(mode, b"closed")):
        return False
    node = node.parent
    return node != NULL and node.type == XML_ELEMENT_NODE and is_host(<const char*>node.name)


cdef inline Link* open_link(Shadows& shadows, const xmlNode* node) nogil:
    """Return a node's link, a new one that changes nothing if it has none."""
    cdef Link nothing
    cdef size_t number = number_of(shadows.numbers, <uint64_t><size_t>node)
    memset(&nothing, 0, sizeof(Link))
    if number == shadows.links.size():
        shadows.links.push_back(nothing)
    return &shadows.links[number]


cdef int place(Shadows& shadows, const xmlNode* node, const xmlNode* parent) nogil:
    """Show a node in an element, as its last one."""
    cdef Link* link = open_link(shadows, node)
    link.is_placed = True
    link.next = NULL
    link.parent = parent


cdef inline uint64_t slot_key(const xmlNode* host, const unsigned char* name) noexcept nogil:
    if name == NULL:
        name = b""
    return mix(hash_bytes(name, strlen(<const char*>name), mix(<uint64_t><size_t>host)))


cdef int fill_slots(Shadows& shadows, const xmlNode* host, Table& names, vector[Slot]& slots) nogil:
    """Show a host's own children in the slots that are for them."""
    cdef const xmlNode* node = host.children
    cdef const unsigned char* name
    cdef Slot* slot
    cdef Link* link
    cdef int32_t number
    while node != NULL:
        if node.type == XML_ELEMENT_NODE or is_text(node):
            name = NULL
            if node.type == XML_ELEMENT_NODE:
                name = attribute_of(node, b"slot")
            number = find(names, slot_key(host, name))
            if number != NOT_THERE and not opens_shadow(node):
                slot = &slots[number]
                if slot.last == NULL:
                    link = open_link(shadows, slot.node)
                    link.leads = True
                    link.first = node
                else:
                    open_link(shadows, slot.last).next = node
                place(shadows, node, slot.node)
                slot.last = node
        node = node.next


cdef int find_slots(
    Shadows& shadows, const xmlNode* root, vector[const_node]& hosts, Table& names, vector[Slot]& slots
) nogil:
    """Show each shadow tree in its host, and number its slots."""
    cdef const xmlNode* node = root
    cdef Link* link
    cdef Slot slot
    cdef Open one
    cdef vector[Open] open_   # templates
    while True:
        if is_named(node, b"template"):
            one.node = node
            one.host = NULL
            if opens_shadow(node) and not open_link(shadows, node.parent).leads and (
                    open_.empty() or open_.back().host != NULL):
                one.host = node.parent
                hosts.push_back(one.host)
                link = open_link(shadows, one.host)
                link.leads = True
                link.first = node.children
                if node.last != NULL:
                    place(shadows, node.last, one.host)
            open_.push_back(one)
        elif is_named(node, b"slot") and not open_.empty() and open_.back().host != NULL:
            slot.node = node
            slot.last = NULL
            if number_of(names, slot_key(open_.back().host, attribute_of(node, b"name"))) == <int32_t>slots.size():
                slots.push_back(slot)
        if node.type == XML_ELEMENT_NODE and node.children != NULL:
            node = node.children
            continue
        while node == root or node.next == NULL:
            leave(open_, node)
            if node == root:
                return 0
            node = node.parent
        leave(open_, node)
        node = node.next


cdef int find_shadows(Shadows& shadows, const xmlNode* root) except -1 nogil:
    """Find the shadow trees of a page, and what their slots show."""
    cdef Table names          # of slots, by host
    cdef vector[Slot] slots
    cdef vector[const_node] hosts
    cdef size_t i
    open_table(shadows.numbers, 64)
    open_table(names, 64)
    find_slots(shadows, root, hosts, names, slots)
    for i in range(hosts.size()):
        fill_slots(shadows, hosts[i], names, slots)
