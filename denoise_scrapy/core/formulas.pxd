"""Formulas as TeX, see `formulas.pyx`."""

from libcpp.string cimport string
from lxml.includes.tree cimport xmlNode

from denoise_scrapy.core.characters cimport starts


cdef inline bint is_of_mathjax(const char* names) noexcept nogil:
    """Return whether class names are those of MathJax 2's output for a formula: the first one decides."""
    return starts(names, b"MathJax") or starts(names, b"mjx-chtml")


cdef bint write_formula(const xmlNode* node, string& out) except -1 nogil
cdef bint is_tex_script(const xmlNode* node) noexcept nogil
cdef bint is_formula_image(const xmlNode* node) noexcept nogil
cdef bint is_twin(const xmlNode* node) noexcept nogil
cdef bint is_math_alone(const xmlNode* node) noexcept nogil
