"""libxml2's nodes: their names, attributes and texts, and the way through them."""

from libcpp.string cimport string
from lxml.includes.tree cimport XML_CDATA_SECTION_NODE, XML_ELEMENT_NODE, XML_TEXT_NODE, xmlAttr, xmlNode

from denoise_scrapy.core.characters cimport Bytes, Chars, behind_blanks, equal, is_blank

ctypedef const xmlNode* Node

cdef enum:
    # A page with more elements or start tags is not judged: it is read as text without structure, all of which becomes
    # its body. Of 4,800 recorded pages the largest has 10,000 elements and 138 levels; browsers nest 512 levels, and
    # libxml2 2,048, of which it drops the last.
    MOST_ELEMENTS = 50_000
    MOST_DEPTH = 512
    MOST_BEYOND = 2_048 - 2 - MOST_DEPTH
    # Attributes of an element among which one is looked for, its class names, white space and nodes that are passed,
    # bytes of attributes and selectors that are compared: many elements may look at one beside or around them. Recorded
    # pages have more only where their quotes do not end.
    MOST_PASSED = 500
    # Levels from an element down to one that is all of it, and up from a formula to its container: two occur.
    LEVELS = 4


cdef inline Bytes value_of(const xmlAttr* attribute) noexcept nogil:
    """Return the value of an attribute, "" if it has none."""
    if not attribute.children or not attribute.children.content:
        return <const unsigned char*>b""
    return attribute.children.content


cdef inline Bytes attribute_of(Node node, Chars name) noexcept nogil:
    """Return the value of an element's attribute, NULL if missing."""
    cdef const xmlAttr* attribute = node.properties
    cdef int left = MOST_PASSED
    while attribute and left:
        if equal(<Chars>attribute.name, name):
            return value_of(attribute)
        attribute = attribute.next
        left -= 1
    return NULL


cdef inline Chars told_of(Node node, Chars name) noexcept nogil:
    """Return the value of an element's attribute, "" if missing."""
    cdef Bytes told = attribute_of(node, name)
    if not told:
        return b""
    return <Chars>told


cdef inline Bytes type_of(Node node) noexcept nogil:
    """Return an element's attribute `type` without white space before it, "" if missing."""
    return behind_blanks(<Bytes>told_of(node, b"type"))


cdef inline bint is_named(Node node, Chars name) noexcept nogil:
    """Return whether a node is an element with a tag."""
    return node.type == XML_ELEMENT_NODE and equal(<Chars>node.name, name)


cdef inline bint is_text(Node node) noexcept nogil:
    return node.type in (XML_TEXT_NODE, XML_CDATA_SECTION_NODE) and node.content


cdef inline int add_text_of(Node node, string& text, size_t most) nogil:
    """Add the text of an element without others in it, up to a number of bytes and to the end of a node."""
    node = node.children
    while node and text.size() < most:
        if is_text(node):
            text.append(<Chars>node.content)
        node = node.next


cdef inline Node next_in(Node top, Node node) noexcept nogil:
    """Return the node after another one in an element's tree, in document order; NULL after the last."""
    if node.type == XML_ELEMENT_NODE and node.children:
        return node.children
    while node != top and not node.next:
        node = node.parent
    return node.next if node != top else NULL


cdef inline Node shown_from(Node node, bint backwards) noexcept nogil:
    """Return the first of some siblings that is more than white space or a comment, or lies behind too much of these.

    NULL for none.
    """
    cdef Bytes text
    cdef int left = MOST_PASSED
    while node and node.type != XML_ELEMENT_NODE:
        if is_text(node):
            text = node.content
            while is_blank(text[0]) and left:
                text += 1
                left -= 1
            if text[0]:
                break
        if not left:
            break
        node = node.prev if backwards else node.next
        left -= 1
    return node
