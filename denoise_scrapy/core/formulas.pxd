"""Attributes of libxml2's nodes; and formulas as TeX, see `formulas.pyx`."""

from libcpp.string cimport string
from lxml.includes.tree cimport XML_ELEMENT_NODE, xmlAttr, xmlNode

from denoise_scrapy.core.characters cimport equal, starts


cdef inline const unsigned char* value_of(const xmlAttr* attribute) noexcept nogil:
    """Return the value of an attribute, "" if it has none."""
    if attribute.children == NULL or attribute.children.content == NULL:
        return b""
    return attribute.children.content


cdef inline const unsigned char* attribute_of(const xmlNode* node, const char* name) noexcept nogil:
    """Return the value of an element's attribute, NULL if missing."""
    cdef const xmlAttr* attribute = node.properties
    while attribute != NULL:
        if equal(<const char*>attribute.name, name):
            return value_of(attribute)
        attribute = attribute.next
    return NULL


cdef inline bint is_named(const xmlNode* node, const char* name) noexcept nogil:
    """Return whether a node is an element with a tag."""
    return node.type == XML_ELEMENT_NODE and equal(<const char*>node.name, name)


cdef inline bint is_of_mathjax(const char* names) noexcept nogil:
    """Return whether class names are those of MathJax 2's output for a formula: the first one decides."""
    return starts(names, b"MathJax") or starts(names, b"mjx-chtml")


cdef bint has_word(const char* names, const char* word) noexcept nogil
cdef bint write_formula(const xmlNode* node, string& out) except -1 nogil
cdef bint is_tex_script(const xmlNode* node) noexcept nogil
cdef bint is_formula_image(const xmlNode* node) noexcept nogil
cdef bint is_twin(const xmlNode* node) noexcept nogil
cdef bint is_math_alone(const xmlNode* node) noexcept nogil
