"""The TeX of a formula in MathML: what the page itself gives as TeX, else written from its elements.

Source: W3C, *Mathematical Markup Language (MathML) 3.0* (2014), sections 3.1.3, the arguments of elements, and 5.2,
annotations.
"""

from libc.string cimport memcmp, strcmp
from libcpp.string cimport string
from libcpp.vector cimport vector
from lxml.includes.tree cimport XML_ELEMENT_NODE, XML_TEXT_NODE, xmlNode

from denoise_scrapy.core.nodes cimport attribute_of

cdef enum:
    # Elements inside each other; what stands deeper is left out. Formulas of the web have a dozen.
    DEEPEST = 64

cdef struct Shape:        # how an element is written: its beginning, and what stands before its second and third part
    const char* name
    const char* head
    const char* second
    const char* third

cdef vector[Shape] _shapes


cdef int declare(const char* name, const char* head, const char* second, const char* third) except -1:
    cdef Shape shape
    shape.name, shape.head, shape.second, shape.third = name, head, second, third
    _shapes.push_back(shape)
    return 0


declare(b"msub", b"", b"_", b"")
declare(b"msup", b"", b"^", b"")
declare(b"msubsup", b"", b"_", b"^")
declare(b"munder", b"", b"_", b"")
declare(b"mover", b"", b"^", b"")
declare(b"munderover", b"", b"_", b"^")
declare(b"mfrac", b"\\frac", b"", b"")
declare(b"msqrt", b"\\sqrt", b"", b"")


cdef inline bint is_named(const xmlNode* node, const char* name) noexcept nogil:
    return node.type == XML_ELEMENT_NODE and strcmp(<const char*>node.name, name) == 0


cdef int write_text(const char* text, string& out) except -1 nogil:
    """Write a text with one space for all white space, and without the signs that show nothing, U+2061 to U+2064."""
    while text[0]:
        if <unsigned char>text[0] <= 32:
            if not out.empty() and out.back() != 32:
                out.push_back(32)
        elif <unsigned char>text[0] == 0xE2 and <unsigned char>text[1] == 0x81 and (
                0xA1 <= <unsigned char>text[2] <= 0xA4):
            text += 2
        else:
            out.push_back(text[0])
        text += 1
    return 0


cdef int write_parts(const xmlNode* node, string& out, int depth) except -1 nogil:
    """Write an element by its parts: fractions, roots, what is above and below; all others one after another."""
    cdef const xmlNode* child = node.children
    cdef const Shape* shape = NULL
    cdef size_t i
    cdef int part = 0
    if depth > DEEPEST:
        return 0
    for i in range(_shapes.size()):
        if strcmp(<const char*>node.name, _shapes[i].name) == 0:
            shape = &_shapes[i]
            out.append(shape.head)
    while child != NULL:
        if child.type == XML_TEXT_NODE and child.content != NULL and shape == NULL:
            write_text(<const char*>child.content, out)
        elif child.type == XML_ELEMENT_NODE and not is_named(child, b"annotation") and (
                not is_named(child, b"annotation-xml")):
            part += 1
            if shape != NULL and part == 2:
                out.append(shape.second)
            elif shape != NULL and part == 3:
                out.append(shape.third)
            if shape != NULL and (part > 1 or shape.head[0]):
                out.push_back(123)
                write_parts(child, out, depth + 1)
                out.push_back(125)
            else:
                write_parts(child, out, depth + 1)
        child = child.next
    return 0


cdef const xmlNode* tex_in(const xmlNode* math) noexcept nogil:
    """The annotation of a formula that is TeX, NULL for none."""
    cdef const xmlNode* semantics = math.children
    cdef const xmlNode* child
    cdef const char* encoding
    while semantics != NULL:
        child = semantics.children if is_named(semantics, b"semantics") else NULL
        while child != NULL:
            if is_named(child, b"annotation") and child.children != NULL and child.children.content != NULL:
                encoding = <const char*>attribute_of(child, b"encoding")
                if encoding != NULL and (strcmp(encoding, b"application/x-tex") == 0 or strcmp(encoding, b"TeX") == 0):
                    return child.children
            child = child.next
        semantics = semantics.next
    return NULL


cdef int write_formula(const xmlNode* math, string& out) except -1 nogil:
    """Write a formula as TeX: its annotation, its `alttext`, or its elements."""
    cdef const xmlNode* tex = tex_in(math)
    cdef const char* told = <const char*>attribute_of(math, b"alttext")
    if tex != NULL:
        told = <const char*>tex.content
    if told != NULL and told[0]:
        write_text(told, out)
    else:
        write_parts(math, out, 0)
    if not out.empty() and out.back() == 32:
        out.pop_back()
    # what Wikipedia and others put around all: how large it is shown
    if out.size() > 15 and memcmp(out.data(), b"{\\displaystyle ", 15) == 0 and out.back() == 125:
        out.pop_back()
        out.erase(0, 15)
    return 0
