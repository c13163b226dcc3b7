"""Formulas as TeX; see `formulas.pyx`."""

from libc.string cimport strncmp
from libcpp.string cimport string
from lxml.includes.tree cimport xmlNode


cdef inline bint is_of_mathjax(const char* names) noexcept nogil:
    """Return whether class names are those of what MathJax 2 has written for a formula: its first says so."""
    # the first letter alone turns away nearly all
    return names[0] | 0x20 == 109 and (strncmp(names, b"MathJax", 7) == 0 or strncmp(names, b"mjx-chtml", 9) == 0)


cdef bint write_formula(const xmlNode* node, string& out) except -1 nogil
cdef bint is_tex_script(const xmlNode* node) noexcept nogil
cdef bint is_formula_image(const xmlNode* node) noexcept nogil
cdef bint is_twin(const xmlNode* node) noexcept nogil
