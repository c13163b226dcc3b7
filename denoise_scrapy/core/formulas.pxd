"""Formulas as TeX, see `formulas.pyx`."""

from libcpp.string cimport string

from denoise_scrapy.core.characters cimport Chars, starts
from denoise_scrapy.core.nodes cimport Node


cdef inline bint is_of_mathjax(Chars names) noexcept nogil:
    """Return whether class names are those of MathJax 2's output for a formula: the first one decides."""
    return starts(names, b"MathJax") or starts(names, b"mjx-chtml")


cdef bint write_formula(Node node, string& out) except -1 nogil
cdef bint is_tex_script(Node node) noexcept nogil
cdef bint is_formula_image(Node node) noexcept nogil
cdef bint is_twin(Node node) noexcept nogil
cdef bint is_math_alone(Node node) noexcept nogil
