"""A text's units: hashes, kinds, and the units themselves."""

from libc.stdint cimport uint8_t, uint32_t
from libcpp.string cimport string
from libcpp.vector cimport vector

cpdef enum:
    # Kinds of units; all others are 0.
    IDEOGRAPH = 1
    NUMBER = 2  # a word with a digit in it

cdef struct UnitRows:
    vector[uint32_t] hashes  # CRC-32 of a unit's UTF-8
    vector[uint8_t] kinds    # IDEOGRAPH, NUMBER or 0
    string joined            # UTF-8 of the units, joined by line feeds

cdef int read_rows(object text, UnitRows& rows) except -1
cdef bint is_stop_unit(uint32_t unit) noexcept nogil
