"""Formulas as TeX; see `formulas.pyx`."""

from libcpp.string cimport string
from lxml.includes.tree cimport xmlNode

cdef int write_formula(const xmlNode* math, string& out) except -1 nogil
