"""Attributes of libxml2's nodes."""

from libc.string cimport strcmp
from lxml.includes.tree cimport xmlAttr, xmlNode


cdef inline const unsigned char* value_of(const xmlAttr* attribute) noexcept nogil:
    """The value of an attribute, "" where it has none."""
    if attribute.children == NULL or attribute.children.content == NULL:
        return b""
    return attribute.children.content


cdef inline const unsigned char* attribute_of(const xmlNode* node, const char* name) noexcept nogil:
    """The value of an element's attribute, NULL where it is not there."""
    cdef const xmlAttr* attribute = node.properties
    while attribute != NULL:
        if strcmp(<const char*>attribute.name, name) == 0:
            return value_of(attribute)
        attribute = attribute.next
    return NULL
